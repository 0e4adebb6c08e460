"""What answers are scored by: the settings -> the scorer, and its parts of the signature."""

from dataclasses import dataclass
from pathlib import Path

from ragifeval import __version__, defaults
from ragifeval.errors import UserError
from ragifeval.paths import BADWORDS
from ragifeval.scoring.conditions import Criteria, check_refusal_message
from ragifeval.scoring.scorer import Scorer, load_badwords, read_badwords
from ragifeval.scoring.signature import default_or_fingerprint, fingerprint
from ragifeval.text.normalizer import Normalizer, load_normalizer, normalizer_name


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
            data: the fingerprint of the benchmark.

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
