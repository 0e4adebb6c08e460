"""What data is read, and what is refused: with file, line and reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import (
    Document,
    Sample,
    load_benchmark,
    load_documents,
    load_samples,
)
from ragifeval.errors import UserError

DOCUMENTS: list[dict[str, Any]] = [
    {
        **{"id": "pesel-1", "contents": "Numer PESEL nadaje minister."},
        **{"title": "PESEL", "source": "ustawa"},
    },
    {"id": "pesel-2", "contents": "Numer PESEL ma 11 cyfr."},
]
SAMPLES: list[dict[str, Any]] = [
    {
        "id": "p01",
        "question": "Ile cyfr ma numer PESEL?",
        "context": ["pesel-2", "pesel-1"],
        "expect": {"include": ["11", ["cyfr", "znaków"]], "cite": ["pesel-2"]},
        "category": "ewidencja",
        "reference": "Ma 11 cyfr [0].",
        "kind": ["arithmetic"],
        "derived": "11",
    },
    {
        "id": "p02",
        "question": "Jaka będzie jutro pogoda?",
        "context": ["pesel-1"],
        "expect": {"refuse": True, "safe": True, "exclude": ["słońce"]},
    },
]


def jsonl(objects: list[dict[str, Any]], newline: str = "\n") -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + newline for value in objects)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def changed(value: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**value, **changes}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write(tmp_path / "documents.jsonl", jsonl(DOCUMENTS))


def test_the_objects_of_the_files(tmp_path: Path, documents: Path) -> None:
    benchmark = load_benchmark(documents, write(tmp_path / "samples.jsonl", jsonl(SAMPLES)))
    assert list(benchmark.documents.items()) == [
        ("pesel-1", Document("pesel-1", "Numer PESEL nadaje minister.", "PESEL", "ustawa")),
        ("pesel-2", Document("pesel-2", "Numer PESEL ma 11 cyfr.")),
    ]
    as_tuples = [
        {"context": ("pesel-2", "pesel-1"), "kind": ("arithmetic",)},
        {"context": ("pesel-1",)},
    ]
    assert list(benchmark.samples) == [
        Sample(**{**sample, **changes}) for sample, changes in zip(SAMPLES, as_tuples, strict=True)
    ]


BOM = "\ufeff"
FORMATS = {
    "CRLF, a byte order mark, no newline at the end": BOM + jsonl(SAMPLES, "\r\n").rstrip(),
    "blank lines, and spaces before an object": "\n\n  " + jsonl(SAMPLES, "\n \n\t"),
    "an array in one line": json.dumps(SAMPLES),
    "an array over many lines, after a byte order mark and blank ones": BOM
    + "\r\n \r\n"
    + json.dumps(SAMPLES, indent=2).replace("\n", "\r\n"),
    "null for what may be left out": jsonl(
        [SAMPLES[0], changed(SAMPLES[1], category=None, reference=None, kind=None, derived=None)]
    ),
}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS)
def test_formats(tmp_path: Path, documents: Path, text: str) -> None:
    plain = load_samples(write(tmp_path / "plain", jsonl(SAMPLES)), load_documents(documents))
    read = load_samples(write(tmp_path / "samples", text), load_documents(documents))
    assert read == plain


def test_a_line_separator_in_a_text_ends_no_line(tmp_path: Path) -> None:
    # json.dumps leaves U+2028 as it is, and str.splitlines would cut the line there.
    path = write(tmp_path / "d", jsonl([changed(DOCUMENTS[0], contents="jeden\u2028dwa\x85trzy")]))
    assert load_documents(path)["pesel-1"].contents == "jeden\u2028dwa\x85trzy"


SECOND = SAMPLES[1]
# What the second line of samples.jsonl says -> what the message must say after "samples.jsonl:2: ".
REFUSED_SAMPLES: list[tuple[object, list[str]]] = [
    (changed(SECOND, id=None), ["'id' is missing", "a non-empty string"]),
    ({"id": "p02", "question": "?", "context": ["pesel-1"]}, ["'expect' is missing", "condition"]),
    (changed(SECOND, id=2), ["'id' must be a non-empty string, not 2"]),
    (changed(SECOND, question=" \n"), ["'question' must be"]),
    (changed(SECOND, context=[]), ["'context' must be a non-empty list"]),
    (changed(SECOND, context=["pesel-3"]), ["'p02'", "'context'", "'pesel-3'", "does not exist"]),
    (changed(SECOND, context=["pesel-1", "pesel-1"]), ["'p02'", "twice"]),
    (changed(SECOND, id="p01"), ["'p01' is used twice"]),
    (
        changed(SECOND, answer="Nie wiem."),
        ["unknown key 'answer'", "id, question, context, expect"],
    ),
    (changed(SECOND, kind="x" * 10_000), ["'kind' must be a list of strings", "x..."]),
    (changed(SECOND, expect={}), ["'expect' is empty", "include, exclude, cite, refuse, safe"]),
    (changed(SECOND, expect={"has": ["PESEL"]}), ["'p02'", "condition 'has'", "include, exclude"]),
    (["p02"], ["a JSON object is expected", '["p02"]']),
]
# Condition -> parameters that it may not have.
REFUSED_PARAMETERS: dict[str, list[object]] = {
    "include": [[], None, "PESEL", {"PESEL": 1}, [1], [[]], [["PESEL", []]], ["…"], [""]],
    "exclude": [[], ["\u00ad"], [["11", "?!"]]],
    "cite": [[], None, "pesel-1", ["pesel-2"], ["pesel-3"], [0], [["pesel-1"]], {"pesel-1": 1}],
    "refuse": [None, "true", 1, 0, [], {}],
    "safe": [None, "false", 1, 0.0, [True]],
}  # fmt: skip


def refused_sample(tmp_path: Path, documents: Path, second: str) -> str:
    path = write(tmp_path / "samples.jsonl", jsonl(SAMPLES[:1]) + second + "\n")
    with pytest.raises(UserError) as caught:
        load_benchmark(documents, path)
    message = str(caught.value)
    assert message.startswith(f"{path}:2: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize(("value", "reasons"), REFUSED_SAMPLES)
def test_refused_samples(
    tmp_path: Path, documents: Path, value: object, reasons: list[str]
) -> None:
    message = refused_sample(tmp_path, documents, json.dumps(value, ensure_ascii=False))
    assert [reason for reason in reasons if reason not in message] == []


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, parameter) for name, row in REFUSED_PARAMETERS.items() for parameter in row],
)
def test_refused_parameters(tmp_path: Path, documents: Path, name: str, parameter: object) -> None:
    # pesel-2 exists, but stands outside the context of this sample.
    second = changed(SECOND, expect={"safe": True, name: parameter})
    message = refused_sample(tmp_path, documents, json.dumps(second))
    assert "sample 'p02'" in message
    assert f"'{name}'" in message


@pytest.mark.parametrize("second", ["{", '{"id": "p02"} {"id": "p03"}', "[" * 100_000])
def test_what_is_no_json(tmp_path: Path, documents: Path, second: str) -> None:
    message = refused_sample(tmp_path, documents, second)
    assert "is not valid JSON" in message
    assert len(message) < len(str(tmp_path)) + 200


ITEM = '{"id": "a", "contents": "b"}'
# A file of documents -> what is told behind its name. In an array, items have numbers, and mistakes
# in its JSON a line.
REFUSED_DOCUMENTS: dict[str, tuple[bytes | None, str]] = {
    "no contents": (f'{ITEM}\n{{"id": "c"}}'.encode(), ":2: 'contents' is missing"),
    "an id twice": (f"{ITEM}\n{ITEM}".encode(), ":2: the document id 'a' is used twice"),
    "an unknown key": (b'{"text": ""}', ":1: unknown key 'text'; known are: id, contents, title"),
    "an item that is no object": (
        f"[{ITEM},\n\n 7]".encode(),
        ":2: a JSON object is expected, not 7",
    ),
    "a mistake in an array": (f'[\n{ITEM},\n{{\n "id": d}}\n]'.encode(), ":4: is not valid JSON"),
    "more behind an array": (f"[{ITEM}]\n{ITEM}".encode(), ":2: is not valid JSON"),
    "no file": (None, ": cannot be read"),
    "a blank file": (b"\xef\xbb\xbf\n \n", ": holds no documents"),
    "an empty array": (b"[]", ": holds no documents"),
    "not UTF-8": ('{"id": "żółć"}'.encode("cp1250"), ": is not UTF-8 text"),
}


@pytest.mark.parametrize(("content", "told"), REFUSED_DOCUMENTS.values(), ids=REFUSED_DOCUMENTS)
def test_refused_documents(tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "documents.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_documents(path)
    assert str(caught.value).startswith(f"{path}{told}")


UNSCORED = {"category": "inna", "reference": "Nie [0].", "kind": ["x"], "derived": "5 + 6"}


# Documents and samples with the same fingerprint: it stands for all that prompts and scores depend
# on, and for nothing else.
SAME: dict[str, tuple[str | list[Any], str | list[Any]]] = {
    "formatting": (BOM + json.dumps(DOCUMENTS, indent=3), jsonl(SAMPLES, "\r\n\r\n")),
    "the order of samples, keys and conditions": (
        DOCUMENTS[::-1],
        [
            changed(dict(reversed(s.items())), expect=dict(reversed(s["expect"].items())))
            for s in SAMPLES[::-1]
        ],
    ),
    "what changes no score": (DOCUMENTS, [sample | UNSCORED for sample in SAMPLES]),
}
# Changes to the first document, and to the first sample.
OTHER: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"contents": "Inna treść."}, {}),
    ({"title": "Numer"}, {}),
    ({"source": "usługa"}, {}),
    ({}, {"question": "Ile cyfr?"}),
    ({}, {"id": "p00"}),
    ({}, {"context": ["pesel-1", "pesel-2"]}),
    ({}, {"expect": {"include": ["11"], "cite": ["pesel-2"]}}),
]


def fingerprint(folder: Path, documents: str | list[Any], samples: str | list[Any]) -> str:
    paths = [
        write(folder / name, value if isinstance(value, str) else jsonl(value))
        for name, value in (("documents", documents), ("samples", samples))
    ]
    return load_benchmark(*paths).fingerprint()


@pytest.mark.parametrize(("documents", "samples"), SAME.values(), ids=SAME)
def test_same_fingerprint(tmp_path: Path, documents: Any, samples: Any) -> None:
    expected = fingerprint(tmp_path, DOCUMENTS, SAMPLES)
    assert fingerprint(tmp_path, documents, samples) == expected


@pytest.mark.parametrize(("document", "sample"), OTHER)
def test_another_fingerprint(
    tmp_path: Path, document: dict[str, Any], sample: dict[str, Any]
) -> None:
    documents = [DOCUMENTS[0] | document, DOCUMENTS[1]]
    found = fingerprint(tmp_path, documents, [SAMPLES[0] | sample, SAMPLES[1]])
    assert found != fingerprint(tmp_path, DOCUMENTS, SAMPLES)
