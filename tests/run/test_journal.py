"""The log: appended to, picked up again, and never mixed with another run's."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.results.outputs import summary_path
from ragifeval.run.journal import Journal
from ragifeval.run.outcome import check_record
from ragifeval.scoring.signature import Signature
from tools.testing.process import records

OURS = Signature({"data": "11111111", "matching": "substring", "model": "a#1"})
Record = dict[str, Any]


def other(**parts: str) -> Signature:
    return Signature({**OURS.parts, **parts})


def record(key: str, signature: Signature = OURS, **changes: Any) -> Record:
    return {
        "id": key,
        "question": "Ile wynosi opłata?",
        "answer": "17 zł [0]",
        "scores": {"include": 1.0},
        "scores_words": {"include": 1.0},
        "finish_reason": "stop",
        "usage": None,
        "seconds": 0.1,
        "error": None,
        "signature": str(signature),
        **changes,
    }


def failed(key: str, signature: Signature = OURS) -> Record:
    return record(key, signature, answer=None, scores=None, scores_words=None, error="timeout")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def write(path: Path, *found: Record, end: str = "") -> bytes:
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    path.write_bytes((lines + end).encode())
    return path.read_bytes()


def log_of(path: Path, overwrite: bool = False) -> Journal:
    return Journal(path, OURS, overwrite, check=partial(check_record, matching="substring"))


def resumed(path: Path, overwrite: bool = False) -> list[str]:
    with log_of(path, overwrite) as log:
        return [one["id"] for one in log.records()]


class TestAppend:
    def test_a_record_a_line(self, path: Path) -> None:
        # A service that cuts an emoji in two sends half of it as a JSON escape.
        odd = record("p02", answer="zażółć\n[0]\u2028\x85 \ud83d", reasoning="hm")
        with log_of(path) as log:
            log.append(record("p01"))
            # Written and flushed at once: another process reads it now.
            assert records(path) == [record("p01")]
            log.append(odd)
        assert path.read_bytes().count(b"\n") == 2
        assert "zażółć".encode() in path.read_bytes()
        with log_of(path) as log:
            assert list(log.records()) == [record("p01"), odd]

    @pytest.mark.parametrize("change", ["removed", "replaced"])
    def test_a_log_that_is_taken_away_ends_the_run(self, path: Path, change: str) -> None:
        with pytest.raises(UserError) as caught, log_of(path) as log:  # noqa: PT012
            log.append(record("p01"))
            path.unlink()
            if change == "replaced":
                write(path, record("p07"))
            log.append(record("p02"))
        assert str(caught.value).startswith(f"{path}: was removed or replaced while")


class TestResume:
    def test_samples_without_an_answer_are_asked_again(self, path: Path) -> None:
        assert resumed(path) == []
        write(path, record("p01"), failed("p02"), record("p03"), end="\n \r\n")
        assert resumed(path) == ["p01", "p03"]
        assert records(path) == [record("p01"), record("p03")]

    WHOLE = json.dumps(record("p02"), ensure_ascii=False).encode()
    # In the middle of a letter, before the end of the line, as zeros.
    TORN = (WHOLE[: WHOLE.index("ł".encode()) + 1], WHOLE, b"\0" * 100)

    @pytest.mark.parametrize("torn", TORN)
    def test_a_last_line_that_was_cut_off(self, path: Path, torn: bytes) -> None:
        path.write_bytes(write(path, record("p01")) + torn)
        with log_of(path) as log:
            assert [one["id"] for one in log.records()] == ["p01"]
            assert log.torn_lines == 1
            log.append(record("p03"))
        assert [one["id"] for one in records(path)] == ["p01", "p03"]


OTHER_RUN, CHANGED = "was made by a run that differs in:", "was changed since it was written:"


class TestRefused:
    # Records, the last of which is refused -> the beginning of the reason.
    CASES: list[tuple[list[Record], str]] = [
        ([record("p01", other(data="2", later="x"))], f"{OTHER_RUN} data, later; name another"),
        ([failed("p01"), failed("p02", other(model="b#1"))], f"{OTHER_RUN} model; name another"),
        ([record("p01"), record("p02") | {"id": 7}], f"{CHANGED} its id is no text;"),
        ([record("p01") | {"answer": None}], f"{CHANGED} it has neither an answer nor an error;"),
        ([record("p01") | {"scores": {"include": 2.0}}], f"{CHANGED} its scores are no scores of"),
        ([record("p01") | {"scores_words": {"cite_f1": 1.0}}], f"{CHANGED} its scores are no sco"),
        ([record("p01"), record("p02") | {"signature": 1}], "is no record of this harness"),
    ]

    def refused(self, path: Path) -> str:
        """Why a log is refused: nothing is lost, and no file is left beside it."""
        content = path.read_bytes()
        with pytest.raises(UserError) as caught, log_of(path):
            pass
        assert path.read_bytes() == content
        assert not list(path.parent.glob("*.tmp"))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    @pytest.mark.parametrize(("lines", "reason"), CASES)
    def test_a_record(self, path: Path, lines: list[Record], reason: str) -> None:
        write(path, *lines, end='{"id": "p0')
        message = self.refused(path)
        assert message.startswith(f"{path}:{len(lines)}: {reason}")
        assert message.endswith("name another --log_path, or --overwrite it")

    def test_what_is_no_log(self, path: Path) -> None:
        write(path, record("p01"), end=f"[1, 2]\n{json.dumps(record('p03'))}\n")
        assert self.refused(path) == f"{path}:2: is no record of a log: not a JSON object"


class TestOverwrite:
    def test_it_starts_over_whatever_the_log_holds(self, path: Path) -> None:
        write(path, record("p01", other(data="2")), failed("p02"), end="no JSON\n")
        with log_of(path, overwrite=True) as log:
            assert list(log.records()) == []
            log.append(record("p03"))
        assert records(path) == [record("p03")]

    @pytest.mark.parametrize("overwrite", [True, False])
    def test_what_is_no_log_stays(self, path: Path, overwrite: bool) -> None:
        content = '{"id": "p01", "context": []}'
        path.write_text(content, encoding="utf-8")
        with pytest.raises(UserError) as caught:
            resumed(path, overwrite)
        assert str(caught.value) == (
            f"{path}: was not made by this harness and is never replaced; name another --log_path"
        )
        assert path.read_text(encoding="utf-8") == content


class TestUnwritable:
    # Not even root may write in /sys.
    @pytest.mark.parametrize("name", ["missing/out.jsonl", "folder", "/sys/out"])
    def test_no_file_can_be_there(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "folder").mkdir()
        path = tmp_path / name
        with pytest.raises(UserError) as caught, log_of(path):
            pass
        reason = "no such folder" if name == "missing/out.jsonl" else ""
        assert str(caught.value).startswith(f"{path}: cannot be written: {reason}")
        assert not (tmp_path / "missing").exists()

    def test_a_pipe_or_a_device(self, path: Path) -> None:
        os.mkfifo(path)
        for place in (path, Path("/dev/null"), Path("/dev/full")):
            with pytest.raises(UserError) as caught:
                resumed(place, overwrite=True)
            assert str(caught.value) == f"{place}: is a pipe or a device; a log must be a file"
        assert not Path("/dev/null.lock").exists()


class TestTwoProcesses:
    def test_one_at_a_time(self, path: Path) -> None:
        """tests/end_to_end/test_disk.py has two processes of which one is killed."""
        content = write(path, record("p01"))
        link, twin = path.with_name("link.jsonl"), path.with_name("twin.jsonl")
        link.symlink_to(path)
        with log_of(path):
            for name, overwrite in ((path, False), (path, True), (link, False)):
                with pytest.raises(UserError) as caught:
                    resumed(name, overwrite)
                assert str(caught.value) == f"{name}: another run is writing this log"
            assert path.read_bytes() == content
            twin.hardlink_to(path)
            with pytest.raises(UserError, match=r"twin\.jsonl: has another name"):
                resumed(twin)
            twin.unlink()
            assert resumed(path.with_name("other.jsonl")) == []
        assert resumed(path) == ["p01"]


# Log -> the summary beside it: every log has one of its own.
SUMMARIES = {"b-v2.6.jsonl": "b-v2.6.summary.json", "b.json": "b.json.summary.json"}


@pytest.mark.parametrize(("log", "summary"), SUMMARIES.items())
def test_the_summary_stands_beside_the_log(tmp_path: Path, log: str, summary: str) -> None:
    assert summary_path(tmp_path / log) == tmp_path / summary
