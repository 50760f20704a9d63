"""Figures of results: the link from a result to the functions that draw it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class AxesLike(Protocol):
    """Axes of matplotlib, which is imported only to draw."""

    def errorbar(self, *args: Any, **kwargs: Any) -> Any:
        """Draw points with error bars."""


def plotted(name: str, result: object, **choices: Any) -> Figure:
    """Call a function of `airhop.plots`, such as `studies.means`, and return its figure.

    The name is resolved in the call, because plots are above the results that they draw.
    """
    module, function = name.split(".")
    figure: Figure = getattr(import_module(f"airhop.plots.{module}"), function)(result, **choices)
    return figure
