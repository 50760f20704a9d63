"""Figures that commands write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from airhop.cli.common.output import say
from airhop.errors import InputError
from airhop.files import why
from airhop.plots.paper import FORMATS
from airhop.results import Result
from airhop.scenario import Scenario

OF_A_FLOW = {
    "sequence": ("segments at the receiver", "draw_arrivals"),
    "round_trips": ("round trips", "draw_round_trips"),
}
"""Figures by name: description, and function of `airhop.plots` that draws the figure."""


def check_figure(path: Path) -> None:
    """Raise InputError for an unsupported suffix of a figure file, or for a missing folder."""
    if path.suffix[1:] not in FORMATS:
        raise InputError(f"{path}: expected a name that ends in {', '.join(f'.{kind}' for kind in FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def write_figure(path: Path, draw: Callable[[Path], object]) -> None:
    """Draw into a file. Raises InputError if the file cannot be written."""
    check_figure(path)
    try:
        draw(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {why(error)}") from None


def draw_figure(
    name: str,
    path: Path,
    result: Result,
    scenario: Scenario,
    between: tuple[float, float] | None,
    flow: str | None,
) -> None:
    """Draw the figure `air`, `sequence` or `round_trips` of a traced run, and print the file's path."""
    from airhop import plots
    from airhop.plots.traces import chosen_flow

    if name == "air":
        title, draw = "frames on the air", partial(plots.draw_space_time, result, scenario)
    else:
        chosen = chosen_flow(result, flow)
        what, of_flow = OF_A_FLOW[name]
        title, draw = f"{what} of {chosen}", partial(getattr(plots, of_flow), result, flow=chosen)
    write_figure(path, lambda file: draw(file, between=between))
    say(f"{title} in {path}")
