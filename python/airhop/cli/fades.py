"""`airhop fades`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli.common.app import ScenarioName, Seed, Sets, Whole, With
from airhop.cli.common.output import say
from airhop.errors import InputError
from airhop.files import filling
from airhop.plugins import load_all
from airhop.scenario import Scenario


def fades(
    scenario: ScenarioName,
    /,
    *,
    out: Annotated[Path, Parameter(help="Folder for the files LINK.csv, one for every link that fades.")],
    sets: Sets = (),
    with_: With = (),
    seed: Seed = 1,
    rep: Whole = 0,
    until: Annotated[
        str | None,
        Parameter(help='Duration of the written fades, as in "200 s"; by default the duration of a run.'),
    ] = None,
) -> int:
    """Save the fades of every run with this seed and replication.

    Errors of kind "recorded" play the files back, in this scenario or any other. A file repeats after the
    saved time.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    rep
        Number of the replication.
    """
    load_all(with_)
    loaded = Scenario.load(scenario, sets=sets)
    saved = loaded.fades(seed=seed, rep=rep, until=until)
    if not saved:
        raise InputError(
            f"no link of `{loaded.name}` has fades in real time; expected a link with"
            ' errors of kind "two-state", as in errors = { kind = "two-state", good = "10 s", bad = "4 s",'
            " ber_good = 1e-6, ber_bad = 1e-2 }"
        )
    with filling(out) as folder:
        for link, text in saved.items():
            (folder / f"{link}.csv").write_text(text, encoding="utf-8")
    say(f"fades: {', '.join(f'{link}.csv' for link in saved)} in {out}")
    return 0
