"""What is not given in full: summaries, --language, --data, --model, the environment."""

from argparse import Namespace
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
from ragifeval.cli.settings import public_options
from ragifeval.errors import UserError
from ragifeval.generators.config import PluginConfig, load_local_config, load_remote_config
from ragifeval.generators.config.reading import read_model_args
from ragifeval.paths import REMOTE_CONFIG
from tools.testing.loopback import Loopback, chat
from tools.testing.process import Finished, call, records, write_records

REFUSAL = "I could not find an answer to the question"
Call = Callable[..., Finished]


@pytest.fixture
def run(tmp_path: Path) -> Call:
    """Run a command of `ragifeval` in a folder of its own."""

    def command(*options: object) -> Finished:
        return call(main, *options, cwd=tmp_path)

    return command


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with two English questions; a refusal in English is right for one of them."""
    folder = tmp_path / "own"
    folder.mkdir()
    write_records(folder / "documents.jsonl", [{"id": "a", "contents": "The fee is 17 euros."}])
    refused = {
        "id": "e1",
        "question": "What is the fee that I have to pay for this and when?",
        "context": ["a"],
        "expect": {"refuse": True},
        "reference": REFUSAL,
    }
    answered = {
        "id": "e2",
        "question": "How much is it and who does it?",
        "context": ["a"],
        "expect": {"include": ["Fee is 17 euros"], "cite": ["a"]},
        "reference": "The fee is 17 euros [0].",
    }
    write_records(folder / "samples.jsonl", [refused, answered])
    return folder


ENGLISH = ("local", "--model", "baseline/reference", "--data", "own", "--language", "en")


def total(done: Finished) -> str:
    return next(line.split()[1] for line in done.out.splitlines() if line.startswith("total"))


class TestRecalled:
    """A run of 100.00 stays one of 100.00 (the gold answer is a refusal where there is none)."""

    @pytest.fixture
    def log(self, run: Call, own: Path) -> Path:
        done = run(*ENGLISH, "--matching", "words", "--log_path", "run.jsonl")
        assert (done.code, total(done)) == (0, "100.00"), done.err
        return own.parent / "run.jsonl"

    def test_score_takes_what_the_run_had(self, run: Call, log: Path) -> None:
        done = run("score", log, "--wide", "-o", "again.jsonl")
        assert (done.code, total(done)) == (0, "100.00"), done.err
        assert "note" not in done.err
        assert log.read_bytes() == (log.parent / "again.jsonl").read_bytes()
        elsewhere = call(main, "score", log, "--wide", cwd=log.parent / "own")
        assert elsewhere.out == done.out

    def test_what_is_given_and_differs_is_said(self, run: Call, log: Path) -> None:
        done = run("score", log, "--refusal_message", "No idea", "--matching", "words")
        assert f"--refusal_message No idea is taken, where the run had {REFUSAL}" in done.err
        assert "--matching" not in done.err
        assert "note: scored by another refusal than in the run" in done.err
        assert total(done) == "66.67"

    def test_data_that_changed_are_said(self, run: Call, log: Path, own: Path) -> None:
        documents = own / "documents.jsonl"
        write_records(documents, [{"id": "a", "contents": "Other."}])
        assert "note: scored by another data than in the run" in run("score", log).err
        documents.unlink()
        gone = run("score", log)
        assert gone.code == 2
        assert "the data of the run are not there: own/documents.jsonl; name them" in gone.err

    def test_report_and_judge_take_it_too(self, run: Call, log: Path) -> None:
        page = run("report", log, "-o", "page.html", "--lang", "en")
        assert (page.code, "note: " in page.err) == (0, False)
        judged = run("judge", log, "--metrics", "lexical")
        assert (judged.code, "2 answers" in judged.out) == (0, True), judged.err

    def test_without_a_summary_the_signature_says_what_differs(self, run: Call, log: Path) -> None:
        log.with_suffix(".summary.json").unlink()
        data = ("--docs_path", "own/documents.jsonl", "--eval_path", "own/samples.jsonl")
        done = run("score", log, *data)
        assert total(done) == "66.67"
        assert "scored by another normalizer, matching, refusal than in the run" in done.err


def test_a_language_picks_prompt_messages_and_normalizer(run: Call, own: Path) -> None:
    english = run(*ENGLISH, "--dry_run")
    assert english.err == ""
    assert REFUSAL in english.out
    assert "You are a helpful assistant who answers in English." in english.out
    assert "|normalizer:en_blank-" in english.out
    polish = run("local", "--data", "own", "--limit", "1", "--dry_run")
    assert polish.err == (
        "warning: the data are in English, the prompt in Polish; --language en takes prompt, "
        "messages and normalizer for English\n"
    )


def test_data(run: Call, own: Path) -> None:
    write_records(own / "few.jsonl", records(own / "samples.jsonl")[:1])
    few = run("local", "--data", "own", "--eval_path", "own/few.jsonl")
    assert "1 of 1 samples answered" in few.out


# --model_args -> keys and values.
ARGS: dict[str, Mapping[str, Any]] = {
    "threads=16,api_base=http://h:1/v1": {"threads": 16, "api_base": "http://h:1/v1"},
    "max-tokens=7, temperature=none": {"max_tokens": 7, "temperature": None},
    'extra_body={"a": {"b": [1, 2]}, "c": "x,y"},threads=2': {
        "extra_body": {"a": {"b": [1, 2]}, "c": "x,y"},
        "threads": 2,
    },
    "trust_remote_code=True,dtype=float16": {"trust_remote_code": True, "dtype": "float16"},
    '{"threads": 3}': {"threads": 3},
    "": {},
}


@pytest.mark.parametrize(("text", "values"), ARGS.items())
def test_model_args(text: str, values: Mapping[str, Any]) -> None:
    assert read_model_args(text) == values


# --model_args of a remote model -> what the summary tells of them.
SHOWN = {
    "threads=16, temperature=0,max-tokens=None": "threads=16,temperature=0,max_tokens=null",
    "api_base=http://anna:pass@h:1/v1?key=sk-1,threads=2": 'api_base=["http://h:1/v1"],threads=2',
    '{"api_base": ["http:\\/\\/h", "http://\\u0061:b@i"]}': 'api_base=["http://h", "http://i"]',
    "vertex_credentials=key.json,model=m": "vertex_credentials=***,model=m",
    'extra_body={"a": "b c"},api_base=http://h': 'extra_body={"a": "b c"},api_base=http://h',
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.items())
@pytest.mark.parametrize("words", [["--model_args", "{}"], ["--model-args={}"]])
def test_no_secret_of_model_args_is_told(text: str, shown: str, words: list[str]) -> None:
    config = load_remote_config(None, read_model_args(text), "http://h")
    typed = ["ragifeval", "remote", *(word.format(text) for word in words), "--limit", "1"]
    told = public_options(Namespace(model_args=text, typed=typed), config.public_settings())
    assert told["model_args"] == shown
    expected = [word.format(shown) for word in words]
    assert told["typed"] == ["ragifeval", "remote", *expected, "--limit", "1"]


def test_no_secret_of_a_plugin_is_told() -> None:
    settings = {"generator": "echo", "api_key": "sk-1", "Password": "x", "max_tokens": 7}
    public = PluginConfig.model_validate(settings).public_settings()
    hidden = {"api_key": "***", "Password": "***"}
    assert {name: public[name] for name in settings} == {**settings, **hidden}


WRONG = {
    "threads": "--model_args: 'threads' is not KEY=VALUE",
    "thread=3": "--model_args: unknown key 'thread'; did you mean 'threads'?",
    '{"threads"': "--model_args: is not valid JSON",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_wrong_model_args(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        load_remote_config(REMOTE_CONFIG, read_model_args(text))
    assert str(caught.value).startswith(message)


def test_keys_of_the_command_line_go_over_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"model": "a", "dtype": "float32", "batch_size": 2}')
    config = load_local_config(path, {"model": "b", "batch_size": 4})
    assert (config.model, config.dtype, config.batch_size) == ("b", "float32", 4)
    assert load_remote_config(REMOTE_CONFIG, {"model": 7}).model == "7"


def test_the_variables_of_openai_come_last(tmp_path: Path) -> None:
    """OPENAI_BASE_URL after api_base, OPENAI_API_KEY after API_KEY."""
    ask = ["--model", "m", "--limit", "1", "--overwrite", "--log_path", "o.jsonl"]
    with Loopback(lambda _: chat("Tak.")) as server, Loopback(lambda _: chat("Nie.")) as other:
        given = ["--model_args", f"api_base={other.url}"]
        cases = [([], "", server, "sk-1"), (given, "", other, "sk-1"), ([], "2", server, "2")]
        for more, api_key, asked, key in cases:
            openai = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-1"}
            variables = {**openai, "API_KEY": api_key}
            done = call(main, "remote", *ask, *more, cwd=tmp_path, **variables)
            assert done.code == 0, done.err
            assert asked.calls[-1].headers["authorization"] == f"Bearer {key}"
            assert "sk-1" not in (tmp_path / "o.summary.json").read_text("utf-8")


def test_what_was_meant(run: Call) -> None:
    assert "unknown command 'scor'; did you mean 'score'?" in run("scor").err
    done = call(partial(evaluate, "local"), "--lim", "3", cwd=Path.cwd())
    assert "error: unknown option '--lim'; did you mean '--limit'?" in done.err
    key = "unknown option '--api_base'; a key of the config is --model_args api_base=..."
    assert key in run("remote", "--api-base", "http://h").err
    model = run("local", "--model", "baseline/extractve").err
    assert model.endswith("did you mean 'baseline/extractive'?\n")
    assert "unrecognized arguments: mine; is --data mine meant?" in run("validate", "mine").err
    assert "arguments: b (--help" in run("score", "a", "--wide", "true", "b").err
    share = run("compare", "a.jsonl", "--fail-under", "total=0.8")
    assert (share.code, "per cent is meant: total=80?" in share.err) == (2, True)


def test_completion(run: Call) -> None:
    done = run("--print-completion", "bash")
    assert done.code == 0, done.err
    for name in ("compare", "fail_under", "log_path"):
        assert name in done.out
