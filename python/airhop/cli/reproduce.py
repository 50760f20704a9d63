"""`airhop reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from airhop.cli import EXIT_FAILED
from airhop.cli.app import Json, Seed
from airhop.cli.output import console, print_json, say
from airhop.errors import InputError
from airhop.experiments import registry
from airhop.experiments import reproduce as reproduce_experiments
from airhop.progress import reporter_for_stderr


def reproduce(
    *experiments: str,
    all_: Annotated[
        bool, Parameter(name="--all", negative="", show_default=False, help="Reproduce every experiment.")
    ] = False,
    quick: Annotated[
        bool, Parameter(negative="", show_default=False, help="Few replications and a coarse grid.")
    ] = False,
    full: Annotated[
        bool, Parameter(negative="", show_default=False, help="The replications and the grid of the paper.")
    ] = False,
    out: Path = Path("airhop-out"),
    seed: Seed = 1,
    as_json: Json = False,
) -> int:
    """Reproduce figures and tables of published papers and check their claims.

    Parameters
    ----------
    experiments
        Ids such as yun2009/fig6.
    out
        Folder for figures, data and the report.
    """
    if quick and full:
        raise InputError("--quick and --full exclude each other")
    mode: Literal["quick", "default", "full"] = "quick" if quick else "full" if full else "default"
    known = registry()
    if not experiments and not all_:
        raise InputError(f"name an experiment, or use --all. There are: {', '.join(known)}.")
    ids = list(known) if all_ else list(experiments)
    screen, outcomes = console(), []
    for outcome in reproduce_experiments(ids, mode, out, reporter_for_stderr(), seed):
        outcomes.append(outcome)
        if not as_json:
            outcome.print(screen)
    if as_json:
        print_json({"experiments": [outcome.to_dict() for outcome in outcomes]})
    failed = [outcome.experiment.id for outcome in outcomes if not outcome.holds]
    if failed:
        say(f"airhop: not every claim holds: {', '.join(failed)}")
    return EXIT_FAILED if failed else 0
