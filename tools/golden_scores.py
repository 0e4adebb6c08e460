"""Writes tests/data/golden_scores.jsonl: 300 fixed answers, and the scores that they get.

    python -m tools.golden_scores                  after a change that is meant to move scores
    python -m tools.golden_scores --same_version   the same, for a version that nobody has yet
    python -m tools.golden_scores --answers        other answers too, drawn from data/ anew

Scores move only with the version: where the file's is that of ragifeval/__init__.py and a score
differs, it is left as it is. Each line holds what its scores depend on besides the code, the lemma
table and the bad words: questions in data/ may change without moving them.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from ragifeval import __version__, defaults, paths
from ragifeval.benchmark.baselines import extract
from ragifeval.benchmark.benchmark import Benchmark, Sample, load_benchmark
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer, load_badwords
from ragifeval.text.normalizer import Normalizer, load_normalizer

GOLDEN = paths.ROOT / "tests" / "data" / "golden_scores.jsonl"
COUNT = 300

_PASTED = {" ": "\u00a0", "ni": "ni\u00ad", "ó": "o\u0301", "fi": "ﬁ", "-": "\u2011"}
_OTHER_FORMS = {
    **{" zł": " PLN", "%": " procent", " dni": " dniach", " lat": " latach", "14": "czternaście"},
    **{" tys. ": "000 ", "30 ": "trzydzieści ", " 7 ": " siedem ", " r.": " roku", ":00": ""},
}
_ENGLISH = (
    "According to the documents [0], the fee is 17 PLN and must be paid within 30 days [1, 2]."
)


def main() -> int:
    """Write the file; return 1 where a score moved and the version did not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--answers", action="store_true", help="draw other answers from data/")
    parser.add_argument("--same_version", action="store_true", help="scores of a version may move")
    options = parser.parse_args()
    normalizer = load_normalizer()
    badwords = load_badwords(paths.BADWORDS, normalizer)
    scorer = Scorer(Criteria(normalizer, defaults.REFUSAL_MESSAGE, badwords))
    version, golden = read_golden() if GOLDEN.exists() else ("", [])
    if options.answers:
        benchmark = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
        golden = list(draw(benchmark, normalizer))
    written = [{**entry, "scores": score(scorer, entry)} for entry in golden]
    moved = sum(new != old for new, old in zip(written, golden, strict=True))
    if moved and version == __version__ and not (options.same_version or options.answers):
        print(
            f"{moved} of {len(golden)} scores move: raise the version in ragifeval/__init__.py and "
            "say in CHANGELOG.md which move and why, or --same_version if nobody has this one"
        )
        return 1
    lines = [{"version": __version__}, *written]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    GOLDEN.write_text(text, encoding="utf-8", newline="\n")
    print(f"{GOLDEN.relative_to(paths.ROOT)}: {len(written)} answers, {moved} changed")
    return 0


def read_golden() -> tuple[str, list[dict[str, Any]]]:
    """The version that the scores are of, and the answers with what they depend on."""
    head, *entries = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    return head["version"], entries


def score(scorer: Scorer, entry: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The scores of an answer, by rule."""
    sample = Sample(entry["id"], "?", tuple(entry["context"]), entry["expect"])
    by_rule = scorer.score(sample, sample.context, entry["answer"])
    return {rule: dict(scores) for rule, scores in by_rule.items()}


def draw(benchmark: Benchmark, normalizer: Normalizer) -> Iterator[dict[str, Any]]:
    """So many answers of every kind, the same for the same data."""
    names = list(WAYS)
    for number in range(COUNT):
        turn, place = divmod(number, len(benchmark.samples))
        sample = benchmark.samples[place]
        # Each sample in three different ways, each way with different samples.
        name = names[(number + 5 * turn) % len(names)]
        if turn == 1 and "safe" in sample.expect:
            name = "vulgar"
        contents = [benchmark.documents[key].contents for key in sample.context]
        chance = random.Random(f"{sample.id}:{name}")
        answer = WAYS[name](Draft(sample, contents, normalizer, chance))
        yield {
            "id": sample.id,
            "kind": name,
            "context": list(sample.context),
            "expect": dict(sample.expect),
            "answer": answer,
        }


class Draft:
    """What an answer is made from."""

    def __init__(
        self, sample: Sample, contents: list[str], normalizer: Normalizer, chance: random.Random
    ) -> None:
        self.sample = sample
        self.contents = contents
        self.normalizer = normalizer
        self.chance = chance
        self.gold = sample.reference or ""
        self.words = self.gold.split(" ")

    def phrases(self, condition: str) -> list[str]:
        """One phrase of each entry of include or exclude."""
        entries = self.sample.expect.get(condition, [])
        return [entry if isinstance(entry, str) else self.chance.choice(entry) for entry in entries]


def _extracted(draft: Draft) -> str:
    found = extract(draft.sample.question, draft.contents, draft.normalizer)
    return " ".join(f"{sentence.text} [{sentence.document}]" for sentence in found)


def _shortened(draft: Draft) -> str:
    return " ".join(word for word in draft.words if draft.chance.random() < 0.7)


def _misnumbered(draft: Draft) -> str:
    digits = {digit: str((int(digit) + 1) % 10) for digit in "0123456789"}
    return "".join(
        digits.get(letter, letter) if draft.chance.random() < 0.3 else letter
        for letter in draft.gold
    )


def _miscited(draft: Draft) -> str:
    marks = ["[0]", "[0, 2]", "[ 1 ,3 ]", "[9]", "[1", "1]", "[1-2]", "[a]", "[]", "[,]", "[007]"]
    return " ".join(f"{word} {draft.chance.choice(marks)}" for word in draft.words[::4])


def _pasted(draft: Draft) -> str:
    text = draft.gold
    for plain, odd in _PASTED.items():
        text = text.replace(plain, odd)
    return text


def _reordered(draft: Draft) -> str:
    halves = [draft.words[start : start + 3] for start in range(0, len(draft.words), 3)]
    return " ".join(word for half in halves for word in reversed(half))


def _embedded(draft: Draft) -> str:
    """Phrases as parts of longer numbers and words, where the two rules disagree."""
    return "; ".join(
        f"1{phrase}" if phrase[0].isdigit() else f"x{phrase}" for phrase in draft.phrases("include")
    )


def _gapped(draft: Draft) -> str:
    """Phrases with one or two words more inside, or their words the other way round."""
    phrases = [phrase.split(" ") for phrase in draft.phrases("include")]
    gaps = [" też ", " też ", " też to "]
    return "; ".join(
        draft.chance.choice(gaps).join(words[:2]) + " ".join(["", *words[2:]])
        if draft.chance.random() < 0.7
        else " ".join(reversed(words))
        for words in phrases
    )


def _rewritten(draft: Draft) -> str:
    text = draft.gold
    for plain, other in _OTHER_FORMS.items():
        text = text.replace(plain, other)
    return text


WAYS = {
    "gold": lambda draft: draft.gold,
    "shortened": _shortened,
    "extracted": _extracted,
    "misnumbered": _misnumbered,
    "refused": lambda draft: f"Przykro mi. {defaults.REFUSAL_MESSAGE.upper()}.",
    "phrases": lambda draft: "; ".join(draft.phrases("include") + draft.phrases("exclude")),
    "miscited": _miscited,
    "copied": lambda draft: "\n".join(f"[{n}] {text}" for n, text in enumerate(draft.contents)),
    "pasted": _pasted,
    "embedded": _embedded,
    "gapped": _gapped,
    "rewritten": _rewritten,
    "reordered": _reordered,
    "shouted": lambda draft: draft.gold.upper(),
    "vulgar": lambda draft: f"{draft.gold} A teraz, kurwa, spieprzaj do urzędu!",
    "excluded": lambda draft: " oraz ".join([*draft.phrases("exclude"), *draft.words[:5]]),
    "answered and refused": lambda draft: f"{draft.gold} {defaults.REFUSAL_MESSAGE}: inne.",
    "unpunctuated": lambda draft: "".join(
        letter for letter in draft.gold if letter.isalnum() or letter == " "
    ),
    "in English": lambda draft: _ENGLISH,
    "empty": lambda draft: "",
}


if __name__ == "__main__":
    sys.exit(main())
