"""Answers, data, configs, logs, templates and responses that nobody should give."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ragifeval.errors import UserError
from ragifeval.text.lemmas import LemmaTable
from tools.testing.bad_input import (
    ACCOUNT,
    DOCUMENT,
    LOCAL,
    RECORD,
    REMOTE,
    SAMPLE,
    SCORES,
    TARGETS,
    check_account,
    check_documents,
    check_line,
    check_local_config,
    check_log,
    check_remote_config,
    check_samples,
    said,
)


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_breaks_the_contract(name: str) -> None:
    """The same examples each time; benchmarks/fuzz.py looks for new ones."""
    inputs, check = TARGETS[name]

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(inputs)
    def run(value: Any) -> None:
        check(value)

    run()


def test_a_long_line_is_read_or_refused_shortly() -> None:
    letters = b"x" * 20_000_000
    check_documents(b'{"id": "a", "contents": "' + letters + b'"}')
    check_documents(letters)
    check_log(b'{"id": "a", "contents": "' + letters + b"\n")
    check_remote_config(b'{"id": "a", "' + letters + b'": 1}')


def changed(original: Mapping[str, Any], **changes: Any) -> bytes:
    return json.dumps({**original, **changes}).encode() + b"\n"


def nested(original: Mapping[str, Any], key: str, depth: int) -> bytes:
    text = changed(original, **{key: {"include": "HERE"}})
    return text.replace(b'"HERE"', b"[" * depth + b"]" * depth)


# What benchmarks/fuzz.py and a first look by hand found; each was a traceback, or worse.
DEPTHS = (200, *range(960, 1_000, 4), 100_000)
FINDS: dict[str, list[tuple[Callable[[bytes], object], bytes]]] = {
    "levels": [
        one
        for depth in DEPTHS
        for one in (
            (check_documents, b"[" * depth + b"]" * depth),
            (check_documents, nested(DOCUMENT, "contents", depth)),
            (check_samples, nested(SAMPLE, "expect", depth)),
            (check_remote_config, nested(REMOTE, "extra_body", depth)),
            (check_log, nested(RECORD, "x", depth)),
        )
    ],
    "half of a surrogate pair": [
        (check_documents, changed(DOCUMENT, id="\ud800")),
        (check_samples, changed(SAMPLE, expect={"include": ["a \ud800"]})),
        (check_remote_config, changed(REMOTE, model="\ud800")),
        (check_log, changed(RECORD, answer="\ud800")),
    ],
    "a name longer than a file's may be": [
        (check_local_config, changed(LOCAL, model="x" * 5_000)),
        (check_remote_config, changed(REMOTE, model="x" * 5_000)),
    ],
    "a name with a NUL": [
        (check_local_config, changed(LOCAL, model="a\0b")),
        (check_account, changed(ACCOUNT, token_uri="\0")),
    ],
    "a line of the user's own in an error": [
        (check_documents, changed(DOCUMENT, **{"a\nb\x1b[2J": 1})),
        (check_samples, changed(SAMPLE, expect={"a\u2028b" * 3_000: 1})),
    ],
    "no number of JSON": [
        (check_remote_config, changed(REMOTE, extra_body={"a": float("nan")})),
        (check_remote_config, changed(REMOTE, timeout=float("inf"))),
        (check_log, changed(RECORD, scores={**SCORES, "include": float("nan")})),
    ],
    "a record that was tampered with": [
        (check_log, changed(RECORD, **changes))
        for changes in (
            {"id": [1]},
            {"answer": None},
            {"answer": 5},
            {"scores": [1]},
            {"scores": {**SCORES, "include": "x"}},
            {"scores": {**SCORES, "include": 2}},
            {"scores": {**SCORES, "include": 10**400}},
            {"scores": {**SCORES, "len_chars": 10**400}},
            {"scores": {**SCORES, "no_such_score": 1}, "scores_words": {"no_such_score": 1}},
            {"scores_words": {"refuse": 1}},
            {"finish_reason": [1]},
            {"signature": None},
        )
    ],
}


@pytest.mark.parametrize("name", FINDS)
def test_what_was_found(name: str) -> None:
    for check, content in FINDS[name]:
        check(content)


@pytest.mark.parametrize("option", ["--docs_path", "--prompt", "--system_message"])
def test_an_argument_that_is_not_utf8(option: str) -> None:
    """Python hands it on as half of a surrogate pair; its escape is shown."""
    code, out, err = said("local", [option, "\udcff", "--dry_run"])
    assert (code, out) == (2, "")
    check_line(err, r"eval_local\.py: error: (\\udcff: |--system_message: is not UTF-8 text)")


@pytest.mark.parametrize("description", ["{", "[]", "{}", "[" * 9_999])
def test_a_lemma_table_that_is_none(tmp_path: Path, description: str) -> None:
    (tmp_path / "lemmas.marisa").write_bytes(b"trie")
    (tmp_path / "lemmas.json").write_text(description, encoding="utf-8")
    with pytest.raises(UserError, match=r"lemmas\.marisa: not the table"):
        LemmaTable.open(tmp_path / "lemmas.marisa")
