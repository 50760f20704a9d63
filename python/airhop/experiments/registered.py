"""Registry of experiments: the built-in experiments, and the experiments of installed packages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from airhop.errors import InputError, did_you_mean
from airhop.experiments.calculation import Calculation
from airhop.experiments.combined import AND, together
from airhop.experiments.experiment import Experiment
from airhop.experiments.reading import MARK, Read, find

BUILT_IN = {
    "yun2009": (
        "table1",
        "fig1",
        "fig3",
        "fig4",
        "fig6",
        "fig7",
        "fig8",
        "fig9",
        "fig10",
        "fig11",
        "fig12",
        "fig13",
        "fig14",
        "fig14_hol",
        "fig18",
        "fig19",
        "filter",
        "esack",
        "handoff",
    ),
    "koo2007": ("fig2a", "fig2b"),
    "cheng2008": (
        "table2",
        "fig_cwnd",
        "table3",
        "table4",
        "fig_udp",
        "fig_udp_ge",
        "table5",
        "table6",
        "table7",
    ),
    "kounavis1996": (
        "basic",
        "in_fades",
        "local_recovery",
        "ebsn",
        "basic_m2m",
        "ebsn_m2m",
        "rttn",
        "rttn_moving",
        "run_length",
        "loss_formula",
        "fade_length",
        "fade_length_m2m",
        "packet_size",
        "attempt_limit",
        "notices",
        "notices_m2m",
    ),
    "today": (
        "fer",
        "rtt",
        "flows",
        "fairness",
        "beside_reno",
        "beside_cubic",
        "short",
        "fades",
        "fades_11b",
        "buffers",
        "delay",
    ),
    "wifi": ("download", "snr", "five", "discards", "delay", "airtime"),
}
"""Modules that define `EXPERIMENT` or `EXPERIMENTS`, by paper, in the order of `reproduce --all`. The
experiments in `today` and `wifi` belong to no paper.
"""

ENTRY_POINT_GROUP = "airhop.experiments"


@cache
def built_in() -> Mapping[str, Experiment | Calculation]:
    """Return the experiments that are part of Airhop, by id."""
    modules = [f"airhop.experiments.{paper}.{module}" for paper in BUILT_IN for module in BUILT_IN[paper]]
    experiments = [experiment for module in modules for experiment in _in_module(import_module(module))]
    return {experiment.id: experiment for experiment in experiments}


def _in_module(module: ModuleType) -> Sequence[Experiment | Calculation]:
    """Return the experiments that a module defines."""
    several: Sequence[Experiment | Calculation] | None = getattr(module, "EXPERIMENTS", None)
    return (module.EXPERIMENT,) if several is None else several


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def registry(on_broken: Callable[[str], None] = _warn) -> dict[str, Experiment | Calculation]:
    """Return all experiments by ID: built-in experiments, then experiments of installed packages.

    `on_broken` is called with a sentence about each entry point that cannot be loaded. The default issues a
    Python warning.
    """
    known = dict(built_in())
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            experiment = entry.load()
        except Exception as error:  # a module of another package may raise any exception at its import
            on_broken(_broken(entry, f"{type(error).__name__}: {error}"))
            continue
        if not isinstance(experiment, Experiment | Calculation):
            on_broken(_broken(entry, f"expected an Experiment or a Calculation, got {experiment!r}"))
        elif experiment.id in known:
            on_broken(_broken(entry, f"an experiment `{experiment.id}` already exists"))
        else:
            known[experiment.id] = experiment
    return known


def lookup(
    ids: Sequence[str], known: Mapping[str, Experiment | Calculation]
) -> list[Experiment | Calculation]:
    """Return the experiments with these IDs, or with these first parts of IDs, such as `airhop/today`.

    `yun2009/fig6@tibet-0.999` is the experiment `yun2009/fig6` with another reading (interpretation) of the
    paper. Raises InputError for an unknown ID, with the nearest known ID.
    """
    papers = list(dict.fromkeys(id_.partition("/")[0] for id_ in known))
    found: dict[str, Experiment | Calculation] = {}
    for name in ids:
        wanted, _, reading = name.partition(MARK)
        of_paper = {id_: known[id_] for id_ in known if id_.startswith(f"{wanted}/")}
        if wanted not in known and not of_paper:
            near = did_you_mean(wanted, [*known, *papers])
            raise InputError(f"there is no experiment `{wanted}`.{near} There are: {', '.join(known)}.")
        chosen = of_paper or {wanted: known[wanted]}
        found |= {one.id: one for one in (read_so(each, reading) for each in chosen.values())}
    return list(found.values())


def read_so(experiment: Read, name: str) -> Read:
    """Return an experiment with the named answers to open questions; `+` joins several names.

    Raises InputError if the experiment has no such answer, or if two joined answers contradict each other.
    """
    found = [find(one, experiment.questions, of=experiment.id) for one in name.split(AND)]
    read = [reading for reading in found if reading]
    return experiment.under(together(read)) if read else experiment


def _broken(entry: EntryPoint, why: str) -> str:
    package = f" of package {entry.dist.name}" if entry.dist else ""
    return f"the experiment `{entry.name} = {entry.value}`{package} is omitted: {why}"
