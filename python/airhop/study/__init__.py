"""Studies: grids of varied parameters, replications, and the resulting rows."""

from airhop.study.axis import Axis
from airhop.study.study import Point, Study
from airhop.study.sweep import InterruptedSweep, run_in, run_study, sweep
from airhop.study.table import Cell, Table
from airhop.study.until import Until

__all__ = [
    "Axis",
    "Cell",
    "InterruptedSweep",
    "Point",
    "Study",
    "Table",
    "Until",
    "run_in",
    "run_study",
    "sweep",
]
