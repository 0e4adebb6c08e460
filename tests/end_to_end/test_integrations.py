"""lm-evaluation-harness and inspect_ai, run as their users do, beside eval_remote.py.

All ask one service, which gives each question its fixed answer, whoever asks. What they ask, and
what they make of the answers, must be the same to the last letter and the last digit.
"""

import json
import math
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval import __version__, paths
from ragifeval.__main__ import evaluate
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.generators.base import Answer
from ragifeval.paths import CONTRAST, ROOT, SAMPLES
from ragifeval.results.compare.scored_logs import read_scored_log
from ragifeval.run.plan import RunSettings, make_task
from ragifeval.run.run import make_record
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature
from tools.testing.loopback import Call, Loopback, Response, chat, completion, failure
from tools.testing.process import call, records, write_records

LM_EVAL_TASK = "ragifeval/integrations/lm_eval"
INSPECT_TASK = "ragifeval/integrations/inspect.py"

DOCUMENTS = [
    {"id": "a", "contents": "Opłata wynosi 17 zł.\n\nNa dokument czeka się 30 dni."},
    {"id": "b", "contents": "Kartę pobytu wydaje wojewoda."},
    {"id": "c", "contents": "Odwołanie składa się do ministra w ciągu 14 dni."},
]
TERM = {"name": "term", "value": "30 dni", "others": ["40..90 dni"]}
APPEAL = {"name": "appeal", "value": "14 dni", "others": ["40..90 dni"]}
# No sample has `exclude` or `safe`, and only one a gold answer.
OWN_SAMPLES: list[dict[str, Any]] = [
    {
        "id": "p01",
        "question": "Ile to kosztuje i jak długo się czeka? {{ question }}",
        "context": ["a", "b", "c"],
        "expect": {"include": ["17 zł", ["30 dni", "miesiąc"], "wojewoda"], "cite": ["a", "b"]},
        "reference": "17 zł, 30 dni [0]; wojewoda [1].",
        "facts": [TERM],
    },
    {
        **{"id": "p02", "question": "Jaka będzie pogoda?", "context": ["c", "b"]},
        **{"expect": {"refuse": True}, "facts": [APPEAL]},
    },
    {
        **{"id": "p03", "question": "Do kogo się odwołać?", "context": ["b", "c", "a"]},
        "expect": {"include": ["minister"], "cite": ["c"], "refuse": False},
        "facts": [APPEAL],
    },
]
OWN_ANSWERS = [
    "Siedemnaście złotych [0],\n\na czeka się 30 dni [2].\n",
    "Niestety, NIE WIEM tego.",
    "",
]


def _answers() -> dict[str, str]:
    """A question -> the answer it gets: right ones, wrong ones, and other mischief."""
    wrong = {contrast["id"]: contrast["answer"] for contrast in records(CONTRAST)}
    answers = {}
    for place, sample in enumerate(records(SAMPLES)):
        gold = sample["reference"]
        answers[sample["question"]] = [
            gold,
            wrong[sample["id"]],
            REFUSAL_MESSAGE.upper() + "!",
            f"Kurwa, no przecież: {gold}",
            "",
            f"  \n{gold[: len(gold) // 2]}\n\nŹródła: [0, 1] „<think>”\t\n",
            " ".join(reversed(gold.split())),
        ][place % 7]
    return answers


@dataclass(frozen=True)
class Scenario:
    """What is run; a task takes the options of the entry scripts by the same names."""

    answers: Mapping[str, str]
    options: Mapping[str, str]
    shuffle_seed: int | None = None  # for --shuffle_context and --seed
    lm_eval_completes: bool = False  # a text, not a chat
    limit: int | None = None  # by the harness's own option

    def answer(self, call: Call) -> Response:
        if call.json.get("stop") == []:  # transformers serve fails at an empty list
            return failure(500, "stop is empty")
        question = call.prompt.rpartition("Pytanie: ")[2].removesuffix("\nOdpowiedź:")
        respond = completion if call.path.endswith("/v1/completions") else chat
        return respond(self.answers[question])

    def arguments(self) -> list[str]:
        """Of eval_remote.py."""
        arguments = [f"--{name}={value}" for name, value in self.options.items()]
        if self.shuffle_seed is not None:
            arguments += ["--shuffle_context", f"--seed={self.shuffle_seed}"]
        return [*arguments, *self.limited()]

    def limited(self) -> list[str]:
        return [] if self.limit is None else ["--limit", str(self.limit)]

    def task_options(self) -> dict[str, Any]:
        seed = {} if self.shuffle_seed is None else {"shuffle_seed": self.shuffle_seed}
        return {**self.options, **seed}


@dataclass(frozen=True)
class Runs:
    """What came of one scenario, in the folders of eval_remote.py (a chat, a text) and lm_eval."""

    scenario: Scenario
    prompts: Mapping[str, Sequence[Any]]  # who asked -> what was asked
    chat: Path
    text: Path
    lm_eval: Path
    inspect: Sequence[Path]  # its log; the same scored again

    @property
    def as_lm_eval(self) -> Path:
        """The run of eval_remote.py that lm_eval's is to equal."""
        return self.text if self.scenario.lm_eval_completes else self.chat


# Commands of one harness, one after the other: most of their time is that of its imports, and of
# lm_eval's reading of the 13,000 tasks that it has itself, which are left out.
IN_TURN = """
import glob, json, runpy, sys
if "lm_eval" in sys.argv[1]:
    from lm_eval.tasks import TaskManager
    verbosity, include_path, include_defaults, metadata = TaskManager.__init__.__defaults__
    TaskManager.__init__.__defaults__ = verbosity, include_path, False, metadata
for command in json.loads(sys.argv[1]):
    sys.argv = [*command[:-1], *(glob.glob(command[-1]) or command[-1:])]
    try:
        runpy.run_path(command[0], run_name="__main__")
    except SystemExit as done:
        if done.code:
            raise
"""


def started(folder: Path, *commands: Sequence[str]) -> "subprocess.Popen[str]":
    """Scripts, one after the other, from the root of the repository as a user starts them.

    Without a network; the last word of each may be a pattern of files.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONPATH"  # the commands find the package by themselves
        and not name.lower().endswith("_proxy")
        and not name.startswith(("OPENAI_", "INSPECT_", "LMEVAL_"))
    }
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "DO_NOT_TRACK"), "1")
    places = {"HOME": str(folder), "HF_HOME": str(folder / "hf"), "SERVICE_API_KEY": "none"}
    return subprocess.Popen(
        [sys.executable, "-c", IN_TURN, json.dumps(commands)],
        cwd=ROOT,
        env=kept | offline | places,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def script(name: str) -> str:
    return str(Path(sysconfig.get_path("scripts")) / name)


def _scenarios(folder: Path) -> dict[str, Scenario]:
    data = {"docs_path": DOCUMENTS, "eval_path": OWN_SAMPLES}
    for name, objects in data.items():
        write_records(folder / name, objects)
    answers = {
        sample["question"]: answer for sample, answer in zip(OWN_SAMPLES, OWN_ANSWERS, strict=True)
    }
    options = {name: str(folder / name) for name in data} | {
        "refusal_message": "Nie wiem",
        "system_message": "Mów „krótko” – {{ docs }}!\n\n",
        # One sample has two documents, and gets the third; one answer has the value before.
        "variants": "changed:1+noise:3",
    }
    return {
        "the benchmark": Scenario(_answers(), {}, limit=48),
        "own": Scenario(answers, options, shuffle_seed=3, lm_eval_completes=True),
    }


@pytest.fixture(scope="module")
def all_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Runs]:
    """The runs of both scenarios, which take most of their time to start: so all at once."""
    pytest.importorskip("lm_eval", reason="lm_eval is not installed: requirements-dev.txt")
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: requirements-dev.txt")
    top = tmp_path_factory.mktemp("integrations")
    scenarios = _scenarios(top)
    servers = {name: Loopback(scenario.answer) for name, scenario in scenarios.items()}
    again = top / "again.eval"
    score = [
        *(script("inspect"), "score", "--action", "overwrite", "--output-file", str(again)),
        *("--scorer", f"{INSPECT_TASK}@conditions", "--display", "plain"),
        str(top / "own" / "inspect" / "*.eval"),
    ]
    with ExitStack() as stack:
        urls = {name: stack.enter_context(servers[name]).url for name in scenarios}
        each = [(scenario, urls[name], top / name) for name, scenario in scenarios.items()]
        for _, _, folder in each:
            folder.mkdir()
        processes = [
            stack.enter_context(started(top, *(list(_lm_eval(*one)) for one in each))),
            stack.enter_context(started(top, *(list(_inspect(*one)) for one in each), score)),
        ]
        for process in processes:
            stack.callback(process.kill)
        for scenario, url, folder in each:
            _ask(scenario, url, folder / "chat")
            if scenario.lm_eval_completes:
                _ask(scenario, url, folder / "text", "--text_completion")
        for process in processes:
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    logs = {name: next((top / name / "inspect").glob("*.eval")) for name in scenarios}
    return {
        name: Runs(
            scenario,
            _prompts(servers[name].calls),
            top / name / "chat",
            top / name / "text",
            top / name / "lm_eval",
            [logs[name], *([again] if name == "own" else [])],
        )
        for name, scenario in scenarios.items()
    }


@pytest.fixture(params=["the benchmark", "own"])
def runs(all_runs: Mapping[str, Runs], request: pytest.FixtureRequest) -> Runs:
    return all_runs[request.param]


def _prompts(calls: Sequence[Call]) -> dict[str, list[Any]]:
    """The model that was asked for, which tells who asked -> what was asked."""
    prompts: dict[str, list[Any]] = {}
    for one in calls:
        body = one.json
        prompts.setdefault(body["model"], []).append(body.get("messages", body.get("prompt")))
    return prompts


def _ask(scenario: Scenario, url: str, folder: Path, *arguments: str) -> None:
    """Ask as eval_remote.py does."""
    folder.mkdir()
    config = folder / "model.json"
    config.write_text(json.dumps({"model": folder.name, "api_base": url, "threads": 4}))
    named = ("--model_config", config, "--log_path", "log.jsonl")
    run = call(partial(evaluate, "remote"), *named, *scenario.arguments(), *arguments, cwd=folder)
    assert run.code == 0, run.err


def _lm_eval(scenario: Scenario, url: str, folder: Path) -> Iterator[str]:
    yield from (script("lm_eval"), "run", "--tasks", "rag_ifeval")
    yield from ("--include_path", LM_EVAL_TASK, "--log_samples")
    yield from ("--output_path", str(folder / "lm_eval"), *scenario.limited())
    options = scenario.task_options()
    if scenario.lm_eval_completes:
        options["text_completion"] = True
        yield from ("--model", "local-completions", "--model_args")
        yield f"model=lm_eval,base_url={url}/completions,tokenizer_backend=None,num_concurrent=4"
    else:
        yield from ("--apply_chat_template", "--model", "local-chat-completions", "--model_args")
        # The seed is the model's own, not that of the shuffling.
        yield f"model=lm_eval,base_url={url}/chat/completions,num_concurrent=4,seed=7"
    if options:
        yield from ("--metadata", json.dumps(options))


def _inspect(scenario: Scenario, url: str, folder: Path) -> Iterator[str]:
    yield from (script("inspect"), "eval", INSPECT_TASK, "--model", "openai-api/service/inspect")
    yield from ("--model-base-url", url, "--log-dir", str(folder / "inspect"), "--display", "plain")
    yield from scenario.limited()
    for name, value in scenario.task_options().items():
        yield from ("-T", f"{name}={json.dumps(value)}")


def logged(folder: Path) -> dict[str, dict[str, float]]:
    """Sample id -> its scores, with those of the other rule, as eval_remote.py logged them."""
    scores = {}
    for record in records(folder / "log.jsonl"):
        words = {
            f"{key}_by_words": value
            for key, value in record["scores_words"].items()
            if key in ("include", "exclude")
        }
        scores[record["id"]] = {**record["scores"], **words}
    return scores


def summary_of(folder: Path) -> Any:
    return json.loads((folder / "log.summary.json").read_text(encoding="utf-8"))


def summarized(folder: Path) -> dict[str, float]:
    """The means in the summary of eval_remote.py, by the names that they have in a task."""
    summary = summary_of(folder)
    words = {
        f"{key}_by_words": summary["scores_words"][key]["mean"]
        for key in ("include", "exclude", "correctness", "total")
        if key in summary["scores_words"]
    }
    return {key: estimate["mean"] for key, estimate in summary["scores"].items()} | words


def error_of(folder: Path) -> Any:
    """Half of an interval of 95 % is about two standard errors."""
    total = summary_of(folder)["scores"]["total"]
    return pytest.approx((total["high"] - total["low"]) / 3.92, rel=0.25, abs=0.02)


def check_is_log_of(path: Path, own: Path, model: str, scenario: Scenario) -> None:
    """See to it that another harness's log is read as our own run of the same is."""
    logs, variant = (path, own / "log.jsonl"), scenario.options.get("variants", "core")
    found, expected = (read_scored_log(one, None, variant) for one in logs)
    assert found.name == model
    samples = sorted(expected.scores.samples)
    assert sorted(found.scores.samples) == samples
    assert [found.scores[key] for key in samples] == [expected.scores[key] for key in samples]
    assert found.questions == expected.questions
    (one,), (two,) = ([Signature.parse(s) for s in log.signatures] for log in (found, expected))
    assert one.differences(two) == ["model"]


def test_prompts(runs: Runs) -> None:
    def each(prompts: Sequence[Any]) -> list[str]:
        return sorted(json.dumps(prompt) for prompt in prompts)

    asked = each(runs.prompts["chat"])
    assert len(asked) == len(logged(runs.chat))
    assert each(runs.prompts["inspect"]) == asked
    assert each(runs.prompts["lm_eval"]) == each(runs.prompts[runs.as_lm_eval.name])


class TestLmEval:
    def test_means_and_version(self, runs: Runs) -> None:
        (path,) = runs.lm_eval.rglob("results_*.json")
        results = json.loads(path.read_text(encoding="utf-8"))
        assert results["versions"]["rag_ifeval"] == __version__
        found = {
            name.removesuffix(",none"): value
            for name, value in results["results"]["rag_ifeval"].items()
            if name.endswith(",none") and "_stderr" not in name
        }
        error = results["results"]["rag_ifeval"]["total_stderr,none"]
        assert error == error_of(runs.as_lm_eval)
        expected = summarized(runs.as_lm_eval)
        # What no sample has is no number there, and not in the summary here.
        assert {name: value for name, value in found.items() if not math.isnan(value)} == expected
        keys = {key for condition in REGISTRY.values() for key in condition.keys}
        assert keys <= found.keys()

    def test_scores_of_each_answer_and_signature(self, runs: Runs) -> None:
        (path,) = runs.lm_eval.rglob("samples_*.jsonl")
        expected, samples = logged(runs.as_lm_eval), records(path)
        assert len(samples) == len(expected)
        signature = summary_of(runs.as_lm_eval)["signature"].rpartition("|model:")[0]
        for sample in samples:
            assert sample["doc"]["signature"] == signature
            names = {name for name in sample["metrics"] if isinstance(sample[name], float)}
            assert {name: sample[name] for name in names} == expected[sample["doc"]["id"]]
        check_is_log_of(path, runs.as_lm_eval, "lm_eval", runs.scenario)


class TestInspect:
    def test_its_logs_are_those_of_the_run(self, runs: Runs, tmp_path: Path) -> None:
        from inspect_ai.log import read_eval_log, write_eval_log

        signature = summary_of(runs.chat)["signature"].rpartition("|model:")[0]
        for path in runs.inspect:
            log = read_eval_log(str(path))
            assert log.status == "success"
            (score,) = log.results.scores
            found = {name: metric.value for name, metric in score.metrics.items()}
            assert found.pop("stderr") == error_of(runs.chat)
            assert found == summarized(runs.chat)
            assert next(iter(found)) == "total"  # the first one is the headline
            scores = {sample.id: sample.scores["conditions"].value for sample in log.samples}
            assert scores == logged(runs.chat)
            assert log.eval.metadata["signature"] == signature
            assert log.eval.task_version == __version__
            # Generation is left to the user.
            assert not log.plan.config.model_dump(exclude_none=True)
            write_eval_log(log, str(tmp_path / "log.json"))
            for one in (path, tmp_path / "log.json"):
                model = "openai-api/service/inspect"
                check_is_log_of(one, runs.chat, model, runs.scenario)


def test_twins(tmp_path: Path) -> None:
    """What tasks make of a variant, called as the harnesses call them, beside a run of our own."""
    pytest.importorskip("datasets", reason="datasets is not installed: requirements-dev.txt")
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: requirements-dev.txt")
    from ragifeval.integrations import inspect
    from ragifeval.integrations.lm_eval import task as lm_eval

    few = write_records(tmp_path / "few.jsonl", records(SAMPLES)[:20])
    options = {"variants": "twin", "docs_path": str(paths.DOCUMENTS), "eval_path": str(few)}
    answers, asked = _answers(), make_task(RunSettings.of(**options))
    scorer, outcome = Scorer.load(), asked.new_outcome()
    rows = list(lm_eval.load(**options)["test"])
    found: dict[str, list[Any]] = {}
    for sample, row, theirs in zip(
        asked.samples, rows, inspect.rag_ifeval(**options).dataset, strict=True
    ):
        answer = Answer(asked.request(sample), answers[sample.question])
        messages = [message.content for message in answer.request.prompt.messages]
        assert [row["system_message"], row["prompt"]] == messages
        assert [message.content for message in theirs.input] == messages
        assert theirs.metadata["expect"] == json.loads(row["expect"]) == sample.expect
        outcome.add(make_record(sample, sample.context, answer, scorer, asked.matching, None, ""))
        for name, value in lm_eval.process_results(row, [answer.text]).items():
            found.setdefault(name, []).append(value)
    expected = outcome.estimates(seed=0)["substring"]
    for name in ("refuse", "invented", "partial"):
        assert lm_eval.mean(found[name]) == expected[name].mean
    assert lm_eval.pooled_mean(found["total"]) == expected["total"].mean
