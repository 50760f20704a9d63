#!/usr/bin/env python3
"""Measure completion times of curl over an emulated wire, as CSV (docs/real-packets.md).

The program needs root or user namespaces, TUN and curl, and an idle machine. A run whose packets were too
late is repeated with the next seed.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Iterator, Sequence

from airhop import Scenario, emulate
from airhop.crosscheck.against_curl import LOADINGS, commands, completions_ms, simulated

HEAD = ("loading", "seed", "count", "p50_ms", "p95_ms", "lateness_p99_us")
PAGES, RESPONSES = 40, 100
"""Numbers of downloads in a run, of the page and of a response."""


def measure(name: str, seed: int) -> dict[str, object] | None:
    """Return the row of one run; None if the emulator was too late."""
    loading = LOADINGS[name]
    network = Scenario.load(simulated(name)).with_({"duration": "120 s"})
    at = commands(name, PAGES if loading.is_page else RESPONSES)
    run = emulate(network, at, ready={"s": 80}, scheme=loading.scheme, seed=seed)
    if run.failures or not run.valid:
        print(f"{name}, seed {seed}: {'; '.join(run.failures or run.why)}", file=sys.stderr)
        return None
    times_ms = completions_ms(name, run.live["commands"][1]["stdout"])
    values = (name, seed, len(times_ms), *(f"{percentile(times_ms, p):.1f}" for p in (50, 95)))
    return dict(zip(HEAD, (*values, f"{run.live['lateness_us']['p99']:.0f}"), strict=True))


def percentile(values: Sequence[float], percent: int) -> float:
    """Return a percentile by nearest rank, as in run documents."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def rows(names: Sequence[str], runs: int, seed: int) -> Iterator[dict[str, object]]:
    """Yield this number of valid runs of each series of downloads."""
    for name in names:
        valid, tried = 0, seed
        while valid < runs:
            row = measure(name, tried)
            tried += 1
            if row is not None:
                valid += 1
                yield row


def main() -> None:
    """Print the rows as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("loadings", nargs="*", default=list(LOADINGS), help=f"of {', '.join(LOADINGS)}")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; those of the rest follow")
    given = parser.parse_args()
    out = csv.DictWriter(sys.stdout, HEAD, lineterminator="\n")
    out.writeheader()
    for row in rows(given.loadings, given.runs, given.seed):
        out.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
