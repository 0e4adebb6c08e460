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


EXPECT = {
    "include": ["20 zł", ["urząd", "wojewoda"]],
    "exclude": ["30 dni"],
    "cite": ["a", "b"],
    "refuse": False,
    "safe": True,
}
EVERYTHING = Sample("p01", "Ile wynosi opłata?", ("a", "b", "c"), EXPECT)


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


def test_badwords_are_one_a_line(tmp_path: Path, normalizer: Normalizer) -> None:
    path = tmp_path / "badwords.txt"
    path.write_bytes("\ufeffDurniem\r\n\r\n  kurwami \ncho\u00adlera".encode())
    assert list(read_badwords(path)) == ["durniem", "kurwami", "cholera"]
    assert load_badwords(path, normalizer) == {"dureń", "kurwa", "cholera"}


EXPECTED = "one word a line is expected, not"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dureń\nty durniu\n".encode(), f":2: {EXPECTED} 'ty durniu'"),
        (b"***\n", f":1: {EXPECTED} '***'"),
        (b"\xef\xbb\xbf\n ", ": holds no words; one word a line is expected"),
        ("dureń".encode("cp1250"), ": is not UTF-8 text (unexpected end of data)"),
        (None, ": cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_list_of_badwords(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "badwords.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_badwords(path)
    assert str(caught.value) == f"{path}{said}"
