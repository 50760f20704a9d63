"""Figures for print (by matplotlib) and for the terminal; each scheme has the same style in both."""

from __future__ import annotations

from airhop.plots.confusion import draw_confusion
from airhop.plots.round_trip import draw_round_trips
from airhop.plots.sequence import draw_arrivals
from airhop.plots.space_time import draw_space_time
from airhop.plots.studies import (
    draw_differences,
    draw_distribution,
    draw_fairness,
    draw_map,
    draw_means,
    draw_study,
)
from airhop.plots.topology import draw_topology
from airhop.plots.traces import draw_queue, draw_sequence, draw_window

__all__ = [
    "draw_arrivals",
    "draw_confusion",
    "draw_differences",
    "draw_distribution",
    "draw_fairness",
    "draw_map",
    "draw_means",
    "draw_queue",
    "draw_round_trips",
    "draw_sequence",
    "draw_space_time",
    "draw_study",
    "draw_topology",
    "draw_window",
]
