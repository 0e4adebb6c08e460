"""Facts of a sample: the values that the variant `changed` gives anew (docs/variants.md)."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator


class Fact(BaseModel):
    """A value in the world of a sample, and what it may be exchanged for.

    Attributes:
        value: an amount, a period, a date, or the name of a form.
        others: values that are as natural; "20..90 zł" is each of them, "100..900/50 zł" each 50th.
        formula: how the value is computed from those of other facts ("fee + 62 zł").
        forms: instead of `value` and `others`: the inflected forms of a name, then those of others
            in the same order.
        conditions: what must be true of the new values ("fee < 100 zł").
        also: further places: text as it stands -> what to write there, with "{name}".
        kept: text that is left as it is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    value: str | None = None
    others: list[str] = []
    formula: str | None = Field(None, alias="is")
    forms: list[list[str]] = []
    conditions: str | list[str] = Field([], alias="keep")
    also: dict[str, str] = {}
    kept: list[str] = Field([], alias="not")

    @property
    def conditions_list(self) -> Sequence[str]:
        """The conditions, one or more."""
        return [self.conditions] if isinstance(self.conditions, str) else self.conditions

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.name.isidentifier():
            raise ValueError("'name' must be letters, digits and '_'")
        if (self.value is None) == (not self.forms):
            raise ValueError("has one of 'value' and 'forms'")
        if self.value is not None and (self.formula is None) == (not self.others):
            raise ValueError("beside 'value' has one of 'others' and 'is'")
        if self.forms and (self.others or self.formula):
            raise ValueError("with 'forms' has neither 'others' nor 'is'")
        lengths = {len(forms) for forms in self.forms}
        if self.forms and (len(self.forms) < 2 or len(lengths) > 1 or 0 in lengths):
            raise ValueError("'forms' must be two or more lists of as many forms each")
        return self


def read_facts(value: Any) -> tuple[Fact, ...]:
    """The facts of a sample as the data state them.

    Raises:
        ValueError: "must be ..." or which fact is wrong, and why.
    """
    if value is None or isinstance(value, tuple):
        return value or ()
    if not isinstance(value, list) or not all(isinstance(fact, Mapping) for fact in value):
        raise ValueError("must be a list of facts, each an object")
    facts = []
    for number, fact in enumerate(value):
        try:
            facts.append(Fact.model_validate(fact))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            reason = first["msg"].removeprefix("Value error, ")
            shown = f"fact {fact.get('name', number)!r}"
            raise ValueError(f"{shown}: {f'{place!r}: ' if place else ''}{reason}") from None
    names = [fact.name for fact in facts]
    if len(set(names)) < len(names):
        raise ValueError("names a fact twice")
    return tuple(facts)
