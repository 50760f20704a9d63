"""Results in notebooks and interpreters: short tables, figures, and conversion to pandas."""

from airhop.display.frames import to_pandas
from airhop.display.plotting import AxesLike, plotted
from airhop.display.summary import MOST_ROWS, Shown, Summary

__all__ = ["MOST_ROWS", "AxesLike", "Shown", "Summary", "plotted", "to_pandas"]
