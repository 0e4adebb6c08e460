"""The variant `changed`: amounts, periods, dates and names are exchanged alike in a sample's world.

The world is the question, the documents of the context, the gold answer and the entries. A value
is exchanged wherever it stands, in whatever form: two things that had the same value have the same
value afterwards, so that what the documents say stays free of contradictions.
"""

import os.path
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.facts import Fact
from ragifeval.benchmark.variants.formulas import FormulaError, converted, evaluate
from ragifeval.benchmark.variants.values import (
    GENITIVE,
    NOMINATIVE,
    Amount,
    Day,
    Mention,
    Value,
    find_values,
    read_value,
    rewrite,
    write_number,
)
from ragifeval.text.normalizer import Normalizer

_RANGE = re.compile(r"([\d ,]+)\.\.([\d ,]+?)(?:/([\d ,]+?))?( ?%| \D+|)")
_FIGURES = re.compile(r"\d+(?:[.,]\d+)?")
# Of the facts of some questions one draw in 300 fits the texts.
_ATTEMPTS = 10_000
# Texts whose values are remembered, and documents with new ones: those of one sample.
_READ, _DOCUMENTS = 1024, 16
_WHOLE = frozenset(["dzień", "dzień roboczy", "miesiąc", "rok", "godzina"])


class FactError(ValueError):
    """What is wrong with the facts of a sample."""


@dataclass(frozen=True)
class Name:
    """A name in its inflected forms; a code ("PCC-3") has one form."""

    forms: tuple[str, ...]

    def __str__(self) -> str:
        return self.forms[0]


class World:
    """A sample with its facts read: what can be drawn for them, and what stands in its texts."""

    def __init__(
        self, sample: Sample, documents: Sequence[Document], normalizer: Normalizer
    ) -> None:
        self.sample = sample
        self._documents = documents
        self._normalizer = normalizer
        self.mentions = lru_cache(_READ)(lambda text: list(find_values(text, normalizer)))
        # Wordings in which nothing is exchanged, whatever the values.
        self.untouched: set[str] = set()
        self.originals = {fact.name: self._original(fact) for fact in sample.facts}
        self._choices = {fact.name: self._others(fact) for fact in sample.facts}
        self._check_formulas()

    def _original(self, fact: Fact) -> Value | Name:
        if fact.value is None:
            return Name(tuple(fact.forms[0]))
        return self._read(fact.value)

    def _others(self, fact: Fact) -> Sequence[Value | Name]:
        if fact.forms:
            return [Name(tuple(forms)) for forms in fact.forms[1:]]
        original = self.originals[fact.name]
        others: list[Value | Name] = []
        for text in fact.others:
            for value in self._expanded(text):
                if _kind(value) != _kind(original):
                    raise FactError(f"{fact.name}: {text!r} is not of the kind of {original}")
                if value != original:
                    others.append(value)
        return others

    def _expanded(self, text: str) -> Iterator[Value | Name]:
        """The values of "20..90 zł" and "100..900/50 zł"; of another text its one value."""
        match = _RANGE.fullmatch(text)
        if match is None:
            yield self._read(text)
            return
        bounds = (match[1], match[2], match[3] or "1")
        first, last, step = (Decimal(part.replace(" ", "").replace(",", ".")) for part in bounds)
        count = int((last - first) // step) + 1 if step > 0 else 0
        numbers = [first + place * step for place in range(count)]
        if not numbers:
            return
        # Where both ends are such amounts, all between them are.
        unit = getattr(self._numbered(first, match[4]), "unit", "")
        ends = Amount(first, unit), Amount(numbers[-1], unit)
        is_read = all(self._numbered(one.number, match[4]) == one for one in ends)
        for number in numbers:
            yield Amount(number, unit) if is_read else self._numbered(number, match[4])

    def _numbered(self, number: Decimal, rest: str) -> Value | Name:
        return self._read(write_number(Amount(number)) + rest)

    def _read(self, text: str) -> Value | Name:
        return read_value(text, self._normalizer) or Name((text,))

    def _check_formulas(self) -> None:
        """What is computed has the values that the sample states, and the conditions hold."""
        try:
            values = self._completed(self.originals)
            failed = [text for fact in self.sample.facts for text in self._failed(fact, values)]
        except FormulaError as error:
            raise FactError(str(error)) from None
        if failed:
            raise FactError(f"{failed[0]!r} is not true of the sample itself")
        stated: dict[Value | Name, str] = {}
        for name, value in self.originals.items():
            if values[name] != value:
                raise FactError(f"{name} is computed as {values[name]}, but stated as {value}")
            if (first := stated.setdefault(_without_year(value), name)) != name:
                raise FactError(f"{name} has the value of {first}; list a value once")

    def _completed(self, drawn: Mapping[str, Value | Name]) -> dict[str, Value | Name]:
        """The values drawn, with those computed from them."""
        values = dict(drawn)
        for fact in self.sample.facts:
            if fact.formula is None:
                continue
            original = self.originals[fact.name]
            value = evaluate(fact.formula, _countable(values), self._normalizer)
            if isinstance(value, Amount) and isinstance(original, Amount):
                value = converted(value, original.unit)
            if isinstance(value, Day) and isinstance(original, Day) and original.year is None:
                value = replace(value, year=None)
            if isinstance(value, bool) or _kind(value) != _kind(original):
                raise FormulaError(f"{fact.formula!r} is {value}, not of the kind of {original}")
            values[fact.name] = value
        return values

    def _failed(self, fact: Fact, values: Mapping[str, Value | Name]) -> Iterator[str]:
        for condition in fact.conditions_list:
            if evaluate(condition, _countable(values), self._normalizer) is not True:
                yield condition

    @cached_property
    def texts(self) -> Sequence[str]:
        """All texts of the world."""
        sample = self.sample
        texts = [sample.question, sample.reference or "", *texts_in(sample.expect)]
        for document in self._documents:
            texts += [document.title or "", document.contents]
        return texts

    @cached_property
    def _standing(self) -> Mapping[str | int, Collection[str]]:
        """The figures of the values that stand in the texts, by unit or month."""
        figures: dict[str | int, set[str]] = {}
        for text in self.texts:
            for mention in self.mentions(text):
                kind, written = _figures(mention.value)
                figures.setdefault(kind, set()).add(written)
        return figures

    @cached_property
    def _words(self) -> str:
        """The texts in the form in which names are compared."""
        return _key("\n".join(self.texts))

    def left(self, text: str) -> Iterator[str]:
        """Yield the original values that stand in a text, but for those left on purpose."""
        originals = set(map(_without_year, self.originals.values()))
        for fact in self.sample.facts:
            for kept in fact.kept:
                text = text.replace(kept, " ")
        for mention in self.mentions(text):
            if _without_year(mention.value) in originals:
                yield text[mention.start : mention.end]
        words = _key(text)
        for name in self.originals.values():
            for form in name.forms if isinstance(name, Name) else ():
                if re.search(rf"(?<!\w){re.escape(_key(form))}(?!\w)", words):
                    yield form

    def draw(self, seed: int) -> "Exchange":
        """New values, the same ones for the same seed.

        Raises:
            FactError: none that satisfy the conditions were found.
        """
        # A string seeds through SHA-512: the same values on every platform.
        source = random.Random(f"changed:{seed}:{self.sample.id}")
        reason = "there is nothing to draw from"
        for _ in range(_ATTEMPTS):
            drawn = {
                name: source.choice(choices) if choices else self.originals[name]
                for name, choices in self._choices.items()
            }
            try:
                values = self._completed(drawn)
                failed = [text for fact in self.sample.facts for text in self._failed(fact, values)]
                reason = next(iter([*map(repr, failed), *self._unfit(values)]), "")
            except FormulaError as error:
                reason = str(error)
            if not reason:
                return Exchange(self, values)
        raise FactError(f"no values were found in {_ATTEMPTS} draws; in the last, {reason}")

    def _unfit(self, values: Mapping[str, Value | Name]) -> Iterator[str]:
        """Why new values cannot stand beside those of the texts."""
        taken: dict[Value | Name, str] = {}
        for name, value in values.items():
            if isinstance(value, Amount):
                places = 2 if value.unit in ("złoty", "euro") else 0 if value.unit in _WHOLE else 4
                if value.number <= 0 or value.number != round(value.number, places):
                    yield f"{name} is {value}"
            plain = _without_year(value)
            if (first := taken.setdefault(plain, name)) != name and self._choices[first]:
                yield f"{name} is {value}, as {first} is"
            if isinstance(plain, Name):
                stands = any(_key(form) in self._words for form in plain.forms)
            else:
                kind, figures = _figures(plain)
                # 30 zł is or ends 130 zł, 6 maja 26 maja.
                stands = any(
                    figures.endswith(other) or other.endswith(figures)
                    for other in self._standing.get(kind, ())
                )
            if stands:
                yield f"{name} is {value}, which stands in the texts, or ends what stands there"


def _kind(value: object) -> object:
    return value.unit if isinstance(value, Amount) else type(value)


def _without_year(value: Any) -> Any:
    return replace(value, year=None) if isinstance(value, Day) else value


def _countable(values: Mapping[str, Value | Name]) -> Mapping[str, Value]:
    return {name: value for name, value in values.items() if not isinstance(value, Name)}


def _figures(value: Value) -> tuple[str | int, str]:
    """The unit and figures of an amount, the month and day of a date."""
    if isinstance(value, Amount):
        return value.unit, write_number(value)
    return value.month, str(value.day)


def texts_in(value: object) -> Iterator[str]:
    """The texts in a sample's `expect`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key != "cite":
                yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


class Exchange:
    """New values for the facts of a sample, and texts with them."""

    def __init__(self, world: World, values: Mapping[str, Value | Name]) -> None:
        self._world, self.values = world, values
        self.document = lru_cache(_DOCUMENTS)(self._document)
        self._table: dict[Value, Value] = {}
        self._names: dict[str, tuple[Name, Name]] = {}
        self._places: dict[str, str] = {}
        numbers: dict[Decimal, list[Value | Name]] = {}
        for fact in world.sample.facts:
            old, new = world.originals[fact.name], values[fact.name]
            if isinstance(old, Amount):
                numbers.setdefault(old.number, []).append(new)
            if isinstance(old, Name) and isinstance(new, Name):
                self._names |= dict.fromkeys(map(_key, old.forms), (old, new))
            elif not isinstance(old, Name) and not isinstance(new, Name):
                self._table[old] = new
                if isinstance(old, Day):
                    self._table.setdefault(_without_year(old), _without_year(new))
            self._places |= dict.fromkeys(fact.kept, "\0")
            self._places |= fact.also
        self._numbers = {number: new[0] for number, new in numbers.items() if len(new) == 1}
        # The longest first: "PCC-3/A" before "PCC-3".
        self._literals = _alternatives(self._places, boundary=False)
        self._forms = _alternatives(self._names, boundary=True)

    def text(self, text: str, *, is_wording: bool = False) -> str:
        """A text with the new values; the stem of a name ("wojewod*") becomes that of the new.

        Args:
            is_wording: of an entry, where a number without a unit ("14", "15 robocz*") is that of
                the one amount that has it.
        """
        if is_wording and text in self._world.untouched:
            return text
        edits: list[tuple[int, int, str]] = []
        for match in self._literals.finditer(text) if self._places else ():
            template = self._places[match[0]]
            edits.append((*match.span(), match[0] if template == "\0" else self._filled(template)))
        if self._names:
            for match in self._forms.finditer(text):
                old, new = self._names[_key(match[0])]
                edits.append((*match.span(), _as_written(match[0], old, new)))
            for match in re.finditer(r"(?<!\w)(\w+)\*", text):
                if (stem := self._stem(match[1])) is not None:
                    edits.append((*match.span(1), stem))
        for mention in self._world.mentions(text):
            value = self._exchanged(mention.value)
            if value is None and is_wording:
                value = self._numbered(mention, text)
            if value is not None:
                edits.append((mention.start, mention.end, rewrite(mention, value)))
        if is_wording and not edits:
            self._world.untouched.add(text)
        return _edited(text, edits)

    def _numbered(self, mention: Mention, text: str) -> Value | None:
        """The new value of a number without a unit; none for that of a form ("PCC-3") or a %."""
        value, before, behind = mention.value, text[: mention.start], text[mention.end :]
        is_other = before != before.lower() or behind.lstrip().startswith("%")
        if is_other or not isinstance(value, Amount):
            return None
        new = self._numbers.get(value.number)
        is_bare = _FIGURES.fullmatch("".join(mention.words)) is not None
        return Amount(new.number, value.unit) if is_bare and isinstance(new, Amount) else None

    def _exchanged(self, value: Value) -> Value | None:
        if value in self._table:
            return self._table[value]
        if isinstance(value, Day) and value.year is not None:
            yearless = replace(value, year=None)
            is_any_year = yearless in self._world.originals.values()
            if is_any_year and isinstance(new := self._table[yearless], Day):
                return replace(new, year=value.year)
        return None

    def _stem(self, stem: str) -> str | None:
        for old, new in dict.fromkeys(self._names.values()):
            forms = [
                other
                for form, other in zip(old.forms, new.forms, strict=True)
                if form.lower().startswith(stem.lower())
            ]
            if not forms:
                continue
            beginning = os.path.commonprefix(  # noqa: RUF071 - of words, letter by letter
                [form.lower() for form in forms]
            )
            if not beginning:
                raise FactError(f"{stem}*: its new forms begin differently: {', '.join(forms)}")
            return beginning if stem.islower() else forms[0][: len(beginning)]
        return None

    def _filled(self, template: str) -> str:
        """A template with the new values: "{fee}", "{term:g}" in the genitive, "{fee:n}" bare."""

        def fill(place: re.Match[str]) -> str:
            value = self.values.get(place[1])
            if value is None:
                raise FactError(f"'also' names {place[1]!r}, which is no fact")
            if isinstance(value, Amount) and place[2] == "n":
                return write_number(value)
            if isinstance(value, Amount):
                return value.written(GENITIVE if place[2] == "g" else NOMINATIVE)
            if isinstance(value, Name) and place[2]:
                return value.forms[int(place[2])]
            return str(value)

        return re.sub(r"\{(\w+)(?::(\w+))?\}", fill, template)

    def sample(self, sample: Sample) -> Sample:
        """The sample with the new values; its id, context and facts stay."""
        return replace(
            sample,
            question=self.text(sample.question),
            reference=None if sample.reference is None else self.text(sample.reference),
            derived=None if sample.derived is None else self.text(sample.derived),
            expect={
                key: value if key == "cite" else self._json(value)
                for key, value in sample.expect.items()
            },
        )

    def _json(self, value: Any) -> Any:
        """A value of JSON with the new values; where nothing of it changes, the same object."""
        new = value
        if isinstance(value, str):
            new = self.text(value, is_wording=True)
        elif isinstance(value, Mapping):
            new = {key: self._json(item) for key, item in value.items()}
        elif isinstance(value, list):
            new = [self._json(item) for item in value]
        return value if new == value else new

    def _document(self, document: Document) -> Document:
        """The document with the new values; the same one where nothing of it changes."""
        title = None if document.title is None else self.text(document.title)
        return replace(document, title=title, contents=self.text(document.contents))


def _key(form: str) -> str:
    return re.sub(r"[\s\u2011-]", "-", form.lower())


def _alternatives(texts: Mapping[str, object], *, boundary: bool) -> re.Pattern[str]:
    parts = [re.escape(text) for text in sorted(texts, key=len, reverse=True)]
    if not boundary:
        return re.compile("|".join(parts))
    loose = "|".join(re.sub(r"(?:\\-|-)", r"[-\\s\\u2011]", part) for part in parts)
    return re.compile(rf"(?<!\w)(?:{loose})(?!\w)", re.IGNORECASE)


def _as_written(text: str, old: Name, new: Name) -> str:
    """The new name in the form, and with the capitals, of the old one."""
    place = next(place for place, form in enumerate(old.forms) if _key(form) == _key(text))
    form = new.forms[place]
    if _key(text) != text and text == old.forms[place]:
        return form
    if text.islower():
        return form.lower() if not old.forms[place].islower() else form
    return form[0].upper() + form[1:] if text[0].isupper() else form


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """The text with edits; of those that overlap the first one counts."""
    taken: list[tuple[int, int, str]] = []
    for start, end, new in edits:
        if all(end <= other_start or start >= other_end for other_start, other_end, _ in taken):
            taken.append((start, end, new))
    for start, end, new in sorted(taken, reverse=True):
        text = text[:start] + new + text[end:]
    return text
