"""Questions of an exam, however they are listed."""

import re
from collections.abc import Iterable

from ragifeval.build.replies.refusals import refuses_to_ask
from ragifeval.build.replies.tidying import any_json, strings_in, text_of, tidy
from ragifeval.build.replies.wording import (
    ANSWER,
    QUESTION,
    QUESTION_INITIALS,
    QUESTIONS,
    is_introduction,
    is_placeholder,
    is_remark,
)
from ragifeval.run.old.replies import Unparsed

_WAYS = "|".join(map(re.escape, sorted(QUESTION, key=len, reverse=True)))
_QUESTION = rf"(?:{_WAYS}|[qpf])[ \t]*+(?:nr\.?|no\.?|#)?[ \t]*+"
# 1. or (1) or [1] or Question 1:
_NUMBERED = re.compile(
    rf"(?:[^\w\n(]|_)*+(?:{_QUESTION}\d{{1,3}}+[*_ \t]*+(?:[.):：–-]|$)"
    r"|\(?\d{1,3}+[.):\]](?!\d))(?:[*_]++(?=\s|$))?[ \t]*+",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[ \t>]*+[-*•–·▪●][ \t]++")
_LABEL = re.compile(rf"[*_]*+{_QUESTION}[*_]*+[:：][*_ \t]*+", re.IGNORECASE)
_ANSWERS = "|".join(map(re.escape, ANSWER))
_ANSWER = re.compile(
    rf"[^\w\n]*+(?:(?:{_ANSWERS})(?:[ \t]*+(?:nr\.?|no\.?|#)?[ \t]*+\d++)?|(?P<initial>[aor])\d*+)"
    r"[ \t]*+[*_]*+[:：]",
    re.IGNORECASE,
)
# Ile? Odpowiedź: 30 zł
_ANSWERED = re.compile(
    rf"(?:(?<=[?.!*\"”»])(?<!\d\.)[ \t]++[*_(\[–—-]*+[ \t]*+(?:{_ANSWERS})"
    r"|(?<=\?)[ \t]++[*_(\[–—-]*+[ \t]*+(?-i:[AOR]))"
    r"(?:[ \t]*+\d{1,3}+)?[ \t]*+[*_]*+[:：].*",
    re.IGNORECASE | re.DOTALL,
)
# Several on one line.
_NEXT = re.compile(r"(?<=\?)[ \t]++(?=\(?\d{1,3}[.)][ \t])")
_ENDED = re.compile(r"[?.!][*_\"'”»)\]]*+\Z")
_ASKED = re.compile(r"\?[*_\"'”»)\]]*+\Z")


def read_questions(reply: str, number: int) -> list[str]:
    r"""Questions one a line, numbered or not, or as a list in JSON; none twice.

    >>> read_questions("Oto pytania:\n1. Ile?\n2. **Kiedy?**\n3. Ile?", 5)
    ['Ile?', 'Kiedy?']

    Args:
        number: at most so many are returned.

    Raises:
        Unparsed: there is none.
    """
    text = text_of(reply)
    if refuses_to_ask(text):
        raise Unparsed("it refuses to ask")
    strings = strings_in(any_json(text), (*QUESTION, *QUESTIONS, *QUESTION_INITIALS))
    strings = [string for string in strings if not string.isdigit()]  # [1] numbers a line
    found: dict[str, str] = {}
    for question in strings or _listed(text):
        if _is_answer(question):
            continue
        question = _ANSWERED.sub("", question)
        question = " ".join(tidy(_LABEL.sub("", question, count=1)).split())
        key = " ".join(re.findall(r"\w+", question.casefold()))
        if key and not is_placeholder(question):
            found.setdefault(key, question)
    if not found:
        raise Unparsed("it holds no question")
    return list(found.values())[:number]


def _listed(text: str) -> list[str]:
    """The questions of a list, by its numbers, or else its bullets, or else its question marks."""
    lines = [part for line in text.splitlines() for part in _NEXT.split(_ANSWERED.sub("", line))]
    for mark in (_NUMBERED, _BULLET):
        if any(map(mark.match, lines)):
            return _marked(lines, mark)
    return _bare(lines)


def _is_answer(line: str) -> bool:
    """Whether a line is labelled as an answer; "R: jak narysować wykres?" is a question."""
    label = _ANSWER.match(line)
    return label is not None and not (label["initial"] and _ASKED.search(line))


def _marked(lines: Iterable[str], mark: re.Pattern[str]) -> list[str]:
    items: list[list[str]] = []
    is_open = False  # whether the item may go on, on the next line
    for line in lines:
        if found := mark.match(line):
            items.append([line[found.end() :].strip()])
            is_open = True
        elif not line.strip():
            is_open = is_open and items[-1] == [""]
        elif is_open and not (is_remark(line) or _is_answer(line)):
            items[-1].append(line.strip())
        else:
            is_open = False
        is_open = is_open and not _ENDED.search(items[-1][-1])
    return [" ".join(item) for item in items]


def _bare(lines: Iterable[str]) -> list[str]:
    items: list[str] = []
    begun: list[str] = []
    for line in map(str.strip, lines):
        # A line that was broken goes on in lower case.
        begun = [*begun, line] if line[:1].islower() else [line]
        if is_remark(line) or is_introduction(line) or _is_answer(line):
            begun = []
        elif _ENDED.search(line):
            if _ASKED.search(line):
                items.append(" ".join(begun))
            begun = []
    return items
