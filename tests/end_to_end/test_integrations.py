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

from ragifeval import __version__
from ragifeval.__main__ import evaluate
from ragifeval.paths import ROOT, SAMPLES
from ragifeval.results.compare.scored_logs import read_scored_log
from ragifeval.run.plan import RunSettings, make_task
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.signature import Signature
from tools.testing.loopback import Call, Loopback, Response, chat, completion, failure
from tools.testing.process import call, records, write_records

LM_EVAL_TASK = "ragifeval/integrations/lm_eval"
INSPECT_TASK = "ragifeval/integrations/inspect.py"
COUNT = 42


@dataclass(frozen=True, eq=False)
class Scenario:
    """What is run, in a folder of its own; a task takes the options of the entry scripts.

    Attributes:
        completes: whether texts are completed; inspect_ai knows chats alone.
        answers: a question -> the answer it gets.
    """

    folder: Path
    options: Mapping[str, str]
    shuffle_seed: int | None
    completes: bool
    answers: Mapping[str, str]

    def answer(self, call: Call) -> Response:
        if call.json.get("stop") == []:  # transformers serve fails at an empty list
            return failure(500, "stop is empty")
        question = call.prompt.rpartition("Pytanie: ")[2].removesuffix("\nOdpowiedź:")
        respond = completion if call.path.endswith("/v1/completions") else chat
        return respond(self.answers[question])

    def task_options(self) -> dict[str, Any]:
        seed = {} if self.shuffle_seed is None else {"shuffle_seed": self.shuffle_seed}
        return {**self.options, **seed}

    @property
    def own_log(self) -> Path:
        """That of eval_remote.py."""
        return self.folder / "log.jsonl"

    def summary(self) -> Any:
        return json.loads((self.folder / "log.summary.json").read_text(encoding="utf-8"))

    def scores(self) -> dict[str, dict[str, float]]:
        """Sample id -> its scores, with those of the other rule, as eval_remote.py logged them."""
        return {
            record["id"]: record["scores"]
            | {
                f"{key}_by_words": value
                for key, value in record["scores_words"].items()
                if key in ("include", "exclude")
            }
            for record in records(self.own_log)
        }

    def means(self) -> dict[str, float]:
        """The means in the summary of eval_remote.py, by the names that they have in a task."""
        summary = self.summary()
        words = {
            f"{key}_by_words": summary["scores_words"][key]["mean"]
            for key in ("include", "exclude", "correctness", "total")
            if key in summary["scores_words"]
        }
        return {key: estimate["mean"] for key, estimate in summary["scores"].items()} | words

    def error(self) -> Any:
        """Half of an interval of 95 % is about two standard errors."""
        total = self.summary()["scores"]["total"]
        return pytest.approx((total["high"] - total["low"]) / 3.92, rel=0.25, abs=0.02)


def scenario(folder: Path, completes: bool, shuffle_seed: int | None, **options: str) -> Scenario:
    """A scenario with right answers, wrong ones, and other mischief."""
    folder.mkdir()
    answers = {}
    settings = RunSettings.of(shuffle_seed=shuffle_seed, **options)
    for place, sample in enumerate(make_task(settings).samples):
        gold = sample.reference or "Nie wiem."
        answers[sample.question] = [
            gold,
            f"Siedemnaście złotych, nie 21 zł [0],\n\na czeka się 30 dni [2]. {gold[:20]}\n",
            settings.scoring.refusal_message.upper() + "!",
            f"Kurwa, no przecież: {gold}",
            "",
            f"  \n{gold[: len(gold) // 2]}\n\nŹródła: [0, 1] „<think>”\t\n",
            " ".join(reversed(gold.split())),
        ][place % 7]
    return Scenario(folder, options, shuffle_seed, completes, answers)


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


Asked = Mapping[str, Sequence[str]]
"""The model that was asked for, which tells who asked -> what was asked, in order."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Scenario, Asked]]:
    """The runs of both scenarios, which take most of their time to start: so all at once."""
    pytest.importorskip("lm_eval", reason="lm_eval is not installed: requirements-dev.txt")
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: requirements-dev.txt")
    top = tmp_path_factory.mktemp("integrations")
    samples = records(SAMPLES)[:COUNT]
    samples[0]["question"] += " {{ question }}"
    for sample in samples[1::2]:  # phrases, which the rules find in different answers
        sample["expect"] |= {"include": ["17 zł", "30 dni"], "exclude": ["1 zł"]}
    data = {"eval_path": str(write_records(top / "samples.jsonl", samples))}
    messages = {
        "refusal_message": "Nie wiem",
        "system_message": "Mów „krótko” – {{ docs }}!\n\n",
        "docs_path": str(ROOT / "data" / "documents.jsonl"),
    }
    chats = scenario(top / "chat", False, 3, variants="changed:1+noise:5", **data, **messages)
    texts = scenario(top / "text", True, None, variants="twin", **data)
    score = [
        *(script("inspect"), "score", "--action", "overwrite"),
        *("--output-file", str(chats.folder / "again.eval")),
        *("--scorer", f"{INSPECT_TASK}@conditions", "--display", "plain"),
        str(chats.folder / "inspect" / "*.eval"),
    ]
    with ExitStack() as stack:
        servers = {one: stack.enter_context(Loopback(one.answer)) for one in (chats, texts)}
        processes = [
            stack.enter_context(started(top, *commands))
            for commands in (
                [list(_lm_eval(one, server.url)) for one, server in servers.items()],
                [list(_inspect(chats, servers[chats].url)), score],
            )
        ]
        for process in processes:
            stack.callback(process.kill)
        for one, server in servers.items():
            _ask(one, server.url)
        for process in processes:
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    return {one.folder.name: (one, _asked(server.calls)) for one, server in servers.items()}


@pytest.fixture(params=["chat", "text"])
def run(
    runs: Mapping[str, tuple[Scenario, Asked]], request: pytest.FixtureRequest
) -> tuple[Scenario, Asked]:
    return runs[request.param]


def _asked(calls: Sequence[Call]) -> Asked:
    prompts: dict[str, list[str]] = {}
    for body in (one.json for one in calls):
        prompt = json.dumps(body.get("messages", body.get("prompt")))
        prompts.setdefault(body["model"], []).append(prompt)
    return {model: sorted(asked) for model, asked in prompts.items()}


def _ask(one: Scenario, url: str) -> None:
    """Ask as eval_remote.py does."""
    config = one.folder / "model.json"
    config.write_text(json.dumps({"model": "ours", "api_base": url, "threads": 4}))
    options = [f"--{name}={value}" for name, value in one.options.items()]
    if one.shuffle_seed is not None:
        options += ["--shuffle_context", f"--seed={one.shuffle_seed}"]
    if one.completes:
        options.append("--text_completion")
    named = ("--model_config", config, "--log_path", "log.jsonl")
    done = call(partial(evaluate, "remote"), *named, *options, cwd=one.folder)
    assert done.code == 0, done.err


def _lm_eval(one: Scenario, url: str) -> Iterator[str]:
    yield from (script("lm_eval"), "run", "--tasks", "rag_ifeval")
    yield from ("--include_path", LM_EVAL_TASK, "--log_samples")
    yield from ("--output_path", str(one.folder / "lm_eval"))
    options = one.task_options()
    if one.completes:
        options["text_completion"] = True
        yield from ("--model", "local-completions", "--model_args")
        yield f"model=lm_eval,base_url={url}/completions,tokenizer_backend=None,num_concurrent=4"
    else:
        yield from ("--apply_chat_template", "--model", "local-chat-completions", "--model_args")
        # The seed is the model's own, not that of the shuffling.
        yield f"model=lm_eval,base_url={url}/chat/completions,num_concurrent=4,seed=7"
    yield from ("--metadata", json.dumps(options))


def _inspect(one: Scenario, url: str) -> Iterator[str]:
    yield from (script("inspect"), "eval", INSPECT_TASK, "--model", "openai-api/service/inspect")
    yield from ("--model-base-url", url, "--display", "plain")
    yield from ("--log-dir", str(one.folder / "inspect"))
    for name, value in one.task_options().items():
        yield from ("-T", f"{name}={json.dumps(value)}")


def check_is_log_of(path: Path, one: Scenario, model: str) -> None:
    """See to it that another harness's log is read as our own run of the same is."""
    found, expected = (
        read_scored_log(log, None, one.options["variants"]) for log in (path, one.own_log)
    )
    assert found.name == model
    samples = sorted(expected.scores.samples)
    assert sorted(found.scores.samples) == samples
    assert [found.scores[key] for key in samples] == [expected.scores[key] for key in samples]
    assert found.questions == expected.questions
    (first,), (second,) = (
        [Signature.parse(line) for line in log.signatures] for log in (found, expected)
    )
    assert first.differences(second) == ["model"]


def test_prompts(run: tuple[Scenario, Asked]) -> None:
    one, asked = run
    assert len(asked["ours"]) == len(one.scores()) > COUNT / 2
    assert set(asked) == {"ours", "lm_eval", *(() if one.completes else ("inspect",))}
    assert all(prompts == asked["ours"] for prompts in asked.values())


def test_lm_eval(run: tuple[Scenario, Asked]) -> None:
    one, _ = run
    (path,) = one.folder.rglob("results_*.json")
    results = json.loads(path.read_text(encoding="utf-8"))
    assert results["versions"]["rag_ifeval"] == __version__
    found = {
        name.removesuffix(",none"): value
        for name, value in results["results"]["rag_ifeval"].items()
        if name.endswith(",none") and "_stderr" not in name
    }
    assert results["results"]["rag_ifeval"]["total_stderr,none"] == one.error()
    # What no sample has is no number there, and not in the summary here.
    assert {name: value for name, value in found.items() if not math.isnan(value)} == one.means()
    assert {key for condition in REGISTRY.values() for key in condition.keys} <= found.keys()
    (path,) = one.folder.rglob("samples_*.jsonl")
    samples, expected = records(path), one.scores()
    assert len(samples) == len(expected)
    signature = one.summary()["signature"].rpartition("|model:")[0]
    for sample in samples:
        assert sample["doc"]["signature"] == signature
        names = {name for name in sample["metrics"] if isinstance(sample[name], float)}
        assert {name: sample[name] for name in names} == expected[sample["doc"]["id"]]
    check_is_log_of(path, one, "lm_eval")


def test_inspect(runs: Mapping[str, tuple[Scenario, Asked]], tmp_path: Path) -> None:
    """Its log, and the same scored again."""
    one, _ = runs["chat"]
    from inspect_ai.log import read_eval_log, write_eval_log

    signature = one.summary()["signature"].rpartition("|model:")[0]
    (first,) = (one.folder / "inspect").glob("*.eval")
    for path in (first, one.folder / "again.eval"):
        log = read_eval_log(str(path))
        assert log.status == "success"
        (score,) = log.results.scores
        found = {name: metric.value for name, metric in score.metrics.items()}
        assert found.pop("stderr") == one.error()
        assert found == one.means()
        assert next(iter(found)) == "total"  # the first one is the headline
        scores = {sample.id: sample.scores["conditions"].value for sample in log.samples}
        assert scores == one.scores()
        assert log.eval.metadata["signature"] == signature
        assert log.eval.task_version == __version__
        # Generation is left to the user.
        assert not log.plan.config.model_dump(exclude_none=True)
        write_eval_log(log, str(tmp_path / "log.json"))
        for written in (path, tmp_path / "log.json"):
            check_is_log_of(written, one, "openai-api/service/inspect")
