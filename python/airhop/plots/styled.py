"""Figure that keeps the style in which it was created."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from airhop.plots.paper import PRINT_STYLE

SCREEN_DPI = 160
"""Resolution in a notebook in dots per inch. A figure of one column is then 560 pixels wide."""


class StyledFigure(Figure):
    """Figure that keeps the style of its creation when drawn, saved or shown later."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._style = {name: mpl.rcParams[name] for name in PRINT_STYLE}
        super().__init__(*arguments, **options)

    def draw(self, renderer: Any) -> None:
        """Draw the figure."""
        with mpl.rc_context(self._style):
            super().draw(renderer)

    def savefig(self, *arguments: Any, **options: Any) -> None:
        """Save the figure."""
        with mpl.rc_context(self._style):
            super().savefig(*arguments, **options)

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=SCREEN_DPI)
        return buffer.getvalue()
