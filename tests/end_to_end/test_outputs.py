"""No command replaces what it reads, or what is not its own; summaries say what the log holds."""

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragifeval import paths
from ragifeval.__main__ import evaluate, main
from ragifeval.files import locked
from tools.testing.process import records, write_records

Capture = pytest.CaptureFixture[str]

INPUTS = (paths.SAMPLES, paths.DOCUMENTS, paths.PROMPT, paths.LOCAL_CONFIG, paths.BADWORDS)
DATA = ["--eval_path", "samples.jsonl", "--docs_path", "documents.jsonl"]
PROMPT = ["--prompt", "prompt.jinja"]
ASKED = [*DATA, *PROMPT, "--badwords_path", "badwords.txt", "--model_config", "baseline.json"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with copies of all inputs, of ten questions, and with logs of these."""
    folder = tmp_path_factory.mktemp("made")
    for source in INPUTS:
        shutil.copy(source, folder)
    few = paths.SAMPLES.read_text("utf-8").splitlines(keepends=True)[:10]
    (folder / "samples.jsonl").write_text("".join(few), "utf-8")
    own = ["--docs_path", str(paths.DOCUMENTS), "--eval_path", str(folder / "samples.jsonl")]
    for name in ("a.jsonl", "b.jsonl"):
        assert evaluate("local", [*own, "--log_path", str(folder / name)]) == 0
    (folder / "notes").write_text("precious\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a copy of it."""
    copy = tmp_path / "work"
    shutil.copytree(made, copy)
    monkeypatch.chdir(copy)
    return copy


def content(folder: Path) -> Mapping[str, bytes]:
    files = (path for path in folder.rglob("*") if path.suffix != ".lock" and path.is_file())
    return {str(path): path.read_bytes() for path in files}


def run(command: list[str]) -> int:
    name, *arguments = command
    return evaluate("local", arguments) if name == "eval" else main(command)


COMMANDS = {
    "eval": ["eval", *ASKED, "--limit", "3", "--overwrite", "--log_path"],
    "score": ["score", "a.jsonl", *DATA, "--overwrite", "-o"],
    "compare": ["compare", "a.jsonl", "b.jsonl", "--draws", "100", "-o"],
    "report": ["report", "a.jsonl", *DATA, *PROMPT, "-o"],
    "judge": ["judge", "a.jsonl", "--metrics", "lexical", *DATA, "--overwrite", "-o"],
}


@pytest.mark.parametrize("link", [None, Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_read_is_not_replaced(
    folder: Path, capsys: Capture, command: str, link: Callable[[Path, Path], None] | None
) -> None:
    read = [folder / word for word in COMMANDS[command] if (folder / word).is_file()]
    assert len(read) > 1
    for path in read:
        output = path if link is None else folder / f"link-{path.name}"
        if link is not None:
            link(output, path)
        before = content(folder)
        assert run([*COMMANDS[command], str(output)]) == 2
        (line,) = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
        assert "is read by this command" in line or "is one of the logs" in line
        assert content(folder) == before


@pytest.mark.parametrize("output", ["notes", "baseline.json", "b.jsonl", "nowhere/../notes"])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_anothers_is_not_replaced(
    folder: Path, capsys: Capture, command: str, output: str
) -> None:
    """A log is, with --overwrite, by what makes logs."""
    before = content(folder)
    code = run([*COMMANDS[command], output])
    if output == "b.jsonl" and command in ("eval", "score", "judge"):
        assert code in (0, 1)
        return
    assert code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert "is never replaced; name another file" in error or "is read by" in error
    assert "--overwrite" not in error
    assert content(folder) == before


FORMS = ("table", "markdown", "csv", "json", "latex", "model-index")


def test_its_own_is_replaced(folder: Path) -> None:
    for form in FORMS:
        for _ in range(2):
            command = ["compare", "a.jsonl", "--draws", "100", "--format", form]
            assert run([*command, "-o", f"t.{form}"]) == 0
    for _ in range(2):
        assert run([*COMMANDS["report"], "page.html"]) == 0


@pytest.mark.parametrize("name", ["a.summary.json", "out.summary.json"])
def test_a_foreign_summary_is_not_replaced(folder: Path, name: str) -> None:
    path = folder / name
    path.write_text('{"precious": 1}', encoding="utf-8")
    log = name.replace(".summary.json", ".jsonl")
    assert run(["eval", "--limit", "1", "--log_path", log, "--overwrite"]) == 2
    assert run(["score", "b.jsonl", "-o", log, "--overwrite"]) == 2
    assert path.read_text(encoding="utf-8") == '{"precious": 1}'


def test_export_writes_through_no_link_to_what_it_reads(folder: Path) -> None:
    own = folder / "dataset"
    assert run(["export", *DATA, str(own)]) == 0
    (own / "samples.jsonl").unlink()
    (own / "samples.jsonl").symlink_to(folder / "samples.jsonl")
    before = content(folder)
    assert run(["export", *DATA, str(own), "--overwrite"]) == 2
    assert content(folder) == before


def test_a_part_of_a_log_leaves_the_summary_of_the_whole(folder: Path, capsys: Capture) -> None:
    def summary() -> dict[str, Any]:
        found = json.loads(Path("whole.summary.json").read_text())
        return {key: found[key] for key in found if key not in ("options", "command", "date")}

    assert run(["eval", *DATA, "--log_path", "whole.jsonl"]) == 0
    before = summary()
    assert (before["samples"], before["answered"]) == (10, 10)
    fifth = records(Path("a.jsonl"))[4]["id"]
    for part, left_out in ((["--limit", "3"], 7), (["--ids", fifth], 9)):
        assert run(["eval", *DATA, "--log_path", "whole.jsonl", *part]) == 0
        assert f"whole.jsonl: has {left_out} more answers, which" in capsys.readouterr().err
        assert summary() == before


def test_the_table_is_shown_where_the_summary_cannot_be_written(
    folder: Path, capsys: Capture
) -> None:
    Path("out.summary.json").mkdir()
    assert run(["eval", "--limit", "2", "--log_path", "out.jsonl"]) == 2
    told = capsys.readouterr()
    assert "\ntotal " in told.out
    assert told.err.endswith(" error: out.summary.json: cannot be written: Is a directory\n")
    assert len(records(Path("out.jsonl"))) == 2


def test_a_log_that_is_written_is_not_replaced(folder: Path) -> None:
    run(["score", "a.jsonl", "-o", "new.jsonl"])
    before = content(folder)
    with locked(Path("b.jsonl")), locked(Path("new.jsonl")):
        assert run([*COMMANDS["score"], "b.jsonl"]) == 2
        assert run([*COMMANDS["judge"], "new.jsonl"]) == 2
    after = {name: data for name, data in content(folder).items() if "replies" not in name}
    assert after == before


def test_what_a_terminal_would_obey_is_shown(folder: Path, capsys: Capture) -> None:
    name = "=evil\n\x1b[31m\x9bname"
    for log in (Path("a.jsonl"), Path("b.jsonl")):
        found = records(log)
        for record in found:
            record["signature"] = record["signature"].replace("model:", f"model:{name}")
        write_records(log, found)
    told = {}
    for form in FORMS:
        command = ["compare", "a.jsonl", "b.jsonl", "--draws", "100", "--format", form]
        assert run([*command, "--force"]) == 0
        told[form] = capsys.readouterr()
    assert run([*COMMANDS["score"], "s.jsonl"]) in (0, 1)
    assert run([*COMMANDS["report"], "r.html"]) == 0
    told["score, report"] = capsys.readouterr()
    for form, (out, err) in told.items():
        assert not {"\x1b", "\x9b"} & set(out + err), form
        if form in ("table", "markdown", "latex", "csv"):
            assert "=evil" in out, form
            assert "=evil\n" not in out, form
    assert "\n'=evil " in told["csv"].out


WARNINGS = [
    (["", " "], ["own.jsonl: warning: all 2 answers are empty"]),
    (["Tak.", "Tak. "], ["own.jsonl: warning: all 2 answers are the same: 'Tak.'"]),
    (["Tak.", "Nie."], []),
]


@pytest.mark.parametrize(("answers", "warnings"), WARNINGS)
def test_answers_that_say_nothing(
    folder: Path, capsys: Capture, answers: list[str], warnings: list[str]
) -> None:
    asked = zip(records(Path("a.jsonl")), answers, strict=False)
    write_records(Path("own.jsonl"), ({"id": one["id"], "answer": text} for one, text in asked))
    run(["score", "own.jsonl"])
    assert re.findall(r".*warning: all .*", capsys.readouterr().err) == warnings


def test_pipes_and_devices_are_named(folder: Path, capsys: Capture) -> None:
    os.mkfifo("pipe.csv")
    for command in (
        "eval --log_path /dev/full",
        "eval --eval_path /dev/zero",
        "eval --model_config /dev/zero",
        "eval --prompt pipe.csv",
        "score /dev/zero",
        "score pipe.csv",
        "compare pipe.csv",
    ):
        assert run(command.split()) == 2
        assert "is a pipe or a device" in capsys.readouterr().err


def test_a_report_into_no_folder(folder: Path, capsys: Capture) -> None:
    assert run([*COMMANDS["report"], "no/page.html"]) == 2
    assert "no/page.html: cannot be written: there is no such folder" in capsys.readouterr().err
