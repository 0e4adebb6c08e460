"""Estimate the 2,000 most frequent Polish lexemes from word frequencies and write ranks.txt.

    pip install wordfreq==3.1.1 morfeusz2==1.99.15
    python tools/lemma_table/ranks.py

Frequencies are known of forms only ("mam"), and a form can belong to several lexemes ("mieć",
"mama", "mamić"). Expectation maximization divides them: a lexeme is as frequent as its share in
all its forms, and its share in a form is as large as it is frequent, weighed by how usual the
form's tag is for the part of speech.
"""

from __future__ import annotations

from collections import defaultdict

import morfeusz2
import wordfreq
from rule import HERE, Lexeme, analyse, plausible

LEXEMES = 2000
ROUNDS = 30
CLASSES_LEFT_OUT = ("abbreviation", "fragment")
# Lexemes that the estimate takes for frequent because one of their forms equals a form of a
# frequent lexeme, a word of another language, or a word without its diacritics.
STRUCK = {
    (lemma, part_of_speech)
    for part_of_speech, lemmas in {
        "complementizer": "im nim",
        "particle": "ci i to",
        "numeral": "c cm d ii iii l m mm v x xx",
        "adverb": "czego czemu prawo",
        "adjective": "były luty si",
        "verb": "miąć oczyć zemrzeć",
        "noun": (
            "al ameryk anda anna art beda buta bycie china cie david de ds europ for http in is "
            "ita james jana john juz km kota ku la lepsza lepsze lud medium mina mniejszy "
            "najwyższy newa niemiec nr poła sa san soba starsza starszy trakt tv tys ul usa wiec"
        ),
    }.items()
    for lemma in lemmas.split()
}


def main() -> None:
    """Write ranks.txt beside this file."""
    morfeusz = morfeusz2.Morfeusz(generate=False, case_handling=morfeusz2.IGNORE_CASE)
    forms: list[tuple[float, list[tuple[Lexeme, str]]]] = []
    for form, frequency in wordfreq.get_frequency_dict("pl", wordlist="large").items():
        if form.isalpha():
            readings = {(a.lexeme, a.tag) for a in plausible(analyse(morfeusz, form))}
            if readings:
                forms.append((frequency, sorted(readings)))
    lexemes: dict[Lexeme, float] = defaultdict(lambda: 1.0)
    tags: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(ROUNDS):
        lexemes, tags = divide(forms, lexemes, tags)
    ranked = sorted(
        (
            lexeme
            for lexeme in lexemes
            if lexeme not in STRUCK and lexeme[1] not in CLASSES_LEFT_OUT and lexeme[0].isalpha()
        ),
        key=lambda lexeme: (-lexemes[lexeme], lexeme),
    )
    lines = (f"{lemma}\t{part_of_speech}\n" for lemma, part_of_speech in ranked[:LEXEMES])
    (HERE / "ranks.txt").write_text("".join(lines), encoding="utf-8")


def divide(
    forms: list[tuple[float, list[tuple[Lexeme, str]]]],
    lexemes: dict[Lexeme, float],
    tags: dict[tuple[str, str], float],
) -> tuple[dict[Lexeme, float], dict[tuple[str, str], float]]:
    """One round: the frequencies of lexemes and, within a part of speech, of tags."""
    next_lexemes: dict[Lexeme, float] = defaultdict(float)
    tag_counts: dict[tuple[str, str], float] = defaultdict(float)
    class_counts: dict[str, float] = defaultdict(float)
    for frequency, readings in forms:
        weights = [lexemes[lexeme] * tags[lexeme[1], tag] for lexeme, tag in readings]
        scale = frequency / sum(weights)
        for (lexeme, tag), weight in zip(readings, weights, strict=True):
            next_lexemes[lexeme] += weight * scale
            tag_counts[lexeme[1], tag] += weight * scale
            class_counts[lexeme[1]] += weight * scale
    return next_lexemes, {key: count / class_counts[key[0]] for key, count in tag_counts.items()}


if __name__ == "__main__":
    main()
