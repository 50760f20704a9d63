"""`airhop reproduce`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli import EXIT_FAILED
from airhop.cli.common.app import ExperimentId, Json, Seed, Sets, Whole
from airhop.cli.common.output import console, print_json, say
from airhop.errors import InputError
from airhop.experiments import Calculation, Experiment, Mode, lookup, read_so, registry
from airhop.files import why
from airhop.progress import reporter_for_stderr
from airhop.reproduction import print_outcome
from airhop.reproduction import reproduce as reproduce_experiments
from airhop.scenario import assignment
from airhop.study.file import written


def reproduce(
    *experiments: ExperimentId,
    all_: Annotated[
        bool, Parameter(name="--all", negative="", show_default=False, help="Reproduce every experiment.")
    ] = False,
    quick: Annotated[
        bool, Parameter(negative="", show_default=False, help="Few replications and a coarse grid.")
    ] = False,
    full: Annotated[
        bool, Parameter(negative="", show_default=False, help="The replications and the grid of the paper.")
    ] = False,
    readings: Annotated[
        bool,
        Parameter(negative="", show_default=False, help="Check each claim under every reading of its paper."),
    ] = False,
    reading: str | None = None,
    sets: Sets = (),
    as_study: Path | None = None,
    out: Path = Path("airhop-out"),
    workers: Whole | None = None,
    engine: str = "local",
    seed: Seed = 1,
    as_json: Json = False,
) -> int:
    """Reproduce figures and tables of published papers and check their claims.

    Parameters
    ----------
    experiments
        Ids of experiments, as in yun2009/fig6; yun2009 selects all experiments of the paper.
    reading
        Reading of the paper instead of the default; the pages of experiments list the readings.
    as_study
        Write the grid and the curves as a study file for `airhop sweep`, without a run.
    out
        Folder for runs, figures and reports. Existing runs are reused.
    workers
        Threads of the local engine; one per core by default.
    engine
        "local", or the scheduler of a dask cluster as dask://HOST:PORT.
    """
    if quick and full:
        raise InputError("--quick and --full exclude each other")
    mode: Mode = "quick" if quick else "full" if full else "default"
    known = registry(on_broken=lambda why: say(f"airhop: {why}"))
    if not experiments and not all_:
        _list(known)
        raise InputError("name an experiment of this list or a paper, or use --all")
    if readings and sets:
        raise InputError("--readings checks claims, and with --set no claim is checked: use one of the two")
    if readings and reading:
        raise InputError("--readings runs all readings, and --reading runs one reading: use one of the two")
    chosen = list(known.values()) if all_ else lookup(experiments, known)
    chosen = [read_so(experiment, reading) for experiment in chosen] if reading else chosen
    chosen = [_changed(experiment, sets) for experiment in chosen]
    if as_study is not None:
        _write_study(chosen, mode, seed, as_study)
        return 0
    screen, outcomes = console(), []
    for outcome in reproduce_experiments(
        chosen,
        mode,
        out,
        reporter_for_stderr(),
        readings=readings,
        seed=seed,
        engine=engine,
        workers=workers,
    ):
        outcomes.append(outcome)
        if not as_json:
            print_outcome(outcome, screen)
    if as_json:
        print_json({"experiments": [outcome.to_dict() for outcome in outcomes]})
    for outcome in outcomes:
        for warning in outcome.warnings:
            say(f"warning: {outcome.experiment.id}: {warning}")
    for experiment in chosen:
        if isinstance(experiment, Experiment) and experiment.changed:
            say(
                f"airhop: {experiment.id}: with --set this is not the paper's experiment, so no claim is "
                "checked"
            )
    for verdict, one, many in (
        ("fails", "does not hold", "do not hold"),
        ("open", "is undecided; run more replications", "are undecided; run more replications"),
    ):
        for outcome in outcomes:
            if claims := outcome.claims_that(verdict):
                words = many if len(claims) > 1 else one
                say(f"airhop: {outcome.experiment.id}: {', '.join(claims)} {words}")
    return 0 if all(outcome.holds for outcome in outcomes) else EXIT_FAILED


def _changed(experiment: Experiment | Calculation, sets: Sequence[str]) -> Experiment | Calculation:
    """Set values in the scenario of an experiment; raise InputError for a calculation (no scenario)."""
    if not sets:
        return experiment
    if isinstance(experiment, Calculation):
        raise InputError(f"{experiment.id} is a calculation, not a study of a scenario: --set has no effect")
    return experiment.with_(dict(map(assignment, sets)))


def _write_study(chosen: Sequence[Experiment | Calculation], mode: Mode, seed: int, path: Path) -> None:
    """Write the study of one experiment to a new file."""
    first, *others = chosen
    if others or isinstance(first, Calculation):
        raise InputError("--as-study writes the study of one experiment that simulates a scenario")
    begin = f"# The grid and the curves of {first.id}, {first.title}. airhop sweep {path}\n"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(begin + written(first.study(mode, seed)))
    except FileExistsError:
        raise InputError(f"{path} exists already: expected another file for --as-study") from None
    except OSError as error:
        raise InputError(f"cannot write {path}: {why(error)}") from None
    print(path)


def _list(known: Mapping[str, Experiment | Calculation]) -> None:
    """Print the experiments on stderr by paper, one line each."""
    width = max(map(len, known))
    for paper, members in groupby(known.items(), key=lambda entry: entry[0].partition("/")[0]):
        say(paper)
        for name, experiment in members:
            say(f"  {name:<{width}}  {experiment.title}")
