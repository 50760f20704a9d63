"""Which experiments exist: the built-in ones and those that installed packages register."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from airhop.errors import InputError, did_you_mean
from airhop.experiments.experiment import Experiment

BUILT_IN = ("fig6", "fig7", "fig8", "fig9", "fig10")
"""Modules of `yun2009` that hold an `EXPERIMENT`, in the order `reproduce --all` runs them."""

ENTRY_POINT_GROUP = "airhop.experiments"


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def registry(on_broken: Callable[[str], None] = _warn) -> dict[str, Experiment]:
    """List every experiment by id: the built-in ones, then those that installed packages register.

    What a package registers may be broken. Then `on_broken` gets a sentence (by default it becomes a Python
    warning) and the others are listed all the same.
    """
    known: dict[str, Experiment] = {}
    for module in BUILT_IN:
        experiment = import_module(f"airhop.experiments.yun2009.{module}").EXPERIMENT
        known[experiment.id] = experiment
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            experiment = entry.load()
        except Exception as error:  # whatever a stranger's module raises when it is imported
            on_broken(_broken(entry, f"{type(error).__name__}: {error}"))
            continue
        if not isinstance(experiment, Experiment):
            on_broken(_broken(entry, f"An Experiment was expected, not {experiment!r}"))
        elif experiment.id in known:
            on_broken(_broken(entry, f"There is an experiment `{experiment.id}` already"))
        else:
            known[experiment.id] = experiment
    return known


def lookup(ids: Sequence[str], known: Mapping[str, Experiment]) -> list[Experiment]:
    """Find the experiments with these ids; an unknown id is refused with the nearest known one."""
    for wanted in ids:
        if wanted not in known:
            near = did_you_mean(wanted, known)
            raise InputError(f"there is no experiment `{wanted}`.{near} There are: {', '.join(known)}.")
    return [known[wanted] for wanted in dict.fromkeys(ids)]


def _broken(entry: EntryPoint, why: str) -> str:
    package = f" of package {entry.dist.name}" if entry.dist else ""
    return f"the experiment `{entry.name} = {entry.value}`{package} is left out. {why}"
