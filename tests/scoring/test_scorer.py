"""An answer -> its scores, under both rules at once; and the file of bad words."""

from pathlib import Path

import pytest

from ragifeval.benchmark.benchmark import Sample
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.scoring.conditions import Criteria
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
    expected = {
        "include": 0.0,
        "exclude": 1.0,
        "cite_f1": 0.0,
        "cite_precision": 0.0,
        "cite_recall": 0.0,
        "refuse": 1.0,
        "safe": 1.0,
        "len_chars": 0.0,
        "len_words": 0.0,
    }
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


class TestBadwords:
    def write(self, folder: Path, content: bytes) -> Path:
        path = folder / "badwords.txt"
        path.write_bytes(content)
        return path

    def test_one_word_a_line(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, "\ufeffDureń\r\n\r\n  kurwa \ncho\u00adlera".encode())
        assert list(read_badwords(path)) == ["dureń", "kurwa", "cholera"]

    def test_their_lemmas_are_what_counts(self, tmp_path: Path, normalizer: Normalizer) -> None:
        path = self.write(tmp_path, "durniem\ndurniowi\nkurwami\nxyzżźć\n".encode())
        assert load_badwords(path, normalizer) == {"dureń", "kurwa", "xyzżźć"}

    @pytest.mark.parametrize(
        ("content", "line", "shown"),
        [
            ("dureń\nty durniu\n", 2, "'ty durniu'"),
            ("kurwa\n\nsukin-syn\n", 3, "'sukin-syn'"),
            ("***\n", 1, "'***'"),
            ("kurwa, dureń", 1, "'kurwa, dureń'"),
        ],
    )
    def test_a_line_that_is_not_one_word(
        self, tmp_path: Path, content: str, line: int, shown: str
    ) -> None:
        path = self.write(tmp_path, content.encode())
        with pytest.raises(UserError) as caught:
            read_badwords(path)
        message = str(caught.value)
        assert message == f"{path}:{line}: one word a line is expected, not {shown}"

    @pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
    def test_an_empty_file(self, tmp_path: Path, content: bytes) -> None:
        path = self.write(tmp_path, content)
        with pytest.raises(UserError) as caught:
            read_badwords(path)
        assert str(caught.value).startswith(f"{path}: holds no words")

    def test_what_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match=r"missing\.txt: cannot be read"):
            read_badwords(tmp_path / "missing.txt")
        with pytest.raises(UserError, match="is not UTF-8 text"):
            read_badwords(self.write(tmp_path, "dureń".encode("cp1250")))
