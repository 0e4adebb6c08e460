"""Batch files of a run, a judgement and a build; a run through a service of batches."""

import json
from pathlib import Path

import pytest

from ragifeval.__main__ import main
from tools.testing.batches import BatchService, answered
from tools.testing.loopback import Call, Loopback, Script, chat
from tools.testing.process import by_id, records, write_records
from tools.testing.scripted import EXAMPLE, EXAMPLE_OPTIONS, ExampleModel, write_config

Capture = pytest.CaptureFixture[str]


def respond(path: Path, output: Path, model: Script) -> None:
    """Answer a batch file as an engine does, in another order."""
    lines = []
    for asked in reversed(records(path)):
        call = Call(0, "POST", asked["url"], {}, json.dumps(asked["body"]).encode(), 0.0)
        response = {"status_code": 200, "body": model(call).body}
        same = {"id": "x", "custom_id": asked["custom_id"], "error": None}
        lines.append({**same, "response": response})
    write_records(output, lines)


def test_a_run_in_files_is_the_run(tmp_path: Path, capsys: Capture) -> None:
    """The signature, contexts and prompts are those of a run that asks the service itself."""
    said = "Nie wiem [0]."
    service = BatchService(lambda key, body: answered(said))
    options = ["--limit", "4", "--variants", "core,twin", "--shuffle_context", "--log_prompts"]
    with Loopback(service) as server:
        model = write_config(tmp_path / "m.json", server.url, sleep_time=0.01)
        asking = ["remote", "--model_config", str(model), *options]
        log, sent = tmp_path / "log.jsonl", tmp_path / "p.jsonl"
        assert main([*asking, "--batch_file", str(sent)]) == 0
        lines = [{"custom_id": line["custom_id"], **answered(said)} for line in records(sent)[:-1]]
        write_records(tmp_path / "a.jsonl", lines)
        taken = ["score", "--batch_file", str(sent), "--batch_output", str(tmp_path / "a.jsonl")]
        assert main([*taken, "-o", str(log)]) == 1  # the last one is missing
        assert "the batch's output does not hold it" in capsys.readouterr().err
        # What is missing is asked as any run asks it: through the service's batches, here.
        assert main([*asking, "--log_path", str(log), "--batch"]) == 0
        (asked_again,) = service.uploads[0]
        assert asked_again["custom_id"] == records(sent)[-1]["custom_id"]
        other = tmp_path / "other.jsonl"
        assert main([*asking, "--log_path", str(other), "--batch"]) == 0
    one, two = (by_id(records(path), "asked", "error") for path in (log, other))
    assert one == two
    assert len(one) == len(records(sent))
    # With other data, the responses are of another run.
    told = json.loads((tmp_path / "p.options.json").read_text())
    told["options"]["limit"], told["options"]["system_message"] = 2, "Inaczej."
    (tmp_path / "p.options.json").write_text(json.dumps(told), encoding="utf-8")
    assert main(taken) == 2
    assert "a run that differs in: system" in capsys.readouterr().err


def test_a_build_in_files_goes_stage_by_stage(tmp_path: Path) -> None:
    model = write_config(tmp_path / "m.json", "http://127.0.0.1:9/v1")
    out = tmp_path / "out"
    build = ["build", str(EXAMPLE), "--model_config", str(model), *EXAMPLE_OPTIONS]
    scripted = ExampleModel()
    known: list[str] = []
    for _ in range(8):
        sent = tmp_path / f"p{len(known)}.jsonl"
        more = ["--batch_output", *known] if known else []
        code = main([*build, "-o", str(out), "--batch_file", str(sent), *more])
        if not sent.read_text(encoding="utf-8"):
            break
        assert code == 1
        output = tmp_path / f"a{len(known)}.jsonl"
        respond(sent, output, scripted)
        known.append(str(output))
    assert code == 0
    built = (out / "samples.jsonl").read_text(encoding="utf-8")
    with Loopback(ExampleModel()) as server:
        write_config(model, server.url)
        assert main([*build, "-o", str(tmp_path / "direct")]) == 0
    assert built == (tmp_path / "direct" / "samples.jsonl").read_text(encoding="utf-8")


def test_a_judgement_in_files(tmp_path: Path) -> None:
    model = write_config(tmp_path / "m.json", "http://127.0.0.1:9/v1")
    log = tmp_path / "answers.jsonl"
    row = {"question": "Ile?", "answer": "17 zł", "reference": "17 zł"}
    write_records(log, [{"id": "p1", **row}, {"id": "p2", **row}])
    judge = ["judge", str(log), "--model_config", str(model), "--metrics", "correctness"]
    judge += ["-o", str(tmp_path / "judged.jsonl")]
    sent, output = tmp_path / "p.jsonl", tmp_path / "a.jsonl"
    assert main([*judge, "--batch_file", str(sent)]) == 1
    reply = json.dumps({"reason": "Tak samo.", "score": 5, "rating": 5})
    respond(sent, output, lambda call: chat(reply))
    assert main([*judge, "--batch_output", str(output)]) == 0
    assert {record["judged"]["correctness"] for record in records(tmp_path / "judged.jsonl")} == {5}
