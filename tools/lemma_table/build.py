"""Build the Polish lemma table that ships in data/.

    pip install -r tools/lemma_table/requirements.txt
    python tools/lemma_table/build.py -o data/lemmas.marisa

The table holds the forms of the Polish tables of spacy-lookups-data, all forms of the most frequent
lexemes, and, for words that those tables lack, all forms of the words of wordfreq's Polish list and
of the text files named. Each form that Morfeusz knows gets the lemma of the choice rule (rule.py).
The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import marisa_trie
import morfeusz2
import wordfreq
from rule import Rule

sys.path.insert(0, str(Path(__file__).parents[2]))

from ragifeval.text.lemmas import WORD, encode

TABLE_VERSION = "1"


def lookup_forms() -> Iterator[str]:
    """Every form and every lemma of the Polish lookup tables of spacy-lookups-data."""
    folder = Path(str(files("spacy_lookups_data") / "data"))
    for path in sorted(folder.glob("pl_lemma_lookup_*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for form, lemma in json.load(file).items():
                yield form
                yield lemma


def everyday_words() -> set[str]:
    """The words of wordfreq's Polish list."""
    return set(wordfreq.get_frequency_dict("pl", wordlist="large"))


def text_words(paths: Iterable[Path]) -> set[str]:
    """The words of text files, as the tokenizer will see them."""
    words: set[str] = set()
    for path in paths:
        text = unicodedata.normalize("NFC", path.read_text(encoding="utf-8"))
        words.update(match.group().lower() for match in WORD.finditer(text))
    return words


def all_forms(rule: Rule, texts: Iterable[Path]) -> set[str]:
    """The forms to look up: lowercase and alphabetic."""
    forms = {form.lower() for form in lookup_forms()} | rule.overrides.keys()
    frequent = {lemma for lemma, _ in rule.ranks}
    missing = (text_words(texts) | everyday_words()) - forms
    for word in frequent | missing:
        forms |= {word} | rule.forms(word)
    return {form for form in forms if form.isalpha()}


def build(table: dict[str, str]) -> bytes:
    """Freeze a table of forms and lemmas."""
    trie = marisa_trie.BytesTrie((form, encode(form, table[form])) for form in sorted(table))
    return trie.tobytes()


def replace(path: Path, contents: bytes) -> None:
    """Write a file so that no reader ever sees half of it."""
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(contents)
    beside.replace(path)


def main() -> None:
    """Build the table and its description beside it."""
    parser = argparse.ArgumentParser(description="Build the Polish lemma table.")
    parser.add_argument("-o", "--output", type=Path, default=Path("data/lemmas.marisa"))
    parser.add_argument(
        "--texts",
        nargs="*",
        type=Path,
        help="text files whose words are to be in it (default: *.jsonl beside the output)",
    )
    arguments = parser.parse_args()
    texts = arguments.texts
    if texts is None:
        texts = sorted(arguments.output.parent.glob("*.jsonl"))

    rule = Rule()
    forms = all_forms(rule, texts)
    table = {form: lemma for form in forms if (lemma := rule.lemma(form)) is not None}
    contents = build(table)
    replace(arguments.output, contents)
    description = {
        "version": TABLE_VERSION,
        "forms": len(table),
        "lemmas": len(set(table.values())),
        "bytes": len(contents),
        "sha256": hashlib.sha256(contents).hexdigest(),
        "dictionary": rule.morfeusz.dict_id(),
        "morfeusz2": morfeusz2.__version__,
        "spacy_lookups_data": version("spacy-lookups-data"),
        "wordfreq": version("wordfreq"),
    }
    text = json.dumps(description, ensure_ascii=False, indent=2) + "\n"
    replace(arguments.output.with_suffix(".json"), text.encode())
    print(text, end="")


if __name__ == "__main__":
    main()
