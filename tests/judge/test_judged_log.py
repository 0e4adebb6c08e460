"""Which judged log may take the place of which."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from ragifeval.errors import UserError
from ragifeval.judge.items import Item, Judgement
from ragifeval.judge.judged_log import check_replaceable, write_judged
from ragifeval.scoring.signature import Signature

LEXICAL = {
    **{"metrics": "lexical", "threshold": "4", "window": "16000", "k": "5", "language": "pl"},
    **{"prompts": "p1", "structured": "auto", "version": "1", "model": "none"},
}
BOTH = {**LEXICAL, "metrics": "correctness+lexical", "model": "judge#1"}
REMEDY = "name another one, or --overwrite it"
RETRIEVAL = {**LEXICAL, "metrics": "retrieval"}


def items(*pairs: tuple[str, str | None]) -> Sequence[Item]:
    return [Item(key, "?", text, record={"id": key, "answer": text}) for key, text in pairs]


ITEMS = items(("a", "1"), ("b", "2"), ("b", "3"), ("c", None))


def refused(
    folder: Path, old: Mapping[str, str], new: Mapping[str, str], answers: Sequence[Item] = ITEMS
) -> str | None:
    path = folder / "judged.jsonl"
    rows = [{"lexical": Judgement({"bleu": 1.0})} for _ in ITEMS]
    write_judged(path, ITEMS, rows, Signature(old), {})
    try:
        check_replaceable(path, Signature(new), answers)
    except UserError as error:
        return str(error).removeprefix(f"-o: {path} ")
    return None


@pytest.mark.parametrize(
    ("old", "new", "differing"),
    [
        (LEXICAL, BOTH, None),
        (LEXICAL, {**BOTH, "prompts": "p2", "structured": "off", "threshold": "3"}, None),
        (LEXICAL, {**BOTH, "language": "en"}, "language"),  # BERTScore's baseline depends on it
        (LEXICAL, {**BOTH, "version": "2"}, "version"),
        (RETRIEVAL, {**BOTH, "metrics": "correctness+retrieval", "language": "en"}, None),
        (RETRIEVAL, {**BOTH, "metrics": "correctness+retrieval", "k": "3"}, "k"),
        (BOTH, {**BOTH, "threshold": "3", "prompts": "p2"}, "threshold, prompts"),
        (BOTH, LEXICAL, "metrics, model"),
    ],
)
def test_metrics_may_be_added(
    tmp_path: Path, old: Mapping[str, str], new: Mapping[str, str], differing: str | None
) -> None:
    said = refused(tmp_path, old, new)
    judged = f"was judged by a run that differs in: {differing}; {REMEDY}"
    assert said == (judged if differing else None)


@pytest.mark.parametrize(
    ("answers", "lost"),
    [
        (ITEMS, 0),
        (items(("c", "4"), ("b", "3"), ("a", "1"), ("b", "2"), ("d", "5")), 0),
        (ITEMS[:2], 1),
        (ITEMS[:3], 0),  # of the last, there is no answer
        (items(("a", "1"), ("b", "2"), ("b", "another log's")), 1),
    ],
)
def test_no_answer_is_lost(tmp_path: Path, answers: Sequence[Item], lost: int) -> None:
    said = refused(tmp_path, BOTH, BOTH, answers)
    assert said == (f"would lose {lost} answer; {REMEDY}" if lost else None)


def test_nothing_there_is_no_obstacle(tmp_path: Path) -> None:
    check_replaceable(tmp_path / "none.jsonl", Signature(BOTH), ITEMS)
    (tmp_path / "empty.jsonl").touch()
    check_replaceable(tmp_path / "empty.jsonl", Signature(BOTH), ITEMS)
    (tmp_path / "text.jsonl").write_text("text\n", encoding="utf-8")
    with pytest.raises(UserError, match="is no judged log"):
        check_replaceable(tmp_path / "text.jsonl", Signature(BOTH), ITEMS)
