"""`python -m airhop.verify 5000`: verifies traces of many random runs; one process per core.

Every finding names the seed of its scenario: `--only 17` looks at that one alone, `--with mine.py` draws the
schemes of a file of yours, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import airhop
from airhop import plugins
from airhop.errors import ScenarioError
from airhop.verify import verify
from airhop.verify.networks import random_network


def look(seed: int, folder: str, others: Sequence[str]) -> tuple[int, int, list[str]]:
    """Run and verify one: its seed, the steps that were read, and the findings.

    A few parts of random scenarios do not go together; then there are neither steps nor findings.
    """
    try:
        scenario = airhop.Scenario.load(random_network(seed, folder, others))
    except ScenarioError:
        return seed, 0, []
    try:
        result = airhop.run(scenario, seed=seed, trace=True)
    except airhop.RunError as error:
        return seed, 0, [str(error)]
    findings = verify(scenario, result, most=3)
    return seed, result.tables["packets"].height, [str(finding) for finding in findings]


def main() -> int:
    """Print every finding, and the sums."""
    parser = argparse.ArgumentParser(prog="python -m airhop.verify", description="Verify random runs.")
    parser.add_argument("runs", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--only", type=int, help="this seed alone")
    parser.add_argument("--with", dest="plugins", action="append", default=[], help="a file with schemes")
    given = parser.parse_args()
    seeds = [given.only] if given.only is not None else range(given.first, given.first + given.runs)
    runs = steps = found = refused = 0
    others = _load(given.plugins)
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(initializer=_load, initargs=(given.plugins,)) as pool,
    ):
        one = partial(look, folder=folder, others=others)
        for seed, read, findings in pool.map(one, seeds, chunksize=4):
            runs += read > 0
            steps += read
            found += bool(findings)
            refused += not read and not findings
            for text in findings:
                print(f"seed {seed}: {text}", flush=True)
    print(f"{runs:,} runs verified, {steps:,} steps of packets; {found} runs with findings")
    print(f"{refused} scenarios refused: their parts do not go together")
    return 1 if found else 0


def _load(files: Sequence[str]) -> list[str]:
    return [name for file in files for name in plugins.load(file)]


if __name__ == "__main__":
    sys.exit(main())
