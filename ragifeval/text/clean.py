"""Text as people paste it -> text to be compared: composed, without what cannot be seen."""

import re
import unicodedata

# Not NFKC, which tears "½" into "1⁄2"; only what people paste from PDFs and tables.
_PLAIN = {"¹": "1", "²": "2", "³": "3", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"}
_PLAIN |= {"ﬅ": "st", "ﬆ": "st"}
# Format characters (category Cf of Unicode 14), written out: Python versions know different ones.
_FORMAT_RANGES = (
    "\u00ad\u00ad \u0600\u0605 \u061c\u061c \u06dd\u06dd \u070f\u070f \u0890\u0891 \u08e2\u08e2 "
    "\u180e\u180e \u200b\u200f \u202a\u202e \u2060\u2064 \u2066\u206f \ufeff\ufeff \ufff9\ufffb "
    "\U000110bd\U000110bd \U000110cd\U000110cd \U00013430\U00013438 \U0001bca0\U0001bca3 "
    "\U0001d173\U0001d17a \U000e0001\U000e0001 \U000e0020\U000e007f"
)
_FORMAT = frozenset(
    chr(point)
    for ends in _FORMAT_RANGES.split(" ")
    for point in range(ord(ends[0]), ord(ends[1]) + 1)
)
_REWRITTEN = _FORMAT | frozenset(_PLAIN)
_REWRITE = str.maketrans(_PLAIN | dict.fromkeys(_FORMAT, ""))
# Any character but those that nearly all answers consist of. These are composed, and none of them
# is rewritten.
_UNUSUAL = re.compile("[^\x00-\xac\xae-\xb1\xb4-\xb8\xba-\u024f\u2010-\u2027]")


def clean_text(text: str) -> str:
    """NFC; format characters (soft hyphen, zero width) deleted; ¹²³ and ligatures made plain."""
    # Looking first is much faster than rewriting, and few answers have such a character.
    if text.isascii() or _UNUSUAL.search(text) is None:
        return text
    text = compose(text)
    if _UNUSUAL.search(text) is None or _REWRITTEN.isdisjoint(text):
        return text
    return compose(text.translate(_REWRITE))


def well_formed(text: str) -> str:
    """The text with halves of surrogate pairs replaced: JSON may hold them, UTF-8 may not."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# Unicode's Stream-Safe Text Format allows a letter as many combining marks; languages need few.
_MOST_MARKS = 30
# Where more may stand: marks are no word characters, and none of them is ASCII.
_MARKS = re.compile(rf"[^\w\x00-\x7f]{{{_MOST_MARKS + 1},}}")


def compose(text: str) -> str:
    """NFC, in time linear in the text: the marks beyond the 30th on one letter are dropped.

    NFC sorts the marks on a letter, and the unicodedata module does so in quadratic time: minutes
    for a megabyte of them.
    """
    if unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", _MARKS.sub(_cut_marks, text))


def _is_mark(character: str) -> bool:
    # Some Tibetan vowels are no marks themselves, but fall apart into two.
    return unicodedata.combining(unicodedata.normalize("NFD", character)[0]) > 0


def _cut_marks(match: re.Match[str]) -> str:
    kept, marks = [], 0
    for character in match[0]:
        marks = marks + 1 if _is_mark(character) else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


# Further back than this, no character has a say in what comes of the one behind.
_WINDOW = 2 * _MOST_MARKS


def pieces_of(original: str) -> list[tuple[int, int]]:
    """For each character of clean_text(original), (start, end) of the characters that it came from.

    Those that NFC joins are one piece: a letter with its combining marks, the parts of a syllable.
    """
    pieces: list[tuple[int, int]] = []
    start = 0
    while start < len(original):
        end = start + 1
        while end < len(original) and not original[end].isascii():
            behind = max(start, end - _WINDOW)
            alone = clean_text(original[end])
            apart = clean_text(original[behind:end]) + alone
            longer = clean_text(original[behind : end + 1])
            if longer == apart and alone and not _is_mark(original[end]):
                break
            end += 1
        pieces += [(start, end)] * len(clean_text(original[start:end]))
        start = end
    return pieces
