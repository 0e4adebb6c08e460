"""python -m ragifeval build: real files, a scripted model, every way in which it can go wrong."""

import json
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragifeval.defaults import ROOT
from tests.build.facts import FactModel, place_of, text_of, write_texts
from tests.build.files import write_csv, write_docx, write_html, write_jsonl, write_pdf, write_text
from tests.build.scripted import EXAMPLE, EXAMPLE_OPTIONS, ExampleModel, write_config
from tests.end_to_end.process import Finished, environment, evaluate, finish, records
from tests.loopback import Loopback, chat

THREADS = 16


def start(folder: Path, *options: str | Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "ragifeval", *map(str, options)],
        cwd=folder,
        env=environment(PYTHONPATH=str(ROOT)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def build(folder: Path, *options: str | Path) -> Finished:
    return finish(start(folder, "build", *options))


def validate(out: Path, *more: str) -> Finished:
    paths = ("--docs_path", out / "documents.jsonl", "--eval_path", out / "samples.jsonl")
    return finish(start(out, "validate", *paths, *more))


def stages_of(out: Path) -> dict[str, dict[str, int]]:
    summary = json.loads((out / "build.json").read_text(encoding="utf-8"))
    return {stage["stage"]: stage["dropped"] for stage in summary["stages"]}


def results_of(out: Path) -> dict[str, bytes]:
    """What a build comes to, to the byte."""
    names = ("samples.jsonl", "documents.jsonl", "rejected.jsonl", "build.json", "README.md")
    return {name: (out / name).read_bytes() for name in names}


@dataclass
class Built:
    folder: Path
    out: Path
    run: Finished
    model: Any


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("example")
    model = ExampleModel()
    with Loopback(model) as server:
        config = write_config(folder / "model.json", server.url)
        options = (EXAMPLE, *EXAMPLE_OPTIONS, "--model_config", config, "-o", "out")
        return Built(folder, folder / "out", build(folder, *options, "--review"), model)


class TestExample:
    """docs/example, as docs/build.md walks through it."""

    @pytest.fixture
    def built(self, example: Built) -> Built:
        return example

    def test_the_table(self, built: Built) -> None:
        assert built.run.code == 0, built.run.err
        assert "4 files, 8 chunks, 0 duplicates left out, 8 asked about" in built.run.out
        assert "11 samples, 3 of them to be refused, 8 documents" in built.run.out

    def test_what_was_dropped_and_why(self, built: Built) -> None:
        assert stages_of(built.out) == {
            "ask": {"the reply cannot be read": 1},
            "criticise": {
                "rated below 4 for groundedness and relevance and standalone": 1,
                "rated below 4 for groundedness": 1,
            },
            "phrases": {"no proposed phrase passes": 2},
            "samples": {},
        }
        words = {one["id"]: one["words"] for one in records(built.out / "rejected.jsonl")}
        assert words["oplaty-csv-0004-q2"] == "groundedness 2: Tekst tego nie mówi."
        assert words["regulamin-md-0001-q1"] == (
            "'3 lata' is part of another number in document 'regulamin-md-0001'"
        )

    def test_a_sample(self, built: Built) -> None:
        samples = {one["id"]: one for one in records(built.out / "samples.jsonl")}
        sample = samples["oplaty-csv-0001-q2"]
        assert sample["question"] == (
            "Jaka jest najwyższa kara za przetrzymanie jednej książki z biblioteki?"
        )
        assert sample["expect"] == {"include": ["30 zł"], "cite": ["oplaty-csv-0001"]}
        assert len(sample["context"]) == 5
        place = sample["context"].index("oplaty-csv-0001")
        assert sample["reference"] == (
            f"Opłata nie rośnie powyżej 30 zł za jedną książkę. [{place}]"
        )

    def test_the_refused_lack_their_chunk(self, built: Built) -> None:
        refused = [
            one for one in records(built.out / "samples.jsonl") if one["expect"] == {"refuse": True}
        ]
        assert len(refused) == 3
        for sample in refused:
            assert sample["id"].rpartition("-q")[0] not in sample["context"]

    def test_validate_finds_nothing_wrong(self, built: Built) -> None:
        run = validate(built.out)
        assert run.out.endswith("11 samples, 8 documents: 0 problems\n")
        assert run.code == 0

    def test_the_printed_command_evaluates(self, built: Built) -> None:
        (line,) = [line for line in built.run.out.splitlines() if line.startswith("evaluate: ")]
        _, _, script, *options = shlex.split(line)
        with Loopback(lambda call: chat("To 30 zł [0].")) as server:
            config = write_config(built.folder / "m.json", server.url)
            run = evaluate(script, *options, "--model_config", config, cwd=built.folder)
        assert run.code == 0, run.err
        assert run.out.startswith("m: 11 of 11 samples answered")
        assert any("Nie udało mi się odnaleźć" in call.prompt for call in server.calls)

    def test_the_folder_of_datasets_loads(self, built: Built, tmp_path: Path) -> None:
        datasets = pytest.importorskip("datasets", reason="datasets is not installed")
        for folder in (built.out, built.out / "dataset"):
            samples = datasets.load_dataset(
                str(folder), "samples", split="test", cache_dir=str(tmp_path)
            )
            assert len(samples) == 11
            assert json.loads(samples[0]["expect"])["cite"] == ["czytelnia-html-0001"]

    def test_again_nothing_is_asked(self, built: Built) -> None:
        before = results_of(built.out)
        built.model.asked.clear()
        with Loopback(built.model) as server:
            config = write_config(built.folder / "model.json", server.url)
            options = (EXAMPLE, *EXAMPLE_OPTIONS, "--model_config", config, "-o", "out")
            run = build(built.folder, *options)
        # But for the reply that could not be read.
        assert built.model.asked == {"factoid": 2}
        assert "ask: 15 replies were already there" in run.err
        assert results_of(built.out) == before

    def test_a_review_is_applied(self, built: Built) -> None:
        table = built.out / "review.csv"
        text = table.read_text(encoding="utf-8-sig")
        rows = text.count('"oplaty-csv-0002-q1",""'), text.count('"wydarzenia-txt-0001-q1",""')
        assert rows == (1, 1)
        text = text.replace('"oplaty-csv-0002-q1",""', '"oplaty-csv-0002-q1","odrzuć"')
        text = text.replace('"wydarzenia-txt-0001-q1",""', '"wydarzenia-txt-0001-q1","accept"')
        text = text.replace('"40 zł"', '"40 zł | czterdzieści złotych"')
        edited = built.folder / "reviewed.csv"
        edited.write_text(text, encoding="utf-8-sig")
        before = {one["id"]: one for one in records(built.out / "samples.jsonl")}
        run = build(built.folder, "-o", "out", "--apply", "reviewed.csv")
        assert run.code == 0, run.err
        assert "reviewed.csv: 1 accept, 1 reject, 9 open, 1 edited" in run.err
        after = {one["id"]: one for one in records(built.out / "samples.jsonl")}
        assert before.keys() - after.keys() == {"oplaty-csv-0002-q1"}
        assert after["wydarzenia-txt-0001-q1"]["expect"]["include"] == [
            ["40 zł", "czterdzieści złotych"]
        ]
        changed = [key for key in after if after[key] != before[key]]
        assert changed == ["wydarzenia-txt-0001-q1"]
        assert stages_of(built.out)["review"] == {"rejected by the reviewer": 1}
        assert validate(built.out).code == 0


def test_every_kind_of_file(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    write_pdf(docs / "a.pdf", [text_of(101), text_of(102)])
    write_docx(docs / "b.docx", [text_of(103)])
    write_html(docs / "c.html", f"<p>{text_of(104)}</p>", "Strona")
    write_text(docs / "d.md", f"# Tytuł\n\n{text_of(105)}")
    write_text(docs / "e.txt", text_of(106), "cp1250")
    write_csv(docs / "f.csv", [["nazwa", "treść"], ["x", text_of(107)], ["y", text_of(108)]])
    write_jsonl(docs / "g.jsonl", [{"title": "T", "contents": text_of(109)}])
    write_text(docs / "h.txt", text_of(106).upper())  # repeats e.txt
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nno more")
    (docs / "picture.png").write_bytes(b"\x89PNG")
    with Loopback(FactModel()) as server:
        config = write_config(tmp_path / "model.json", server.url)
        run = build(tmp_path, docs, "--model_config", config, "-o", docs / "out")
    # What could not be read is named, and the exit code says so.
    assert run.code == 1
    assert "not read: broken.pdf: " in run.err
    assert "Traceback" not in run.err
    chunks = {one["file"]: one for one in records(docs / "out" / "work" / "chunks.jsonl")}
    assert set(chunks) == {"a.pdf", "b.docx", "c.html", "d.md", "e.txt", "f.csv", "g.jsonl"}
    assert chunks["a.pdf"]["page"] == 1
    assert chunks["f.csv"]["row"] == 2
    assert chunks["c.html"]["title"] == "Strona"
    assert "1 duplicates left out" in run.out
    samples = records(docs / "out" / "samples.jsonl")
    # The PDF's two pages are one chunk, about which one question is asked.
    assert len(samples) == 8
    assert validate(docs / "out").code == 0


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


@pytest.fixture(scope="module")
def fee_build(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("replies")
    docs = write_texts(folder / "docs", range(100, 120))
    model = FactModel(BEHAVIOUR, delay=0.02)
    with Loopback(model) as server:
        config = write_config(folder / "model.json", server.url, THREADS)
        run = build(folder, docs, "--model_config", config, "-o", "out")
    assert server.at_once == THREADS
    return Built(folder, folder / "out", run, model)


class TestReplies:
    @pytest.fixture
    def built(self, fee_build: Built) -> Built:
        return fee_build

    def test_what_becomes_of_each(self, built: Built) -> None:
        assert built.run.code == 0, built.run.err
        assert stages_of(built.out) == {
            "ask": {
                "the reply cannot be read": 1,
                "the answer has 500 characters or more": 1,
            },
            "criticise": {
                "rated below 4 for standalone": 1,
                "the reply cannot be read": 1,
            },
            "phrases": {"no proposed phrase passes": 1},
            "samples": {},
        }
        assert "15 samples, 4 of them to be refused" in built.run.out
        assert validate(built.out).code == 0

    def test_nothing_is_lost_without_a_word(self, built: Built) -> None:
        rejected = {one["id"]: one for one in records(built.out / "rejected.jsonl")}
        samples = {one["id"] for one in records(built.out / "samples.jsonl")}
        asked = {f"gmina{number}-txt-0001-q1" for number in range(100, 120)}
        # A reply without a question has the chunk's id.
        assert samples | rejected.keys() == (asked - {"gmina103-txt-0001-q1"}) | {
            "gmina103-txt-0001"
        }
        assert rejected["gmina103-txt-0001"]["words"].endswith("Jest on krótki")
        assert rejected["gmina105-txt-0001-q1"]["words"] == (
            "standalone 2: Nie wiadomo, o co chodzi."
        )
        assert "Trudno powiedzieć." in rejected["gmina106-txt-0001-q1"]["words"]
        assert "999 euro" in rejected["gmina107-txt-0001-q1"]["words"]
        assert rejected["gmina105-txt-0001-q1"]["ratings"] == {
            "groundedness": 5.0,
            "relevance": 5.0,
            "standalone": 2.0,
        }

    def test_what_is_not_read_is_asked_again_once(self, built: Built) -> None:
        twice = {key for key, times in built.model.asked.items() if times == 2}
        assert twice == {("factoid", 102), ("factoid", 103), ("relevance", 106)}
        assert max(built.model.asked.values()) == 2

    def test_the_critics_are_told_the_audience(self, tmp_path: Path) -> None:
        docs = write_texts(tmp_path / "docs", range(100, 101))
        with Loopback(FactModel()) as server:
            config = write_config(tmp_path / "model.json", server.url)
            options = ("--audience", "sołtysi i radni")
            build(tmp_path, docs, "--model_config", config, "-o", "out", *options)
        assert sum("sołtysi i radni" in call.prompt for call in server.calls) == 1


class TestStyles:
    def test_an_exam_and_the_additive_critic(self, tmp_path: Path) -> None:
        docs = write_texts(tmp_path / "docs", range(100, 108))
        model = FactModel({103: "malformed", 105: "dependent"})
        with Loopback(model) as server:
            config = write_config(tmp_path / "model.json", server.url)
            options = ("--style", "exam", "--questions-per-chunk", "2", "--critics", "additive")
            run = build(tmp_path, docs, "--model_config", config, "-o", "out", *options)
        assert run.code == 0, run.err
        assert Counter(stage for stage, _ in model.asked.elements()) == {
            "exam_questions": 9,  # one of eight twice
            "exam_answer": 14,
            "additive": 14,
            "phrases": 12,
        }
        assert stages_of(tmp_path / "out")["criticise"] == {"rated below 4 for additive": 2}
        kinds = {tuple(one["kind"]) for one in records(tmp_path / "out" / "samples.jsonl")}
        assert kinds == {("exam",), ("unanswerable",)}
        assert validate(tmp_path / "out").code == 0

    def test_several_questions_know_of_each_other(self, tmp_path: Path) -> None:
        docs = write_texts(tmp_path / "docs", range(100, 103))
        with Loopback(FactModel()) as server:
            config = write_config(tmp_path / "model.json", server.url)
            options = ("--questions-per-chunk", "3")
            build(tmp_path, docs, "--model_config", config, "-o", "out", *options)
        # The scripted model asks the same again, although it is told what it has asked.
        assert stages_of(tmp_path / "out")["ask"] == {"the question was asked before": 6}
        asked = [call.prompt for call in server.calls if "Te pytania już zadano" in call.prompt]
        assert len(asked) == 6
        assert all("- Koszt: " in prompt for prompt in asked)

    def test_another_critic(self, tmp_path: Path) -> None:
        docs = write_texts(tmp_path / "docs", range(100, 106))
        generator, critic = FactModel(), FactModel({105: "dependent"})
        with Loopback(generator) as one, Loopback(critic) as other:
            config = write_config(tmp_path / "model.json", one.url)
            judge = write_config(tmp_path / "judge.json", other.url, model="judge")
            options = ("--model_config", config, "--judge_config", judge, "-o", "out")
            run = build(tmp_path, docs, *options)
        assert {stage for stage, _ in generator.asked} == {"factoid", "phrases"}
        assert {stage for stage, _ in critic.asked} == {"groundedness", "relevance", "standalone"}
        assert "favour" not in run.err
        summary = json.loads((tmp_path / "out" / "build.json").read_text(encoding="utf-8"))
        assert summary["models"] == {"generator": "m", "critic": "judge"}

    @pytest.mark.parametrize("language", ["de", "en", "es"])
    def test_another_language(self, tmp_path: Path, language: str) -> None:
        docs = write_texts(tmp_path / "docs", range(100, 110))
        with Loopback(FactModel(language=language)) as server:
            config = write_config(tmp_path / "model.json", server.url)
            options = ("--model_config", config, "-o", "out", "--language", language)
            run = build(tmp_path, docs, *options)
            assert run.code == 0, run.err
            (line,) = [line for line in run.out.splitlines() if line.startswith("evaluate: ")]
            given = shlex.split(line)[3:]
            assert f"blank:{language}" in given
            message = given[given.index("--refusal_message") + 1]
            normalizer = ("--normalizer", f"blank:{language}")
            assert validate(tmp_path / "out", "--refusal_message", message, *normalizer).code == 0
        with Loopback(lambda call: chat(f"{message}.")) as server:
            config = write_config(tmp_path / "m.json", server.url)
            run = evaluate("eval_remote.py", *given, "--model_config", config, cwd=tmp_path)
        assert run.code == 0, run.err
        assert f"|normalizer:{language}_blank-" in run.out
        # Always refusing is right for those that are to be refused.
        (refuse,) = [line for line in run.out.splitlines() if line.startswith("refuse ")]
        assert refuse.split()[1] == "100.00"


class TestStopped:
    OPTIONS = ("docs", "--model_config", "model.json", "-o")

    def test_killed_it_goes_on_where_it_ended(self, tmp_path: Path) -> None:
        write_texts(tmp_path / "docs", range(100, 120))
        model = FactModel(BEHAVIOUR, delay=0.005)
        with Loopback(model) as server:
            write_config(tmp_path / "model.json", server.url, 4)
            whole = build(tmp_path, *self.OPTIONS, "whole")
            assert whole.code == 0, whole.err
            answered: set[str] = set()
            # In the midst of each stage: 20 to be asked, 54 to be criticised, 17 phrases.
            for kill_at in (10, 30, 30):
                model.asked.clear()
                model.kill_at = kill_at
                model.process = start(tmp_path, "build", *self.OPTIONS, "out")
                assert finish(model.process).code == -signal.SIGKILL
                kept = self.kept(tmp_path / "out")
                assert answered < kept
                answered = kept
                for path in (tmp_path / "out" / "work").glob("*.replies.jsonl"):
                    with path.open("a") as file:
                        file.write('{"id": "torn')
            model.process = None
            model.asked.clear()
            run = build(tmp_path, *self.OPTIONS, "out")
        assert run.code == 0, run.err
        assert "the last line was cut off and is dropped" in run.err
        assert model.asked.total() < 97 - len(answered) + 6
        # But for the card's name of nothing: every file is the same to the byte.
        assert results_of(tmp_path / "out") == results_of(tmp_path / "whole")

    @staticmethod
    def kept(out: Path) -> set[str]:
        found = set()
        for path in (out / "work").glob("*.replies.jsonl"):
            for line in path.read_bytes().splitlines(keepends=True):
                if line.endswith(b"\n"):
                    record = json.loads(line)
                    if record["error"] is None:
                        found.add(record["id"])
        return found

    def test_ctrl_c(self, tmp_path: Path) -> None:
        write_texts(tmp_path / "docs", range(100, 160))
        with Loopback(FactModel(delay=0.1)) as server:
            write_config(tmp_path / "model.json", server.url, 4)
            process = start(tmp_path, "build", *self.OPTIONS, "out")
            while len(server.calls) < 10:
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            run = finish(process)
        assert run.code == 130, run.err
        assert "the same command goes on from here" in run.err
        assert not (tmp_path / "out" / "samples.jsonl").exists()
        assert len(self.kept(tmp_path / "out")) >= 9

    def test_no_reply_is_no_rejection(self, tmp_path: Path) -> None:
        write_texts(tmp_path / "docs", range(100, 108))
        model = FactModel({103: "down"})
        with Loopback(model) as server:
            write_config(tmp_path / "model.json", server.url)
            run = build(tmp_path, *self.OPTIONS, "out")
            assert run.code == 1
            assert "1 prompts got no reply; the same command asks for them alone" in run.err
            assert "503" in run.err
            (lost,) = records(tmp_path / "out" / "rejected.jsonl")
            assert (lost["id"], lost["is_pending"]) == ("gmina103-txt-0001-q1", True)
            model.behaviour.clear()
            model.asked.clear()
            again = build(tmp_path, *self.OPTIONS, "out")
        assert again.code == 0, again.err
        assert set(model.asked) == {
            (stage, 103) for stage in ("groundedness", "relevance", "standalone", "phrases")
        }
        assert "8 samples" in again.out

    def test_another_model_does_not_go_on(self, tmp_path: Path) -> None:
        write_texts(tmp_path / "docs", range(100, 103))
        with Loopback(FactModel()) as server:
            write_config(tmp_path / "model.json", server.url)
            build(tmp_path, *self.OPTIONS, "out")
            write_config(tmp_path / "model.json", server.url, model="other")
            refused = build(tmp_path, *self.OPTIONS, "out")
            assert refused.code == 2
            assert "differs in: model" in refused.last_line
            run = build(tmp_path, *self.OPTIONS, "out", "--overwrite")
        assert run.code == 0, run.err
        assert "model:other#" in run.out

    def test_limit_and_seed(self, tmp_path: Path) -> None:
        write_texts(tmp_path / "docs", range(100, 120))
        asked = []
        for seed in ("1", "1", "2"):
            model = FactModel()
            with Loopback(model) as server:
                write_config(tmp_path / "model.json", server.url)
                options = ("--limit", "5", "--seed", seed, "--overwrite")
                run = build(tmp_path, *self.OPTIONS, "out", *options)
            assert "20 chunks, 0 duplicates left out, 5 asked about" in run.out
            asked.append({number for _, number in model.asked})
        assert len(asked[0]) == 5
        assert asked[0] == asked[1] != asked[2]


def test_the_nonsense_of_a_tiny_model(tiny_model: Path, tmp_path: Path) -> None:
    docs = write_texts(tmp_path / "docs", range(100, 106))
    config = {"model": str(tiny_model), "max_new_tokens": 24, "temperature": 0, "batch_size": 4}
    (tmp_path / "local.json").write_text(json.dumps(config), encoding="utf-8")
    run = build(tmp_path, docs, "--model_config", "local.json", "-o", "out")
    assert run.code == 1
    assert "0 samples: every question was dropped; out/rejected.jsonl says why" in run.out
    assert "Traceback" not in run.err
    assert len(records(tmp_path / "out" / "rejected.jsonl")) == 6
    assert not (tmp_path / "out" / "samples.jsonl").exists()


def test_a_dry_run_asks_nothing(tmp_path: Path) -> None:
    docs = write_texts(tmp_path / "docs", range(100, 103))
    run = build(tmp_path, docs, "-o", "out", "--dry_run")
    assert run.code == 0, run.err
    for number in range(100, 103):
        assert f"=== gmina{number}-txt-0001/1\n" in run.out
        assert f"miejscowości {place_of(number)} koszt {number} zł" in run.out
    assert "3 files, 3 chunks, 0 duplicates left out" in run.out
    assert not (tmp_path / "out").exists()


WRONG: Sequence[tuple[Sequence[str], str]] = [
    (["-o", "out"], "DOCS: name files or folders; or --review, or --apply CSV"),
    (["nowhere", "-o", "out", "--model_config", "model.json"], "nowhere: there is no such file"),
    (["docs", "-o", "out"], "--model_config: is missing"),
    (["docs", "-o", "full", "--model_config", "model.json"], "is not empty and holds no build"),
    (["docs", "-o", "out", "--model_config", "none.json"], "none.json: "),
    (
        ["docs", "-o", "out", "--model_config", "model.json", "--chunk-size", "100"],
        "--chunk-overlap: 200 is not less than --chunk-size, 100",
    ),
    (
        ["docs", "-o", "out", "--model_config", "model.json", "--prompts", "full"],
        "factoid.jinja: cannot be read",
    ),
    (
        ["docs", "-o", "out", "--model_config", "model.json", "--normalizer", "blank:xq"],
        "--normalizer: ",
    ),
    (
        [
            *("docs", "-o", "out", "--model_config", "model.json"),
            *("--critics", "additive", "--min-rating", "5"),
        ],
        "--min-rating: 5 is more than the 4 that --critics additive can give",
    ),
    (["docs", "-o", "out", "--model_config", "model.json", "--refusals", "2"], "--refusals"),
    (["-o", "out", "--review"], "out holds no finished build"),
    (["-o", "out", "--review", "--seed", "3"], "--seed: is for building from documents"),
    (["docs", "-o", "out", "--apply", "x.csv"], "--apply: is for a finished build"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_is_wrong_is_told_in_one_line(
    options: Sequence[str], message: str, tmp_path: Path
) -> None:
    write_texts(tmp_path / "docs", range(100, 101))
    write_text(tmp_path / "full" / "x.txt", "x")
    write_config(tmp_path / "model.json", "http://127.0.0.1:9/v1")
    run = build(tmp_path, *options)
    assert run.code == 2, run.out
    assert message in run.last_line
    assert len(run.err.strip().splitlines()) == 1, run.err
