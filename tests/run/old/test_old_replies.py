"""What is read from replies, case by case; what could mean two things is not read."""

import doctest
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ragifeval.judge.claims import read_claims
from ragifeval.run.old.replies import (
    Unparsed,
    claim_keys,
    loose_json,
    parts,
    pick,
    ratings,
    read_json,
    read_labels,
    read_score,
    read_verdict,
    verdicts,
    without_thinking,
)

SCORES: list[tuple[str, float | None]] = [
    # As asked for.
    ("4\nZgodna z wzorcem.", 4.0),
    ("4.0\nThe answer is right.", 4.0),
    ("4,5\nBrakuje opłaty.", 4.5),
    ("5", 5.0),
    ("  3 \n\nBłąd w terminie: 14, a nie 30 dni.", 3.0),
    ("1\nScore: 5 would need a citation.", 1.0),  # the line that was asked for wins
    # Labelled, in either language, in bold, over the scale.
    ("Score: 4/5\nGood.", 4.0),
    ("Score: 4 out of 5. Good.", 4.0),
    ("Ocena: 4 na 5", 4.0),
    ("Ocena: 2/5. Zła kwota (170 zł zamiast 200 zł).", 2.0),
    ("**Ocena:** 4,5", 4.5),
    ("**Score: 3.5**\nPartly.", 3.5),
    ("**Wynik**: **2**", 2.0),
    ("## Ocena\n4\n\n## Uzasadnienie\nZgodna.", 4.0),
    ("- Rating = 5", 5.0),
    ("Score (1-5): 4", 4.0),
    ("The score is 4.", 4.0),
    ("Ocena wynosi 3, bo brak terminu.", 3.0),
    ("Score: 4\nReason: fine\nScore: 4", 4.0),
    ("Score: 3\nOn second thought...\nFinal score: 4", 4.0),
    ("Total rating: 4\nFine.\nTotal rating: 4.0", 4.0),
    ("Groundedness: 5\nTotal rating: 4", 4.0),
    # The reason first.
    ("Odpowiedź jest pełna i zgodna.\n\n5", 5.0),
    ("The answer is wrong on 2 counts.\nScore: 2", 2.0),
    ("Uzasadnienie: kwota 30 zł się zgadza.\nOcena: 5/5", 5.0),
    ("Reasoning: it lacks the term.\n**3.0**", 3.0),
    # On one line with the reason.
    ("4 - correct, but wordy", 4.0),
    ("4. Odpowiedź jest poprawna.", 4.0),
    ("**4.0**: correct", 4.0),
    ("3 punkty", 3.0),
    ("Daję tej odpowiedzi 4.", 4.0),
    # Thinking.
    ("<think>Raczej 3, może 2.</think>\n4\nDobra.", 4.0),
    ("Hmm, score: 2? No.</think>5", 5.0),
    ("<THINKING>\n1\n</THINKING>\n\nScore: 2", 2.0),
    ("<think>I would say 4", None),
    # JSON.
    ('{"score": 4, "reason": "fine"}', 4.0),
    ('```json\n{"ocena": "4,5", "uzasadnienie": "tak"}\n```', 4.5),
    ('{"Score": "4/5",}', 4.0),
    ("{'score': 3.0, 'reasoning': 'x'}", 3.0),
    ('Oto ocena: {"score": 2, "reason": "zły termin"}', 2.0),
    ('[{"score": 2}]', 2.0),
    ('{"correctness": 4}', 4.0),
    ('{"correctness_score": 4}', 4.0),
    ('{"correctnessScore": 4}', 4.0),
    ('{"poprawność": 4}', 4.0),
    ('{"evaluation": {"score": 4, "reason": "fine"}}', 4.0),
    ('{"model": "x", "evaluation": {"score": 4}}', 4.0),
    ('{"a": {"score": 4}, "b": {"score": 4}}', None),
    ('{"ocena": "dobra", "wynik": 4}', 4.0),
    ('{"score": 4, "rating": 3}', None),
    ('{"score": 4} {"score": 3}', None),
    ('{"score": 4,} {"score": 3,}', None),
    ('[{"score": 4}, {"score": 3}]', None),
    ('{"score": 4} {"score": 4}', 4.0),
    ('{"score": 4, "reason": "kwota } i {"}', 4.0),
    ('{"score": "4%"}', None),
    ('{"score": [4]}', None),
    ("[{}, {}]", None),
    ('{"score": true}', None),
    ('{"verdict": 4}', None),
    ('{"score": null}', None),
    ('{"score": NaN}', None),
    # Nothing, out of range, another scale, two scores.
    ("", None),
    ("Nie wiem.", None),
    ("NaN", None),
    ("0\nwrong", None),
    ("6\ngreat", None),
    ("-1", None),
    ("45", None),
    ("Score: 8/10", None),
    ("1-5", None),
    ("Oceniam w skali 1-5.", None),
    ("Score: 4\nScore: 2", None),
    ("Total rating: 5\nOn second thought...\nTotal rating: 2", None),
    ("Suma: 3\nSuma: 4", None),
    ("Między 3 a 4.", None),
    ("Score: 3 or 4", None),
    ("Ocena: 3, może 4", None),
    # A number, but no score.
    ("Odpowiedź zawiera 3 błędy.", None),
    ("Kwota 5 zł jest podana błędnie.", None),
    ("Odpowiedź [1] jest błędna.", None),
    ("I can't grade this in under 5 minutes", None),
    ("Poprawny wynik to 5 zł.", None),
    ("4 of 5 claims are supported.", None),
    ("4 z 5 twierdzeń jest w kontekście.", None),
    ("Nie mogę dać 5.", None),
    ("I would not give it a 5.", None),
    ("I'd give it 3 or 4.", None),
    ("Give 3 reasons.", None),
    ("2, 3 i 4 są błędne", None),
    # Items of a list.
    ("1. The answer is relevant.\n2. It is right.", None),
    ("1) relevant 2) right.", None),
    ("1) relevant; 2) right", None),
    ("1.\nRelevant.\n2.\nRight.", None),
    ("Step 1: Compare", None),
    ("1. Porównanie: kwoty są zgodne.", None),
    ("1. **Relevance:** good", None),
    ("1. Odpowiedź jest błędna.", 1.0),
    ("4. Zgodna.", 4.0),
    ("4. Uzasadnienie: zgodna.", 4.0),
    ("4. Zgodna, bo:\n1. kwota\n2. termin", 4.0),
    # Given in a sentence, or over the scale.
    ("Oceniam odpowiedź na 4.", 4.0),
    ("Przyznaję 4 punkty, bo brak terminu.", 4.0),
    ("Wystawiam ocenę 2.", 2.0),
    ("I would give this answer a score of 4.", 4.0),
    ("I'd rate it 4", 4.0),
    ("The answer deserves a 3.", 3.0),
    ("Ich gebe der Antwort eine 4.", 4.0),
    ("W sumie 4/5.", 4.0),
    ("The answer is good: 4 out of 5 because it has 2 mistakes", 4.0),
    ("4 out of 5 because it has 2 mistakes", 4.0),
    ("4 punkty na 5", 4.0),
    ("To jest 4/5, tamto 3/5.", None),
    ("Between 3 and 4 out of 5", None),
    ("Ocena w skali od 1 do 5: 4", 4.0),
    ("**Ocena w skali 1-5:** 4", 4.0),
    ("Score on a scale of 1 to 5: 4", 4.0),
    ("Score on a scale of 1 to 5", None),
    ("Score on a scale of 1 to 10: 4", None),
    ("Score (1-10): 4", None),
    ("4½", 4.5),
    ("Score: 4 1/2", 4.5),
    ("Score: 4 3/4", None),
    ("Score: 4¾", None),
    ("Score: 80%", None),
    ("Score: **4** out of 10", None),
    ("Score: **4** out of 5", 4.0),
    ("Score: 5 (out of 10)", None),
    ("4 (na 5)", 4.0),
    ("Wynik: 3 z 5 faktów", None),
    ("Score: 4 minor issues", 4.0),
    ("Ocena: 2 zły termin", 2.0),
    ("4 (dobra)", 4.0),
    ("5 (pięć) złotych", None),
    ("I'd say 4.", 4.0),
    ("Zgodnie z art. 4/5.", None),
    ("Termin to 14 dni, kwota 30 zł.", None),
    ("12.05.2024", None),
]


@pytest.mark.parametrize(("reply", "score"), SCORES)
def test_scores(reply: str, score: float | None) -> None:
    if score is None:
        with pytest.raises(Unparsed):
            read_score(reply, 1, 5)
    else:
        assert read_score(reply, 1, 5).value == score


REASONS = [
    ("4\nZgodna z wzorcem.", "Zgodna z wzorcem."),
    ("**Ocena:** 4,5/5\n\n**Uzasadnienie:** Brakuje terminu.", "Brakuje terminu."),
    ("Score: 4/5 - good", "good"),
    ("Odpowiedź jest pełna.\n\n5", "Odpowiedź jest pełna."),
    ('{"ocena": 3, "uzasadnienie": "zły termin"}', "zły termin"),
    ("5", ""),
    ("4 (dobra)", "(dobra)"),
    ("4 out of 5 because it has 2 mistakes", "because it has 2 mistakes"),
    ('{"evaluation": {"score": 4, "reason": "fine"}}', "fine"),
]


@pytest.mark.parametrize(("reply", "reason"), REASONS)
def test_reasons(reply: str, reason: str) -> None:
    assert read_score(reply, 1, 5).reason == reason


VERDICTS: list[tuple[str, bool | None]] = [
    ("YES", True),
    ("NO", False),
    ("TAK", True),
    ("NIE", False),
    ("Tak.", True),
    ("yes\n", True),
    ("**NIE**", False),
    ("YES\nThe second context says so; it does not say no.", True),
    ("NIE. W kontekście nie ma tej kwoty.", False),
    ("Nie, kontekst mówi o 14 dniach.", False),
    ("TAK, bo kontekst nie zostawia wątpliwości.", True),
    ("Answer: YES", True),
    ("**Odpowiedź:** NIE", False),
    ("Odpowiedź końcowa: TAK", True),
    ("The fee stands in the context.\n\nYES", True),
    ("Kontekst nie wspomina o opłacie.\nNIE", False),
    ("Kontekst to potwierdza, zatem TAK.", True),
    ("YES or NO: NO", False),
    ("Answer (YES/NO): YES", True),
    ("<think>NO? YES?</think>\nNO", False),
    ("Nie, kontekst tego nie potwierdza", False),
    ("Nie, tego nie można potwierdzić.", False),
    ("NO - because the fee differs", False),
    ("Tak, bo kwota się zgadza.", True),
    ("Yes, and no other fee is named.", True),
    ("The answer is yes.", True),
    ("Odpowiedź brzmi: nie.", False),
    ("Odpowiedź to TAK.", True),
    ("Yes/No: No", False),
    ("**YES/NO:** YES", True),
    ("Supported", True),
    ("Not supported", False),
    ("**Unsupported.** The fee differs.", False),
    ("Potwierdzona", True),
    ("Niepotwierdzona", False),
    ("Nie potwierdzona.", False),
    ("Verdict: not supported", False),
    ("Supported: NO", False),
    # Doubt, a word of a sentence, both.
    ("Nie mogę ocenić.", None),
    ("NIE MOGĘ OCENIĆ", None),
    ("Nie wiem.", None),
    ("Nie, nie wiem.", None),
    ("Nie jestem w stanie tego ocenić.", None),
    ("Nie da się ocenić.", None),
    ("Nie można tego stwierdzić.", None),
    ("Nie potrafię", None),
    ("No, I cannot judge that", None),
    ("No. I can't tell.", None),
    ("No idea", None),
    ("NO EVIDENCE", None),
    ("No. 5 of the contexts", None),
    ("I cannot say YES.", None),
    ("If the answer is no, ask again.", None),
    ("The answer is no longer valid.", None),
    ("Odpowiedź: Nie wiem", None),
    ("Tak naprawdę nie wiem.", None),
    ("YES and NO", None),
    ("Answer: YES and NO", None),
    ("Tak i nie.", None),
    ("Yes, but no.", None),
    ("Yes, but only partially.", None),
    ("yes/no", None),
    ("NO/YES", None),
    ("YES\nHmm.\nNO", None),
    ("Supported? Hard to say.", None),
    ("Partially supported", None),
    ("Niepotwierdzona przez kontekst", False),
    ('{"answer": "Tak, to 30 zł.", "supported": false}', False),
    ('{"answer": "Tak, to 30 zł."}', None),
    ('{"answer": "YES", "supported": false}', None),
    ('{"faithful": true}', True),
    ('{"verdict": "Yes, supported"}', True),
    ('{"verdict": "yes/no"}', None),
    ('{"result": {"verdict": "NO"}}', False),
    ('{"verdict": "YES"} {"verdict": "NO"}', None),
    ('{"verdict": "YES", "reason": "x"}', True),
    ('{"supported": false}', False),
    ('```json\n{"odpowiedź": "TAK",}\n```', True),
    ("", None),
    ("Może.", None),
    ("The context is unclear.", None),
    ("It is YES for the fee and NO for the term.", None),
    ("Answer: YES\nAnswer: NO", None),
    ("Kontekst nie mówi o tym wprost.", None),
    ('{"reason": "x"}', None),
    ("<think>TAK", None),
]


@pytest.mark.parametrize(("reply", "verdict"), VERDICTS)
def test_verdicts(reply: str, verdict: bool | None) -> None:
    if verdict is None:
        with pytest.raises(Unparsed):
            read_verdict(reply)
    else:
        assert read_verdict(reply).value is verdict


JSONS: list[tuple[str, object]] = [
    ('{"a": 1}', {"a": 1}),
    ("[1, 2]", [1, 2]),
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('```\n{"a": 1}', {"a": 1}),
    ('Proszę:\n```JSON\n{"a": 1,}\n```\nGotowe.', {"a": 1}),
    ('Text {"a": [1, 2,], } more text.', {"a": [1, 2]}),
    ('{"a": "x, ]", "b": "y // z",}', {"a": "x, ]", "b": "y // z"}),
    ('{"a": 1, // the first\n "b": 2 /* the second */}', {"a": 1, "b": 2}),
    ("{'a': 'x', 'b': None, 'c': True}", {"a": "x", "b": None, "c": True}),
    ('{"a": "two\nlines"}', {"a": "two\nlines"}),
    ("{„a”: „x”}", {"a": "x"}),
    ('{"1": The Mac line includes laptops.,\n"2": It includes desktops.\n}', None),
    (
        '{\n"1": The Mac line includes laptops.,\n"2": It includes desktops.\n}',
        {
            "1": "The Mac line includes laptops.",
            "2": "It includes desktops.",
        },
    ),
    ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
    ('Draft: {"a": 0}\nCorrected: {"a": 1}', {"a": 1}),
    ('{"a": NaN}', {"a": None}),
    ('{"a": 1', None),
    ("no JSON", None),
    ("{}", None),
    ("", None),
    ("[" * 100_000, None),
]


@pytest.mark.parametrize(("reply", "value"), JSONS, ids=range(len(JSONS)))
def test_json(reply: str, value: object) -> None:
    if value is None:
        with pytest.raises(Unparsed):
            read_json(reply)
    else:
        assert read_json(reply) == value


def test_labels_in_either_language() -> None:
    labels = {"question": ["pytanie", "question"], "answer": ["odpowiedź", "answer"]}
    found = {"question": "Ile kosztuje paszport?", "answer": "140 zł: patrz ust. 1."}
    for reply in (
        "Pytanie: Ile kosztuje paszport?\nOdpowiedź: 140 zł: patrz ust. 1.",
        "**Question:** Ile kosztuje paszport?\n\n**Answer:** 140 zł: patrz ust. 1.",
        "1. Pytanie 1: Ile kosztuje paszport?\n   - Odpowiedź 1: 140 zł: patrz ust. 1.",
        "### QUESTION: Ile kosztuje paszport?\n### ODPOWIEDŹ:\n140 zł: patrz ust. 1.",
        "<think>Pytanie: x</think>Pytanie: Ile kosztuje paszport?\nAnswer: 140 zł: patrz ust. 1.",
    ):
        assert read_labels(reply, labels) == found
    assert read_labels("Nic z tego.", labels) == {}
    assert read_labels("Odpowiedź:", labels) == {}


def test_keys_however_they_are_written() -> None:
    assert pick({"No of Golden_Response claims": 4}, ["no of golden response claims"]) == 4
    assert pick({"Wspólne twierdzenia": []}, ["common", "wspolne twierdzenia"]) == []
    assert pick({"a": 1}, ["b"]) is None


def test_thinking() -> None:
    assert without_thinking("<think>a</think> b") == "b"
    assert without_thinking("a</think>\nb") == "b"
    assert without_thinking("<think>a") == ""
    assert without_thinking("2 < 3 and <b>bold</b>") == "2 < 3 and <b>bold</b>"


@pytest.mark.parametrize("module", [parts, loose_json, ratings, verdicts, claim_keys])
def test_examples(module: object) -> None:
    tested = doctest.testmod(module)  # type: ignore[arg-type]
    assert tested.attempted
    assert not tested.failed


LONG = [
    *("*", "\n", " ", "4 ", "score", "score ", "<think>", "`", '"', "{", ", ", "- ", "a: ", "1. "),
    *("4 1/2 ", "4/5 ", "4 out of ", "give ", "give a ", "score on a ", "nie ", "YES ", "yes and "),
    *("{}", '{"', '\\"', "}{", "answer is ", "I cannot ", "no of claims: 1\n", "9", "1)"),
    *('{"score": 4}', '{"score": 4,} ', "answer: yes", "1.\n", "4 na 5 ", "if ", "score to "),
]


@pytest.mark.parametrize("piece", LONG)
def test_long_nonsense_is_read_in_no_time(piece: str) -> None:
    labels = {"answer": ["odpowiedź", "answer"]}
    for text in (piece * (30_000 // len(piece)) + "x", "score" + piece * (30_000 // len(piece))):
        began = time.process_time()
        read_labels(text, labels)
        for read in (lambda text: read_score(text, 1, 5), read_verdict, read_json, read_claims):
            with suppress(Unparsed):
                read(text)
        assert time.process_time() - began < 3


PIECES = some.sampled_from(
    [
        *("Score:", "Ocena", "4", "4/5", "½", " 1/2", "1.", "2)", "na", "give", "daję", " ", "\n"),
        *("YES", "NO", "nie", "tak", "and", "wiem", "Answer", "is", "supported", "not", "I cannot"),
        *("{", "}", "[", "]", '"', "'", ":", ",", "null", "true", "1e999", "9" * 5000, "\\"),
        *(
            '{"score": 4}',
            '"verdict"',
            '"reference_count"',
            '"claims"',
            "{}",
            "No of common claims",
        ),
        *("<think>", "</think>", "\x00", "\ud800", "\u2028", "²", "٤", "ı"),
    ]
)


@given(some.lists(PIECES | some.text(max_size=6), max_size=20).map("".join))
def test_no_reply_is_more_than_unparsed(reply: str) -> None:
    for read in (lambda text: read_score(text, 1, 5), read_verdict, read_claims):
        with suppress(Unparsed):
            read(reply)


@pytest.mark.parametrize("depth", range(300, 1_000, 5))
def test_deep_json(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    for key in ("score", "verdict", "reason", "reference_claims"):
        reply = f'{{"{key}": {deep}, "candidate_claims": [{deep}]}}'
        for read in (lambda text: read_score(text, 1, 5), read_verdict, read_claims):
            with pytest.raises(Unparsed):
                read(reply)
