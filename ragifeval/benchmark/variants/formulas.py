"""Formulas of facts: "fee + 62 zł", "max(fee / 2, 30 zł)", "day + term", "age < 12 lat"."""

import ast
import calendar
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import lru_cache

from ragifeval.benchmark.variants.values import Amount, Day, Value, read_value
from ragifeval.text.normalizer import Normalizer


class FormulaError(ValueError):
    """What is wrong with a formula, or why it has no value."""


# A number and up to three words: a unit, "dni roboczych", "kwietnia 2025 r.".
_LITERAL = re.compile(
    r"(?<!\w)\d+(?:[ \u00a0]\d{3}(?!\d))*(?:[.,]\d+)?(?: ?%|(?: [^\W\d_]+| \d{4}(?!\d)){0,3}\.?)"
)
_SIGNS = str.maketrans({"×": "*", ":": "/", "÷": "/", "−": "-", "–": "-"})


def evaluate(formula: str, values: Mapping[str, Value], normalizer: Normalizer) -> Value | bool:
    """The value of a formula.

    Args:
        values: by the names that stand in it.

    Raises:
        FormulaError: it is no formula, or has no value.
    """
    source, literals = _with_named_literals(formula.translate(_SIGNS), normalizer)
    try:
        tree = ast.parse(source.strip(), mode="eval")
        return _evaluate(tree.body, {**values, **literals})
    except FormulaError as error:
        raise FormulaError(f"{formula!r}: {error}") from None
    except (SyntaxError, RecursionError):
        raise FormulaError(f"{formula!r} is no formula") from None
    except (ArithmeticError, ValueError) as error:
        raise FormulaError(f"{formula!r} cannot be computed: {error}") from None


# A formula is computed for each draw of its facts; what it states itself is read once.
@lru_cache(maxsize=1024)
def _with_named_literals(formula: str, normalizer: Normalizer) -> tuple[str, Mapping[str, Value]]:
    """The formula with a name for each amount, date and number that it states."""
    source, literals, done = "", dict[str, Value](), 0
    while literal := _LITERAL.search(formula, done):
        ends = [literal.start() + match.end() for match in re.finditer(r"\S+", literal[0])]
        for end in reversed(ends):
            if value := read_value(formula[literal.start() : end].rstrip(".,"), normalizer):
                break
        else:
            raise FormulaError(f"{formula!r}: {literal[0].strip()!r} is no number, amount or date")
        key = f"_{len(literals)}"
        source, literals[key] = f"{source}{formula[done : literal.start()]}{key}", value
        done = end
    return source + formula[done:], literals


def _evaluate(node: ast.expr, values: Mapping[str, Value]) -> Value | bool:
    match node:
        case ast.Name(name):
            if name not in values:
                raise FormulaError(f"{name!r} is no fact with a number or a date")
            return values[name]
        case ast.UnaryOp(ast.Not(), operand):
            return not _evaluate(operand, values)
        case ast.BoolOp(operation, operands):
            check = all if isinstance(operation, ast.And) else any
            return check(_evaluate(operand, values) for operand in operands)
        case ast.IfExp(test, body, orelse):
            return _evaluate(body if _evaluate(test, values) else orelse, values)
        case ast.BinOp(left, operation, right) if type(operation) in _OPERATIONS:
            one, other = _value(left, values), _value(right, values)
            return _OPERATIONS[type(operation)](one, other)
        case ast.Compare(left, [*operations], [*others]):
            terms = [_value(term, values) for term in (left, *others)]
            return all(
                _COMPARISONS[type(operation)](*_keys(terms[place], terms[place + 1]))
                for place, operation in enumerate(operations)
            )
        case ast.Call(ast.Name(name), arguments, []) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, values) for argument in arguments))
    raise FormulaError("has more than names, values, + - * /, comparisons and functions")


def _value(node: ast.expr, values: Mapping[str, Value]) -> Value:
    value = _evaluate(node, values)
    if isinstance(value, bool):
        raise FormulaError("counts with a comparison")
    return value


def converted(value: Amount, unit: str) -> Amount:
    """An amount in another unit, where that is exact: years in months.

    Raises:
        FormulaError: it is not.
    """
    if value.unit == unit:
        return value
    if (value.unit, unit) == ("rok", "miesiąc"):
        return Amount(value.number * 12, unit)
    if (value.unit, unit) == ("miesiąc", "rok"):
        return Amount(value.number / 12, unit)
    raise FormulaError(f"{value} is not counted in {unit or 'plain numbers'}")


def _keys(one: Value, other: Value) -> tuple[Decimal | date, Decimal | date]:
    """What two values of one kind are compared by."""
    if isinstance(one, Day) and isinstance(other, Day):
        return _date(one), _date(other)
    if isinstance(one, Amount) and isinstance(other, Amount):
        return one.number, converted(other, one.unit).number
    raise FormulaError(f"compares {one} with {other}")


def _date(day: Day) -> date:
    # A year that is no leap year and is not written.
    return date(day.year or 2025, day.month, day.day)


def _later(day: Day, amount: Amount, sign: int) -> Day:
    if amount.number % 1:
        raise FormulaError(f"moves a date by {amount}")
    start, number = _date(day), sign * int(amount.number)
    if amount.unit == "dzień":
        moved = start + timedelta(days=number)
    elif amount.unit in ("miesiąc", "rok"):
        months = start.month - 1 + number * (12 if amount.unit == "rok" else 1)
        year, month = start.year + months // 12, months % 12 + 1
        moved = date(year, month, min(start.day, calendar.monthrange(year, month)[1]))
    else:
        raise FormulaError(f"moves a date by {amount}")
    return Day(moved.day, moved.month, moved.year if day.year else None)


def _add(one: Value, other: Value) -> Value:
    if isinstance(one, Amount) and isinstance(other, Amount):
        return Amount(one.number + converted(other, one.unit).number, one.unit)
    if isinstance(one, Day) and isinstance(other, Amount):
        return _later(one, other, 1)
    raise FormulaError(f"adds {other} to {one}")


def _subtract(one: Value, other: Value) -> Value:
    if isinstance(one, Day) and isinstance(other, Day):
        return Amount(Decimal((_date(one) - _date(other)).days), "dzień")
    if isinstance(one, Day) and isinstance(other, Amount):
        return _later(one, other, -1)
    if isinstance(one, Amount) and isinstance(other, Amount):
        return Amount(one.number - converted(other, one.unit).number, one.unit)
    raise FormulaError(f"subtracts {other} from {one}")


def _multiply(one: Value, other: Value) -> Value:
    if isinstance(one, Amount) and isinstance(other, Amount):
        for times, amount in ((one, other), (other, one)):
            if times.unit == "procent":
                return replace(amount, number=amount.number * times.number / 100)
            if not times.unit:
                return replace(amount, number=amount.number * times.number)
    raise FormulaError(f"multiplies {one} by {other}")


def _divide(one: Value, other: Value) -> Value:
    if isinstance(one, Amount) and isinstance(other, Amount):
        if not other.unit:
            return replace(one, number=one.number / other.number)
        return Amount(one.number / converted(other, one.unit).number)
    raise FormulaError(f"divides {one} by {other}")


_ONE = Amount(Decimal(1))


def _rounding(mode: str) -> Callable[..., Value]:
    def rounded(value: Value, step: Value = _ONE) -> Value:
        if not isinstance(value, Amount) or not isinstance(step, Amount):
            raise FormulaError("rounds a date")
        return replace(value, number=(value.number / step.number).quantize(1, mode) * step.number)

    return rounded


def _extreme(choose: Callable[[bool], bool]) -> Callable[..., Value]:
    def extreme(first: Value, *others: Value) -> Value:
        for value in others:
            one, other = _keys(first, value)
            if choose(one < other):  # type: ignore[operator]  # _keys() makes them of one kind
                first = value
        return first

    return extreme


_OPERATIONS: Mapping[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: _multiply,
    ast.Div: _divide,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[..., bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "max": _extreme(lambda is_less: is_less),
    "min": _extreme(lambda is_less: not is_less),
    "round": _rounding(ROUND_HALF_UP),
    "ceil": _rounding(ROUND_CEILING),
    "floor": _rounding(ROUND_FLOOR),
}
