"""What proves a data set: whether its conditions can be met, by right answers alone.

`python -m ragifeval validate` runs every check here and prints what is wrong, with file and line.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample, load_benchmark
from ragifeval.benchmark.validate.entries import (
    NOT_CITED,
    PART_OF_A_NUMBER,
    flaws,
    is_cited,
    is_part_of_a_number,
    is_said,
)
from ragifeval.benchmark.validate.facts import SEEDS, counted_scores, fact_problems
from ragifeval.benchmark.validate.mutations import GoldAnswer, Mutation
from ragifeval.benchmark.validate.repeats import SIMILAR_QUESTIONS, is_repeated, long_sentences
from ragifeval.benchmark.validate.twins import Twins, examine_twins
from ragifeval.jsonl import read_json_objects
from ragifeval.scoring.scorer import ScoringSettings
from ragifeval.statements.entries import uses_statements
from ragifeval.text.matching import RULES, Text
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.similar import similar_pairs

# Documents kept normalized: those of neighbouring samples are often the same.
_READY = 256


@dataclass(frozen=True)
class Paths:
    """The files of a data set; `contrast` is optional."""

    documents: Path
    samples: Path
    badwords: Path
    contrast: Path | None = None


class Validation:
    """A data set with what its checks need.

    Args:
        is_built: whether `build` made the data of documents as they were found. Those repeat
            themselves: a long sentence that stands in two of them is a problem where a sample cites
            one for what it says and another one of its context says the same. And questions on
            them are asked by one pattern: "What does X cost?", "What does Y cost?" are near
            duplicates where what they must be answered with is the same, too.
    """

    def __init__(
        self, paths: Paths, normalizer: Normalizer, refusal_message: str, is_built: bool = False
    ) -> None:
        self.paths = paths
        self.is_built = is_built
        self.normalizer = normalizer
        self.refusal_message = refusal_message
        self.benchmark: Benchmark = load_benchmark(paths.documents, paths.samples)
        scoring = ScoringSettings(refusal_message, badwords_path=paths.badwords)
        self.scorer = scoring.load_scorer(normalizer)
        self._lines = {
            path: {value["id"]: line for line, value in read_json_objects(path)}
            for path in (paths.documents, paths.samples)
        }
        documents = self.benchmark.documents
        self.document = lru_cache(_READY)(lambda key: self.text(documents[key].contents))
        self.sentences = lru_cache(_READY)(
            lambda key: list(long_sentences(documents[key].contents, normalizer))
        )

    @cached_property
    def mutations(self) -> Sequence[tuple[Sample, Mutation, bool]]:
        """Wrong answers made of the gold answers, each with whether it gets all marks."""
        found = []
        for sample in self.benchmark.samples:
            if uses_statements(sample.expect):
                documents = [self.benchmark.documents[key] for key in sample.context]
                gold = GoldAnswer(sample, documents, self.scorer.criteria)
                found += [(sample, one, gold.passes(one.answer)) for one in gold.mutations()]
        return found

    @cached_property
    def twins(self) -> Twins:
        """The twins of the samples, read."""
        return examine_twins(self.benchmark, self.scorer.criteria)

    def problems(self) -> Iterator[str]:
        """Yield one line for each thing that is wrong."""
        checks = [_reference, _entries, _numbers, _facts]
        if self.is_built:
            checks.append(_two_sources)
        for sample in self.benchmark.samples:
            for check in checks:
                for reason in check(self, sample):
                    yield f"{self._at(sample)}: sample {sample.id!r}: {reason}"
        for sample, mutation, passes in self.mutations:
            if passes and mutation.is_certain:
                yield f"{self._at(sample)}: sample {sample.id!r}: gets full marks, {mutation}"
        yield from self._similar_questions()
        if not self.is_built:
            yield from self._repeated_sentences()
            yield from self.answering_twins()
        if self.paths.contrast is not None:
            yield from self._contrast(self.paths.contrast)

    def _at(self, item: Sample | Document) -> str:
        path = self.paths.samples if isinstance(item, Sample) else self.paths.documents
        return f"{path}:{self._lines[path][item.id]}"

    def text(self, text: str) -> Text:
        """A text ready for either rule."""
        return Text(self.normalizer(text))

    def answering_twins(self) -> Iterator[str]:
        """Yield one line for each twin that says what is asked."""
        by_id = {sample.id: sample for sample in self.benchmark.samples}
        for key, found in self.twins.answering.items():
            yield (
                f"{self._at(by_id[key])}: sample {key!r}: its twin has documents that say what is "
                f"asked; name them in 'hints': {', '.join(found)}"
            )

    def _similar_questions(self) -> Iterator[str]:
        bags = {s.id: frozenset(self.normalizer(s.question).lemmas) for s in self.benchmark.samples}
        by_id = {sample.id: sample for sample in self.benchmark.samples}
        for one, other, share in similar_pairs(bags, SIMILAR_QUESTIONS):
            entries = (by_id[key].expect.get("include") for key in (one, other))
            if self.is_built and not is_repeated(share, *entries):
                continue
            yield (
                f"{self._at(by_id[other])}: sample {other!r}: asks nearly the same as {one!r} "
                f"({share:.0%} of the words are common)"
            )

    def _repeated_sentences(self) -> Iterator[str]:
        first: dict[str, str] = {}
        for document in self.benchmark.documents.values():
            for words, sentence in self.sentences(document.id):
                other = first.setdefault(words, document.id)
                if other not in (document.id, *document.repeats):
                    yield (
                        f"{self._at(document)}: document {document.id!r}: a sentence stands in "
                        f"{other!r} too: {sentence[:80]!r}; if it is meant to, say so: "
                        f'"repeats": ["{other}"]'
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
            scores = counted_scores(by_id[case["id"]], case["answer"], self.scorer)
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
        yield "has no 'reference', a gold answer, which would prove its conditions"
        return
    if sample.expect.get("refuse") is True and sample.reference != data.refusal_message:
        yield f"is to be refused, so its 'reference' must be: {data.refusal_message}"
    for rule, scores in counted_scores(sample, sample.reference, data.scorer).items():
        for key, value in scores.items():
            if value != 1:
                yield f"its 'reference' gets {value:.4g} for {key} under the rule {rule}, not 1"


def _entries(data: Validation, sample: Sample) -> Iterator[str]:
    """What is to be included stands in a cited document, and no empty answer gives it."""
    question = data.text(sample.question)
    refusal = data.text(data.refusal_message)
    cited = [data.document(key) for key in sample.expect.get("cite", [])]
    for entry in _phrase_entries(sample, "include"):
        phrases = _alternatives(entry)
        texts = [data.text(phrase) for phrase in phrases]
        for phrase, text in zip(phrases, texts, strict=True):
            for flaw in flaws(text, question, refusal, data.normalizer.language):
                yield f"include: {phrase!r} {flaw}"
        if not sample.derived and not is_cited(texts, cited):
            yield f"include: {entry!r} {NOT_CITED}, and 'derived' shows no working"


def _numbers(data: Validation, sample: Sample) -> Iterator[str]:
    """No number of an entry is a part of another number in the context ("30 zł" in "130 zł")."""
    for condition in ("include", "exclude"):
        for entry in _phrase_entries(sample, condition):
            for phrase in _alternatives(entry):
                text = data.text(phrase)
                for key in sample.context:
                    if is_part_of_a_number(text, data.document(key)):
                        yield f"{condition}: {phrase!r} {PART_OF_A_NUMBER} {key!r}"


def _facts(data: Validation, sample: Sample) -> Iterator[str]:
    """With other values for its facts, a sample is as sound."""
    if sample.facts:
        documents = [data.benchmark.documents[key] for key in sample.context]
        yield from fact_problems(sample, documents, data.scorer, SEEDS)


def _two_sources(data: Validation, sample: Sample) -> Iterator[str]:
    """No long sentence that gives an entry stands in a cited and in an uncited document."""
    cited = sample.expect.get("cite", [])
    entries = [
        (entry, [data.text(phrase) for phrase in _alternatives(entry)])
        for entry in _phrase_entries(sample, "include")
    ]
    uncited: dict[str, str] = {}
    if cited and entries:
        for key in sample.context:
            if key not in cited:
                for words, _ in data.sentences(key):
                    uncited.setdefault(words, key)
    for key in cited if uncited else ():
        for words, sentence in data.sentences(key):
            if words not in uncited:
                continue
            text = data.text(sentence)
            for entry, phrases in entries:
                if is_said(phrases, text):
                    yield (
                        f"include: {entry!r} stands in one sentence of {key!r}, which is cited, "
                        f"and of {uncited[words]!r}, which is not: {sentence[:80]!r}"
                    )


def _phrase_entries(sample: Sample, condition: str) -> list[str | list[str]]:
    """The entries of a condition that are phrases or alternatives, not statements."""
    entries = sample.expect.get(condition, [])
    return [entry for entry in entries if not isinstance(entry, dict)]


def _alternatives(entry: str | list[str]) -> list[str]:
    return [entry] if isinstance(entry, str) else entry
