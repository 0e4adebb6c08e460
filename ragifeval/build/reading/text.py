"""Bytes -> text: the encoding found out, and what must not be in a text taken out of it."""

import re

from ragifeval.build.records import Source
from ragifeval.text.clean import compose

LARGEST_TEXT = 20_000_000
"""What is longer, in bytes or characters, is refused: ten thousand chunks from one file."""

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32"}
_MARKS |= {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HEADING = re.compile(r"^# +(\S.*?) *#*$", re.MULTILINE)

_POLISH = frozenset("ąćęłńóśźżĄĆĘŁŃÓŚŹŻ")
# Letters that hardly a Polish sentence lacks, and whose bytes are no letters elsewhere.
_TELLING = frozenset("ąęłśĄĘŁŚ")
_USUAL_MARKS = frozenset("„”“’‘–—…§°•«»\u00a0€×")


class UnreadableError(Exception):
    """A file that cannot be read; its text is the reason, in one line."""


def read_text(data: bytes, file: str) -> list[Source]:
    """The text of a file, as it is; a Markdown file's title is its first heading of level 1."""
    text = decode(data)
    heading = _HEADING.search(text) if file.lower().endswith((".md", ".markdown")) else None
    return [Source(file, text, heading[1] if heading else None)]


def decode(data: bytes) -> str:
    """Text in an encoding that is not told, tidied.

    UTF-8, UTF-16 and UTF-32 with a byte order mark; UTF-8 without; Polish in either of its old
    encodings; any other as charset-normalizer finds.

    Raises:
        UnreadableError: it is no text, or too much.
    """
    check_length(len(data))
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            try:
                return tidy(data.decode(encoding))
            except UnicodeDecodeError as error:
                raise UnreadableError(f"is no {encoding.upper()} text: {error.reason}") from None
    if b"\0" in data[:100_000]:
        raise UnreadableError("is no text: it holds zero bytes")
    try:
        return tidy(data.decode("utf-8"))
    except UnicodeDecodeError:
        return tidy(_polish(data) or _guessed(data))


def _polish(data: bytes) -> str | None:
    """Polish text in an old encoding, which charset-normalizer takes for a neighbouring one."""
    best, best_share = None, 0.9
    for encoding in ("cp1250", "iso8859_2"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        strange = [letter for letter in text if not letter.isascii() and letter not in _USUAL_MARKS]
        share = sum(letter in _POLISH for letter in strange) / max(len(strange), 1)
        if share > best_share and not _TELLING.isdisjoint(strange):
            best, best_share = text, share
    return best


def _guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes

    match = from_bytes(data).best()
    if match is None:
        raise UnreadableError("is no text in any known encoding: save it as UTF-8")
    return str(match)


def check_length(length: int) -> None:
    """Refuse what is longer than LARGEST_TEXT."""
    if length > LARGEST_TEXT:
        raise UnreadableError(
            f"is too long: {length / 1e6:,.0f} MB of text, and at most {LARGEST_TEXT / 1e6:.0f} MB "
            "are read from one file; split it"
        )


def tidy(text: str) -> str:
    """NFC, lines ended by a line feed, no control characters, no half of a surrogate pair."""
    text = _SURROGATES.sub("\ufffd", text)
    return compose(_UNWANTED.sub("", _LINE_ENDS.sub("\n", text)))


def one_line(text: object) -> str:
    """A title or a library's message, its white space made single spaces."""
    return " ".join(tidy(str(text)).split())
