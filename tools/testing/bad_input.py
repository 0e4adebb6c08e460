"""Input that nobody should give, and what is asserted of it: for tests, and for benchmarks/fuzz.py.

Each `check_` takes one input and raises AssertionError, or whatever the code under it raised, where
the contract is broken: a mistake in a file is one line with file and reason, nothing else.
"""

import io
import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from ragifeval.__main__ import evaluate as main
from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.cli.options import Kind
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.generators.remote.faults import Fault, status_fault, tidy
from ragifeval.generators.remote.response import read_chat, read_completion, read_models
from ragifeval.generators.remote.vertex import ServiceAccount
from ragifeval.paths import BADWORDS
from ragifeval.results.answers import read_answers
from ragifeval.run.journal import Journal
from ragifeval.run.outcome import Outcome, check_record
from ragifeval.run.run import resume
from ragifeval.run.summary import summary, table
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer, load_badwords, read_badwords
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import Tally
from ragifeval.text.matching import RULES
from ragifeval.text.normalizer import Normalizer, load_normalizer

LONGEST_LINE = 1_000

DOCUMENT = {"id": "a", "contents": "Opłata wynosi 17 zł.", "title": "Opłaty", "source": "ustawa"}
SAMPLE = {
    "id": "p",
    "question": "Ile wynosi opłata i do kiedy?",
    "context": ["a", "b"],
    "expect": {
        "include": [
            "17 zł",
            ["30 kwietnia 2025 r.", "koniec kwietnia"],
            "4000 PLN",
            "7 dni",
            {"say": ["17 zł"], "of": ["kajak*"], "rivals": ["rower*"], "total": True},
            {"say": ["@must & płac*"], "is": False, "anti": ["@free"], "verdict": True},
            {"say": ["7 dni"], "of": ["rower*"], "from": ["odbi*"]},
        ],
        "exclude": ["15 dni", "112,50 zł", {"never": ["17 zł"], "of": ["rower*"]}],
        "cite": ["a"],
        "refuse": False,
        "safe": True,
    },
    "category": "opłaty",
    "reference": "17 zł [0]",
    "kind": ["tempting"],
    "derived": "10 + 7",
}
REMOTE = {
    "model": "m",
    "api_base": ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8001/v1"],
    "max_tokens": 10,
    "temperature": 0.5,
    "max_retries": 1,
    "threads": 2,
    "sleep_time": 1.0,
    "timeout": 10.0,
    "extra_body": {"top_k": 1, "x": {"y": [1, None]}},
    "reasoning_end": "</think>",
    "vertex_location": "global",
}
LOCAL = {
    "model": "no/such-model",
    "dtype": "bfloat16",
    "batch_size": 2,
    "attn_implementation": "sdpa",
    "max_new_tokens": 10,
    "temperature": 0.0,
    "seed": 1,
    "device_map": {"a": "cpu", "b": 0},
    "tokenizer": "no/such-tokenizer",
    "trust_remote_code": False,
}
SIGNATURE = Signature({"data": "11111111", "matching": "substring", "model": "m#1"})
SCORES = {"include": 0.5, "cite_f1": 1, "len_chars": 9.0, "len_words": 3.0}
RECORD = {
    "id": "p",
    "question": SAMPLE["question"],
    "context": ["a", "b"],
    "answer": "17 zł [0]",
    "scores": SCORES,
    "scores_words": SCORES,
    "finish_reason": "stop",
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    "seconds": 0.5,
    "error": None,
    "signature": str(SIGNATURE),
}
CHAT = {
    "choices": [{"message": {"content": "Tak.", "reasoning": "Hm."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    "error": {"message": "x", "code": "y"},
    "data": [{"id": "m"}],
}
ACCOUNT = {
    "type": "service_account",
    "project_id": "p",
    "private_key": "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n",
    "client_email": "a@b",
    "token_uri": "http://127.0.0.1:9/token",
}


# Answers

PIECES = [
    *("[", "]", "[0]", "[0, 1]", "[0,", "[ ]", "[,]", "[1][", "[\u00a01]", "[0]]", "[[0]", ","),
    *("17 zł", "17 złotych", "4 000 PLN", "4.000", "4 tys.", "112,50", "1/2", "½", "10MB", "cm³"),
    *("30.04.2025", "2025-04-30", "30 IV", "30 kwietnia", "31.02", "15:30", "godz. 15.30", "r."),
    *("siedemnaście", "tysiąc", "milion", "sto", "dwa", "półtora", "pln 5", "§ 3", "€5", "5%"),
    *("00", "0017", "١٧", "१७", "①", "Ⅷ", "²", "１７", "1_000", "1e5", "-17", "+17"),
    *("\u0301", "\u0323\u0301", "\u200b", "\u00ad", "\ufeff", "\u202e", "\u0f73", "ﬁ", "İ", "ß"),
    *("\x00", "\x1b[31m", "\r", "\n", "\t", "\x85", "\u2028", " ", "\u00a0", "_", "\ud800"),
    *("<script>", "</think>", "nie", "urząd", REFUSAL_MESSAGE, "kurwa", "🏳️‍🌈", "각", "각", "م"),
]
answers = st.one_of(
    st.text(st.characters()),  # any code point, halves of surrogate pairs too
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 2_000)), min_size=1, max_size=4).map(
        lambda runs: "".join(piece * times for piece, times in runs)
    ),
)


# What an answer may consist of, again and again, to take as much time as it can.
REPEATED = {
    "words": "Opłata wynosi siedemnaście złotych. ",
    "one word": "ą",
    "white space": " ",
    "lines": "\n",
    "underscores": "_",
    "opening brackets": "[",
    "brackets and digits": "[1",
    "brackets that never close": "[1, ",
    "citations": "[0] ",
    "digits": "1",
    "numbers": "1 ",
    "grouped numbers": "1 000 ",
    "numbers and dots": "1.",
    "decimals": "1,5 ",
    "digits and letters": "1a",
    "dates": "30.04. ",
    "dates in words": "30 kwietnia ",
    "years": "2025 ",
    "times": "godz. 1.30 ",
    "number words": "sto ",
    "thousands": "tysiąc ",
    "sections": "§ 3 ",
    "currencies": "pln 5 ",
    "parts of a phrase": "17 ",
    "a phrase with a gap": "17 x y zł ",
    "a phrase the wrong way round": "zł 17 ",
    "the beginning of a refusal": "nie udało mi się odnaleźć odpowiedzi na pytani ",
    "unordered marks": "\u0301\u0323",
    "marks parted by nothing": "\u0301\u200b\u0323\u200b",
    "vowels that fall apart": "\u0f73",
    "syllables": "\u1100\u1161\u11a8",
    "ligatures": "ﬃ",
    "soft hyphens": "\u00ad",
    "letters that grow": "İ",
    "sentences": ". ",
    "ends of sentences": ".!?;:",
    "values and things": "kajak 17 zł, rower 7 dni i 17 zł od odbioru ",
    "denials": "nie trzeba płacić 17 zł, ",
    "errors": "myli się, że za kajak trzeba płacić, ",
    "sums": "razem 17 zł + 17 zł = ",
    "things in brackets": "kajak (17 zł ",
    "questions": "Kajak za darmo? Nie. ",
    "rows of a table": "| kajak | 17 |\n",
    "items of a list": "  - rower: 17 zł\n",
    "half pairs": "\ud800",
    "NUL": "\x00",
}


def repeated(name: str, size: int) -> str:
    """A text of so many characters."""
    piece = REPEATED[name]
    return (piece * (size // len(piece) + 1))[:size]


@cache
def load_default() -> Normalizer:
    return load_normalizer()


@cache
def scorer() -> Scorer:
    normalizer = load_default()
    return Scorer(Criteria(normalizer, REFUSAL_MESSAGE, load_badwords(BADWORDS, normalizer)))


def sample() -> Sample:
    return Sample(**{**SAMPLE, "context": ("a", "b")})


def check_answer(answer: str) -> None:
    """Scores are numbers from 0 to 1, whatever the answer."""
    scores = scorer().score(sample(), ("a", "b"), answer)
    assert set(scores) == set(RULES)
    if len(answer) < 5_000:
        normalized = load_default()(answer)
        assert len(normalized.original_spans) == len(normalized.words)
    for by_key in scores.values():
        assert by_key["len_chars"] == len(answer)
        assert by_key["len_words"] == len(answer.split())
        for key, score in by_key.items():
            assert math.isfinite(score)
            assert 0 <= score <= 1 or key.startswith("len_")


# Files: an object of the right form, changed in one to three places, then its bytes

_RAW = "@raw@"
deep = st.builds(
    lambda depth, ends: ends[0] * depth + "0" * (ends[0] != "[") + ends[1] * depth,
    st.one_of(st.integers(1, 200), st.integers(900, 1_100), st.just(100_000)),
    st.sampled_from([("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")]),
)
raw_values = st.one_of(
    deep,
    st.sampled_from(["NaN", "-Infinity", "1e999", "9" * 4_000, "9" * 5_000, "-0", "1e-400"]),
    st.sampled_from([json.dumps("x" * 100_000), json.dumps(["x" * 50] * 2_000), "{}", "[]", '""']),
)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def changed(draw: st.DrawFn, original: Mapping[str, Any]) -> str:
    """An object as JSON, changed in up to three places."""
    value = json.loads(json.dumps(original))
    raw = []
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        holder, key = draw(st.sampled_from(list(_places(value))))
        change = draw(st.sampled_from(["value", "raw", "delete", "rename", "add"]))
        if change == "value":
            holder[key] = draw(plain_values)
        elif change == "raw":
            holder[key] = f"{_RAW}{len(raw)}@"
            raw.append(draw(raw_values))
        elif change == "delete":
            del holder[key]
        elif isinstance(holder, dict):
            name = draw(st.text(st.characters(), max_size=10))
            holder[name] = holder.pop(key) if change == "rename" else draw(plain_values)
        if not value:
            break
    text = json.dumps(value, ensure_ascii=draw(st.booleans()))
    for number, inserted in enumerate(raw):
        text = text.replace(json.dumps(f"{_RAW}{number}@"), inserted)
    return text


def _places(value: Any) -> list[tuple[Any, Any]]:
    found = []
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], dict | list):
            found += _places(value[key])
    return found


_INSERTED = [
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\x85", b"\xed\xa0\x80"),
    *(b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b"\\ud800", b"\\u0000", b"1" * 5_000),
    *(b" " * 10_000, b"[" * 100_000, b"\n" * 1_000, b"NaN", b"null", b"\xc2", b"\x1b[2J", b"#"),
]


@st.composite
def damaged(draw: st.DrawFn, file: st.SearchStrategy[list[str]]) -> bytes:
    """Lines, with their bytes cut, doubled, mixed up or encoded in another way."""
    lines = draw(file)
    end = draw(st.sampled_from(["\n"] * 9 + ["\r\n", "\r", "", "\n\n", ",\n"]))
    text = end.join(lines) + draw(st.sampled_from([end, end, ""]))
    if draw(st.integers(0, 9)) == 0:
        text = f"[{','.join(lines)}]"
    content = text.encode(draw(st.sampled_from(["utf-8"] * 12 + ["utf-16", "cp1250"])), "replace")
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = draw(st.integers(0, len(content)))
        change = draw(st.sampled_from(["cut", "insert", "drop", "double"]))
        if change == "cut":
            content = content[:at]
        elif change == "insert":
            content = content[:at] + draw(st.sampled_from(_INSERTED)) + content[at:]
        elif change == "drop":
            content = content[:at] + content[at + draw(st.integers(1, 20)) :]
        else:
            content += content[at:]
    return content


def lines_of(*originals: Mapping[str, Any]) -> st.SearchStrategy[list[str]]:
    """All of the objects, a line each, some of them changed; now and then one too many."""
    lines = [st.one_of(st.just(json.dumps(one)), changed(one)) for one in originals]
    more = st.lists(changed(originals[0]), max_size=1)
    return st.tuples(st.tuples(*lines), more).map(lambda found: [*found[0], *found[1]])


def alone(original: Mapping[str, Any]) -> st.SearchStrategy[list[str]]:
    """One object, changed."""
    return st.tuples(changed(original)).map(list)


documents_files = damaged(lines_of({**DOCUMENT, "id": "a"}, {**DOCUMENT, "id": "b"}))
samples_files = damaged(lines_of(SAMPLE, {**SAMPLE, "id": "p2"}))
remote_files = damaged(alone(REMOTE))
local_files = damaged(alone(LOCAL))
log_files = damaged(
    lines_of(RECORD, {**RECORD, "id": "other"}, {**RECORD, "answer": None, "error": "timeout"})
)
account_files = damaged(alone(ACCOUNT))
bodies = damaged(alone(CHAT))
badwords_files = st.one_of(
    st.lists(st.sampled_from(["kurwa", "dureń", "", " ", "a b", "\x00", "x" * 99_999])).map(
        lambda words: "\n".join(words).encode()
    ),
    st.binary(max_size=50),
)


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    cells = st.sampled_from(["p", "17 zł", '"a', 'a""b', "", "\x00", "a;b", "x\ny", '"x\ny"', "ą"])
    mark = draw(st.sampled_from([",", ";", "\t"]))
    rows = draw(st.lists(st.lists(cells, max_size=4).map(mark.join), max_size=5))
    header = draw(st.sampled_from(["id,answer", "answer;id", "question\tanswer", "id", ""]))
    content = "\n".join([header, *rows]).encode()
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


def check_run(name: str, content: bytes, kind: Kind = "local") -> None:
    """A command whose file `name` holds this ends with 0, or with 2 and a line about that file."""
    with TemporaryDirectory() as folder:
        files = {
            "documents.jsonl": "".join(json.dumps({**DOCUMENT, "id": key}) + "\n" for key in "ab"),
            "samples.jsonl": json.dumps(SAMPLE),
            "config.json": '{"model": "baseline/refuse"}',
            "prompt.jinja": "{{ docs }} {{ question }}",
        }
        for other, text in files.items():
            Path(folder, other).write_text(text, encoding="utf-8")
        Path(folder, name).write_bytes(content)
        options = {
            "--docs_path": "documents.jsonl",
            "--eval_path": "samples.jsonl",
            "--model_config": "config.json",
            "--prompt": "prompt.jinja",
        }
        named = [text for key, file in options.items() for text in (key, f"{folder}/{file}")]
        code, out, err = said(kind, [*named, "--dry_run"])
        if code == 0:
            assert err == ""
            assert re.search(r"^data:\w+\|prompt:\w+\|", out.splitlines()[-1])
            return
        assert (code, out) == (2, "")
        # Ids of documents that are gone are missed by the samples.
        about = "(documents|samples)" if name == "documents.jsonl" else re.escape(Path(name).stem)
        check_line(err, rf"eval_{kind}\.py: error: {re.escape(folder)}/{about}\.\w+:")


def said(kind: Kind, arguments: list[str]) -> tuple[int, str, str]:
    """The exit code of a command, and what it writes to stdout and stderr."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(kind, arguments)
    for stream in (out, err):
        stream.flush()
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]


def check_line(text: str, start: str) -> None:
    """One line that begins so, and is not too long for a screen or two."""
    assert re.match(start, text), text[:500]
    assert text.count("\n") == text.endswith("\n")
    assert "\r" not in text
    assert "\x1b" not in text
    assert len(text) <= LONGEST_LINE + 100
    assert "Traceback" not in text


def check_file(content: bytes, use: Callable[[Path], object], name: str = "file") -> str:
    """What reads a file returns, or raises UserError with its name; return what that says."""
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        try:
            use(path)
        except UserError as error:
            check_line(str(error), f"(--log_path: )?{re.escape(str(path))}")
            return str(error)
        return ""


check_documents = partial(check_run, "documents.jsonl")
check_samples = partial(check_run, "samples.jsonl")
check_remote_config = partial(check_run, "config.json", kind="remote")
check_local_config = partial(check_run, "config.json", kind="local")


def check_account(content: bytes) -> None:
    """The canary is never shown: what json says of a file may quote it."""

    shown = check_file(content, lambda path: ServiceAccount(str(path)))
    assert "canary" not in shown


def check_log(content: bytes) -> None:
    """A log is picked up, or refused with its line; what is picked up can be summed up."""

    def use(path: Path) -> None:
        outcome = Outcome([sample()], "substring")
        check = partial(check_record, matching="substring")
        with Journal(path, SIGNATURE, check=check) as journal:
            resume(journal, outcome)
        by_rule = outcome.estimates(0)
        assert table(outcome, by_rule, "m", SIGNATURE)
        assert json.dumps(summary(outcome, by_rule, SIGNATURE, {}))

    check_file(content, use, "out.jsonl")


def check_answers_file(content: bytes, name: str) -> None:
    """Answers are read, or refused with their line."""
    check_file(content, lambda path: list(read_answers(path, [sample()])), name)


# Templates

templates = st.lists(
    st.sampled_from(
        [
            *("{{ question }}", "{{ docs }}", "{{", "}}", "{%", "%}", "{#", "#}", "{% if 1 %}"),
            *("{% endif %}", "{% for d in docs %}", "{% endfor %}", "{{ d.x }}", "{% raw %}"),
            *("{% set x = 1 %}", "{% macro m(a, a) %}", "{% endmacro %}", "{{ m(1) }}", "{{ m }}"),
            *("{{ docs | ", "length", "tojson", "groupby('a')", "map('upper')", "first", " }}"),
            *("{{ loop }}", "{{ self }}", "{{ cycler() }}", "{{ cycler().next() }}", "{{ 1 / 0 }}"),
            *("{{ ''.__class__ }}", "{{ x }}", "{% include 'a' %}", "{% block b %}", "{{ [][0] }}"),
            *(
                "{{ 1 if }}",
                "{{ 'a' ~ 1 }}",
                "{{ -'a' }}",
                "{{ not x }}",
                "{{ docs[9] }}",
                "{{ {} }}",
            ),
            *("\x00", "\n", "{{ '\\ud800' }}", "ą", "(" * 300, ")" * 300, "[" * 300, "-" * 300),
            *("{% call m() %}", "{% endcall %}", "{% filter upper %}", "{{ 'a' * 10 ** 15 }}"),
            *("{{ range(10 ** 9) }}", "{{ range(3) | list }}", "{% with %}", "{{ joiner(1, 2) }}"),
        ]
    ),
    max_size=12,
).map(lambda pieces: "".join(pieces).encode())


def check_template(content: bytes) -> None:
    documents = [Document("a", "17 zł"), Document("b", "18 zł")]
    check_file(content, lambda path: PromptTemplate(path).render(sample(), documents))


# Responses of a service

KEY = "sk-canary-0123456789"


def check_body(body: bytes) -> None:
    """A response is an answer or a fault; a fault's text is one line without the key."""
    for read in (read_chat, read_completion, read_models):
        try:
            read(body)
        except Fault as fault:
            _check_tidy(str(fault))
    for status in (400, 404, 429, 500, 302, 999):
        headers = {
            "location": body[:200].decode("latin1"),
            "retry-after": body[:9].decode("latin1"),
        }
        fault = status_fault(status, headers, body)
        assert fault.wait is None or (math.isfinite(fault.wait) and fault.wait >= 0)
        _check_tidy(str(fault))


def _check_tidy(text: str) -> None:
    middle = len(text) // 2
    shown = tidy(f"{text[:middle]}{KEY}{text[middle:]}", [KEY])
    assert KEY[:8] not in shown
    assert len(shown) <= 300
    assert shown.isprintable()


def check_tally(values: list[float]) -> None:
    """Means and intervals of scores are numbers from 0 to 1."""
    tally = Tally(len(values))
    for index, value in enumerate(values):
        tally.add(index, {"include": value})
    for estimate in tally.estimates(0).values():
        assert 0 <= estimate.low <= estimate.mean + 1e-9
        assert estimate.mean <= estimate.high + 1e-9 <= 1 + 2e-9


# Name -> the inputs, and what is asserted of each.
TARGETS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], object]]] = {
    "answers": (answers, check_answer),
    "documents": (documents_files, check_documents),
    "samples": (samples_files, check_samples),
    "remote configs": (remote_files, check_remote_config),
    "local configs": (local_files, check_local_config),
    "logs": (log_files, check_log),
    "answer files": (log_files, partial(check_answers_file, name="answers.jsonl")),
    "CSV files": (csv_files(), partial(check_answers_file, name="answers.csv")),
    "bad words": (badwords_files, partial(check_file, use=read_badwords)),
    "key files": (account_files, check_account),
    "templates": (templates, check_template),
    "responses": (bodies, check_body),
    "scores": (st.lists(st.floats(0, 1), min_size=1, max_size=20), check_tally),
}
