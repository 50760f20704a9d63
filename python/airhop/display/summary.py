"""Summary of a result: a title and a short table, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

MOST_ROWS = 12
"""Maximum number of rows of a summary; a note has the number of further rows."""
GAP = "   "
"""Space between two columns of text."""
MOST_CHARACTERS = 100
"""Maximum width of a line of text. Columns beyond this width are omitted."""
_RULE = "1px solid rgba(128, 128, 128, 0.45)"
_CELL = "padding:0.25em 0 0.25em 1.4em;font-variant-numeric:tabular-nums;white-space:nowrap"


@dataclass(frozen=True)
class Summary:
    """Title, table and notes about a result."""

    title: str
    heads: Sequence[str]
    """Headings of the columns; a heading may have several lines."""
    rows: Sequence[Sequence[str]]
    """Cells by row."""
    lead: str = ""
    """Sentence between title and table."""
    notes: Sequence[str] = ()
    """Sentences below the table."""
    names: int = 1
    """Number of leading columns with names, aligned left."""

    def text(self) -> str:
        """Return the summary as text; table lines have at most `MOST_CHARACTERS` characters."""
        table = [[" ".join(head.split()).replace("- ", "") for head in self.heads], *self.rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        shown = self._fitting(widths)
        lines = [
            GAP.join(
                cell.ljust(width) if place < self.names else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row[:shown], widths, strict=False))
            ).rstrip()
            for row in (table if self.rows else ())
        ]
        return "\n".join([self.title, *filter(None, [self.lead]), *lines, *self.notes])

    def html(self) -> str:
        """Return the summary as HTML with the colours of the surrounding page."""
        heads = "".join(
            f'<th style="{self._style(place)};border-bottom:{_RULE};vertical-align:bottom">'
            f"{'<br>'.join(map(escape, head.splitlines()))}</th>"
            for place, head in enumerate(self.heads)
        )
        rows = "".join(
            f"<tr>{''.join(self._cell(place, cell) for place, cell in enumerate(row))}</tr>"
            for row in self.rows
        )
        table = (
            f'<table style="border-collapse:collapse;margin:0.3em 0"><thead><tr>{heads}</tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
        return (
            f'<div class="airhop" style="overflow-x:auto"><div><b>{escape(self.title)}</b></div>'
            + (f"<div>{escape(self.lead)}</div>" if self.lead else "")
            + (table if self.rows else "")
            + "".join(
                f'<div style="opacity:0.75;font-size:0.9em">{escape(note)}</div>' for note in self.notes
            )
            + "</div>"
        )

    def _fitting(self, widths: Iterable[int]) -> int:
        """Return the number of columns that fit into a line; at least the names and one more column."""
        used, count = -len(GAP), 0
        for width in widths:
            used += len(GAP) + width
            if used > MOST_CHARACTERS and count > self.names:
                break
            count += 1
        return count

    def _cell(self, place: int, cell: str) -> str:
        kind = 'th scope="row"' if place < self.names else "td"
        return f'<{kind} style="{self._style(place)};font-weight:400">{escape(cell)}</{kind[:2]}>'

    def _style(self, place: int) -> str:
        return f"{_CELL};text-align:{'left' if place < self.names else 'right'};background:none"


class Shown:
    """Result that an interpreter shows as a short text, and a notebook as a table."""

    def _summary(self) -> Summary:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        return self._summary().html()
