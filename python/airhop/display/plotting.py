"""Calls of the functions of `airhop.plots` by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class AxesLike(Protocol):
    """Type of matplotlib's axes, without an import of matplotlib."""

    def errorbar(self, *args: Any, **kwargs: Any) -> Any:
        """Draw points with error bars."""


def plotted(name: str, result: object, **choices: Any) -> Figure:
    """Call a function of `airhop.plots`, such as `studies.means`, and return the figure.

    The module is imported during the call, because `airhop.plots` itself imports the modules of results.
    """
    module, function = name.split(".")
    figure: Figure = getattr(import_module(f"airhop.plots.{module}"), function)(result, **choices)
    return figure
