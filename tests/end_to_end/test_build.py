"""python -m ragifeval build: real files, a scripted model, every way in which it can go wrong."""

import json
import shlex
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
from ragifeval.languages import LANGUAGES
from ragifeval.paths import BUILD_PROMPTS
from tests.build.files import write_docx, write_pdf, write_text
from tools.testing.facts import FactModel, place_of, text_of, write_texts
from tools.testing.loopback import Call, Loopback, Response, Script, chat, failure
from tools.testing.process import (
    Finished,
    call,
    finish,
    records,
    start_command,
    wait_until,
    write_records,
)
from tools.testing.scripted import (
    EXAMPLE,
    EXAMPLE_OPTIONS,
    ExampleModel,
    write_config,
)

OPTIONS = ("docs", "--model_config", "model.json", "-o", "out")
CRITICS = {"groundedness", "relevance", "standalone"}


def build(folder: Path, *options: str | Path) -> Finished:
    return call(main, "build", *options, cwd=folder)


@contextmanager
def served(
    folder: Path, numbers: range, script: Script, threads: int = 8, **config: Any
) -> Iterator[Loopback]:
    """A service, its config, and the texts of some numbers, where OPTIONS name them."""
    write_texts(folder / "docs", numbers)
    with Loopback(script) as server:
        write_config(folder / "model.json", server.url, threads, **config)
        yield server


def build_texts(
    folder: Path, numbers: range, script: Script, *options: str | Path, **config: Any
) -> Finished:
    with served(folder, numbers, script, **config):
        return build(folder, *OPTIONS, *options)


def validate(out: Path, *more: str) -> Finished:
    paths = ("--docs_path", out / "documents.jsonl", "--eval_path", out / "samples.jsonl")
    return call(main, "validate", *paths, *more, cwd=out)


def dropped_in(out: Path) -> dict[str, dict[str, int]]:
    """Stage -> why it dropped how many."""
    summary = json.loads((out / "build.json").read_text(encoding="utf-8"))
    return {stage["stage"]: stage["dropped"] for stage in summary["stages"]}


def by_id(path: Path) -> dict[str, dict[str, Any]]:
    return {record["id"]: record for record in records(path)}


def results_of(out: Path) -> dict[str, bytes]:
    """What a build comes to, to the byte."""
    names = ("samples.jsonl", "documents.jsonl", "rejected.jsonl", "build.json", "README.md")
    return {name: (out / name).read_bytes() for name in names}


@dataclass
class Built:
    folder: Path
    out: Path
    run: Finished
    model: ExampleModel


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder, model = tmp_path_factory.mktemp("example"), ExampleModel()
    with Loopback(model) as server:
        write_config(folder / "model.json", server.url)
        options = (EXAMPLE, *EXAMPLE_OPTIONS, *OPTIONS[1:], "--review")
        run = finish(start_command("build", *options, cwd=folder))
        return Built(folder, folder / "out", run, model)


class TestExample:
    """docs/example, as docs/build.md walks through it."""

    def test_what_is_to_be_refused_lacks_its_chunk(self, built: Built) -> None:
        """What else is built and dropped is shown in docs/build.md, to the byte."""
        assert built.run.code == 0, built.run.err
        samples = records(built.out / "samples.jsonl")
        refused = [sample for sample in samples if sample["expect"] == {"refuse": True}]
        assert (len(samples), len(refused)) == (11, 3)
        for sample in refused:
            assert sample["id"].rpartition("-q")[0] not in sample["context"]
        assert validate(built.out).code == 0

    def test_the_printed_commands_evaluate_and_report(self, built: Built) -> None:
        asked, report = (
            shlex.split(next(line for line in built.run.out.splitlines() if line.startswith(word)))
            for word in ("evaluate: ", "report: ")
        )
        assert asked[1:5] == ["ragifeval", "remote", "--model", "MODEL"]
        with Loopback(lambda call: chat("To 30 zł [0].")) as server:
            arguments = ("--model_args", f"api_base={server.url}")
            run = call(main, *asked[2:], *arguments, cwd=built.folder)
        assert run.code == 0, run.err
        assert run.out.startswith("MODEL: 11 of 11 samples answered")
        assert any("Nie udało mi się odnaleźć" in call.prompt for call in server.calls)
        assert call(main, *report[2:], cwd=built.folder).code == 0

    def test_again_nothing_is_asked(self, built: Built) -> None:
        """And another process, whose sets have another order, writes the same bytes."""
        before = results_of(built.out)
        built.model.asked.clear()
        with Loopback(built.model) as server:
            write_config(built.folder / "model.json", server.url)
            run = build(built.folder, EXAMPLE, *EXAMPLE_OPTIONS, *OPTIONS[1:])
        # What could not be read: under a schema, which may be why; without one; and once more.
        assert built.model.asked == {"factoid": 3}
        assert "ask: 15 replies were already there" in run.err
        assert results_of(built.out) == before


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    docs = write_texts(tmp_path / "docs", range(106, 107))
    write_pdf(docs / "a.pdf", [text_of(101), text_of(102)])
    write_docx(docs / "b.docx", [text_of(103)])
    write_records(docs / "g.jsonl", [{"title": "T", "contents": text_of(109)}])
    write_text(docs / "h.txt", text_of(106).upper())  # repeats another
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nno more")
    with Loopback(FactModel()) as server:
        write_config(tmp_path / "model.json", server.url)
        run = build(tmp_path, *OPTIONS)
    assert run.code == 1
    assert "not read: broken.pdf: " in run.err
    assert "1 duplicate left out" in run.out
    # The PDF's two pages are one chunk, about which one question is asked.
    assert len(records(tmp_path / "out" / "samples.jsonl")) == 4
    assert validate(tmp_path / "out").code == 0


BEHAVIOUR = {
    101: "sloppy",
    102: "refuses once",
    103: "malformed",
    104: "long",
    105: "dependent",
    106: "silent critic",
    107: "wrong phrase",
    111: "sloppy",
}


def test_what_becomes_of_each_reply(tmp_path: Path) -> None:
    """Nothing is lost without a word, and what is not read is asked again once."""
    model, out = FactModel(BEHAVIOUR), tmp_path / "out"
    run = build_texts(tmp_path, range(100, 120), model)
    assert run.code == 0, run.err
    assert dropped_in(out) == {
        "ask": {"the reply cannot be read": 1, "the answer has 500 characters or more": 1},
        "criticise": {"rated below 4 for standalone": 1, "the reply cannot be read": 1},
        "phrases": {"no proposed phrase passes": 1},
        "samples": {},
    }
    assert "15 samples, 4 of them to be refused" in run.out
    assert validate(out).code == 0
    rejected, samples = by_id(out / "rejected.jsonl"), by_id(out / "samples.jsonl")
    asked = {f"gmina{number}-txt-0001-q1" for number in range(100, 120)}
    # A reply without a question has the chunk's id.
    assert samples.keys() | rejected.keys() == (asked - {"gmina103-txt-0001-q1"}) | {
        "gmina103-txt-0001"
    }
    assert rejected["gmina103-txt-0001"]["words"].endswith("Jest on krótki")
    assert rejected["gmina105-txt-0001-q1"]["words"] == "standalone 2: Nie wiadomo, o co chodzi."
    assert "Trudno powiedzieć." in rejected["gmina106-txt-0001-q1"]["words"]
    assert "999 euro" in rejected["gmina107-txt-0001-q1"]["words"]
    again = {key for key, times in model.asked.items() if times > 1}
    assert again == {("factoid", 102), ("factoid", 103), ("relevance", 106)}
    # Without the schema too, where no reply under one has come yet.
    assert max(model.asked.values()) <= 3


def test_an_exam_and_the_additive_critic(tmp_path: Path) -> None:
    model, out = FactModel({103: "malformed", 105: "dependent", 106: "no answer"}), tmp_path / "out"
    options = ("--style", "exam", "--questions-per-chunk", "2", "--critics", "additive")
    run = build_texts(tmp_path, range(100, 108), model, *options)
    assert run.code == 0, run.err
    assert Counter(stage for stage, _ in model.asked.elements()) == {
        "exam_questions": 9,  # one of eight twice
        "exam_answer": 14,  # none twice
        "additive": 12,
        "phrases": 10,
    }
    assert dropped_in(out)["answer"] == {"the text does not answer it": 2}
    assert dropped_in(out)["criticise"] == {"rated below 4 for additive": 2}
    kinds = {tuple(one["kind"]) for one in records(out / "samples.jsonl")}
    assert kinds == {("exam",), ("unanswerable",)}
    assert validate(out).code == 0


def test_a_question_that_was_asked_before_is_dropped(tmp_path: Path) -> None:
    build_texts(tmp_path, range(100, 103), FactModel(), "--questions-per-chunk", "3")
    assert dropped_in(tmp_path / "out")["ask"] == {"the question was asked before": 6}


@pytest.mark.parametrize("language", ["de", "en", "es"])
def test_another_language(tmp_path: Path, language: str) -> None:
    model = FactModel(language=language)
    run = build_texts(tmp_path, range(100, 110), model, "--language", language)
    assert run.code == 0, run.err
    (line,) = [line for line in run.out.splitlines() if line.startswith("evaluate: ")]
    given = shlex.split(line)[3:]
    assert given[given.index("--language") + 1] == language
    assert validate(tmp_path / "out", "--language", language).code == 0
    # Statements are for Polish texts alone.
    expected = [one["expect"] for one in records(tmp_path / "out" / "samples.jsonl")]
    assert all(isinstance(entry, str) for one in expected for entry in one.get("include", ()))
    refusal = chat(f"{LANGUAGES[language].refusal_message}.")
    with Loopback(lambda call: refusal) as server:
        given += ["--model_args", f"api_base={server.url}", "--wide"]
        run = call(partial(evaluate, "remote"), *given, cwd=tmp_path)
    assert run.code == 0, run.err
    # Always refusing is right for those that are to be refused.
    (refuse,) = [line for line in run.out.splitlines() if line.startswith("refuse ")]
    assert refuse.split()[1] == "100.00"


def replies_kept(out: Path) -> set[str]:
    """The ids of the whole replies in the journals of a build."""
    lines = [
        line
        for path in (out / "work").glob("*.replies.jsonl")
        for line in path.read_bytes().splitlines(keepends=True)
    ]
    found = [json.loads(line) for line in lines if line.endswith(b"\n")]
    return {record["id"] for record in found if record["error"] is None}


class TestStopped:
    def test_killed_it_goes_on_where_it_ended(self, tmp_path: Path) -> None:
        model = FactModel(BEHAVIOUR, delay=0.005)
        with served(tmp_path, range(100, 120), model, 4):
            whole = build(tmp_path, *OPTIONS[:-1], "whole")
            assert whole.code == 0, whole.err
            answered: set[str] = set()
            # In the midst of each stage: 20 to be asked, 54 to be criticised, 17 phrases.
            for kill_at in (10, 30, 30):
                model.asked.clear()
                model.kill_at = kill_at
                model.process = start_command("build", *OPTIONS, cwd=tmp_path)
                assert finish(model.process).code == -signal.SIGKILL
                kept = replies_kept(tmp_path / "out")
                assert answered < kept
                answered = kept
                for path in (tmp_path / "out" / "work").glob("*.replies.jsonl"):
                    with path.open("a") as file:
                        file.write('{"id": "torn')
            model.process = None
            model.asked.clear()
            run = build(tmp_path, *OPTIONS)
        assert run.code == 0, run.err
        assert "the last line was cut off and is dropped" in run.err
        assert model.asked.total() < 97 - len(answered) + 6
        assert results_of(tmp_path / "out") == results_of(tmp_path / "whole")

    def test_ctrl_c(self, tmp_path: Path) -> None:
        with served(tmp_path, range(100, 160), FactModel(delay=0.1), 4) as server:
            process = start_command("build", *OPTIONS, cwd=tmp_path)
            wait_until(lambda: len(server.calls) >= 10, process)
            process.send_signal(signal.SIGINT)
            run = finish(process)
        assert run.code == 130, run.err
        assert "the same command goes on from here" in run.err
        assert not (tmp_path / "out" / "samples.jsonl").exists()
        assert len(replies_kept(tmp_path / "out")) >= 9

    def test_no_reply_is_no_rejection(self, tmp_path: Path) -> None:
        model = FactModel({103: "down"})
        with served(tmp_path, range(100, 108), model):
            run = build(tmp_path, *OPTIONS)
            assert run.code == 1
            assert "1 prompt got no reply; the same command asks once more, and for" in run.err
            assert "503" in run.err
            (lost,) = records(tmp_path / "out" / "rejected.jsonl")
            assert (lost["id"], lost["is_pending"]) == ("gmina103-txt-0001-q1", True)
            model.behaviour.clear()
            model.asked.clear()
            again = build(tmp_path, *OPTIONS)
        assert again.code == 0, again.err
        assert set(model.asked) == {(stage, 103) for stage in (*CRITICS, "phrases")}
        assert "8 samples" in again.out

    def test_another_critic_is_asked_anew_and_nothing_else(self, tmp_path: Path) -> None:
        model, critic = FactModel(), FactModel()
        judged = (*OPTIONS, "--judge_config", "judge.json")
        with served(tmp_path, range(100, 104), model), Loopback(critic) as other:
            first = build(tmp_path, *OPTIONS)
            write_config(tmp_path / "judge.json", other.url, model="judge")
            model.asked.clear()
            run = build(tmp_path, *judged)
            assert run.code == 0, run.err
            assert (model.asked.total(), critic.asked.total()) == (0, 12)
            assert {stage for stage, _ in critic.asked} == CRITICS
            card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
            assert "| criticised by | judge |" in card
            # The first critic's replies are still there.
            assert build(tmp_path, *OPTIONS).out == first.out
            assert model.asked.total() == 0

    def test_what_another_model_built_is_replaced_where_that_is_asked_for(
        self, tmp_path: Path
    ) -> None:
        assert build_texts(tmp_path, range(100, 102), FactModel()).code == 0
        before, model = results_of(tmp_path / "out"), FactModel()
        run = build_texts(tmp_path, range(100, 102), model, model="other")
        assert "-o: out was built by m, or with other settings of it" in run.last_line
        assert (results_of(tmp_path / "out"), model.asked.total()) == (before, 0)
        again = build_texts(tmp_path, range(100, 102), model, "--overwrite", model="other")
        assert again.code == 0, again.err

    def test_a_prompt_that_is_refused_is_not_asked_for_ever(self, tmp_path: Path) -> None:
        model = FactModel()

        def script(call: Call) -> Response:
            refused = "koszt 101 zł" in call.prompt
            return failure(400, "the context is too long") if refused else model(call)

        run = build_texts(tmp_path, range(100, 104), script)
        assert run.code == 0, run.err
        assert dropped_in(tmp_path / "out")["ask"] == {"the service refuses the prompt": 1}

    def test_no_samples_leave_nothing_of_the_last_build(self, tmp_path: Path) -> None:
        texts = range(100, 104)
        assert build_texts(tmp_path, texts, FactModel()).code == 0
        with served(tmp_path, texts, FactModel(dict.fromkeys(texts, "dependent"))) as server:
            write_config(tmp_path / "judge.json", server.url, model="judge")
            run = build(tmp_path, *OPTIONS, "--judge_config", "judge.json")
        assert run.code == 1
        left = {path.name for path in (tmp_path / "out").rglob("*")}
        assert not left & {"samples.jsonl", "documents.jsonl", "README.md"}

    def test_limit_and_seed(self, tmp_path: Path) -> None:
        asked = []
        for seed in ("1", "1", "2"):
            model = FactModel()
            options = ("--limit", "5", "--seed", seed, "--overwrite")
            build_texts(tmp_path, range(100, 120), model, *options)
            asked.append({number for _, number in model.asked})
        assert len(asked[0]) == 5
        assert asked[0] == asked[1] != asked[2]


class TestReview:
    """Verdicts hold for the very questions that they were given on, and are not lost."""

    OPTIONS = (*OPTIONS, "--review")

    @staticmethod
    def review(out: Path) -> str:
        return (out / "review.csv").read_text(encoding="utf-8-sig")

    def apply(self, out: Path, number: int, verdict: str, text: str | None = None) -> Finished:
        """Fill in the review as a person does, for one text, and apply it."""
        text, row = text or self.review(out), f'"gmina{number}-txt-0001-q1",""'
        assert row in text
        filled = text.replace(row, f'{row[:-1]}{verdict}"')
        (out.parent / "reviewed.csv").write_text(filled, encoding="utf-8-sig")
        return build(out.parent, "-o", "out", "--apply", "reviewed.csv")

    @staticmethod
    def left_out(out: Path) -> set[int]:
        found = {int(one["id"][5:8]) for one in records(out / "samples.jsonl")}
        return set(range(100, 108)) - found

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
        folder = tmp_path_factory.mktemp("review")
        with served(folder, range(100, 108), FactModel()):
            assert build(folder, *cls.OPTIONS).code == 0
            yield folder

    @pytest.fixture
    def out(self, folder: Path, tmp_path: Path) -> Path:
        return shutil.copytree(folder, tmp_path / "copy") / "out"

    def test_hold_in_the_next_build_and_outlive_overwriting(self, out: Path) -> None:
        blank = self.review(out)
        run = self.apply(out, 101, "reject")
        assert "reviewed.csv: 0 accept, 1 reject, 0 open, 0 edited" in run.err
        assert self.left_out(out) == {101}
        assert validate(out).code == 0
        build(out.parent, *self.OPTIONS)
        assert self.left_out(out) == {101}
        # The next round shows what was said.
        assert '"gmina101-txt-0001-q1","reject"' in self.review(out)
        build(out.parent, *self.OPTIONS, "--overwrite")
        assert self.left_out(out) == {101}
        # A second reviewer adds to the first, of whose verdict the other table says nothing.
        self.apply(out, 103, "reject", blank)
        assert self.left_out(out) == {101, 103}

    def test_are_not_put_on_another_question(self, out: Path) -> None:
        self.apply(out, 101, "reject")
        # Another text under the same name.
        (out.parent / "docs" / "gmina101.txt").write_text(text_of(201), encoding="utf-8")
        run = build(out.parent, *self.OPTIONS)
        assert "note: left out: 1 verdict, on a question since changed" in run.err
        assert self.left_out(out) == set()
        assert any("201 zł" in one["reference"] for one in records(out / "samples.jsonl"))

    def test_a_table_that_is_filled_in_is_not_written_over(self, out: Path) -> None:
        row = '"gmina101-txt-0001-q1","'
        filled = self.review(out).replace(f'{row}"', f'{row}reject"')
        (out / "review.csv").write_text(filled, encoding="utf-8-sig")
        run = build(out.parent, *self.OPTIONS)
        assert "out/review.csv: holds verdicts that were not applied" in run.err
        assert self.review(out) == filled
        build(out.parent, "-o", "out", "--apply", "out/review.csv")
        assert self.left_out(out) == {101}

    def test_an_edit_is_taken_and_one_that_fails_is_named(self, out: Path) -> None:
        text = self.review(out).replace('"101 zł"', '"777 zł"')
        text = text.replace('"102 zł"', '"102 zł | sto dwa złote"')
        run = self.apply(out, 101, "accept", text)
        assert "reviewed.csv: 1 accept, 0 reject, 1 open, 2 edited" in run.err
        assert "accepted, but no sample: gmina101-txt-0001-q1: no proposed phrase passes" in run.err
        assert self.left_out(out) == {101}
        [edited] = by_id(out / "samples.jsonl")["gmina102-txt-0001-q1"]["expect"]["include"]
        assert edited["say"] == ["102 zł", "sto dwa złote"]


def test_builds_and_configs_are_no_documents(tmp_path: Path) -> None:
    docs = write_texts(tmp_path / "docs", range(100, 104))
    write_text(docs / "letter.odt", "x")
    with Loopback(FactModel()) as server:
        config = write_config(docs / "model.json", server.url)
        for name in ("one", "two"):
            run = build(tmp_path, docs, "--model_config", config, "-o", docs / name)
            assert run.code == 0, run.err
            assert "4 files, 4 chunks" in run.out
            assert "passed over, as of no kind that is read: 1 .odt" in run.out


def test_a_broken_prompt_is_found_before_anything_is_asked(tmp_path: Path) -> None:
    prompts, model = shutil.copytree(BUILD_PROMPTS / "pl", tmp_path / "prompts"), FactModel()
    text = "{% block user %}{{ chunk }}{% endblock %}"
    (prompts / "groundedness.jinja").write_text(text, encoding="utf-8")
    run = build_texts(tmp_path, range(100, 102), model, "--prompts", "prompts")
    assert run.code == 2
    assert "groundedness.jinja: cannot be rendered: 'chunk' is undefined" in run.last_line
    assert not model.asked


def test_the_audience_is_told_the_critics_and_no_name_breaks_the_card(tmp_path: Path) -> None:
    with served(tmp_path, range(100, 102), FactModel(), model="a|b\n# <i>c") as server:
        build(tmp_path, *OPTIONS, "--audience", "kto\nkolwiek | inny")
    # By the prompt for relevance.
    assert sum("kolwiek | inny" in call.prompt for call in server.calls) == 2
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| asked and answered by | a\\|b # &lt;i>c |\n" in card
    assert "| audience | kto kolwiek \\| inny |\n" in card


def test_a_dry_run_asks_nothing(tmp_path: Path) -> None:
    docs = write_texts(tmp_path / "docs", range(100, 103))
    run = build(tmp_path, docs, "-o", "out", "--dry_run")
    assert run.code == 0, run.err
    assert "=== gmina102-txt-0001/1\n" in run.out
    assert f"miejscowości {place_of(102)} koszt 102 zł" in run.out
    assert not (tmp_path / "out").exists()


GIVEN = "docs -o out --model_config model.json"
WRONG = {
    "-o out": "DOCS: name files or folders; or --review, or --apply CSV",
    "nowhere -o out --model_config model.json": "nowhere: there is no such file",
    "docs -o out": "--model_config: is missing",
    "docs -o out --model_config none.json": "none.json: ",
    "docs -o project --model_config model.json": "project is not empty and holds no build",
    "docs -o project --model_config model.json --overwrite": "is not empty and holds no build",
    f"{GIVEN} --chunk-size 100": "--chunk_overlap: 200 is not less than --chunk_size, 100",
    f"{GIVEN} --prompts project": "factoid.jinja: cannot be read",
    f"{GIVEN} --critics additive --min-rating 5": "--min_rating: 5 is more than the 4",
    f"{GIVEN} --critics additive --audience wszyscy": "--audience: is for the critic of relevance",
    "-o out --review": "out holds no finished build",
    "-o out --review --seed 3": "--seed: is for building from documents",
    "docs -o out --apply x.csv": "--apply: is for a finished build",
}


@pytest.mark.parametrize(("options", "message"), WRONG.items())
def test_what_is_wrong_is_told_in_one_line(options: str, message: str, tmp_path: Path) -> None:
    write_texts(tmp_path / "docs", range(100, 101))
    notes = write_text(tmp_path / "project" / "work" / "notes.json", "{}")
    write_config(tmp_path / "model.json", "http://127.0.0.1:9/v1")
    run = build(tmp_path, *options.split())
    assert run.code == 2, run.out
    assert message in run.last_line
    assert len(run.err.strip().splitlines()) == 1, run.err
    assert notes.exists()
