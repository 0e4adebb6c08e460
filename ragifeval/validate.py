"""What proves a data set: whether its conditions can be met, by right answers alone.

`python -m ragifeval validate` runs every check here and prints what is wrong, with file and line.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ragifeval.benchmark import Benchmark, Document, Sample, load_benchmark
from ragifeval.conditions import Settings, counted
from ragifeval.jsonl import read_json_objects
from ragifeval.matching import RULES, Text, find_substring
from ragifeval.normalizer import Normalizer
from ragifeval.scoring import Scorer, load_badwords

SIMILAR_QUESTIONS = 0.7
"""Two questions are near duplicates when this share of their lemmas is common (Jaccard index)."""
LONG_SENTENCE = 12
"""A sentence of this many words may stand in one document only."""


@dataclass(frozen=True)
class Paths:
    """The files of a data set; `contrast` is optional."""

    documents: Path
    samples: Path
    badwords: Path
    contrast: Path | None = None


class Validation:
    """A data set with what its checks need."""

    def __init__(self, paths: Paths, normalizer: Normalizer, refusal_message: str) -> None:
        self.paths = paths
        self.normalizer = normalizer
        self.refusal_message = refusal_message
        self.benchmark: Benchmark = load_benchmark(paths.documents, paths.samples)
        badwords = load_badwords(paths.badwords, normalizer)
        self.scorer = Scorer(Settings(normalizer, refusal_message, badwords))
        self._lines = {
            path: {value["id"]: line for line, value in read_json_objects(path)}
            for path in (paths.documents, paths.samples)
        }

    def problems(self) -> Iterator[str]:
        """Yield one line for each thing that is wrong."""
        for sample in self.benchmark.samples:
            for check in (_reference, _entries, _numbers):
                for reason in check(self, sample):
                    yield f"{self._at(sample)}: sample {sample.id!r}: {reason}"
        yield from self._similar_questions()
        yield from self._repeated_sentences()
        if self.paths.contrast is not None:
            yield from self._contrast(self.paths.contrast)

    def _at(self, item: Sample | Document) -> str:
        path = self.paths.samples if isinstance(item, Sample) else self.paths.documents
        return f"{path}:{self._lines[path][item.id]}"

    def text(self, text: str) -> Text:
        """A text ready for either rule."""
        return Text(self.normalizer(text))

    def scores(self, sample: Sample, answer: str) -> Mapping[str, Mapping[str, float]]:
        """The counted scores of an answer: rule -> key -> score."""
        by_rule = self.scorer.score(sample, sample.context, answer)
        keys = counted()
        return {
            rule: {key: value for key, value in scores.items() if key in keys}
            for rule, scores in by_rule.items()
        }

    def _similar_questions(self) -> Iterator[str]:
        bags = {s.id: frozenset(self.normalizer(s.question).lemmas) for s in self.benchmark.samples}
        by_id = {sample.id: sample for sample in self.benchmark.samples}
        for one, other, share in _similar(bags, SIMILAR_QUESTIONS):
            yield (
                f"{self._at(by_id[other])}: sample {other!r}: asks nearly the same as {one!r} "
                f"({share:.0%} of the words are common)"
            )

    def _repeated_sentences(self) -> Iterator[str]:
        first: dict[str, str] = {}
        for document in self.benchmark.documents.values():
            for sentence in re.split(r"[.!?;:]\s|\n", document.contents):
                words = self.normalizer(sentence).words
                if len(words) < LONG_SENTENCE:
                    continue
                key = " ".join(words)
                if first.setdefault(key, document.id) != document.id:
                    yield (
                        f"{self._at(document)}: document {document.id!r}: a sentence stands in "
                        f"{first[key]!r} too: {sentence.strip()[:80]!r}"
                    )

    def _contrast(self, path: Path) -> Iterator[str]:
        """Compare the scores worked out by hand for wrong answers with those given here."""
        by_id = {sample.id: sample for sample in self.benchmark.samples}
        count = dict.fromkeys(by_id, 0)
        for line, case in read_json_objects(path):
            where = f"{path}:{line}: {case.get('kind', 'answer')} to {case.get('id')!r}"
            known = isinstance(case.get("id"), str) and case["id"] in by_id
            if not known or not isinstance(case.get("answer"), str):
                yield f"{where}: 'id' must name a sample, and 'answer' must be a string"
                continue
            count[case["id"]] += 1
            scores = self.scores(by_id[case["id"]], case["answer"])
            for rule in RULES:
                expected = _fractions(case.get(f"scores_{rule}", case.get("scores")))
                if set(expected) != set(scores[rule]):
                    yield (
                        f"{where}: 'scores' must name: {', '.join(scores[rule])}, each with a "
                        f'number or a fraction like "1/2" (rule {rule})'
                    )
                    continue
                for key, value in scores[rule].items():
                    if not math.isclose(value, expected[key], abs_tol=1e-9):
                        yield (
                            f"{where}: {key} is {value:.4g} under the rule {rule}, "
                            f"not {float(expected[key]):.4g}"
                        )
                if all(value == 1 for value in expected.values()):
                    yield (
                        f"{where}: gets full marks under the rule {rule}; a contrast answer is a "
                        "wrong one"
                    )
        for key, found in count.items():
            if found != 2:
                yield f"{path}: sample {key!r} has {found} contrast answers, not 2"


def _fractions(scores: object) -> dict[str, Fraction]:
    """Scores written as numbers or as fractions in a string, "2/3"; empty if they are neither."""
    if not isinstance(scores, dict):
        return {}
    try:
        return {key: Fraction(value) for key, value in scores.items()}
    except (TypeError, ValueError, ArithmeticError):
        return {}


def _reference(data: Validation, sample: Sample) -> Iterator[str]:
    """The gold answer meets every condition, under both rules."""
    if sample.reference is None:
        yield "has no 'reference'"
        return
    if sample.expect.get("refuse") is True and sample.reference != data.refusal_message:
        yield f"is to be refused, so its 'reference' must be: {data.refusal_message}"
    for rule, scores in data.scores(sample, sample.reference).items():
        for key, value in scores.items():
            if value != 1:
                yield f"its 'reference' gets {value:.4g} for {key} under the rule {rule}, not 1"


def _entries(data: Validation, sample: Sample) -> Iterator[str]:
    """What is to be included stands in a cited document, and no empty answer gives it."""
    from spacy.lang.pl.stop_words import STOP_WORDS

    question = data.text(sample.question)
    refusal = data.text(data.refusal_message)
    cited = [
        data.text(data.benchmark.documents[key].contents) for key in sample.expect.get("cite", [])
    ]
    for entry in sample.expect.get("include", []):
        phrases = [entry] if isinstance(entry, str) else entry
        texts = [data.text(phrase) for phrase in phrases]
        for phrase, text in zip(phrases, texts, strict=True):
            if all(word in STOP_WORDS for word in text.normalized.words):
                yield f"include: {phrase!r} is a mere stop word"
            if all(word.isdigit() for word in text.normalized.words):
                yield f"include: {phrase!r} is met by a citation of that number"
            for name, rule in RULES.items():
                if rule(text, question):
                    yield f"include: {phrase!r} stands in the question (rule {name})"
                if rule(text, refusal):
                    yield f"include: {phrase!r} stands in the refusal message (rule {name})"
        stands = any(find_substring(text, document) for text in texts for document in cited)
        if not stands and not sample.derived:
            yield f"include: {entry!r} stands in no cited document, and 'derived' shows no working"


def _numbers(data: Validation, sample: Sample) -> Iterator[str]:
    """No number of an entry is a part of another number in the context ("30 zł" in "130 zł")."""
    for condition in ("include", "exclude"):
        for entry in sample.expect.get(condition, []):
            for phrase in [entry] if isinstance(entry, str) else entry:
                text = data.text(phrase)
                for key in sample.context:
                    document = data.text(data.benchmark.documents[key].contents)
                    if _is_part_of_a_number(text, document):
                        yield (
                            f"{condition}: {phrase!r} is part of another number in document {key!r}"
                        )


def _is_part_of_a_number(phrase: Text, document: Text) -> bool:
    """Whether the substring rule finds the phrase with a number cut in two."""
    if find_substring(phrase, document) is None:
        return False
    # "4 500" is two lemmas, and one canonical token.
    return _cuts_a_number(phrase.normalized.joined, document.normalized.joined) or _cuts_a_number(
        " ".join(phrase.canonical.tokens), " ".join(document.canonical.tokens)
    )


def _cuts_a_number(needle: str, hay: str) -> bool:
    start = hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        if needle[0].isdigit() and hay[start - 1 : start].isdigit():
            return True
        if needle[-1].isdigit() and hay[end : end + 1].isdigit():
            return True
        start = hay.find(needle, start + 1)
    return False


def _similar(
    bags: Mapping[str, frozenset[str]], threshold: float
) -> Iterator[tuple[str, str, float]]:
    """Pairs of sets with a Jaccard index of at least the threshold.

    Rare elements first, two such sets share one of the first few (prefix filtering), so that not
    every pair need be looked at.
    """
    frequency: dict[str, int] = defaultdict(int)
    for bag in bags.values():
        for element in bag:
            frequency[element] += 1
    seen: dict[str, list[str]] = defaultdict(list)
    for key, bag in bags.items():
        order = sorted(bag, key=lambda element: (frequency[element], element))
        prefix = order[: len(order) - math.ceil(threshold * len(order)) + 1]
        for other in dict.fromkeys(key for element in prefix for key in seen[element]):
            share = len(bag & bags[other]) / len(bag | bags[other])
            if share >= threshold:
                yield other, key, share
        for element in prefix:
            seen[element].append(key)
