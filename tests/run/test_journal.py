"""The log: appended to, picked up again, and never mixed with another run's."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.files import write_json
from ragifeval.paths import ROOT
from ragifeval.results.outputs import summary_path
from ragifeval.run.journal import Journal
from ragifeval.run.outcome import check_record
from ragifeval.scoring.signature import Signature

OURS = Signature({"data": "11111111", "matching": "substring", "model": "a#1"})


def record(key: str, signature: Signature = OURS, **changes: Any) -> dict[str, Any]:
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


def failed(key: str, signature: Signature = OURS) -> dict[str, Any]:
    return record(key, signature, answer=None, scores=None, scores_words=None, error="timeout")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def write(path: Path, *records: dict[str, Any], end: str = "") -> bytes:
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    path.write_bytes((lines + end).encode())
    return path.read_bytes()


def kept(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def log_of(path: Path, signature: Signature = OURS, overwrite: bool = False) -> Journal:
    check = partial(check_record, matching="substring")
    return Journal(path, signature, overwrite, check=check)


def resumed(path: Path, signature: Signature = OURS, overwrite: bool = False) -> list[str]:
    with log_of(path, signature, overwrite) as log:
        return [one["id"] for one in log.records()]


class TestAppend:
    def test_a_record_a_line(self, path: Path) -> None:
        with log_of(path, OURS) as log:
            log.append(record("p01"))
            # Written and flushed at once: another process reads it now.
            assert kept(path) == [record("p01")]
            log.append(record("p02", answer="zażółć\n[0]\u2028\x85"))
        assert kept(path) == [record("p01"), record("p02", answer="zażółć\n[0]\u2028\x85")]
        assert path.read_bytes().count(b"\n") == 2
        assert "zażółć".encode() in path.read_bytes()

    def test_an_answer_that_ends_in_half_a_character(self, path: Path) -> None:
        # A service that cuts an emoji in two sends "\ud83d" as a JSON escape.
        with log_of(path, OURS) as log:
            log.append(record("p01", answer="Tak \ud83d"))
        assert kept(path)[0]["answer"] == "Tak \ud83d"
        assert resumed(path) == ["p01"]

    @pytest.mark.parametrize("change", ["removed", "replaced"])
    def test_a_log_that_is_taken_away_ends_the_run(self, path: Path, change: str) -> None:
        with pytest.raises(UserError) as caught, log_of(path, OURS) as log:  # noqa: PT012
            log.append(record("p01"))
            path.unlink()
            if change == "replaced":
                write(path, record("p07"))
            log.append(record("p02"))
        assert str(caught.value).startswith(f"{path}: was removed or replaced while")


class TestResume:
    def test_a_new_log_is_empty(self, path: Path) -> None:
        assert resumed(path) == []

    def test_the_whole_record_comes_back(self, path: Path) -> None:
        write(path, record("p01", reasoning="hm"))
        with log_of(path, OURS) as log:
            assert list(log.records()) == [record("p01", reasoning="hm")]

    def test_samples_without_an_answer_are_asked_again(self, path: Path) -> None:
        write(path, record("p01"), failed("p02"), record("p03"))
        assert resumed(path) == ["p01", "p03"]
        assert [one["id"] for one in kept(path)] == ["p01", "p03"]

    def test_blank_lines_are_skipped(self, path: Path) -> None:
        write(path, record("p01"), end="\n \r\n")
        assert resumed(path) == ["p01"]

    WHOLE = json.dumps(record("p02"), ensure_ascii=False).encode()
    TORN = {
        "in the middle": WHOLE[:40],
        "after one character": b"{",
        "in the middle of a letter": WHOLE[: WHOLE.index("ł".encode()) + 1],
        "before the end of the line": WHOLE,
        "left as zeros": b"\0" * 100,
    }

    @pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
    def test_a_last_line_that_was_cut_off(self, path: Path, torn: bytes) -> None:
        content = write(path, record("p01"))
        path.write_bytes(content + torn)
        with log_of(path, OURS) as log:
            assert [one["id"] for one in log.records()] == ["p01"]
            assert log.torn_lines == 1
            log.append(record("p03"))
        assert [one["id"] for one in kept(path)] == ["p01", "p03"]


class TestRefused:
    """Nothing is lost: what is refused stays as it was, and alone in its folder."""

    def refused(self, path: Path, signature: Signature = OURS) -> str:
        content = path.read_bytes()
        with pytest.raises(UserError) as caught, log_of(path, signature):
            pass
        assert path.read_bytes() == content
        assert not list(path.parent.glob("*.tmp"))
        message = str(caught.value)
        assert message.startswith(f"{path}:")
        assert "\n" not in message
        return message

    # Parts of the log's signature that differ from ours -> how they are named.
    OTHERS: list[tuple[dict[str, str], str]] = [
        ({"data": "22222222"}, "data"),
        ({"model": "a#2"}, "model"),
        ({"data": "22222222", "matching": "words"}, "data, matching"),
        ({"later": "part"}, "later"),
    ]

    @pytest.mark.parametrize(("changes", "parts"), OTHERS)
    def test_another_signature(self, path: Path, changes: dict[str, str], parts: str) -> None:
        write(path, record("p01", Signature({**OURS.parts, **changes})))
        message = self.refused(path)
        assert f"differs in: {parts};" in message
        assert "--log_path" in message
        assert "--overwrite" in message

    def test_another_signature_further_on(self, path: Path) -> None:
        other = Signature({**OURS.parts, "model": "b#1"})
        write(path, record("p01"), failed("p02"), record("p03", other), end='{"id": "p0')
        assert self.refused(path).startswith(f"{path}:3: ")

    def test_another_signature_of_a_run_that_only_failed(self, path: Path) -> None:
        write(path, failed("p01", Signature({**OURS.parts, "model": "b#1"})))
        assert "differs in: model;" in self.refused(path)

    # Changes of a record that no run can have written -> the reason.
    CHANGED: list[tuple[dict[str, Any], str]] = [
        ({"id": 7}, "its id is no text"),
        ({"answer": None}, "it has neither an answer nor an error"),
        ({"scores": {"include": 2.0}}, "its scores are no scores of this harness"),
        ({"scores": {"include": True}}, "its scores are no scores of this harness"),
        ({"scores": {"bleu": 1.0}}, "its scores are no scores of this harness"),
        ({"scores_words": {"exclude": 1.0}}, "its scores are no scores of this harness"),
        ({"scores_words": None}, "its scores are no scores of this harness"),
    ]

    @pytest.mark.parametrize(("changes", "reason"), CHANGED)
    def test_what_was_changed(self, path: Path, changes: dict[str, Any], reason: str) -> None:
        write(path, record("p01"), record("p02") | changes)
        message = self.refused(path)
        assert message.startswith(f"{path}:2: was changed since it was written: {reason}; delete")

    # What stands in the second line of a file that is no log.
    FOREIGN = {
        "an object of something else": '{"id": "a", "contents": "b"}\n',
        "a record without an error": '{"id": "a", "signature": "data:1"}\n',
        "a signature that is no text": json.dumps(record("p02") | {"signature": 1}) + "\n",
        "an array": "[1, 2]\n",
        "no JSON": "Opłata wynosi 17 zł.\n",
        "a broken line in the middle": '{"id": "p0\n' + json.dumps(record("p03")) + "\n",
    }

    @pytest.mark.parametrize("line", FOREIGN.values(), ids=FOREIGN)
    def test_what_is_no_log(self, path: Path, line: str) -> None:
        write(path, record("p01"), end=line)
        assert self.refused(path).startswith(f"{path}:2: is no record ")


class TestOverwrite:
    def test_it_starts_over(self, path: Path) -> None:
        write(path, record("p01"), failed("p02"))
        assert resumed(path, overwrite=True) == []
        assert path.read_bytes() == b""

    def test_whatever_the_log_holds(self, path: Path) -> None:
        write(path, record("p01", Signature({"data": "other"})), end="no JSON\n")
        with log_of(path, OURS, overwrite=True) as log:
            log.append(record("p03"))
        assert kept(path) == [record("p03")]

    @pytest.mark.parametrize(
        "content",
        [
            '{"id": "p01", "question": "Ile?", "context": [], "expect": {}}\n',
            '{"id": "p01", "question": "Ile?", "context": [], "expect": {}}',
            "Notatki\n",
            "Notatki",
        ],
    )
    @pytest.mark.parametrize("overwrite", [True, False])
    def test_what_is_no_log_stays(self, path: Path, content: str, overwrite: bool) -> None:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(UserError) as caught:
            resumed(path, overwrite=overwrite)
        assert "was not made by this harness and is never replaced; name another" in str(
            caught.value
        )
        assert "--overwrite" not in str(caught.value)
        assert path.read_text(encoding="utf-8") == content


class TestUnwritable:
    def message(self, path: Path) -> str:
        with pytest.raises(UserError) as caught, log_of(path, OURS):
            pass
        message = str(caught.value)
        assert message.startswith(f"{path}: cannot be written: ")
        assert "\n" not in message
        return message

    def test_no_such_folder(self, tmp_path: Path) -> None:
        assert "no such folder" in self.message(tmp_path / "missing" / "out.jsonl")
        assert list(tmp_path.iterdir()) == []

    def test_a_file_for_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("", encoding="utf-8")
        self.message(tmp_path / "file" / "out.jsonl")

    def test_a_folder_for_a_file(self, path: Path) -> None:
        path.mkdir()
        self.message(path)
        assert list(path.iterdir()) == []

    def test_a_pipe_or_a_device(self, path: Path) -> None:
        os.mkfifo(path)
        for place in (path, Path("/dev/null"), Path("/dev/full")):
            with pytest.raises(UserError) as caught:
                resumed(place, overwrite=True)
            assert str(caught.value) == f"{place}: is a pipe or a device; a log must be a file"
        assert not Path("/dev/null.lock").exists()

    def test_a_folder_that_may_not_be_written(self) -> None:
        # Not even by root.
        self.message(Path("/sys/out.jsonl"))


HOLD = """
import sys
from pathlib import Path
from ragifeval.run.journal import Journal
from ragifeval.scoring.signature import Signature
with Journal(Path(sys.argv[1]), Signature.parse(sys.argv[2]), check=lambda record: None):
    print("open", flush=True)
    sys.stdin.read()
"""


class TestTwoProcesses:
    def hold(self, path: Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path), str(OURS)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        return process

    def test_one_at_a_time(self, path: Path) -> None:
        content = write(path, record("p01"))
        with self.hold(path) as other:
            with pytest.raises(UserError, match=r"out\.jsonl: another run is writing this log"):
                resumed(path)
            with pytest.raises(UserError, match="another run"):
                resumed(path, overwrite=True)
            assert path.read_bytes() == content
            link, twin = path.with_name("link.jsonl"), path.with_name("twin.jsonl")
            link.symlink_to(path)
            with pytest.raises(UserError, match=r"link\.jsonl: another run is writing this log"):
                resumed(link)
            twin.hardlink_to(path)
            with pytest.raises(UserError, match=r"twin\.jsonl: has another name"):
                resumed(twin)
            twin.unlink()
            other.communicate("", timeout=30)
        assert resumed(path) == ["p01"]

    def test_one_that_was_killed_stands_in_nobodys_way(self, path: Path) -> None:
        write(path, record("p01"))
        with self.hold(path) as other:
            os.kill(other.pid, signal.SIGKILL)
            assert other.wait(timeout=30) == -signal.SIGKILL
            assert resumed(path) == ["p01"]

    def test_two_logs_in_one_folder(self, path: Path) -> None:
        with self.hold(path) as other:
            assert resumed(path.with_name("other.jsonl")) == []
            other.communicate("", timeout=30)


# Log -> the summary beside it: every log has one of its own.
SUMMARIES = {
    "out.jsonl": "out.summary.json",
    "bielik-11b-v2.6.jsonl": "bielik-11b-v2.6.summary.json",
    "bielik-11b-v2.6": "bielik-11b-v2.6.summary.json",
    "out": "out.summary.json",
    "out.json": "out.json.summary.json",
    "out.log": "out.log.summary.json",
}


@pytest.mark.parametrize(("log", "summary"), SUMMARIES.items())
def test_the_summary_stands_beside_the_log(tmp_path: Path, log: str, summary: str) -> None:
    assert summary_path(tmp_path / log) == tmp_path / summary


def test_json_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.summary.json"
    write_json(path, {"a": "zażółć \ud83d"})
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": "zażółć \ud83d"}
    assert "zażółć" in path.read_text(encoding="utf-8")
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": "zażółć \ud83d"}
    assert [one.name for one in tmp_path.iterdir()] == ["out.summary.json"]
