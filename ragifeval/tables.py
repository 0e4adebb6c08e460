"""A table of strings, printed on a terminal, as Markdown or as LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import tabulate

# Without this, tabulate makes a column two characters wider than its header.
tabulate.MIN_PADDING = 0

WIDTH = 80
"""Of tables on a terminal, in characters, unless details are asked for."""
# Of a cell of text that is cut.
_LEAST_TEXT = 12


@dataclass(frozen=True)
class Grid:
    """A table with a title.

    Attributes:
        title: one line without a full stop; "" for none.
        align: "l" or "r" for each column from the first; the columns behind are "r".
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = "l"

    def text(self, *, ruled: bool = True, width: int | None = None) -> str:
        """The table for a terminal.

        Args:
            ruled: whether a line parts the header from the rows.
            width: in characters; the longest texts of the columns on the left are cut to fit.
        """
        grid = self if width is None else self._fitted(width)
        return self._titled(one_line(self.title), grid._table("simple" if ruled else "plain"))

    def _fitted(self, width: int) -> "Grid":
        columns = list(zip(self.header, *self.rows, strict=True))
        widths = [max(map(len, column)) for column in columns]
        # Numbers are never cut; the names above them may be.
        least = [
            min(_LEAST_TEXT, width) if side == "l" else max(map(len, column[1:]), default=0)
            for column, width, side in zip(
                columns, widths, self.align.ljust(len(columns), "r"), strict=True
            )
        ]
        excess = sum(widths) + 2 * (len(widths) - 1) - width
        for _ in range(excess):
            place = max(range(len(widths)), key=lambda place: widths[place] - least[place])
            if widths[place] <= least[place]:
                break
            widths[place] -= 1

        fitted = [
            _cut(column[1:], [most] * len(self.rows))
            for column, most in zip(columns, widths, strict=True)
        ]
        return replace(self, header=_cut(self.header, widths), rows=list(zip(*fitted, strict=True)))

    def markdown(self) -> str:
        """The table in GitHub's Markdown."""
        title = f"{self.title[0].upper()}{self.title[1:]}:" if self.title else ""
        return self._titled(one_line(title), self._table("pipe", ("|", "\\|")))

    def latex(self) -> str:
        """The table for LaTeX with the package booktabs; the title is a comment."""
        return f"% {one_line(self.title)}\n{self._table('latex_booktabs', (' - ', '--'))}"

    def _table(self, style: str, replaced: tuple[str, str] = ("", "")) -> str:
        header, *rows = (
            [one_line(cell).replace(*replaced) if replaced[0] else one_line(cell) for cell in row]
            for row in (self.header, *self.rows)
        )
        align = self.align.ljust(len(header), "r")
        table: str = tabulate.tabulate(
            rows,
            headers=header,
            tablefmt=style,
            disable_numparse=True,
            colalign=["left" if letter == "l" else "right" for letter in align],
        )
        return table

    @staticmethod
    def _titled(title: str, table: str) -> str:
        return f"{title}\n\n{table}" if title else table


def _cut(texts: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Texts cut to their widths at the end, or at the beginning where others begin the same."""
    meant = set(texts)

    def cut(text: str, most: int) -> str:
        if len(text) <= most:
            return text
        kept = text[: most - 1]
        is_clear = not any(other.startswith(kept) for other in meant if other != text)
        return f"{kept}…" if is_clear else f"…{text[len(text) - most + 1 :]}"

    return [cut(text, most) for text, most in zip(texts, widths, strict=True)]


def plural(count: int, one: str, several: str = "") -> str:
    """A count with its noun: of one, and of several (with an "s" where that is not given)."""
    return f"{count} {one if count == 1 else several or one + 's'}"


def one_line(text: str) -> str:
    """The text of a cell or a title: a model's name may hold line breaks, and what they start."""
    return "".join(char if char.isprintable() else " " for char in text)
