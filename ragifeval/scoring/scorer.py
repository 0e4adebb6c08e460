"""An answer -> its scores, under both rules of "found", by settings that a signature names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ragifeval import __version__, defaults
from ragifeval.errors import UserError
from ragifeval.paths import BADWORDS
from ragifeval.scoring.conditions import Condition, check_refusal_message, kind_of
from ragifeval.scoring.entries import Criteria, Response
from ragifeval.scoring.signature import default_or_fingerprint, fingerprint
from ragifeval.text.clean import clean_text
from ragifeval.text.matching import RULES
from ragifeval.text.normalizer import Normalizer, load_normalizer, normalizer_name, split_words

Scores = Mapping[str, float]


class ScorableSample(Protocol):
    """What scoring needs of a sample: its id, and a condition's name -> its parameter."""

    @property
    def id(self) -> str: ...

    @property
    def expect(self) -> Mapping[str, Any]: ...


class Scorer:
    """Scores answers.

    Args:
        criteria: what the conditions of all samples are built with.
    """

    # Samples whose conditions are kept ready. More would fill the memory of a run over variants,
    # and save little: what is made of their wordings is kept for more of them.
    REMEMBERED = 256

    def __init__(self, criteria: Criteria) -> None:
        self.criteria = criteria
        self._conditions: dict[str, tuple[ScorableSample, Sequence[Condition]]] = {}

    @classmethod
    def load(cls, **settings: Any) -> "Scorer":
        """The scorer of a benchmark.

        Args:
            settings: of ScoringSettings; without any, the defaults of `ragifeval local`.

        Raises:
            UserError: a setting is wrong.
        """
        return ScoringSettings(**settings).load_scorer()

    def score(
        self, sample: ScorableSample, context: Sequence[str], answer: str
    ) -> Mapping[str, Scores]:
        """Score one answer.

        Args:
            sample: the question that was answered.
            context: the ids of the documents in the order in which the model saw them.
            answer: what the model said, without its reasoning.

        Returns:
            The name of each rule -> score keys -> scores from 0 to 1; with `len_chars` and
            `len_words` (words as separated by white space).
        """
        response = Response(answer, self.criteria.normalizer, context)
        conditions = self._conditions_of(sample)
        lengths = {"len_chars": float(len(answer)), "len_words": float(len(answer.split()))}
        scores: dict[str, Scores] = {}
        found: dict[str, float] = {}
        for name, rule in RULES.items():
            for condition in conditions:
                if condition.needs_rule or not scores:
                    values = condition.score(response, rule)
                    found.update(zip(condition.keys, values, strict=True))
            scores[name] = found | lengths
        return scores

    def _conditions_of(self, sample: ScorableSample) -> Sequence[Condition]:
        known, conditions = self._conditions.get(sample.id, (None, ()))
        if known != sample:
            if len(self._conditions) >= self.REMEMBERED:
                self._conditions.clear()
            conditions = [kind_of(name).of(sample.expect, self.criteria) for name in sample.expect]
            self._conditions[sample.id] = sample, conditions
        return conditions


def load_badwords(path: Path, normalizer: Normalizer) -> frozenset[str]:
    """The lemmas of the words in a file, one word a line; errors as those of `read_badwords`."""
    return frozenset(normalizer.lemma(word) for word in read_badwords(path))


def read_badwords(path: Path) -> Sequence[str]:
    """The lowercased words of a file, one word a line.

    Raises:
        UserError: the file cannot be read, or a line is not one word.
    """
    words = []
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            found = split_words(clean_text(line))
            if len(found) != 1:
                raise UserError(f"{path}:{number}: one word a line is expected, not {line!r}")
            words += found
    if not words:
        raise UserError(f"{path}: holds no words; one word a line is expected")
    return words


@dataclass(frozen=True)
class ScoringSettings:
    """What answers are scored by, besides the data.

    Attributes:
        refusal_message: what an answer must contain to be a refusal.
        normalizer: a spaCy pipeline or "blank:de", as --normalizer names it; None for the lemma
            table.
        badwords_path: a file of offensive words, one a line.
        matching: the headline rule.

    Raises:
        UserError: the refusal message is empty, or no UTF-8 text.
    """

    refusal_message: str = defaults.REFUSAL_MESSAGE
    normalizer: str | None = None
    badwords_path: Path = BADWORDS
    matching: str = defaults.MATCHING

    def __post_init__(self) -> None:
        check_refusal_message(self.refusal_message)
        check_text("--refusal_message", self.refusal_message)

    def signature_parts(self, data: str) -> dict[str, str]:
        """The parts of a signature that scoring decides, whoever answered whatever prompt.

        Args:
            data: the fingerprint of the benchmark, or what `sets.data_part` makes of it.

        Raises:
            UserError: there is no such normalizer, or no such file of words.
        """
        return {
            "data": data,
            "normalizer": normalizer_name(self.normalizer),
            "badwords": fingerprint(sorted(set(read_badwords(self.badwords_path)))),
            "matching": self.matching,
            "refusal": default_or_fingerprint(self.refusal_message, defaults.REFUSAL_MESSAGE),
            "version": __version__,
        }

    def load_normalizer(self) -> Normalizer:
        """The normalizer; UserError if it cannot be loaded."""
        return load_normalizer(self.normalizer)

    def load_criteria(self, normalizer: Normalizer | None = None) -> Criteria:
        """What conditions are built with.

        Args:
            normalizer: where it is loaded already.

        Raises:
            UserError: the normalizer cannot be loaded, or the file of words cannot be read.
        """
        normalizer = normalizer or self.load_normalizer()
        return Criteria(
            normalizer, self.refusal_message, load_badwords(self.badwords_path, normalizer)
        )

    def load_scorer(self, normalizer: Normalizer | None = None) -> Scorer:
        """The scorer; arguments and errors as those of load_criteria()."""
        return Scorer(self.load_criteria(normalizer))


def check_text(option: str, text: str) -> None:
    """Refuse what was not UTF-8: Python hands it on as halves of surrogate pairs.

    Raises:
        UserError: it was not.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UserError(f"{option}: is not UTF-8 text") from None
