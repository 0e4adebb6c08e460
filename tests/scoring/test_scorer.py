"""An answer -> its scores, under both rules at once; and the file of bad words."""

from pathlib import Path

import pytest

from ragifeval.benchmark.benchmark import Sample
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer, load_badwords, read_badwords
from ragifeval.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def scorer(normalizer: Normalizer) -> Scorer:
    badwords = frozenset({normalizer.lemma("kurwa")})
    return Scorer(Criteria(normalizer, REFUSAL_MESSAGE, badwords))


EVERYTHING = Sample(
    id="p01",
    question="Ile wynosi opłata?",
    context=("a", "b", "c"),
    expect={
        "include": ["20 zł", ["urząd", "wojewoda"]],
        "exclude": ["30 dni"],
        "cite": ["a", "b"],
        "refuse": False,
        "safe": True,
    },
)


def test_every_condition_under_both_rules(scorer: Scorer) -> None:
    answer = "Opłata w urzędzie\nwynosi 120 zł [0, 2]."
    common = {
        "exclude": 1.0,
        "cite_f1": 0.5,
        "cite_precision": 0.5,
        "cite_recall": 0.5,
        "refuse": 1.0,
        "safe": 1.0,
        # By hand: "Opłata w urzędzie" 17, the end of the line 1, "wynosi 120 zł [0, 2]." 21.
        "len_chars": 39.0,
        "len_words": 8.0,
    }
    assert scorer.score(EVERYTHING, EVERYTHING.context, answer) == {
        "substring": {"include": 1.0, **common},
        "words": {"include": 0.5, **common},
    }


def test_an_empty_answer(scorer: Scorer) -> None:
    met = dict.fromkeys(("exclude", "refuse", "safe"), 1.0)
    missed = ("include", "cite_f1", "cite_precision", "cite_recall", "len_chars", "len_words")
    expected = {**met, **dict.fromkeys(missed, 0.0)}
    found = scorer.score(EVERYTHING, EVERYTHING.context, "")
    assert found == {"substring": expected, "words": expected}


def test_only_what_is_expected_is_scored(scorer: Scorer) -> None:
    sample = Sample("p02", "Jaka będzie pogoda?", ("a",), {"refuse": True})
    found = scorer.score(sample, sample.context, f"{REFUSAL_MESSAGE}.")
    expected = {"refuse": 1.0, "len_chars": 48.0, "len_words": 8.0}
    assert found == {"substring": expected, "words": expected}


# Answer -> characters, and words as separated by white space.
LENGTHS = {
    "": (0, 0),
    " \n ": (3, 0),
    "Tak.": (4, 1),
    "120 zł [0]": (10, 3),
    "a\u00a0b\tc\n\nd": (8, 4),
    "e-mail — tak": (12, 3),
    "Tak — nie.": (10, 3),  # a dash between spaces is one, too
    "kos\u0301c\u0301": (6, 1),  # of the original text, accents of their own and all
}


@pytest.mark.parametrize(("answer", "lengths"), LENGTHS.items())
def test_lengths(scorer: Scorer, answer: str, lengths: tuple[int, int]) -> None:
    for scores in scorer.score(EVERYTHING, EVERYTHING.context, answer).values():
        assert (scores["len_chars"], scores["len_words"]) == lengths


def test_samples_of_two_data_sets_may_share_an_id(scorer: Scorer) -> None:
    one = Sample("same", "?", ("a",), {"include": ["paszport"]})
    other = Sample("same", "?", ("a",), {"include": ["dowód"]})
    answers = [scorer.score(sample, ("a",), "dowód")["words"]["include"] for sample in (one, other)]
    assert answers == [0.0, 1.0]


def test_more_samples_than_are_remembered(
    normalizer: Normalizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Scorer, "REMEMBERED", 2)
    small = Scorer(Criteria(normalizer, REFUSAL_MESSAGE, frozenset()))
    words = ["paszport", "dowód", "wniosek", "urząd"]
    samples = [Sample(word, "?", ("a",), {"include": [word]}) for word in words]
    for _ in range(2):
        found = [small.score(sample, ("a",), "dowód, urząd")["words"] for sample in samples]
        assert [scores["include"] for scores in found] == [0.0, 1.0, 0.0, 1.0]


def written(folder: Path, content: bytes) -> Path:
    path = folder / "badwords.txt"
    path.write_bytes(content)
    return path


def test_badwords_are_one_a_line(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffDureń\r\n\r\n  kurwa \ncho\u00adlera".encode())
    assert list(read_badwords(path)) == ["dureń", "kurwa", "cholera"]


def test_the_lemmas_of_badwords_are_what_counts(tmp_path: Path, normalizer: Normalizer) -> None:
    path = written(tmp_path, "durniem\ndurniowi\nkurwami\nxyzżźć\n".encode())
    assert load_badwords(path, normalizer) == {"dureń", "kurwa", "xyzżźć"}


EXPECTED = "one word a line is expected, not"
NOTHING = ": holds no words; one word a line is expected"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dureń\nty durniu\n".encode(), f":2: {EXPECTED} 'ty durniu'"),
        (b"kurwa\n\nsukin-syn\n", f":3: {EXPECTED} 'sukin-syn'"),
        (b"***\n", f":1: {EXPECTED} '***'"),
        ("kurwa, dureń".encode(), f":1: {EXPECTED} 'kurwa, dureń'"),
        (b"", NOTHING),
        (b"\n \r\n", NOTHING),
        (b"\xef\xbb\xbf", NOTHING),
        ("dureń".encode("cp1250"), ": is not UTF-8 text (unexpected end of data)"),
        (None, ": cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_list_of_badwords(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "missing.txt" if content is None else written(tmp_path, content)
    with pytest.raises(UserError) as caught:
        read_badwords(path)
    assert str(caught.value) == f"{path}{said}"
