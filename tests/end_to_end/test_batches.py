"""Batch files of a run, a judgement and a build; a run through a service of batches."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import main
from ragifeval.paths import ROOT
from tools.testing.batches import BatchService, answered
from tools.testing.loopback import Call, Loopback
from tools.testing.process import records
from tools.testing.scripted import EXAMPLE_OPTIONS, ExampleModel, write_config

Capture = pytest.CaptureFixture[str]


def requests(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def respond(path: Path, output: Path, model: Any) -> None:
    """Answer a batch file as an engine does, in another order."""
    lines = []
    for asked in reversed(requests(path)):
        call = Call(0, "POST", asked["url"], {}, json.dumps(asked["body"]).encode(), 0.0)
        body = model(call).body
        line = {"id": "x", "custom_id": asked["custom_id"]}
        lines.append({**line, "response": {"status_code": 200, "body": body}, "error": None})
    output.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_run_in_files_is_the_run(tmp_path: Path, capsys: Capture) -> None:
    """The signature, contexts and prompts are those of a run that asks the service itself."""
    said = "Nie wiem [0]."
    service = BatchService(lambda key, body: answered(said))
    options = ["--limit", "4", "--variants", "core,twin", "--shuffle_context", "--log_prompts"]
    with Loopback(service) as server:
        model = write_config(tmp_path / "m.json", server.url, sleep_time=0.01)
        asked = ["remote", "--model_config", str(model), *options]
        log, sent = tmp_path / "log.jsonl", tmp_path / "p.jsonl"
        assert main([*asked, "--batch_file", str(sent)]) == 0
        assert "requests; have them answered, then: ragifeval score" in capsys.readouterr().out
        lines = [{"custom_id": line["custom_id"], **answered(said)} for line in requests(sent)[:-1]]
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        taken = ["score", "--batch_file", str(sent), "--batch_output", str(tmp_path / "a.jsonl")]
        assert main([*taken, "-o", str(log)]) == 1  # the last one is missing
        assert "the batch's output does not hold it" in capsys.readouterr().err
        # What is missing is asked as any run asks it: through the service's batches, here.
        assert main([*asked, "--log_path", str(log), "--batch"]) == 0
        assert [line["custom_id"] for line in service.uploads[0]] == [
            requests(sent)[-1]["custom_id"]
        ]
        other = tmp_path / "other.jsonl"
        assert main([*asked, "--log_path", str(other), "--batch"]) == 0
    one, two = (
        sorted(
            ({**record, "asked": "", "error": None} for record in records(path)),
            key=lambda record: record["id"],
        )
        for path in (log, other)
    )
    assert one == two
    assert len(one) == len(requests(sent))
    # With other data, the responses are of another run.
    told = json.loads((tmp_path / "p.options.json").read_text())
    told["options"]["limit"], told["options"]["system_message"] = 2, "Inaczej."
    (tmp_path / "p.options.json").write_text(json.dumps(told), encoding="utf-8")
    assert main(taken) == 2
    assert "a run that differs in: system" in capsys.readouterr().err


def test_a_build_in_files_goes_stage_by_stage(tmp_path: Path, capsys: Capture) -> None:
    model = write_config(tmp_path / "m.json", "http://127.0.0.1:9/v1")
    out = tmp_path / "out"
    build = [
        "build",
        str(ROOT / "docs" / "example"),
        "--model_config",
        str(model),
        *EXAMPLE_OPTIONS,
    ]
    scripted = ExampleModel()
    known: list[str] = []
    for _ in range(8):
        sent = tmp_path / f"p{len(known)}.jsonl"
        more = ["--batch_output", *known] if known else []
        code = main([*build, "-o", str(out), "--batch_file", str(sent), *more])
        if not sent.read_text(encoding="utf-8"):
            break
        assert code == 1
        assert "; have them answered" in capsys.readouterr().err
        output = tmp_path / f"a{len(known)}.jsonl"
        respond(sent, output, scripted)
        known.append(str(output))
    assert code == 0
    # Questions, the second of each chunk, critics, phrases.
    assert 3 <= len(known) <= 5
    built = (out / "samples.jsonl").read_text(encoding="utf-8")
    with Loopback(ExampleModel()) as server:
        write_config(model, server.url)
        again = ["-o", str(tmp_path / "direct")]
        assert main([*build, *again]) == 0
    assert built == (tmp_path / "direct" / "samples.jsonl").read_text(encoding="utf-8")


def test_a_judgement_in_files(tmp_path: Path, capsys: Capture) -> None:
    model = write_config(tmp_path / "m.json", "http://127.0.0.1:9/v1")
    log = tmp_path / "answers.jsonl"
    rows = [
        {"id": f"p{n}", "question": "Ile?", "answer": "17 zł", "reference": "17 zł"} for n in "12"
    ]
    log.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    judge = ["judge", str(log), "--model_config", str(model), "--metrics", "correctness"]
    judge += ["-o", str(tmp_path / "judged.jsonl")]
    sent, output = tmp_path / "p.jsonl", tmp_path / "a.jsonl"
    assert main([*judge, "--batch_file", str(sent)]) == 1
    assert f"{sent}: 2 requests" in capsys.readouterr().err
    reply = json.dumps({"reason": "Tak samo.", "score": 5, "rating": 5})

    def model_of(call: Call) -> Any:
        from tools.testing.loopback import chat

        return chat(reply)

    respond(sent, output, model_of)
    assert main([*judge, "--batch_output", str(output)]) == 0
    assert {record["judged"]["correctness"] for record in records(tmp_path / "judged.jsonl")} == {5}
