"""A verdict with its reason, in the shapes in which models give them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragifeval.run.old.replies.labels import VERDICT_KEYS, VERDICTS, either
from ragifeval.run.old.replies.loose_json import read_objects
from ragifeval.run.old.replies.parts import FRAME, Unparsed, plain, plain_key, without_thinking
from ragifeval.run.old.replies.reasons import reason_around, reason_in


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, and what else the reply says."""

    value: bool
    reason: str


_YES = ("YES", "TAK", "TRUE", "PRAWDA", "SUPPORTED", "POTWIERDZONA", "POTWIERDZONE")
_NO = (
    *("NO", "NIE", "FALSE", "FAŁSZ", "NOT SUPPORTED", "UNSUPPORTED"),
    *("NIEPOTWIERDZONA", "NIEPOTWIERDZONE", "NIE POTWIERDZONA", "NIE POTWIERDZONE"),
)
_KEYS = {plain(name) for name in VERDICT_KEYS}
_ECHOED = {"answer", "odpowiedz", "result", "wynik"}
_WORD = rf"(?P<word>{either((*_YES, *_NO))})"
_ALONE = re.compile(rf"{FRAME}{_WORD}[\s*_`\"'.,!|]*+", re.IGNORECASE)
_LABELLED = re.compile(
    rf"(?:^|(?<=\W))(?:{either(VERDICTS)})\b"
    rf"(?:[*_`\"\s]*+[:：=—–-]|\s+(?:is|to|brzmi|would\s+be))[*_`\"\s:]*+{_WORD}\b",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(rf"{FRAME}{_WORD}\b", re.IGNORECASE)
_SHOUTED = re.compile(r"\b(?P<word>YES|TAK|NO|NIE)\b")
# The choice itself, repeated before it is made.
_CHOICE = re.compile(
    r"[(\[]?\b(?:(?:yes|tak)\s*(?:/|\bor\b|\blub\b|\balbo\b|\bczy\b)\s*(?:no|nie)"
    r"|(?:no|nie)\s*(?:/|\bor\b|\blub\b|\balbo\b|\bczy\b)\s*(?:yes|tak))\b[)\]]?",
    re.IGNORECASE,
)
# A word of a sentence, as in "Nie wiem", is no verdict; nor is the number "No. 5".
_STATED = re.compile(
    r"[*_`\"'”)\]| \t]*+(?:(?!\.[ \t]?\d)[.,;:：!–—\n(]|(?<=\s)-|-(?=\s)|\Z"
    r"|(?:because|since|as|for|the|it|this|bo|ponieważ|gdyż|jako"
    r"|by\s+the|przez\s+kontekst)\b)",
    re.IGNORECASE,
)
_SHOUTED_ON = re.compile(r"[ \t]+[^\W\d_]{2,}+")
_JUDGE = (
    r"(?:judge|tell|say|determine|assess|answer|evaluate|decide|verify|know|help|be\s+sure|ocenić|"
    r"oceniać|stwierdzić|rozstrzygnąć|określić|powiedzieć|odpowiedzieć|osądzić|zweryfikować|pomóc)"
)
_DOUBT = re.compile(
    rf"\W{{0,6}}(?:(?:I|we|it\s+is)\W(?:cannot|can['’]?t|can\s+not|could\s+not|couldn['’]t|am\s+unable\s+to|"
    rf"am\s+not\s+able\s+to|impossible\s+to)\s+(?:\w+\s+){{0,2}}{_JUDGE}"
    r"|I\W(?:don['’]?t|do\s+not)\s+know|I(?:['’]m|\s+am)\s+(?:not\s+sure|unsure)"
    r"|(?:naprawdę\s+|właściwie\s+)?(?:nie\s+)?(?:wiem|wiadomo|potrafię|umiem|jestem\s+(?:w\s+stanie|pew))"
    rf"|(?:nie\s+)?(?:mogę|można|da\s+się|sposób)\s+(?:\w+\s+){{0,3}}{_JUDGE}"
    r"|(?:but\s+|ale\s+|lecz\s+)?(?:only\s+|tylko\s+)?(?:partly|partially|in\s+part|częściowo))\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"[\s*_\"',;–—-]{1,5}(?:(?:and|but|yet|also|i|oraz|ale|lecz|a|też|jednocześnie|und|aber|y|pero|&)"
    r"[\s*_\"',]+){1,3}(?P<word>yes|tak|no|nie)\b(?=\W*(?:\Z|\n|[.,;!]))",
    re.IGNORECASE,
)
# Before a verdict that is not given, or given on a condition.
_HELD_BACK = re.compile(
    rf"\b(?:(?:not|cannot|\w{{1,8}}n['’]t|nie\s+(?:mogę|można|da\s+się|potrafię|powiem|odpowiem))"
    rf"(?:\W+\w+){{0,3}}|(?:if|whether|jeśli|jeżeli|gdyby|gdy)(?:\W+\w+){{0,2}})\W*\Z|\b{_JUDGE}\W*\Z",
    re.IGNORECASE,
)


def read_verdict(text: str) -> Verdict:
    """A verdict and its reason: YES or NO, TAK or NIE; first or last, labelled, in JSON.

    >>> read_verdict("TAK. Kontekst to potwierdza.")
    Verdict(value=True, reason='Kontekst to potwierdza.')

    Raises:
        Unparsed: there is no verdict, or there are both.
    """
    text = without_thinking(text)
    if parsed := read_objects(text):
        found = [verdict for value in parsed for verdict in _verdicts_in(value)]
        if len({verdict.value for verdict in found}) != 1:
            raise Unparsed("its JSON holds neither YES nor NO, or both")
        return found[-1]
    return _spoken(text)


def _verdicts_in(value: Mapping[str, Any]) -> Iterator[Verdict]:
    """Yield what a JSON object says, or the only object in it: {"result": {"verdict": "NO"}}."""
    inner = next(iter(value.values()), None)
    value = inner if len(value) == 1 and isinstance(inner, dict) else value
    for key, said in value.items():
        name = plain_key(key)
        if name not in _KEYS:
            continue
        if isinstance(said, bool):
            yield Verdict(said, reason_in(value))
        # An answer of more than a word may be the one that is judged.
        elif isinstance(said, str) and (name not in _ECHOED or _ALONE.fullmatch(said)):
            verdict = _spoken(said)
            yield Verdict(verdict.value, reason_in(value) or verdict.reason)


def _spoken(text: str) -> Verdict:
    text = _CHOICE.sub("", text).lstrip(" \t\n:：?*_").rstrip()
    found = next(_verdicts(text), None)
    if found is None or not _is_clear(text, found):
        raise Unparsed("it says neither YES nor NO, or both")
    return Verdict(_is_yes(found), reason_around(text, found.start(), found.end()))


def _verdicts(text: str) -> Iterator[re.Match[str]]:
    """Yield where the verdict may stand, the surest place first."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return
    first = _FIRST.match(text)
    last = _ALONE.fullmatch(text, text.rindex(lines[-1]))
    if _ALONE.fullmatch(lines[0]) and first:
        if last and _is_yes(last) != _is_yes(first):
            return
        yield first
    labelled = list(_LABELLED.finditer(text))
    if labelled:
        if len({_is_yes(match) for match in labelled}) == 1 and _is_stated(text, labelled[0]):
            yield labelled[0]
        return
    if first and _is_stated(text, first):
        yield first
    if last:
        yield last
    shouted = list(_SHOUTED.finditer(text))
    if len({_is_yes(match) for match in shouted}) == 1 and _is_stated(text, shouted[0]):
        yield shouted[0]


def _is_stated(text: str, match: re.Match[str]) -> bool:
    """Whether a word is a verdict by itself, rather than the beginning of a sentence."""
    if _STATED.match(text, match.end()):
        return True
    following = _SHOUTED_ON.match(text, match.end())
    is_shouted = match["word"] in ("YES", "TAK", "NO", "NIE")
    return is_shouted and following is not None and not following[0].isupper()


def _is_clear(text: str, match: re.Match[str]) -> bool:
    """Whether nothing next to a verdict takes it back."""
    behind = text[match.end() : match.end() + 120]
    if _DOUBT.match(behind):
        return False
    both = _BOTH.match(behind)
    if both and _is_yes(both) != _is_yes(match):
        return False
    before = text[max(0, match.start() - 80) : match.start()]
    return _HELD_BACK.search(re.split(r"[.,;:!?\n]", before)[-1]) is None


def _is_yes(match: re.Match[str]) -> bool:
    return match["word"].upper() in _YES
