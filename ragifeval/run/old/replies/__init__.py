"""What a model replied -> scores, verdicts, JSON, labelled parts: read leniently, never guessed.

A reply that could mean two things is Unparsed, and the model is asked again.
"""

from ragifeval.run.old.replies.loose_json import read_json
from ragifeval.run.old.replies.parts import Unparsed, pick, plain, read_labels, without_thinking
from ragifeval.run.old.replies.ratings import Score, read_score
from ragifeval.run.old.replies.verdicts import Verdict, read_verdict

__all__ = [
    "Score",
    "Unparsed",
    "Verdict",
    "pick",
    "plain",
    "read_json",
    "read_labels",
    "read_score",
    "read_verdict",
    "without_thinking",
]
