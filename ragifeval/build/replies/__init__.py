"""What is read out of the replies of a build: pairs, questions, answers, ratings, phrases.

Each reader is a function from a reply to its value, whatever language the reply is in. What could
mean two things is Unparsed.
"""

from ragifeval.build.replies.pairs import Pair, read_answer, read_pair
from ragifeval.build.replies.phrases import read_phrases
from ragifeval.build.replies.questions import read_questions
from ragifeval.build.replies.ratings import read_rating

__all__ = ["Pair", "read_answer", "read_pair", "read_phrases", "read_questions", "read_rating"]
