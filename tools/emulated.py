#!/usr/bin/env python3
"""Measures what a kernel gets over the emulated last hop: rows of crosscheck/reference/emulated.csv.

Wants root or user namespaces, TUN and iperf3, and a machine with nothing else to do: four runs of 30 s go
side by side. A run that did not keep pace is made again, with the next seed.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from airhop import emulate
from airhop.crosscheck.against_kernel import SECONDS, emulated
from airhop.scenario import Scenario

COLUMNS = (
    "scheme",
    "attempts",
    "fer",
    "seed",
    "goodput_mbps",
    "lateness_p99_us",
    "turnaround_p50_us",
    "turnaround_p90_us",
)


def measure(point: tuple[str, str, str], seed: int) -> dict[str, object] | None:
    """Make one run; None where the emulator did not keep pace."""
    scheme, attempts, fer = point
    scenario = Scenario.load(emulated(scheme, int(attempts), float(fer))).with_(
        {"duration": f"{2 * SECONDS} s"}
    )
    commands = {"d": "iperf3 -s -1", "s": f"iperf3 -c {{d}} -t {SECONDS} -C {scheme} -J"}
    run = emulate(scenario, commands, seed=seed)
    if run.failures or not run.valid:
        print(f"{point}, seed {seed}: {'; '.join(run.failures or run.why)}", file=sys.stderr)
        return None
    said = json.loads(run.live["commands"][1]["stdout"])
    took = run.live["turnaround_us"]["d"]
    goodput = said["end"]["sum_received"]["bits_per_second"] / 1e6
    numbers = (
        seed,
        f"{goodput:.4f}",
        f"{run.live['lateness_us']['p99']:.0f}",
        f"{took['p50']:.0f}",
        f"{took['p90']:.0f}",
    )
    return dict(zip(COLUMNS, (*point, *numbers), strict=True))


def rows(points: list[tuple[str, str, str]], runs: int, jobs: int) -> Iterator[dict[str, object]]:
    """Give so many valid runs of each point."""
    with ProcessPoolExecutor(jobs) as pool:
        missing = dict.fromkeys(points, runs)
        first = dict.fromkeys(points, 1)
        while missing:
            asked = [
                (point, first[point] + i)
                for i in range(max(missing.values()))
                for point in missing
                if i < missing[point]
            ]
            for point, seed in asked:
                first[point] = max(first[point], seed + 1)
            for (point, _), row in zip(asked, pool.map(measure, *zip(*asked, strict=True)), strict=True):
                if row is not None:
                    missing[point] -= 1
                    yield row
            missing = {point: left for point, left in missing.items() if left}


def main() -> None:
    """Print the rows as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", nargs="+", help="SCHEME:ATTEMPTS:FER, such as reno:1:0.01")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=4)
    given = parser.parse_args()
    points = [(scheme, attempts, fer) for scheme, attempts, fer in (one.split(":") for one in given.points)]
    made = sorted(rows(points, given.runs, given.jobs), key=lambda row: [str(row[c]) for c in COLUMNS[:3]])
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    out.writerows(made)


if __name__ == "__main__":
    main()
