"""A question with its answer, and an answer alone."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ragifeval.build.replies.refusals import is_refusal, refuses_to_ask, says_no_answer
from ragifeval.build.replies.tidying import first_json, strings_in, text_of, tidy, unfenced
from ragifeval.build.replies.wording import (
    ABOUT,
    ANSWER,
    ANSWER_INITIALS,
    BESIDE,
    QUESTION,
    QUESTION_INITIALS,
    is_introduction,
    is_placeholder,
)
from ragifeval.run.old.replies import Unparsed, pick
from ragifeval.run.old.replies.parts import read_parts, unwrapped


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and its answer."""

    question: str
    answer: str


_WORDS = {"question": QUESTION, "answer": ANSWER, "beside": BESIDE}
_INITIALS = {"question": QUESTION_INITIALS, "answer": ANSWER_INITIALS, "beside": BESIDE}
# <question>…</question>
_TAG = re.compile(rf"<(/?)({'|'.join(map(re.escape, (*QUESTION, *ANSWER)))})>", re.IGNORECASE)
_LABELS = "|".join(map(re.escape, (*QUESTION, *ANSWER, *BESIDE)))
# Wynik::: Pytanie: Ile? Odpowiedź: 30 zł
_MIDLINE = re.compile(
    rf"(?<=[?.!:：|”\"*)\]])[ \t]++(?=[*_]*+(?:{_LABELS})"
    r"(?:[ \t]*+\d{1,2})?[*_]*+[ \t]*+[:：])",
    re.IGNORECASE,
)
# Q: Ile? A: 30 zł
_MIDLINE_INITIAL = re.compile(r"(?<=[?:*])[ \t]++(?=[*_]*+[QPFAOR][*_]*+[ \t]*+[:：])")
# Not a bullet: a list that answers may have such items.
_ABOUT = re.compile(
    rf"\n[#>( \t*_]*+(?:{'|'.join(map(re.escape, ABOUT))})(?: \([^()\n]{{0,60}}\))?[*_ \t]*+[:：]",
    re.IGNORECASE,
)
_BRACKETS = (("(", ")"), ("[", "]"), ("<", ">"))


def read_pair(reply: str) -> Pair:
    r"""A question and its answer, labelled in any language, in either order, or as JSON.

    Of several pairs the first.

    >>> read_pair("Wynik:::\n**Pytanie:** Ile?\n**Odpowiedź:** 30 zł\n\nUwaga: bez zniżek.")
    Pair(question='Ile?', answer='30 zł')

    Raises:
        Unparsed: one of the two is missing, a refusal, or what the prompt showed in its place.
    """
    text = text_of(reply)
    if refuses_to_ask(text):
        raise Unparsed("it refuses to ask")
    found = _pair_in(first_json(text)) or _labelled(text)
    if found is None:
        raise Unparsed("it holds no question with its answer")
    question, answer = " ".join(tidy(found[0]).split()), tidy(found[1])
    if question[:-1].endswith("?"):
        question = unwrapped(question, *_BRACKETS)
    for name, part in (("question", question), ("answer", answer)):
        if is_placeholder(part):
            raise Unparsed(f"its {name} is empty, or what the prompt showed in its place")
        if is_refusal(part) and not (name == "question" and "?" in part):
            raise Unparsed(f"its {name} says that there is none")
    return Pair(question, answer)


def _pair_in(value: Any) -> tuple[str, str] | None:
    """The first object with both, the outer ones before the inner ones."""
    level = [value]
    while level:
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                question, answer = strings_in(pick(one, QUESTION)), strings_in(pick(one, ANSWER))
                if question and answer:
                    return "\n".join(question), "\n".join(answer)
                inner += one.values()
            elif isinstance(one, list | tuple):
                inner += one
        level = inner
    return None


def _labelled(text: str) -> tuple[str, str] | None:
    """The first question and answer that follow each other."""
    if text.startswith("{"):
        return None
    for way, labels in (
        (text, _WORDS),
        (_MIDLINE.sub("\n", text), _WORDS),
        (_TAG.sub(lambda tag: "\n" if tag[1] else f"\n{tag[2]}:\n", text), _WORDS),
        (text, _INITIALS),
        (_MIDLINE_INITIAL.sub("\n", text), _INITIALS),
    ):
        parts = read_parts(way, labels)
        head = parts[0][1].rpartition("\n\n")[2]
        if head.endswith("?") and not {"\n", ":"} & set(head):  # only the answer has a label
            parts[0] = ("question", head)
        for (name, part), (next_name, next_part) in pairwise(parts):
            if part and next_part and {name, next_name} == {"question", "answer"}:
                return (part, next_part) if name == "question" else (next_part, part)
    return None


def read_answer(reply: str) -> str | None:
    """The answer alone, without a label or an introduction before it, or remarks behind it.

    >>> read_answer("**Odpowiedź:** 30 zł.")
    '30 zł.'

    Returns:
        None where it says that there is no answer, or that it is not known.

    Raises:
        Unparsed: there is none, or it declines for another reason.
    """
    text = unfenced(text_of(reply))
    found = first_json(text) if text.startswith("{") else None
    if isinstance(found, dict):
        answer = "\n".join(strings_in(pick(found, ANSWER)))
    else:
        first, _, rest = text.partition("\n")
        text = rest.strip() if rest.strip() and is_introduction(first) else text
        labelled = [part for name, part in read_parts(text, _WORDS) if name == "answer"]
        answer = labelled[0] if labelled else _ABOUT.split(text, 1)[0]
    answer = tidy(answer)
    if says_no_answer(answer):
        return None
    if is_placeholder(answer):
        raise Unparsed("it holds no answer")
    if is_refusal(answer):
        raise Unparsed("it refuses to answer")
    return answer
