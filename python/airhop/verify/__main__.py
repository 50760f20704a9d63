"""`python -m airhop.verify 5000`: verify the traces of random runs, one process per core.

A finding contradicts a law, and names the seed of its scenario. `--only 17` verifies only seed 17. `--with
mine.py` also draws schemes from a file. `--mutations 50` instead edits each trace 50 times, and prints the
share of edits that the laws detect.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from airhop import plugins
from airhop.errors import RunError, ScenarioError
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.simulate import run
from airhop.verify import mutations, verify
from airhop.verify.mutations import Tally
from airhop.verify.networks import random_network


def look(seed: int, folder: str, others: Sequence[str]) -> tuple[int, int, list[str]]:
    """Run and verify one random scenario; return its seed, the number of packet steps, and the findings.

    Random scenarios with incompatible keys are invalid, and have neither steps nor findings.
    """
    try:
        made = _run(seed, folder, others)
    except RunError as error:
        return seed, 0, [str(error)]
    if made is None:
        return seed, 0, []
    findings = verify(*made, most=3)
    return seed, made[1].tables["packets"].height, [str(finding) for finding in findings]


def mutate(seed: int, folder: str, others: Sequence[str], edits: int) -> Tally:
    """Run the scenario of a seed, and make `edits` edits of its trace."""
    made = _run(seed, folder, others)
    return Tally() if made is None else mutations.measure(*made, seed=seed, edits=edits)


def _run(seed: int, folder: str, others: Sequence[str]) -> tuple[Scenario, Result] | None:
    """Run the scenario of a seed; None if the parts of the scenario are incompatible."""
    try:
        scenario = Scenario.load(random_network(seed, folder, others))
        return scenario, run(scenario, seed=seed, trace=True)
    except ScenarioError:  # a run also raises it, for random positions that are impossible
        return None


def main() -> int:
    """Print every finding, and the totals; with `--mutations` print the share of found edits."""
    parser = argparse.ArgumentParser(prog="python -m airhop.verify", description="Verify random runs.")
    parser.add_argument("runs", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first scenario")
    parser.add_argument("--only", type=int, help="only this seed")
    parser.add_argument(
        "--with", dest="plugins", action="append", default=[], help="file with schemes to draw"
    )
    parser.add_argument(
        "--mutations", type=int, help="number of edits of each trace; prints the share that the laws find"
    )
    given = parser.parse_args()
    seeds = [given.only] if given.only is not None else range(given.first, given.first + given.runs)
    others = _load(given.plugins)
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(initializer=_load, initargs=(given.plugins,)) as pool,
    ):
        if given.mutations is not None:
            one = partial(mutate, folder=folder, others=others, edits=given.mutations)
            print(sum(pool.map(one, seeds, chunksize=4), start=Tally()))
            return 0
        return _report(pool.map(partial(look, folder=folder, others=others), seeds, chunksize=4))


def _report(looks: Iterator[tuple[int, int, list[str]]]) -> int:
    """Print every finding, and the totals."""
    runs = steps = found = refused = 0
    for seed, read, findings in looks:
        runs += read > 0
        steps += read
        found += bool(findings)
        refused += not read and not findings
        for text in findings:
            print(f"seed {seed}: {text}", flush=True)
    print(f"{runs:,} runs verified, {steps:,} steps of packets; {found} runs with findings")
    print(f"{refused} scenarios omitted, because their keys are incompatible")
    return 1 if found else 0


def _load(files: Sequence[str]) -> list[str]:
    return [name for file in files for name in plugins.load(file)]


if __name__ == "__main__":
    sys.exit(main())
