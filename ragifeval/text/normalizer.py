"""Text -> Normalized: its words, their lemmas, and where in the text each came from.

Every word is lowercased and lemmatised alone, out of context, whatever the pipeline. So a phrase
that is copied verbatim into an answer is always found, and a word's lemma can be remembered.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING

from ragifeval.errors import UserError
from ragifeval.extras import require
from ragifeval.paths import LEMMA_TABLE
from ragifeval.text.clean import clean_text, pieces_of
from ragifeval.text.forms import is_quantity_word
from ragifeval.text.lemmas import WORD, LemmaTable
from ragifeval.text.stop_words import frozen_version

if TYPE_CHECKING:
    from spacy.language import Language

_PARTS = re.compile(f"({WORD.pattern})")
# The same where there is no "_", and faster.
_PLAIN_PARTS = re.compile(r"(\w+)")


class Lexeme:
    """A word and its lemma: one object wherever a normalizer meets the word.

    Whatever is known of a word is found by this object, without its letters being read again.

    Attributes:
        word: in lowercase.
        lemma: of the word.
        is_quantity_word: whether it may stand in a number, a date, or for a unit.
        is_quantity, signal, atoms: memory for those who read texts further; None until set.
    """

    __slots__ = ("atoms", "is_quantity", "is_quantity_word", "lemma", "signal", "word")

    def __init__(self, word: str, lemma: str) -> None:
        self.word = word
        self.lemma = lemma
        self.is_quantity_word = is_quantity_word(word)
        self.is_quantity: bool | None = None
        self.signal: int | None = None
        self.atoms: Sequence[str] | None = None


@dataclass(frozen=True)
class Normalized:
    """A text made ready for matching.

    Attributes:
        original: the text as it was given.
        text: the same in NFC, without format characters, superscripts and ligatures made plain.
        words: the lowercased words of `text`, in order.
        gaps: what stands before each word, lowercased, and at last what stands behind the last one.
        lexemes: each word with its lemma.
        lemmas: the lemma of each word.
    """

    original: str
    text: str
    words: Sequence[str]
    gaps: Sequence[str]
    lexemes: Sequence[Lexeme]
    lemmas: Sequence[str]

    @cached_property
    def joined(self) -> str:
        """N(t) of the benchmark: the lemmas, joined by one space."""
        return " ".join(self.lemmas)

    @cached_property
    def spans(self) -> Sequence[tuple[int, int]]:
        """(start, end) of each word in `text`, in characters."""
        return [match.span() for match in WORD.finditer(self.text)]

    @cached_property
    def original_spans(self) -> Sequence[tuple[int, int]]:
        """(start, end) of each word in `original`, in characters; for marking it there."""
        if self.text == self.original:
            return self.spans
        pieces = pieces_of(self.original)
        return [(pieces[start][0], pieces[end - 1][1]) for start, end in self.spans]


class Normalizer:
    """Normalizes texts with the lemmas that one lemmatizer gives.

    Args:
        lemmatize: a lowercased word -> its lemma. An empty lemma, or one with a space in it, leaves
            the word as it is.
        name: what the signature says of the lemmatizer: its name and version.
        language: its code, "pl"; it says whose stop words count.
    """

    # Words remembered before starting anew: bounds the memory of a run over endless answers.
    REMEMBERED = 300_000
    # What is longer is no word: it is left as it is, and not remembered here or in spaCy.
    LONGEST_WORD = 100

    def __init__(self, lemmatize: Callable[[str], str], name: str, language: str) -> None:
        self.name = name
        self.language = language
        self._lemmatize = lemmatize
        self._lexemes: dict[str, Lexeme] = {}

    def __call__(self, text: str) -> Normalized:
        """Normalize one text."""
        clean = clean_text(text)
        words, gaps = split_text(clean)
        try:
            lexemes = list(map(self._lexemes.__getitem__, words))
        except KeyError:
            lexemes = list(map(self._lexeme, words))
        lemmas = [lexeme.lemma for lexeme in lexemes]
        return Normalized(text, clean, words, gaps, lexemes, lemmas)

    def lemma(self, word: str) -> str:
        """The lemma of one lowercased word."""
        return self._lexeme(word).lemma

    def _lexeme(self, word: str) -> Lexeme:
        lexeme = self._lexemes.get(word)
        if lexeme is None:
            if len(word) > self.LONGEST_WORD:
                return Lexeme(word, word)
            if len(self._lexemes) >= self.REMEMBERED:
                self._lexemes.clear()
            lemma = self._lemmatize(word).lower()
            is_own = not lemma or " " in lemma or lemma == word
            # One string for all forms, and for the phrases that are looked for.
            lexeme = self._lexemes[word] = Lexeme(word, word if is_own else intern(lemma))
        return lexeme


def load_normalizer(name: str | None = None) -> Normalizer:
    """The default normalizer, or one around any spaCy pipeline.

    Args:
        name: an installed pipeline package ("pl_core_news_sm"), the path of a saved pipeline, or
            "blank:de", in which each lowercased word is its own lemma, for a language without a
            pipeline; None for the lemma table in data/.

    Raises:
        UserError: there is no such pipeline.
    """
    if name is None:
        # What lemmas.polish_pipeline() gives, word for word, without spaCy: its import, with all
        # that it imports in turn, takes longer than a hundred answers, and 200 MB.
        table = LemmaTable.open(LEMMA_TABLE)
        return Normalizer(table.lemma, table.version, "pl")
    shown = normalizer_name(name)
    if name.startswith(BLANK):
        # What spacy.blank() gives without spaCy: its tokens have no lemma.
        return Normalizer(str, shown, name.removeprefix(BLANK))
    import spacy

    try:
        pipeline = spacy.load(name)
    except (OSError, ImportError, ValueError, LookupError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"--normalizer: the pipeline {name!r} cannot be loaded: {reason}") from None
    # A lemma needs no parser and no entities; what the lemmatizer listens to stays.
    pipeline.select_pipes(disable=[pipe for pipe in pipeline.pipe_names if pipe in _UNUSED])
    return Normalizer(_one_by_one(pipeline), shown, pipeline.lang or "xx")


def _one_by_one(pipeline: "Language") -> Callable[[str], str]:
    from spacy.tokens import Doc

    def lemmatize(word: str) -> str:
        return pipeline(Doc(pipeline.vocab, words=[word]))[0].lemma_

    return lemmatize


_UNUSED = {
    "parser",
    "ner",
    "senter",
    "sentencizer",
    "textcat",
    "textcat_multilabel",
    "entity_ruler",
}


def normalizer_name(name: str | None) -> str:
    """What the signature says of a normalizer, found without loading spaCy where that can be.

    Raises:
        UserError: there is no such pipeline.
    """
    if name is None:
        return LemmaTable.open(LEMMA_TABLE).version
    if name.startswith(BLANK):
        return _blank_name(name.removeprefix(BLANK))
    require("spacy", f"--normalizer {name}")
    import spacy.util

    try:
        # The order in which spacy.load() looks.
        installed = spacy.util.is_package(name)
        path = spacy.util.get_package_path(name) if installed else Path(name)
        meta = spacy.util.load_meta(path / "meta.json")
    except (ImportError, OSError, ValueError):
        raise UserError(
            f"--normalizer: no spaCy pipeline {name!r} is installed or saved there; "
            f"pl_core_news_sm is installed with: {PL_CORE_NEWS_SM}"
        ) from None
    return f"{meta.get('lang')}_{meta.get('name')}-{meta.get('version')}"


BLANK = "blank:"
"""What stands before the language's code in the name of a normalizer without lemmas."""


def _blank_name(language: str) -> str:
    """What the signature says of spacy.blank(language), found without spaCy.

    For a language without a list of stop words in data/, spaCy says whether it knows it.
    """
    version = frozen_version(language)
    if version is not None:
        return f"{language}_blank-{version}"
    require("spacy", f"--normalizer {BLANK}{language}")
    spec = find_spec("spacy")
    assert spec is not None
    assert spec.origin is not None
    folders = Path(spec.origin).with_name("lang").glob("*/__init__.py")
    if language not in (codes := sorted(folder.parent.name for folder in folders)):
        raise UserError(
            f"--normalizer: spaCy has no language {language!r}; after {BLANK!r} stands one of "
            f"{', '.join(codes)}"
        )
    return f"{language}_blank-{metadata.version('spacy')}"


# spaCy's own pipelines are on GitHub, not on the package index.
PL_CORE_NEWS_SM = (
    "pip install https://github.com/explosion/spacy-models/releases/download/"
    "pl_core_news_sm-3.8.0/pl_core_news_sm-3.8.0-py3-none-any.whl"
)


def split_words(text: str) -> list[str]:
    """The lowercased words of a clean text: runs of letters and digits."""
    return split_text(text)[0]


def split_text(text: str) -> tuple[list[str], list[str]]:
    """The lowercased words of a clean text, and what stands before, between and behind them."""
    # Lowercased after splitting where that makes a difference: "İ" lowercases to two characters,
    # the second no word character, and "Σ" to one or another by what stands behind it.
    if "İ" in text or "Σ" in text:
        parts = _PARTS.split(text)
        return [word.lower() for word in parts[1::2]], parts[::2]
    parts = (_PARTS if "_" in text else _PLAIN_PARTS).split(text.lower())
    return parts[1::2], parts[::2]
