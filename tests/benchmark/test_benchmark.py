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
        "id": "pesel-1",
        "contents": "Numer PESEL nadaje minister.",
        "title": "PESEL",
        "source": "ustawa",
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


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != key}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write(tmp_path / "documents.jsonl", jsonl(DOCUMENTS))


def test_the_objects_of_the_files(tmp_path: Path, documents: Path) -> None:
    benchmark = load_benchmark(documents, write(tmp_path / "samples.jsonl", jsonl(SAMPLES)))
    assert list(benchmark.documents.values()) == [
        Document("pesel-1", "Numer PESEL nadaje minister.", "PESEL", "ustawa"),
        Document("pesel-2", "Numer PESEL ma 11 cyfr.", None, None),
    ]
    assert list(benchmark.documents) == ["pesel-1", "pesel-2"]
    assert list(benchmark.samples) == [
        Sample(
            id="p01",
            question="Ile cyfr ma numer PESEL?",
            context=("pesel-2", "pesel-1"),
            expect={"include": ["11", ["cyfr", "znaków"]], "cite": ["pesel-2"]},
            category="ewidencja",
            reference="Ma 11 cyfr [0].",
            kind=("arithmetic",),
            derived="11",
        ),
        Sample(
            id="p02",
            question="Jaka będzie jutro pogoda?",
            context=("pesel-1",),
            expect={"refuse": True, "safe": True, "exclude": ["słońce"]},
        ),
    ]


BOM = "\ufeff"
FORMATS = {
    "one object a line": jsonl(SAMPLES),
    "no newline at the end": jsonl(SAMPLES).rstrip("\n"),
    "CRLF": jsonl(SAMPLES, "\r\n"),
    "a byte order mark": BOM + jsonl(SAMPLES),
    "a byte order mark and CRLF": BOM + jsonl(SAMPLES, "\r\n"),
    "blank lines": "\n\n" + jsonl(SAMPLES, "\n \n\n"),
    "spaces before an object": "  " + jsonl(SAMPLES, "\n\t"),
    "escaped letters": "".join(json.dumps(sample) + "\n" for sample in SAMPLES),
    "an array in one line": json.dumps(SAMPLES),
    "an array over many lines": json.dumps(SAMPLES, ensure_ascii=False, indent=2) + "\n",
    "an array after blank lines": "\n \n" + json.dumps(SAMPLES, indent=1),
    "an array with a byte order mark and CRLF": BOM
    + json.dumps(SAMPLES, ensure_ascii=False, indent=2).replace("\n", "\r\n"),
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
REFUSED_SAMPLES: dict[str, tuple[object, list[str]]] = {
    "no id": (without(SECOND, "id"), ["'id' is missing", "a non-empty string"]),
    "no question": (without(SECOND, "question"), ["'question' is missing"]),
    "no context": (without(SECOND, "context"), ["'context' is missing", "document ids"]),
    "no expect": (without(SECOND, "expect"), ["'expect' is missing", "condition"]),
    "a number for an id": (changed(SECOND, id=2), ["'id' must be a non-empty string, not 2"]),
    "a blank question": (changed(SECOND, question=" \n"), ["'question' must be"]),
    "a string for a context": (
        changed(SECOND, context="pesel-1"),
        ["'context' must be", '"pesel-1"'],
    ),
    "an empty context": (changed(SECOND, context=[]), ["'context' must be a non-empty list"]),
    "a number in a context": (changed(SECOND, context=["pesel-1", 2]), ["'context' must be"]),
    "null for a question": (changed(SECOND, question=None), ["'question' is missing"]),
    "an unknown document": (
        changed(SECOND, context=["pesel-1", "pesel-3"]),
        ["'p02'", "'context'", "'pesel-3'", "does not exist"],
    ),
    "a document twice": (changed(SECOND, context=["pesel-1", "pesel-1"]), ["'p02'", "twice"]),
    "an id twice": (changed(SECOND, id="p01"), ["'p01' is used twice"]),
    "an unknown key": (
        changed(SECOND, answer="Nie wiem."),
        ["unknown key 'answer'", "id, question, context, expect, category, reference"],
    ),
    "a number for a category": (
        changed(SECOND, category=1),
        ["'category' must be a string, not 1"],
    ),
    "a list for a reference": (changed(SECOND, reference=[]), ["'reference' must be a string"]),
    "a string for kind": (changed(SECOND, kind="arithmetic"), ["'kind' must be a list of strings"]),
    "a list for expect": (changed(SECOND, expect=["safe"]), ["'expect' must be an object"]),
    "an empty expect": (
        changed(SECOND, expect={}),
        ["'expect' is empty", "include, exclude, cite, refuse, safe"],
    ),
    "an unknown condition": (
        changed(SECOND, expect={"contains": ["PESEL"]}),
        ["'p02'", "unknown condition 'contains'", "include, exclude, cite, refuse, safe"],
    ),
    "no object": (["p02"], ["a JSON object is expected", '["p02"]']),
}
# Condition -> parameters that it may not have.
REFUSED_PARAMETERS: dict[str, list[object]] = {
    "include": [[], None, "PESEL", {"PESEL": 1}, [1], [None], [[]], [["PESEL", []]], ["…"], [""]],
    "exclude": [[], None, "PESEL", [1], [[]], ["—"], ["\u00ad"], [["11", "?!"]]],
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


@pytest.mark.parametrize(("value", "reasons"), REFUSED_SAMPLES.values(), ids=REFUSED_SAMPLES)
def test_refused_samples(
    tmp_path: Path, documents: Path, value: object, reasons: list[str]
) -> None:
    message = refused_sample(tmp_path, documents, json.dumps(value, ensure_ascii=False))
    for reason in reasons:
        assert reason in message


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


@pytest.mark.parametrize(
    "second", ["{", '{"id": "p02"', "id: p02", '{"id": "p02"} {"id": "p03"}', "[" * 100_000]
)
def test_what_is_no_json(tmp_path: Path, documents: Path, second: str) -> None:
    assert "is not valid JSON" in refused_sample(tmp_path, documents, second)


def test_a_long_value_is_cut_in_the_message(tmp_path: Path, documents: Path) -> None:
    second = json.dumps(changed(SECOND, category=list(range(10_000))))
    assert len(refused_sample(tmp_path, documents, second)) < len(str(tmp_path)) + 200


REFUSED_DOCUMENTS: dict[str, tuple[object, str]] = {
    "no id": (without(DOCUMENTS[1], "id"), "'id' is missing"),
    "no contents": (without(DOCUMENTS[1], "contents"), "'contents' is missing"),
    "blank contents": (changed(DOCUMENTS[1], contents="\n\t"), "'contents' must be"),
    "a number for a title": (changed(DOCUMENTS[1], title=7), "'title' must be a string, not 7"),
    "an unknown key": (
        changed(DOCUMENTS[1], text="a"),
        "unknown key 'text'; known are: id, contents, title, source",
    ),
    "an id twice": (changed(DOCUMENTS[1], id="pesel-1"), "'pesel-1' is used twice"),
    "no object": ("pesel-2", "a JSON object is expected"),
}


@pytest.mark.parametrize(("value", "reason"), REFUSED_DOCUMENTS.values(), ids=REFUSED_DOCUMENTS)
def test_refused_documents(tmp_path: Path, value: object, reason: str) -> None:
    path = write(tmp_path / "documents.jsonl", jsonl(DOCUMENTS[:1]) + json.dumps(value))
    with pytest.raises(UserError) as caught:
        load_documents(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert reason in str(caught.value)


ITEM = '{"id": "a", "contents": "b"}'
# A file that holds an array -> the number of the item that is wrong, or the line of the mistake in
# its JSON; and the reason.
REFUSED_ARRAYS = {
    "an item that is no object": (f"[{ITEM},\n\n 7]", 2, "a JSON object is expected, not 7"),
    "an item without contents": (f'[\n{ITEM},\n{{\n "id": "c"}}\n]', 2, "'contents' is missing"),
    "a mistake inside an item": (f'[\n{ITEM},\n{{\n "id": "c",\n "contents": d}}\n]', 5, "JSON"),
    "no comma": (f"[{ITEM}\n{ITEM}]", 2, "JSON"),
    "two commas": (f"[{ITEM},\n,{ITEM}]", 2, "JSON"),
    "a comma at the end": (f"[{ITEM},\n]", 2, "JSON"),
    "no end": (f"[{ITEM}\n", 2, "JSON"),
    "something after the end": (f"[{ITEM}]\n{ITEM}", 2, "JSON"),
    "a nested array": (f"[[{ITEM}]]", 1, "a JSON object is expected"),
}


@pytest.mark.parametrize(("text", "line", "reason"), REFUSED_ARRAYS.values(), ids=REFUSED_ARRAYS)
def test_refused_arrays(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path / "documents.json", text)
    with pytest.raises(UserError) as caught:
        load_documents(path)
    message = str(caught.value)
    assert reason in message
    assert message.startswith(f"{path}:{line}: ")
    assert "\n" not in message


UNREADABLE: dict[str, tuple[bytes | None, str]] = {
    "no file": (None, "cannot be read"),
    "an empty file": (b"", "holds no"),
    "a blank file": (b"\xef\xbb\xbf\n \n", "holds no"),
    "an empty array": (b"[]", "holds no"),
    "not UTF-8": ('{"id": "żółć"}'.encode("cp1250"), "is not UTF-8 text"),
}


@pytest.mark.parametrize(("content", "reason"), UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("name", ["documents", "samples"])
def test_unreadable_files(
    tmp_path: Path, documents: Path, content: bytes | None, reason: str, name: str
) -> None:
    path = tmp_path / "bad.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_benchmark(*((path, documents) if name == "documents" else (documents, path)))
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_documents(tmp_path)


class TestFingerprint:
    """It stands for everything that prompts and scores depend on, and for nothing else."""

    @staticmethod
    def of(folder: Path, documents: str | list[Any], samples: str | list[Any]) -> str:
        paths = [
            write(folder / name, value if isinstance(value, str) else jsonl(value))
            for name, value in (("documents", documents), ("samples", samples))
        ]
        return load_benchmark(*paths).fingerprint()

    SAME: dict[str, tuple[str | list[Any], str | list[Any]]] = {
        "formatting": (BOM + json.dumps(DOCUMENTS, indent=3), jsonl(SAMPLES, "\r\n\r\n")),
        "the order of samples and of keys": (
            DOCUMENTS[::-1],
            [dict(reversed(sample.items())) for sample in SAMPLES[::-1]],
        ),
        "the order of conditions": (
            DOCUMENTS,
            [changed(s, expect=dict(reversed(s["expect"].items()))) for s in SAMPLES],
        ),
        "category": (DOCUMENTS, [changed(sample, category="inna") for sample in SAMPLES]),
        "reference": (DOCUMENTS, [changed(sample, reference="Nie [0].") for sample in SAMPLES]),
        "kind": (DOCUMENTS, [changed(sample, kind=["tempting"]) for sample in SAMPLES]),
        "derived": (DOCUMENTS, [changed(sample, derived="5 + 6") for sample in SAMPLES]),
    }
    OTHER: dict[str, tuple[list[Any], list[Any]]] = {
        "contents": ([changed(DOCUMENTS[0], contents="Inna treść."), DOCUMENTS[1]], SAMPLES),
        "title": ([changed(DOCUMENTS[0], title="Numer"), DOCUMENTS[1]], SAMPLES),
        "source": ([changed(DOCUMENTS[0], source="usługa"), DOCUMENTS[1]], SAMPLES),
        "question": (DOCUMENTS, [changed(SAMPLES[0], question="Ile cyfr?"), SAMPLES[1]]),
        "id": (DOCUMENTS, [changed(SAMPLES[0], id="p00"), SAMPLES[1]]),
        "the order of a context": (
            DOCUMENTS,
            [changed(SAMPLES[0], context=["pesel-1", "pesel-2"]), SAMPLES[1]],
        ),
        "a parameter": (
            DOCUMENTS,
            [SAMPLES[0], changed(SAMPLES[1], expect={**SAMPLES[1]["expect"], "refuse": False})],
        ),
        "an alternative": (
            DOCUMENTS,
            [changed(SAMPLES[0], expect={"include": ["11"], "cite": ["pesel-2"]}), SAMPLES[1]],
        ),
        "a condition": (
            DOCUMENTS,
            [SAMPLES[0], changed(SAMPLES[1], expect={"refuse": True, "safe": True})],
        ),
        "a sample": (DOCUMENTS, SAMPLES[:1]),
    }

    @pytest.mark.parametrize(("documents", "samples"), SAME.values(), ids=SAME)
    def test_same(self, tmp_path: Path, documents: Any, samples: Any) -> None:
        expected = self.of(tmp_path, DOCUMENTS, SAMPLES)
        assert self.of(tmp_path, documents, samples) == expected

    @pytest.mark.parametrize(("documents", "samples"), OTHER.values(), ids=OTHER)
    def test_other(self, tmp_path: Path, documents: Any, samples: Any) -> None:
        expected = self.of(tmp_path, DOCUMENTS, SAMPLES)
        assert self.of(tmp_path, documents, samples) != expected
