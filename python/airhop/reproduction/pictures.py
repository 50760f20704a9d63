"""Figures of single runs of an experiment, drawn from traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from airhop.plots.paper import PRINT_STYLE, write

if TYPE_CHECKING:
    from airhop.experiments.experiment import Picture
    from airhop.experiments.outcome import Outcome
    from airhop.results import Result


def draw_pictures(outcome: Outcome, folder: Path) -> list[Path]:
    """Draw an experiment's pictures from new traced runs, and write the pictures into a folder.

    Returns the files NAME.pdf, NAME.svg and NAME.png of each picture.
    """
    import matplotlib as mpl

    experiment = outcome.experiment
    runs: dict[tuple[object, ...], Result] = {}
    files = []
    with mpl.rc_context(PRINT_STYLE):
        for picture in experiment.pictures:
            key = picture.curve, picture.x, picture.rep
            if key not in runs:
                runs[key] = _traced(outcome, picture)
            title = f"{experiment.title}: {experiment.labels[picture.curve]}"
            files += write(picture.draw(runs[key]), folder / picture.name, title)
    return files


def _traced(outcome: Outcome, picture: Picture) -> Result:
    from airhop.simulate import run

    experiment = outcome.experiment
    place = experiment.axis.grid(outcome.mode).index(picture.x) * len(experiment.curves)
    point = outcome.table.study.points()[place + list(experiment.labels).index(picture.curve)]
    return run(point.scenario, seed=outcome.seed, rep=picture.rep, trace=True)
