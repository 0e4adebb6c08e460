"""What statements mean: sentences made up for this, judged by hand.

Each case is an answer and what it does with the entries of its group, in order: + said, - not said;
for `never`, + affirmed, - not affirmed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from ragifeval.statements.entries import statements_in
from ragifeval.statements.judging import Statements
from ragifeval.statements.reading import Reading
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer, load_normalizer

Entry = Mapping[str, Any]

KAYAK: Entry = {"say": ["45 zł"], "of": ["kajak*"]}
BICYCLE: Entry = {"say": ["60 zł"], "of": ["rower*"]}
VACCINE: Entry = {
    "say": ["@must & szczepi*"],
    "is": False,
    "verdict": True,
    "anti": ["@unneeded & szczepi*"],
}
LICENCE: Entry = {
    "say": ["@may & łowi*"],
    "verdict": True,
    "anti": ["@maynot & łowi*", "zakaz* & połow*"],
}
POOL: Entry = {"say": ["@free"], "of": ["basen*"], "rivals": ["saun*"]}
FREE: Entry = {"say": ["@free"]}
RETURN: Entry = {"say": ["7 dni"], "from": ["odbi*", "odebr*"]}
SUM: Entry = {"say": ["96 zł"], "total": True}
OLD_PRICE: Entry = {"never": ["37 zł"]}
PARCEL: Entry = {"never": ["37 zł"], "of": ["paczk*"], "rivals": ["list*"]}
CURATOR: Entry = {"say": ["kurator*"], "of": ["odwoł*"], "rivals": ["skarg*"]}
BUYER: Entry = {"say": ["500 zł"], "of": ["kupując*", "nabywc*"]}
SELLER: Entry = {"say": ["250 zł"], "of": ["sprzedając*", "zbywc*", "sąsiad*"]}
DEADLINE: Entry = {"say": ["14 dni"]}
DATE: Entry = {"say": ["30 kwietnia 2025"]}
YEARS: Sequence[Entry] = [
    {"say": ["84 zł"], "of": ["2025"]},
    {"say": ["72 zł"], "of": ["2024"]},
]

GROUPS: Mapping[str, tuple[Sequence[Entry], Sequence[tuple[str, str]]]] = {
    "values and things": (
        [KAYAK, BICYCLE],
        [
            ("Kajak kosztuje 45 zł, a rower 60 zł.", "++"),
            ("Kajak kosztuje 60 zł, a rower 45 zł.", "--"),
            ("Rower: 60 zł, kajak: 45 zł.", "++"),
            ("Rower: 45 zł, kajak: 60 zł.", "--"),
            ("60 zł (rower) + 45 zł (kajak)", "++"),
            ("60 zł (kajak) + 45 zł (rower)", "--"),
            ("Rower (60 zł) i kajak (45 zł).", "++"),
            ("Rower (45 zł) i kajak (60 zł).", "--"),
            ("45 zł – kajak, 60 zł – rower", "++"),
            ("60 zł – kajak, 45 zł – rower", "--"),
            ("Zapłacisz 45 zł za kajak i 60 zł za rower.", "++"),
            ("Zapłacisz 60 zł za kajak i 45 zł za rower.", "--"),
            ("Za kajak 45 zł, za rower 60 zł.", "++"),
            ("Za kajak i rower płaci się odpowiednio 45 zł i 60 zł.", "++"),
            ("Za kajak i rower płaci się odpowiednio 60 i 45 zł.", "--"),
            ("Za rower i kajak płaci się kolejno 60 zł i 45 zł.", "++"),
            ("Wypożyczenie kajaka, który ma dwa miejsca, kosztuje 45 zł. Rower: 60 zł.", "++"),
            ("- kajak: 45 zł\n- rower: 60 zł", "++"),
            ("- kajak: 60 zł\n- rower: 45 zł", "--"),
            ("1. Kajak\n   - cena: 45 zł\n2. Rower\n   - cena: 60 zł", "++"),
            ("1. Kajak\n   - cena: 60 zł\n2. Rower\n   - cena: 45 zł", "--"),
            ("**Kajak**\nZapłacisz 45 zł.\n\n**Rower**\nZapłacisz 60 zł.", "++"),
            ("### Kajak\n45 zł za godzinę\n### Rower\n60 zł za godzinę", "++"),
            ("| co | ile |\n|---|---|\n| kajak | 45 zł |\n| rower | 60 zł |", "++"),
            ("| co | ile |\n|---|---|\n| kajak | 60 zł |\n| rower | 45 zł |", "--"),
            ("| | kajak | rower |\n|---|---|---|\n| cena | 45 zł | 60 zł |", "++"),
            ("| | kajak | rower |\n|---|---|---|\n| cena | 60 zł | 45 zł |", "--"),
            ("| 45 zł | kajak |\n| 60 zł | rower |", "++"),
            ("Kajak to czterdzieści pięć złotych, rower sześćdziesiąt złotych.", "++"),
            ("Rower 60 PLN, kajak 45,00 PLN.", "++"),
            ("Kajak 45 zł wobec 60 zł za rower.", "++"),
            ("Cena kajaka wynosi 45 zł [1], a roweru 60 zł [0, 2].", "++"),
            ("Oba, kajak i rower, kosztują po 45 zł.", "+-"),
            ("Kajaka za 45 zł nie ma, jest rower za 60 zł.", "-+"),
        ],
    ),
    "a free thing": (
        [POOL],
        [
            ("Basen nic nie kosztuje, sauna to 12 zł.", "+"),
            ("Bezpłatna jest sauna, basen kosztuje 12 zł.", "-"),
            ("Za basen się nie płaci, za saunę 12 zł.", "+"),
            ("Z basenu korzysta się za darmo.", "+"),
            ("Basen jest bezpłatny.", "+"),
            ("Basen nie jest bezpłatny.", "-"),
            ("Czy basen jest bezpłatny? Sauna na pewno kosztuje 12 zł.", "-"),
            ("Kiedyś basen był bezpłatny.", "-"),
            ("Basen byłby bezpłatny, gdyby miasto dopłacało.", "-"),
        ],
    ),
    "free of charge": (
        [FREE],
        [
            ("Wstęp: 0 zł.", "+"),
            ("Nie zapłaci Pani ani grosza.", "+"),
            ("Nie pobiera się opłaty.", "+"),
            ("Wstęp jest wolny od opłat.", "+"),
            ("To nic Państwa nie kosztuje.", "+"),
            ("Nie płaci się za to.", "+"),
            ("Opłaty nie ma.", "+"),
            ("Bez opłat.", "+"),
            ("Za zgłoszenie płaci się 12 zł.", "-"),
            ("To nie jest darmowe.", "-"),
            ("Nie jest tak, że wstęp jest bezpłatny.", "-"),
            ("Nie bezpłatnie, lecz za 12 zł.", "-"),
        ],
    ),
    "a denied duty, with a verdict": (
        [VACCINE],
        [
            ("Nie, szczepić nie trzeba.", "+"),
            ("Nie trzeba szczepić psa.", "+"),
            ("Szczepienie nie jest konieczne.", "+"),
            ("Nie ma obowiązku szczepienia.", "+"),
            ("Nie.", "+"),
            ("Niestety jeszcze nie.", "+"),
            ("Szczepienia nikt nie wymaga.", "+"),
            ("Nie. Psa trzeba jednak szczepić co rok.", "-"),
            ("Tak, psa trzeba szczepić.", "-"),
            ("Tak.", "-"),
            ("Trzeba szczepić co 12 miesięcy.", "-"),
            ("Tak, nie trzeba szczepić.", "-"),
            ("Nie. Jeśli wojewoda wyda nakaz, szczepić trzeba.", "+"),
            ("Czy trzeba szczepić? Nie.", "+"),
            ("Czy trzeba szczepić? Tak.", "-"),
            ("Czy trzeba szczepić psa?", "-"),
            ("Bez względu na szczepienie psa prowadzi się na smyczy.", "-"),
            ("Nie później niż w maju trzeba szczepić.", "-"),
        ],
    ),
    "an affirmed right, with a verdict": (
        [LICENCE],
        [
            ("Tak, może łowić.", "+"),
            ("Tak.", "+"),
            ("Owszem.", "+"),
            ("Można łowić od maja.", "+"),
            ("Wolno łowić tylko w dzień.", "+"),
            ("Nie, nie może łowić.", "-"),
            ("Nie wolno łowić.", "-"),
            ("Nie.", "-"),
            ("Obowiązuje zakaz połowu.", "-"),
            ("Tak, ale nie wolno łowić.", "-"),
            ("Może łowić nie tylko w dzień, ale i w nocy.", "+"),
            ("Nie tylko wolno łowić, ale i nocować.", "+"),
        ],
    ),
    "the start of a period": (
        [RETURN],
        [
            ("Masz tydzień od odbioru.", "+"),
            ("Masz tydzień. Liczy się go od odbioru.", "+"),
            ("Od odbioru biegnie 7-dniowy termin.", "+"),
            ("W ciągu siedmiu dni, licząc od dnia odebrania przesyłki.", "+"),
            ("7 dni od zamówienia", "-"),
            ("7 dni od zamówienia. Paczkę można odebrać w sklepie.", "-"),
            ("7 dni od zamówienia, nie od odbioru.", "-"),
            ("7 dni roboczych od odbioru", "-"),
            ("Masz 7 dni.", "-"),
            ("| termin | 7 dni od odbioru |", "+"),
            ("7 dni kalendarzowych od odbioru", "+"),
        ],
    ),
    "a total": (
        [SUM],
        [
            ("Razem 96 zł: 36 i 60 zł.", "+"),
            ("36 zł + 60 zł = 96 zł", "+"),
            ("36 zł i 60 zł, łącznie 96 zł.", "+"),
            ("96 zł za dzień, łącznie 192 zł", "-"),
            ("| kajak | 96 zł |\n| **razem** | **192 zł** |", "-"),
            ("| rower | 60 zł |\n| **razem** | **96 zł** |", "+"),
            ("Suma: 96 zł.", "+"),
            ("Najpierw 96 zł. W sumie: 132 zł.", "-"),
            ("Łącznie z kaucją, która wraca, wpłaca się 146 zł; koszt to 96 zł.", "+"),
        ],
    ),
    "never": (
        [OLD_PRICE],
        [
            ("39 zł, do tego 37 zł za bagaż", "+"),
            ("Bilet kosztuje 37 zł.", "+"),
            ("To nie 37 zł, jak dawniej, tylko 39 zł.", "-"),
            ("39 zł, a nie 37 zł.", "-"),
            ("Zamiast 37 zł płaci się 39 zł.", "-"),
            ("Dawniej bilet kosztował 37 zł.", "-"),
            ("Inaczej niż w pociągu, gdzie płaci się 37 zł, tu jest 39 zł.", "-"),
            ("Stawka 37 zł dotyczy tylko dzieci.", "-"),
            ("Bilet kosztuje 137 zł.", "-"),
            ("Bilet kosztuje 37,50 zł.", "-"),
        ],
    ),
    "never of a thing": (
        [PARCEL],
        [
            ("List kosztuje 37 zł, paczka 52 zł.", "-"),
            ("List kosztuje 52 zł, paczka 37 zł.", "+"),
            ("Za paczkę zapłacisz 37 zł.", "+"),
            ("Za paczkę nie zapłacisz 37 zł.", "-"),
            ("Paczka jest droga.\n\nKoszt: 37 zł.", "-"),
            ("Koszt to 37 zł.", "-"),
            ("- list: 37 zł\n- paczka: 52 zł", "-"),
            ("- list: 52 zł\n- paczka: 37 zł", "+"),
        ],
    ),
    "who decides": (
        [CURATOR],
        [
            ("Odwołanie rozpatruje kurator.", "+"),
            ("Odwołanie, na które masz tydzień, rozpatruje kurator.", "+"),
            ("Odwołanie składa się do kuratora, skargę do wojewody.", "+"),
            ("Skargę składa się do kuratora, odwołanie do wojewody.", "-"),
            ("Kurator odwołania nie rozpatruje.", "-"),
            ("Odwołania nie rozpatruje kurator, tylko wojewoda.", "-"),
            ("Kuratorowi przesyła się odwołanie.", "+"),
        ],
    ),
    "persons": (
        [BUYER, SELLER],
        [
            ("Kupującemu grozi 500 zł, a sprzedającemu 250 zł.", "++"),
            ("Kupującemu grozi 250 zł, a sprzedającemu 500 zł.", "--"),
            ("Sąsiad dostanie 250 zł kary, nabywca 500 zł.", "++"),
            ("Kara dla nabywcy to 500 zł. Zbywca zapłaci 250 zł.", "++"),
            ("Dla nabywcy przewidziano karę 250 zł. Dla zbywcy: 500 zł.", "--"),
            ("Nabywca i zbywca zapłacą po 500 zł.", "+-"),
            ("Nabywcy grozi 500 zł. Jego sąsiadowi nie grozi kara 250 zł.", "+-"),
            ("Zbywcy nie grozi 500 zł, lecz 250 zł.", "-+"),
        ],
    ),
    "periods": (
        [DEADLINE],
        [
            ("Masz 14 dni.", "+"),
            ("Masz czternaście dni.", "+"),
            ("Masz dwa tygodnie.", "+"),
            ("Masz 2 tygodnie.", "+"),
            ("Obowiązuje 14-dniowy termin.", "+"),
            ("Obowiązuje czternastodniowy termin.", "+"),
            ("Obowiązuje dwutygodniowy termin.", "+"),
            ("Ostatni jest czternasty dzień.", "+"),
            ("Najpóźniej 14. dnia.", "+"),
            ("Nie później niż w 14 dni.", "+"),
            ("Nie więcej niż 14 dni.", "+"),
            ("Termin nie przekracza 14 dni.", "+"),
            ("Masz 14 pełnych dni.", "+"),
            ("Od 7 do 14 dni.", "+"),
            ("Masz 14 dni roboczych.", "-"),
            ("Masz 140 dni.", "-"),
            ("Masz 14 miesięcy.", "-"),
            ("Nie masz 14 dni.", "-"),
            ("Złożono to 14 dni temu.", "-"),
            ("Art. 14 ustawy.", "-"),
        ],
    ),
    "a date": (
        [DATE],
        [
            ("Do 30 kwietnia 2025 r.", "+"),
            ("Do 30.04.2025.", "+"),
            ("Do 30 IV 2025.", "+"),
            ("Do 2025-04-30.", "+"),
            ("Do 30 kwietnia.", "+"),
            ("Do trzydziestego kwietnia.", "+"),
            ("Do końca kwietnia.", "+"),
            ("Do 30 kwietnia 2024 r.", "-"),
            ("Do 3 kwietnia 2025 r.", "-"),
            ("Nie do 30 kwietnia, lecz do 31 maja.", "-"),
        ],
    ),
    "years": (
        YEARS,
        [
            ("W 2025 r. płaci się 84 zł, w 2024 r. było to 72 zł.", "++"),
            ("W 2025 r. płaci się 72 zł, w 2024 r. było to 84 zł.", "--"),
            ("2025: 84 zł. 2024: 72 zł.", "++"),
            ("| rok | stawka |\n|---|---|\n| 2024 | 72 zł |\n| 2025 | 84 zł |", "++"),
            ("| | 2024 [1] | 2025 [2] |\n|---|---|---|\n| stawka | 72 zł | 84 zł |", "++"),
            ("| | 2024 | 2025 |\n|---|---|---|\n| stawka | 84 zł | 72 zł |", "--"),
            ("Stawka wzrosła z 72 zł w 2024 r. do 84 zł w 2025 r.", "++"),
        ],
    ),
}


def _cases() -> Iterator[Any]:
    for name, (entries, answers) in GROUPS.items():
        for answer, expected in answers:
            yield pytest.param(entries, answer, expected, id=f"{name}: {answer[:60]!r}")


@pytest.fixture(scope="module")
def normalizer() -> Normalizer:
    return load_normalizer()


@pytest.mark.parametrize(("entries", "answer", "expected"), list(_cases()))
def test_statement(
    entries: Sequence[Entry], answer: str, expected: str, normalizer: Normalizer
) -> None:
    statements = Statements(statements_in(entries), normalizer)
    outcomes = statements.judge(Reading(Text(normalizer(answer))))
    assert "".join("+" if outcome.is_found else "-" for outcome in outcomes) == expected
