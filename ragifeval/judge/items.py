"""What is judged: an answer with what the file and the benchmark know of it; and its judgement."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import StoredAnswer, read_answers
from ragifeval.text.clean import well_formed


@dataclass(frozen=True, slots=True)
class Item:
    """One answer to be judged; what is None, nobody knows.

    Attributes:
        id: of the sample; "line N" for an answer to a question of no sample.
        answer: None where no answer came.
        error: why none came.
        contexts: the texts that the model was to answer from, in its order.
        cite: the ids of the documents that hold the answer.
        retrieved: the ids of documents as a retriever ranked them.
        record: as the file has it.
    """

    id: str
    question: str | None
    answer: str | None
    error: str | None = None
    reference: str | None = None
    contexts: Sequence[str] | None = None
    cite: Sequence[str] | None = None
    retrieved: Sequence[str] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Judgement:
    """What a metric says of one answer.

    Attributes:
        scores: name -> value; empty where it is unjudged.
        detail: what else is kept: reasons, lists.
        unjudged: why there are no scores.
        replies: the judge's, one a prompt.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    unjudged: str | None = None
    replies: Sequence[str] = ()


def missing(item: Item, needs: Sequence[str]) -> str | None:
    """Why an answer cannot be judged; None if it can be.

    Args:
        needs: the fields without which it cannot.
    """
    if item.answer is None:
        return "no answer" + (f": {item.error}" if item.error else "")
    absent = [name for name in needs if getattr(item, name) is None]
    return f"no {' and no '.join(absent)}" if absent else None


def read_items(path: Path, benchmark: Benchmark | None) -> list[Item]:
    """Read the answers of a log, of JSONL or of CSV.

    What a record says itself (`question`, `reference`, `contexts`, `cite`, `retrieved`) goes before
    what the benchmark knows of a sample of its id, or of its question. A text that is blank is as
    if not given; an answer is one even so. Halves of surrogate pairs are replaced.

    Raises:
        UserError: with file and line.
    """
    samples = {sample.id: sample for sample in benchmark.samples} if benchmark else {}
    items = []
    for stored in read_answers(path, [*samples.values()]):
        try:
            items.append(_item(stored, samples, benchmark))
        except ValueError as error:
            raise UserError(f"{stored.where}: {error}") from None
    if not items:
        raise UserError(f"{path}: holds no answers")
    return items


def _item(stored: StoredAnswer, samples: Mapping[str, Sample], benchmark: Benchmark | None) -> Item:
    record = stored.record
    sample = samples.get(stored.sample_id) if stored.sample_id is not None else None
    question = _text(record, "question") or (sample.question if sample else None)
    if sample is not None and question is not None and question.strip() != sample.question.strip():
        sample = None  # an id that happens to be one of the benchmark's
    contexts = _texts(record, "contexts")
    if contexts is None and sample is not None and benchmark is not None:
        shown = stored.context if stored.context is not None else sample.context
        documents = [benchmark.documents.get(key) for key in shown]
        found = [document.contents for document in documents if document is not None]
        contexts = found if len(found) == len(documents) else None
    cite = _texts(record, "cite")
    if cite is None and sample is not None:
        cite = sample.expect.get("cite")
    return Item(
        id=well_formed(stored.sample_id or f"line {stored.line}"),
        question=given(question),
        answer=well_formed(stored.text) if stored.text is not None else None,
        error=well_formed(stored.error) if stored.error is not None else None,
        reference=given(_text(record, "reference") or (sample.reference if sample else None)),
        contexts=all_given(contexts),
        cite=cite or None,
        retrieved=_texts(record, "retrieved"),
        record=record,
    )


def given(text: str | None) -> str | None:
    """The text as a model can be shown it; None where it is blank."""
    return well_formed(text) if text is not None and text.strip() else None


def all_given(texts: Sequence[str] | None) -> Sequence[str] | None:
    """Those texts that are not blank; None where there are none."""
    return [well_formed(text) for text in texts or () if text.strip()] or None


def _text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key!r} must be a string, not {value!r:.60}")
    return value if value and value.strip() else None


def _texts(record: Mapping[str, Any], key: str) -> Sequence[str] | None:
    """A list of texts; in a cell of CSV as JSON or as Python writes it, or without brackets.

    Without them, a cell is one context, or ids between `;`, `,`, `|` or white space.
    """
    value = record.get(key)
    if isinstance(value, str):
        value = _cell(value, is_ids=key != "contexts")
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{key!r} must be a list of strings, not {value!r:.60}")
    found = [text for text in value if text.strip()]
    return found if found or not value else None


def _cell(text: str, is_ids: bool) -> list[Any] | None:
    if not text.strip():
        return None
    if text.lstrip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, list):
                return value
    return re.findall(r"[^;,|\s]+", text) or None if is_ids else [text]
