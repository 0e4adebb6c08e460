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

    @settings(
        max_examples=40,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs)
    def run(value: Any) -> None:
        check(value)

    run()


class TestALongLine:
    """A line of 20 megabytes is read or refused in seconds, and the message about it is short."""

    # What stands before and after the letters.
    FILES: dict[str, tuple[bytes, bytes]] = {
        "one string": (b'{"id": "a", "contents": "', b'"}'),
        "cut": (b'{"id": "a", "contents": "', b""),
        "no JSON": (b"", b""),
        "a key": (b'{"id": "a", "', b'": 1}'),
    }

    def line(self, name: str) -> bytes:
        before, after = self.FILES[name]
        return before + b"x" * 20_000_000 + after

    @pytest.mark.parametrize("name", FILES)
    def test_documents(self, name: str) -> None:
        check_documents(self.line(name))

    def test_others(self) -> None:
        check_log(self.line("cut") + b"\n")
        check_remote_config(self.line("a key"))


def changed(original: Mapping[str, Any], **changes: Any) -> bytes:
    return json.dumps({**original, **changes}).encode() + b"\n"


def nested(original: Mapping[str, Any], key: str, depth: int) -> bytes:
    text = json.dumps({**original, key: "HERE"})
    return text.replace('"HERE"', "[" * depth + "]" * depth).encode() + b"\n"


# What benchmarks/fuzz.py and a first look by hand found; each was a traceback, or worse.
DEPTHS = (200, *range(960, 1_000, 4), 100_000)
FINDS: dict[str, list[tuple[Callable[[bytes], None], bytes]]] = {
    "nested documents": [
        (check_documents, content)
        for depth in DEPTHS
        for content in (b"[" * depth + b"]" * depth, nested(DOCUMENT, "contents", depth))
    ],
    "nested conditions": [
        (check_samples, nested(SAMPLE, "expect", depth).replace(b"[", b'{"include": [', 1))
        for depth in DEPTHS
    ],
    "nested configs": [
        (check_remote_config, nested({**REMOTE, "extra_body": {}}, "model", depth))
        for depth in DEPTHS
    ],
    "a nested body to send": [
        (check_remote_config, b'{"api_base": "http://h", "extra_body": {"a": %s}}' % content)
        for depth in DEPTHS
        for content in (b"[" * depth + b"]" * depth,)
    ],
    "nested records": [(check_log, nested(RECORD, "x", depth)) for depth in DEPTHS],
    "half of a surrogate pair": [
        (check_documents, changed(DOCUMENT, contents="\ud800")),
        (check_documents, changed(DOCUMENT, id="\ud800")),
        (check_samples, changed(SAMPLE, question="\ud800")),
        (check_samples, changed(SAMPLE, expect={"include": ["a \ud800"]})),
        (check_remote_config, changed(REMOTE, model="\ud800")),
        (check_local_config, changed(LOCAL, tokenizer="\ud800")),
        (check_log, changed(RECORD, answer="\ud800")),
    ],
    "a name longer than a file's may be": [
        (check_local_config, changed(LOCAL, model="x" * 5_000)),
        (check_local_config, changed(LOCAL, tokenizer="x" * 5_000)),
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
        (check_remote_config, changed(REMOTE, extra_body={"a": [float("inf")]})),
        (check_remote_config, changed(REMOTE, timeout=float("inf"))),
        (check_log, changed(RECORD, scores={**SCORES, "include": float("nan")})),
    ],
    "a record that was tampered with": [
        (check_log, changed(RECORD, **changes))
        for changes in (
            {"id": [1]},
            {"id": 1},
            {"answer": None},
            {"answer": 5},
            {"error": 5},
            {"scores": None},
            {"scores": [1]},
            {"scores": {}},
            {"scores": {**SCORES, "include": "x"}},
            {"scores": {**SCORES, "include": True}},
            {"scores": {**SCORES, "include": 2}},
            {"scores": {**SCORES, "include": 10**400}},
            {"scores": {**SCORES, "len_chars": 10**400}},
            {"scores": {**SCORES, "no_such_score": 1}, "scores_words": {"no_such_score": 1}},
            {"scores_words": {"refuse": 1}},
            {"scores_words": None},
            {"finish_reason": [1]},
            {"signature": ""},
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


@pytest.mark.parametrize(
    "description",
    ["", "{", "[]", "null", "{}", '{"version": "1", "bytes": 4, "sha256": 5}', "\x00", "[" * 9_999],
)
def test_a_lemma_table_that_is_none(tmp_path: Path, description: str) -> None:
    (tmp_path / "lemmas.marisa").write_bytes(b"trie")
    (tmp_path / "lemmas.json").write_text(description, encoding="utf-8")
    with pytest.raises(UserError, match=r"lemmas\.marisa: not the table that lemmas\.json"):
        LemmaTable.open(tmp_path / "lemmas.marisa")


def test_a_lemma_table_of_the_right_size(tmp_path: Path) -> None:
    (tmp_path / "lemmas.marisa").write_bytes(b"trie")
    described = {"version": "1", "bytes": 4, "sha256": "0" * 64}
    (tmp_path / "lemmas.json").write_text(json.dumps(described), encoding="utf-8")
    with pytest.raises(UserError, match="not the table"):
        LemmaTable.open(tmp_path / "lemmas.marisa")
