"""A table of strings, printed on a terminal, as Markdown or as LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass

import tabulate

# Without this, tabulate makes a column two characters wider than its header.
tabulate.MIN_PADDING = 0


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

    def text(self, *, ruled: bool = True) -> str:
        """The table for a terminal.

        Args:
            ruled: whether a line parts the header from the rows.
        """
        return self._titled(one_line(self.title), self._table("simple" if ruled else "plain"))

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


def one_line(text: str) -> str:
    """The text of a cell or a title: a model's name may hold line breaks, and what they start."""
    return "".join(char if char.isprintable() else " " for char in text)
