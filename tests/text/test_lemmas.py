"""The lemma table against lemmas written by hand, against its rule, and as a spaCy component."""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from ragifeval.errors import UserError
from ragifeval.paths import LEMMA_TABLE, ROOT
from ragifeval.text.lemmas import LemmaTable, encode, polish_pipeline

TOOL = ROOT / "tools" / "lemma_table"


def read_forms(path: Path) -> Iterator[tuple[str, str]]:
    """(form, lemma) for each form of a table whose lines are a lemma, a tab and its forms."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            lemma, forms = line.split("\t")
            for form in forms.split():
                yield form, lemma


GOLDEN = dict(read_forms(Path(__file__).parents[1] / "data" / "lemmas_golden.tsv"))


@pytest.fixture(scope="module")
def table() -> LemmaTable:
    return LemmaTable.open(LEMMA_TABLE)


def test_lemmas_written_by_hand(table: LemmaTable) -> None:
    assert len(GOLDEN) >= 2000
    assert {form: table.lemma(form) for form in GOLDEN} == GOLDEN


@pytest.mark.parametrize("word", ["", "żbżdżk", "10mb", "日本", "\x00", "rok\x00", "a" * 9999])
def test_unknown_word_is_its_own_lemma(table: LemmaTable, word: str) -> None:
    assert word not in table
    assert table.lemma(word) == word


def test_encode() -> None:
    assert (encode("wniosku", "wniosek"), encode("dom", "dom")) == (b"cek", b"a")


def test_size_and_description(table: LemmaTable) -> None:
    description = json.loads(LEMMA_TABLE.with_suffix(".json").read_text("utf-8"))
    assert len(table) == description["forms"] >= 3_500_000
    assert LEMMA_TABLE.stat().st_size == description["bytes"] <= 15_000_000
    assert table.version == f"{description['version']}-{description['sha256'][:8]}"


def test_missing_or_changed_table_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "lemmas.marisa"
    with pytest.raises(UserError, match=r"lemmas\.json: no such file; git checkout"):
        LemmaTable.open(path)
    path.with_suffix(".json").write_text('{"version": "1", "bytes": 4, "sha256": "0"}')
    with pytest.raises(UserError, match=r"lemmas\.marisa: no such file; git checkout"):
        LemmaTable.open(path)
    path.write_bytes(b"half a table")
    with pytest.raises(UserError, match=r"lemmas\.marisa: not the table that lemmas\.json"):
        LemmaTable.open(path)


def test_pipeline_agrees_with_the_table(table: LemmaTable) -> None:
    pipeline = polish_pipeline(LEMMA_TABLE)
    assert pipeline.pipe_names == ["polish_lemma_table"]
    doc = pipeline(f"{'_'.join(GOLDEN).upper()}, …")
    assert [token.lemma_ for token in doc] == [table.lemma(form) for form in GOLDEN]


def test_table_is_what_the_rule_gives(table: LemmaTable) -> None:
    pytest.importorskip("morfeusz2", reason="builds the table; has no wheel for this platform")
    sys.path.insert(0, str(TOOL))
    from rule import Rule

    rule = Rule()
    assert {form: rule.lemma(form) or form for form in GOLDEN} == GOLDEN
    assert all(form in table for form in rule.overrides)
    sample = list(islice(table, 0, None, 600))
    assert [form for form in sample if not form.isalpha() or form != form.lower()] == []
    differ = {form for form in sample if table.lemma(form) != rule.lemma(form)}
    assert differ == set()
