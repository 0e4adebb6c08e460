"""Polish lemmas from a frozen table: one word, one lemma, out of context, the same everywhere.

The table is a trie that the operating system maps into memory. Its values say how a form becomes
its lemma: how many letters to cut off the end and what to add. It is built by tools/lemma_table.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import marisa_trie

from ragifeval.errors import UserError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

WORD = re.compile(r"[^\W_]+")
"""A token: a run of letters and digits."""

COMPONENT = "polish_lemma_table"

_REMEDY = "git checkout brings it back, tools/lemma_table builds it"


def encode(form: str, lemma: str) -> bytes:
    """Say how a form becomes its lemma.

    Returns:
        A letter, the n-th of the alphabet (from 0) where n letters are to be cut off the end, and
        the ending to add: b"eek" makes "rok" of "lata". Letters, because the trie then stores them
        together with those of the forms, in 5 % less space.
    """
    shared = 0
    while form[shared : shared + 1] == lemma[shared : shared + 1] != "":
        shared += 1
    return bytes([_NOTHING_CUT + len(form) - shared]) + lemma[shared:].encode()


_NOTHING_CUT = ord("a")


class LemmaTable:
    """A table of word forms and their lemmas.

    >>> LemmaTable.open("data/lemmas.marisa").lemma("lat")
    'rok'
    """

    def __init__(self, trie: marisa_trie.BytesTrie, version: str) -> None:
        self.version = version
        self._trie = trie
        self._edits: dict[bytes, tuple[int | None, str]] = {}

    @classmethod
    def open(cls, path: Path | str) -> LemmaTable:
        """Map a table into memory.

        Args:
            path: the table, e.g. data/lemmas.marisa; its description lies beside it (.json).

        Raises:
            UserError: one of the two is missing, or they do not belong together.
        """
        path = Path(path)
        try:
            description = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            version = f"{description['version']}-{description['sha256'][:8]}"
            whole = path.stat().st_size == description["bytes"]
            trie = marisa_trie.BytesTrie().mmap(str(path)) if whole else None
        except FileNotFoundError as error:
            raise UserError(f"{error.filename}: no such file; {_REMEDY}") from None
        except (ValueError, LookupError, TypeError, RuntimeError):
            trie = None  # no JSON, or not that of a table; no table, as marisa-trie says
        if trie is None:
            raise UserError(f"{path}: not the table that {path.stem}.json describes; {_REMEDY}")
        return cls(trie, version)

    def __len__(self) -> int:
        """The number of forms."""
        return len(self._trie)

    def __contains__(self, word: str) -> bool:
        """Whether the table knows the form."""
        return word.isalpha() and word in self._trie

    def __iter__(self) -> Iterator[str]:
        """The forms."""
        return iter(self._trie.iterkeys())

    def lemma(self, word: str) -> str:
        """Return the lemma of a lowercase word; a word that the table does not know is its own."""
        # Asked for the character NUL, marisa-trie answers with some other key's value.
        edits = self._trie.get(word) if word.isalpha() else None
        if edits is None:
            return word
        edit = edits[0]
        try:
            end, ending = self._edits[edit]
        except KeyError:
            end = _NOTHING_CUT - edit[0] or None
            ending = edit[1:].decode()
            self._edits[edit] = end, ending
        return word[:end] + ending


class WordTokenizer:
    """Splits text into words the way the normalizer does, where spaCy's own keeps "JPK_VAT"."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Return the words of a text as a spaCy Doc, punctuation left out."""
        from spacy.tokens import Doc

        return Doc(self.vocab, words=WORD.findall(unicodedata.normalize("NFC", text)))


class TableLemmatizer:
    """The spaCy component: each token's lemma is that of its lowercase text."""

    def __init__(self, table: LemmaTable) -> None:
        self.table = table

    def __call__(self, doc: Doc) -> Doc:
        """Set the lemmas of a Doc."""
        for token in doc:
            token.lemma_ = self.table.lemma(token.lower_)
        return doc


def polish_pipeline(table_path: Path | str) -> Language:
    """Return a spaCy pipeline that splits text into words and lemmatises them by a table.

    Args:
        table_path: the table, e.g. data/lemmas.marisa.

    Raises:
        UserError: the table or its description is missing.
    """
    import spacy
    from spacy.language import Language

    @Language.factory(COMPONENT)
    def lemmatizer(nlp: Language, name: str, table_path: str) -> TableLemmatizer:
        return TableLemmatizer(LemmaTable.open(table_path))

    nlp = spacy.blank("pl")
    nlp.tokenizer = WordTokenizer(nlp.vocab)
    nlp.max_length = sys.maxsize  # spaCy's own limit is there for parsers, which need much memory
    nlp.add_pipe(COMPONENT, config={"table_path": str(table_path)})
    return nlp
