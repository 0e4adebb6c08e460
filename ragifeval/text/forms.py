"""Polish number words, months, currencies and units by their forms.

Each line of a table gives a head and its other inflected forms. They are listed, not lemmatised, so
that the whole-word rule is the same under any normalizer.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

_NUMBER_FORMS = """
0: zero zera zeru zerem
1: jeden jedna jedno jednego jednej jednemu jedną jednym
1.5: półtora półtorej
2: dwa dwie dwaj dwóch dwu dwóm dwoma dwiema dwoje dwojga dwojgu dwojgiem
3: trzy trzej trzech trzem trzema troje trojga trojgu trojgiem
4: cztery czterej czterech czterem czterema czworo czworga czworgu czworgiem
5: pięć pięciu pięcioma pięcioro pięciorga
6: sześć sześciu sześcioma sześcioro sześciorga
7: siedem siedmiu siedmioma siedmioro siedmiorga
8: osiem ośmiu ośmioma ośmioro ośmiorga
9: dziewięć dziewięciu dziewięcioma
10: dziesięć dziesięciu dziesięcioma
11: jedenaście jedenastu jedenastoma
12: dwanaście dwunastu dwunastoma
13: trzynaście trzynastu trzynastoma
14: czternaście czternastu czternastoma
15: piętnaście piętnastu piętnastoma
16: szesnaście szesnastu szesnastoma
17: siedemnaście siedemnastu siedemnastoma
18: osiemnaście osiemnastu osiemnastoma
19: dziewiętnaście dziewiętnastu dziewiętnastoma
20: dwadzieścia dwudziestu dwudziestoma
30: trzydzieści trzydziestu trzydziestoma
40: czterdzieści czterdziestu czterdziestoma
50: pięćdziesiąt pięćdziesięciu pięćdziesięcioma
60: sześćdziesiąt sześćdziesięciu sześćdziesięcioma
70: siedemdziesiąt siedemdziesięciu siedemdziesięcioma
80: osiemdziesiąt osiemdziesięciu osiemdziesięcioma
90: dziewięćdziesiąt dziewięćdziesięciu dziewięćdziesięcioma
100: sto stu
200: dwieście dwustu
300: trzysta trzystu
400: czterysta czterystu
500: pięćset pięciuset
600: sześćset sześciuset
700: siedemset siedmiuset
800: osiemset ośmiuset
900: dziewięćset dziewięciuset
"""

_MULTIPLIER_FORMS = """
1000: tysiąc tysiąca tysiącowi tysiącem tysiącu tysiące tysięcy tysiącom tysiącami tysiącach tys
1000000: milion miliona milionowi milionem milionie miliony milionów milionom milionami mln
1000000000: miliard miliarda miliardem miliardzie miliardy miliardów miliardom miliardami mld
"""

_MONTH_FORMS = """
styczeń: stycznia styczniowi styczniem styczniu
luty: lutego lutemu lutym
marzec: marca marcowi marcem marcu
kwiecień: kwietnia kwietniowi kwietniem kwietniu
maj: maja majowi majem maju
czerwiec: czerwca czerwcowi czerwcem czerwcu
lipiec: lipca lipcowi lipcem lipcu
sierpień: sierpnia sierpniowi sierpniem sierpniu
wrzesień: września wrześniowi wrześniem wrześniu
październik: października październikowi październikiem październiku
listopad: listopada listopadowi listopadem listopadzie
grudzień: grudnia grudniowi grudniem grudniu
"""

_ALIAS_FORMS = """
złoty: zł zl złotego złotemu złotym złote złotych złotymi złotówka złotówki złotówek złotówkę pln
grosz: gr grosza groszy grosze groszem groszach groszami
euro: eur
procent: proc procenta procentu procenty procentów procentem procentach procentami
numer: nr numeru numerowi numerem numerze numery numerów
paragraf: paragrafu paragrafowi paragrafem paragrafie paragrafy paragrafów
"""

_UNIT_FORMS = """
mm: milimetr milimetra milimetry milimetrów milimetrach
cm: centymetr centymetra centymetry centymetrów centymetrach
m: metr metra metry metrów metrach metrem
km: kilometr kilometra kilometry kilometrów kilometrach
ha: hektar hektara hektary hektarów hektarach
g: gram grama gramy gramów
kg: kilogram kilograma kilogramy kilogramów
t: tona tony ton tonę toną tonach
l: litr litra litry litrów
kb: kilobajt kilobajta kilobajty kilobajtów
mb: megabajt megabajta megabajty megabajtów
gb: gigabajt gigabajta gigabajty gigabajtów
min: minuta minuty minut minutę minutach
"""


def _by_form(lines: str) -> Iterator[tuple[str, str]]:
    """Yield (form, the head of its line); the head is a form of itself."""
    for line in lines.strip().splitlines():
        head, forms = line.split(": ")
        for form in (head, *forms.split()):
            yield form, head


NUMBER_WORDS: Mapping[str, Decimal] = {
    form: Decimal(head) for form, head in _by_form(_NUMBER_FORMS) if form != head
}
MULTIPLIERS: Mapping[str, Decimal] = {
    form: Decimal(head) for form, head in _by_form(_MULTIPLIER_FORMS) if form != head
}
ABBREVIATED = frozenset({"tys", "mln", "mld"})
MONTHS: Mapping[str, str] = dict(_by_form(_MONTH_FORMS))
MONTH_NAMES = tuple(dict.fromkeys(MONTHS.values()))
ROMAN_MONTHS: Mapping[str, str] = dict(
    zip(
        ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"],
        MONTH_NAMES,
        strict=True,
    )
)
ROMAN_NUMERALS = frozenset(numeral.lower() for numeral in ROMAN_MONTHS)
ALIASES: Mapping[str, str] = dict(_by_form(_ALIAS_FORMS))
UNITS: Mapping[str, str] = dict(_by_form(_UNIT_FORMS))
POWERS: Mapping[str, str] = {
    "kwadratowy": "2",
    "kwadratowego": "2",
    "kwadratowe": "2",
    "kwadratowych": "2",
    "sześcienny": "3",
    "sześciennego": "3",
    "sześcienne": "3",
    "sześciennych": "3",
}
CURRENCY_SIGNS: Mapping[str, str] = {"€": "euro", "$": "dolar", "£": "funt"}
YEAR_DIGITS = 4
YEAR_WORDS = frozenset({"r", "rok", "roku", "rokiem", "rokowi"})
HOUR_WORDS = frozenset({"godz", "godzina", "godziny", "godzinie", "godzinę", "godziną", "godzin"})
_KNOWN_WORDS = frozenset(
    NUMBER_WORDS.keys() | MULTIPLIERS.keys() | MONTHS.keys() | ALIASES.keys() | YEAR_WORDS
)
# Words that begin with a digit come before this in the order of characters, and no others.
_BEHIND_DIGITS = ":"


def is_quantity_word(word: str) -> bool:
    """Whether a lowercased word may stand in a number, a date, or for a unit."""
    return word < _BEHIND_DIGITS or word in _KNOWN_WORDS
