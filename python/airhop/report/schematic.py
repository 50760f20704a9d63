"""Drawing of a run's network in the page, with the properties of each link below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from airhop.analysis.schematic import Line, schematic
from airhop.analysis.topology import Topology
from airhop.plots.schematic import ASIDE, flash
from airhop.plots.style import PALETTE

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

COLUMN_PX, ROW_PX, MARGIN_PX = 190.0, 76.0, 44.0
LETTER_PX = 9.0
"""Approximate width in pixels of a letter in a node's name."""


@dataclass(frozen=True)
class Network:
    """Drawing of nodes and links, with the links described in the caption."""

    drawing: Markup
    lines: tuple[Line, ...]


def network(run: TracedRun) -> Network | None:
    """Draw the network of a run; None if it has no radio links."""
    if not run.network.get("radio"):
        return None
    drawn = schematic(run.network, Topology.of_run(run.network, run.document, run.tables))
    width = 2 * MARGIN_PX + COLUMN_PX * (drawn.columns - 1)
    height = 2 * MARGIN_PX + ROW_PX * (drawn.rows - 1)
    at = {
        name: (MARGIN_PX + COLUMN_PX * column, MARGIN_PX + ROW_PX * row)
        for name, (column, row) in drawn.places.items()
    }
    parts = [
        *(_line(line, at[line.ends[0]], at[line.ends[1]]) for line in drawn.lines),
        *(_node(name, *place) for name, place in at.items()),
    ]
    head = Markup(
        '<svg class="plan network" viewBox="0 0 {:.0f} {:.0f}" style="max-width: {:.0f}px" role="img" '
    )
    label = Markup('aria-label="{}">').format("; ".join(map(tell, drawn.lines)))
    return Network(
        head.format(width, height, width) + label + Markup("").join(parts) + Markup("</svg>"), drawn.lines
    )


def tell(line: Line) -> str:
    """Describe a link in a sentence."""
    return f"{line.name}, {' to '.join(line.ends)}: {'; '.join((line.speed, *line.notes))}"


def _line(line: Line, a: tuple[float, float], b: tuple[float, float]) -> Markup:
    corners = flash(a, b, 0.5 if a[1] == b[1] else ASIDE) if line.wireless else [a, b]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    look = Markup('stroke="{}"').format(PALETTE[1].color) if line.wireless else Markup('class="wire"')
    return Markup('<path d="M{}" fill="none" stroke-width="1.6" {}/>').format(path, look) + Markup(
        '<text x="{:.1f}" y="{:.1f}">{}</text>'
    ).format(x, y - 12, line.name)


def _node(name: str, x: float, y: float) -> Markup:
    half = LETTER_PX * max(len(name), 2) / 2 + 6
    return Markup(
        '<rect class="node" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="26" rx="5"/>'
        '<text x="{:.1f}" y="{:.1f}">{}</text>'
    ).format(x - half, y - 13, 2 * half, x, y + 5, name)
