"""Which experiments exist: the built-in ones and those that installed packages register."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from airhop.errors import InputError, did_you_mean
from airhop.experiments.experiment import Experiment

BUILT_IN = ("airhop.experiments.yun2009.fig6",)
"""Modules that hold an `EXPERIMENT`, in the order `reproduce --all` runs them."""

ENTRY_POINT_GROUP = "airhop.experiments"


def registry() -> dict[str, Experiment]:
    """List every experiment by id: the built-in ones, then those that installed packages register."""
    known: dict[str, Experiment] = {}
    for module in BUILT_IN:
        experiment = import_module(module).EXPERIMENT
        known[experiment.id] = experiment
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        experiment = entry.load()
        if not isinstance(experiment, Experiment):
            raise InputError(
                f"entry point `{entry.value}` of group {ENTRY_POINT_GROUP} does not load an Experiment"
            )
        if experiment.id in known:
            raise InputError(
                f"experiment `{experiment.id}` of entry point `{entry.value}` is already registered"
            )
        known[experiment.id] = experiment
    return known


def lookup(ids: list[str]) -> list[Experiment]:
    """Find the experiments with these ids; an unknown id is refused with the nearest known one."""
    known = registry()
    for wanted in ids:
        if wanted not in known:
            near = did_you_mean(wanted, known)
            raise InputError(f"there is no experiment `{wanted}`.{near} There are: {', '.join(known)}.")
    return [known[wanted] for wanted in dict.fromkeys(ids)]
