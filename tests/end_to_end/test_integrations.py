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
from ragifeval.scoring.conditions import MADE_BY_VARIANTS, REGISTRY
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
    wrong: dict[str, str] = {}
    # What says an excluded thing goes first; of two such, the later.
    for contrast in records(CONTRAST):
        if contrast["scores"].get("exclude", 1) != 1:
            wrong[contrast["id"]] = contrast["answer"]
    for contrast in records(CONTRAST):
        wrong.setdefault(contrast["id"], contrast["answer"])
    answers = {}
    for place, sample in enumerate(records(SAMPLES)):
        gold = sample["reference"]
        answers[sample["question"]] = [
            gold,
            wrong[sample["id"]],
            REFUSAL_MESSAGE.upper() + "!",
            f"Kurwa, no przecież: {gold}",
            "",
            wrong[sample["id"]],
            f"  \n{gold[: len(gold) // 2]}\n\nŹródła: [0, 1] „<think>”\t\n",
            " ".join(reversed(gold.split())),
        ][1 if place % 2 and "exclude" in sample["expect"] else place % 8]
    return answers


@dataclass(frozen=True)
class Scenario:
    """What is run.

    Attributes:
        options: of the entry scripts; a task takes them by the same names.
        shuffle_seed: what a task has for --shuffle_context and --seed.
        lm_eval_completes: whether lm_eval asks for the completion of a text.
        limit: how many of the questions are asked, by the harness's own option.
    """

    answers: Mapping[str, str]
    options: Mapping[str, str]
    shuffle_seed: int | None = None
    lm_eval_completes: bool = False
    limit: int | None = None

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

    @property
    def variant(self) -> str:
        return self.options.get("variants", "core")

    def task_options(self) -> dict[str, Any]:
        seed = {} if self.shuffle_seed is None else {"shuffle_seed": self.shuffle_seed}
        return {**self.options, **seed}


@dataclass(frozen=True)
class Runs:
    """What came of one scenario.

    Attributes:
        prompts: who asked -> what was asked.
        chat, text: the folders of the runs of eval_remote.py, with log.jsonl and its summary; text
            is of the completion of texts.
        lm_eval: the folder that lm_eval wrote.
        inspect: the log that inspect wrote, and where it was scored again, what came of that.
    """

    scenario: Scenario
    prompts: Mapping[str, Sequence[Any]]
    chat: Path
    text: Path
    lm_eval: Path
    inspect: Sequence[Path]

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


class Shell:
    """Runs commands from the root of the repository as a user does, without a network."""

    def __init__(self, folder: Path) -> None:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONPATH"  # the commands find the package by themselves
            and not name.lower().endswith("_proxy")
            and not name.startswith(("OPENAI_", "INSPECT_", "LMEVAL_"))
        }
        self._environment = kept | {
            "HOME": str(folder),  # where caches and traces are written
            "HF_HOME": str(folder / "hf"),
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
            "SERVICE_API_KEY": "none",
        }
        self._started: list[tuple[Sequence[str], subprocess.Popen[str]]] = []

    def start(self, *commands: Sequence[str]) -> None:
        """Start scripts, one after the other; the last word of each may be a pattern of files."""
        command = [sys.executable, "-c", IN_TURN, json.dumps(commands)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self._started.append((command, process))

    def finish(self) -> None:
        """Wait for all that was started; each must succeed."""
        started, self._started = self._started, []
        try:
            for command, process in started:
                output, _ = process.communicate(timeout=300)
                assert process.returncode == 0, f"{' '.join(command)}\n{output}"
        finally:
            for _, process in started:
                process.kill()
                process.wait()


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
    shell = Shell(top)
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
        shell.start(*(list(_lm_eval(*one)) for one in each))
        shell.start(*(list(_inspect(*one)) for one in each), score)
        for scenario, url, folder in each:
            _ask(scenario, url, folder / "chat")
            if scenario.lm_eval_completes:
                _ask(scenario, url, folder / "text", "--text_completion")
        shell.finish()
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


def error_of(estimate: Mapping[str, float]) -> Any:
    """Half of an interval of 95 % is about two standard errors, where the answers are many."""
    return pytest.approx((estimate["high"] - estimate["low"]) / 3.92, rel=0.25, abs=0.02)


def check_is_log_of(path: Path, own: Path, model: str, variant: str) -> None:
    """See to it that another harness's log is read as our own run of the same is."""
    logs = (path, own / "log.jsonl")
    found, expected = (
        read_scored_log(one, None, keeps_questions=True, variant=variant) for one in logs
    )
    assert found.name == model
    samples = sorted(expected.scores.samples)
    assert sorted(found.scores.samples) == samples
    assert [found.scores[key] for key in samples] == [expected.scores[key] for key in samples]
    assert found.questions == expected.questions
    (one,), (two,) = ([Signature.parse(s) for s in log.signatures] for log in (found, expected))
    assert one.differences(two) == ["model"]


def test_the_answers_try_the_scores(runs: Runs) -> None:
    """None of the means is trivial; thirds are among the scores, whose sums depend on the order."""
    means = summarized(runs.chat)
    if runs.scenario.options:
        assert means["include"] != means["include_by_words"]
        assert means["memory"] == 1
        return
    assert all(0 < means[key] < 1 for key in means if not key.startswith("len_"))
    scores = logged(runs.chat).values()
    assert {1 / 3, 2 / 3} <= {value for one in scores for value in one.values()}
    assert min(one["len_chars"] for one in scores) == 0


def test_prompts(runs: Runs) -> None:
    def each(prompts: Sequence[Any]) -> list[str]:
        return sorted(json.dumps(prompt) for prompt in prompts)

    asked = each(runs.prompts["chat"])
    assert len(asked) == len(logged(runs.chat))
    assert each(runs.prompts["inspect"]) == asked
    assert each(runs.prompts["lm_eval"]) == each(runs.prompts[runs.as_lm_eval.name])


class TestLmEval:
    def results(self, runs: Runs) -> Any:
        (path,) = runs.lm_eval.rglob("results_*.json")
        return json.loads(path.read_text(encoding="utf-8"))

    def samples(self, runs: Runs) -> Path:
        (path,) = runs.lm_eval.rglob("samples_*.jsonl")
        return path

    def test_means(self, runs: Runs) -> None:
        found = {
            name.removesuffix(",none"): value
            for name, value in self.results(runs)["results"]["rag_ifeval"].items()
            if name.endswith(",none") and "_stderr" not in name
        }
        expected = summarized(runs.as_lm_eval)
        # What no sample has is no number there, and not in the summary here.
        assert {name: value for name, value in found.items() if not math.isnan(value)} == expected
        keys = {key for condition in REGISTRY.values() for key in condition.keys}
        assert keys <= found.keys()

    def test_scores_of_each_answer(self, runs: Runs) -> None:
        expected = logged(runs.as_lm_eval)
        samples = records(self.samples(runs))
        assert len(samples) == len(expected)
        for sample in samples:
            names = {name for name in sample["metrics"] if isinstance(sample[name], float)}
            assert {name: sample[name] for name in names} == expected[sample["doc"]["id"]]
        check_is_log_of(self.samples(runs), runs.as_lm_eval, "lm_eval", runs.scenario.variant)

    def test_signature_and_version(self, runs: Runs) -> None:
        assert self.results(runs)["versions"]["rag_ifeval"] == __version__
        signature = summary_of(runs.as_lm_eval)["signature"].rpartition("|model:")[0]
        assert records(self.samples(runs))[0]["doc"]["signature"] == signature

    def test_standard_errors(self, all_runs: Mapping[str, Runs]) -> None:
        runs = all_runs["the benchmark"]
        found = self.results(runs)["results"]["rag_ifeval"]
        for key, score in summary_of(runs.as_lm_eval)["scores"].items():
            assert found[f"{key}_stderr,none"] == error_of(score)

    def test_higher_is_better(self, runs: Runs) -> None:
        higher = self.results(runs)["higher_is_better"]["rag_ifeval"]
        assert {name for name, is_better in higher.items() if is_better is None} == {
            *("len_chars", "len_words")
        }
        assert {name for name, is_better in higher.items() if is_better is False} == {
            key for condition in MADE_BY_VARIANTS.values() for key in condition.keys
        }


class TestInspect:
    def logs(self, runs: Runs) -> Iterator[Any]:
        from inspect_ai.log import read_eval_log

        for path in runs.inspect:
            log = read_eval_log(str(path))
            assert log.status == "success"
            yield log

    def test_means(self, runs: Runs) -> None:
        error = error_of(summary_of(runs.chat)["scores"]["total"])
        for log in self.logs(runs):
            (score,) = log.results.scores
            found = {name: metric.value for name, metric in score.metrics.items()}
            assert found.pop("stderr") == error
            assert found == summarized(runs.chat)
            assert next(iter(found)) == "total"  # the first one is the headline

    def test_scores_of_each_answer(self, runs: Runs) -> None:
        for log in self.logs(runs):
            scores = {sample.id: sample.scores["conditions"].value for sample in log.samples}
            assert scores == logged(runs.chat)

    def test_signature_version_and_plan(self, runs: Runs) -> None:
        signature = summary_of(runs.chat)["signature"].rpartition("|model:")[0]
        for log in self.logs(runs):
            assert log.eval.metadata["signature"] == signature
            assert log.eval.task_version == __version__
            # Generation is left to the user.
            assert not log.plan.config.model_dump(exclude_none=True)

    def test_it_is_a_log(self, runs: Runs, tmp_path: Path) -> None:
        from inspect_ai.log import write_eval_log

        write_eval_log(next(self.logs(runs)), str(tmp_path / "log.json"))
        for path in (*runs.inspect, tmp_path / "log.json"):
            model = "openai-api/service/inspect"
            check_is_log_of(path, runs.chat, model, runs.scenario.variant)


def test_twins(tmp_path: Path) -> None:
    """What tasks make of a variant, called as the harnesses call them, beside a run of our own."""
    pytest.importorskip("datasets", reason="datasets is not installed: requirements-dev.txt")
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: requirements-dev.txt")
    from ragifeval.integrations import inspect
    from ragifeval.integrations.lm_eval import task as lm_eval

    few = tmp_path / "few.jsonl"
    few.write_text("".join(SAMPLES.read_text("utf-8").splitlines(keepends=True)[:20]), "utf-8")
    options = {"variants": "twin", "docs_path": str(paths.DOCUMENTS), "eval_path": str(few)}
    answers = _answers()
    asked = make_task(RunSettings.of(**options))
    scorer, outcome = Scorer.load(), asked.new_outcome()
    rows = list(lm_eval.load(**options)["test"])
    dataset = inspect.rag_ifeval(**options).dataset
    found: dict[str, list[Any]] = {}
    for sample, row, theirs in zip(asked.samples, rows, dataset, strict=True):
        prompt = asked.request(sample).prompt
        assert [row["system_message"], row["prompt"]] == [one.content for one in prompt.messages]
        assert [one.content for one in theirs.input] == [one.content for one in prompt.messages]
        assert (row["id"], theirs.id) == (sample.id, sample.id)
        assert theirs.metadata["expect"] == json.loads(row["expect"]) == sample.expect
        answer = Answer(asked.request(sample), answers[sample.question])
        record = make_record(sample, sample.context, answer, scorer, asked.matching, None, "")
        outcome.add(record)
        for name, value in lm_eval.process_results(row, [answers[sample.question]]).items():
            found.setdefault(name, []).append(value)
    expected = outcome.estimates(seed=0)["substring"]
    for name in ("refuse", "invented", "partial"):
        assert lm_eval.mean(found[name]) == expected[name].mean
        assert 0 < expected[name].mean < 1
    for name in ("safety", "total"):
        assert lm_eval.pooled_mean(found[name]) == expected[name].mean
