"""The rule that gives every Polish word form one lemma, out of context and for ever the same.

Morfeusz 2 lists all that a form can be; the rule leaves out what the form hardly ever is, and takes
of the rest the most frequent lexeme, else the first part of speech in a fixed order, else a
nominative singular, else the first by code point. The order in which Morfeusz lists its analyses
plays no part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import morfeusz2

HERE = Path(__file__).parent

# Labels of the dictionary that mark a lexeme or a form as archaic, rare, regional or discouraged.
# "hom." marks a genitive plural that is avoided because it equals the singular.
ODD_LABELS = {
    *("daw.", "przest.", "arch.", "rzad.", "indyw.", "gwar.", "reg.", "char."),
    *("hom.", "niezal.", "niepopr."),
}

# Parts of speech as the rank list counts them, with their tags. Gerunds and participles are forms
# of their verb.
PARTS_OF_SPEECH = {
    "pronoun": "ppron12 ppron3 siebie",
    "preposition": "prep",
    "conjunction": "conj",
    "complementizer": "comp",
    "particle": "part pred",
    "numeral": "num numcomp dig romandig",
    "adverb": "adv",
    "adjective": "adj adjc adjp adja",
    "noun": "subst depr",
    "verb": "inf fin bedzie praet impt imps pcon pant winien aglt ger ppas pact",
    "abbreviation": "brev sym",
    "fragment": "interj frag cond",
}
PART_OF_SPEECH = {tag: name for name, tags in PARTS_OF_SPEECH.items() for tag in tags.split()}

# What settles a choice that ranks leave open. Adjectives and participles come before nouns, because
# then all genders of a word that is both ("ubezpieczony", "ubezpieczona") share one lemma; but not
# the plural of men, because "wójtowi" and "przychodni" are cases of nouns. Infinitives come before
# nouns, because "nabyć" is seldom the genitive of "nabycia".
ORDER = (
    "ppron12 ppron3 siebie",
    "prep",
    "conj",
    "comp",
    "part pred",
    "num numcomp dig romandig",
    "adv",
    "adj adjc",
    "ppas pact",
    "inf",
    "subst depr ger",
    "adj-of-men",
    "fin bedzie praet impt imps pcon pant winien aglt",
    "adjp adja",
    "brev sym",
    "interj frag cond",
)
PLACE = {tag: place for place, tags in enumerate(ORDER) for tag in tags.split()}

Lexeme = tuple[str, str]
"""A lemma as the table gives it, and its part of speech: ("mieć", "verb")."""


@dataclass(frozen=True)
class Analysis:
    """One thing a form can be: the lemma as Morfeusz gives it, the tag, the labels."""

    lemma: str
    tag: str
    labels: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The first field of the tag: "subst", "fin", ..."""
        return self.tag.partition(":")[0]

    @property
    def place(self) -> int:
        """The place in the order of parts of speech."""
        return PLACE["adj-of-men" if self.tag.startswith("adj:pl:nom.voc:m1:") else self.kind]

    @property
    def key(self) -> str:
        """The lemma as the table gives it: lowercase, without what tells homonyms apart.

        A gerund or participle with "nie-" grown on keeps it ("niezłożenie": "niezłożyć"), because
        an answer that says the contrary must not match.
        """
        lemma = (self.lemma.partition(":")[0].partition("~")[0] or self.lemma).lower()
        return "nie" + lemma if "neg" in self.tag.split(":") else lemma

    @property
    def lexeme(self) -> Lexeme:
        """What the rank list counts."""
        return self.key, PART_OF_SPEECH[self.kind]

    def is_odd(self) -> bool:
        """Whether a label says archaic, rare, regional or discouraged."""
        parts = (part for label in self.labels for part in label.replace("_", ",").split(","))
        return not ODD_LABELS.isdisjoint(parts)

    def is_vocative(self) -> bool:
        """Whether the vocative is the only case of this analysis."""
        return "voc" in self.tag.split(":")

    def is_base_form(self) -> bool:
        """Whether this is a nominative singular: "informatyka" is first of all a science."""
        return ":sg:nom" in self.tag


def analyse(morfeusz: morfeusz2.Morfeusz, form: str) -> list[Analysis]:
    """All analyses of the form's first segment, so that "zrobiłem" is a form of "zrobić"."""
    return [
        Analysis(lemma, tag, tuple(labels))
        for start, _, (_, lemma, tag, _, labels) in morfeusz.analyse(form)
        if start == 0 and tag != "ign"
    ]


def plausible(analyses: list[Analysis]) -> list[Analysis]:
    """Leave out what a form hardly ever is, as long as something else remains."""
    tags = {analysis.kind for analysis in analyses}
    drops: tuple[Callable[[Analysis], bool], ...] = (
        lambda a: PART_OF_SPEECH[a.kind] == "fragment",
        Analysis.is_odd,
        lambda a: PART_OF_SPEECH[a.kind] == "abbreviation",
        lambda a: not a.lemma[0].islower(),
        lambda a: a.kind == "depr",
        lambda a: a.kind == "ger" and "subst" in tags,
        lambda a: a.kind in ("ppas", "pact") and "adj" in tags,
        Analysis.is_vocative,
    )
    for drop in drops:
        kept = [analysis for analysis in analyses if not drop(analysis)]
        if kept:
            analyses = kept
            tags = {analysis.kind for analysis in analyses}
    return analyses


def read_ranks(path: Path = HERE / "ranks.txt") -> dict[Lexeme, int]:
    """Read the most frequent lexemes, the first having rank 0."""
    ranks: dict[Lexeme, int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        lemma, part_of_speech = line.split("\t")
        ranks[lemma, part_of_speech] = len(ranks)
    return ranks


def read_overrides(path: Path = HERE / "overrides.tsv") -> dict[str, str]:
    """Read the decided forms: a line is a lemma, a tab, and its forms between spaces.

    Raises:
        ValueError: if a form is given two lemmas.
    """
    overrides: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        lemma, _, forms = line.partition("\t")
        for form in forms.split():
            if overrides.setdefault(form, lemma) != lemma:
                raise ValueError(
                    f"{path}:{number}: {form!r} already has the lemma {overrides[form]!r}"
                )
    return overrides


class Rule:
    """The choice rule with its dictionary, its rank list and its overrides."""

    def __init__(self) -> None:
        self.morfeusz = morfeusz2.Morfeusz(case_handling=morfeusz2.IGNORE_CASE)
        self.ranks = read_ranks()
        self.overrides = read_overrides()

    def lemma(self, form: str) -> str | None:
        """Choose the lemma of a lowercase alphabetic form; None if Morfeusz does not know it."""
        if form in self.overrides:
            return self.overrides[form]
        analyses = plausible(analyse(self.morfeusz, form))
        if not analyses:
            return None
        lemma = min(analyses, key=self._preference).key
        return lemma if lemma.isalpha() else form

    def forms(self, word: str) -> set[str]:
        """All forms of all lexemes the word can belong to, lowercase."""
        lemmas = {analysis.lemma for analysis in analyse(self.morfeusz, word)}
        return {
            generated[0].lower() for lemma in lemmas for generated in self.morfeusz.generate(lemma)
        }

    def _preference(self, analysis: Analysis) -> tuple[int, int, bool, str]:
        rank = self.ranks.get(analysis.lexeme, len(self.ranks))
        return rank, analysis.place, not analysis.is_base_form(), analysis.lemma
