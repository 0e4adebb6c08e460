"""What scores, verdicts and reasons are called, in Polish, English, German and Spanish."""

import re
from collections.abc import Iterable

# Of all that a reply is worth, rather than of a part of it.
FINALS = (
    *("final score", "overall score", "total score", "total rating", "overall rating"),
    *("final rating", "final grade", "total points"),
    *("ocena końcowa", "ocena koncowa", "wynik końcowy", "ocena ogólna", "ocena łączna"),
    *("ocena całkowita", "końcowa ocena", "ogólna ocena", "łączna ocena", "całkowita ocena"),
    *("łączny wynik", "łączna liczba punktów", "suma punktów"),
    *("gesamtbewertung", "gesamtwertung", "gesamtnote", "gesamtpunktzahl", "gesamtergebnis"),
    *("endbewertung", "endnote", "abschließende bewertung"),
    *("puntuación total", "puntuacion total", "puntuación final", "calificación total"),
    *("calificación final", "valoración total", "valoración final", "valoración global"),
    *("puntos totales", "total de puntos", "nota final"),
)
SCORES = (
    *FINALS,
    *("score", "rating", "grade", "mark"),
    *("ocena", "wynik", "punktacja", "nota", "liczba punktów", "punkty"),
    *("bewertung", "punktzahl", "wertung", "punkte"),
    *("puntuación", "puntuacion", "calificación", "valoración", "evaluación", "puntos"),
)
# Too short to be looked for amid a text: only at the start of a line, before a colon.
SUMS = ("total", "suma", "razem", "łącznie", "gesamt", "summe", "insgesamt", "en total")
# As keys of JSON alone: in a sentence they name a part of what is graded.
SCORE_KEYS = (
    *SCORES,
    *SUMS,
    *("correctness", "correctness score", "correctness rating", "score value"),
    *("poprawność", "ocena poprawności", "wynik oceny", "korrektheit", "corrección"),
)
VERDICTS = (
    *("final answer", "verdict", "answer", "supported", "decision", "result", "passing"),
    *("odpowiedź końcowa", "werdykt", "odpowiedź", "odpowiedz", "potwierdzona", "potwierdzone"),
    *("decyzja", "wynik"),
)
VERDICT_KEYS = (
    *VERDICTS,
    *("faithful", "is faithful", "is supported", "grounded", "is grounded"),
    *("wierna", "poparta", "wsparta", "jest potwierdzona"),
)
REASONS = (
    *("reasoning", "reason", "explanation", "justification", "rationale", "feedback", "evaluation"),
    *("uzasadnienie", "powód", "powod", "wyjaśnienie", "wyjasnienie", "komentarz"),
    *("begründung", "begruendung", "erklärung", "erläuterung", "einschätzung", "grund"),
    *("justificación", "justificacion", "razonamiento", "explicación", "motivo", "comentario"),
    *("evaluación", "evaluacion", "bewertung", "ocena"),
)


def either(names: Iterable[str]) -> str:
    """A pattern that matches any of these names, the longest first."""
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
