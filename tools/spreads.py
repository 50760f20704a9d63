"""Write python/airhop/experiments/spreads.csv: the scatter of single runs, for checks of printed numbers.

    airhop reproduce cheng2008/table2 cheng2008/table3 cheng2008/table4 cheng2008/table5 cheng2008/table6 \
        cheng2008/table7 koo2007 --full --out DIR
    python tools/spreads.py DIR

The program simulates nothing: DIR must contain rows of the current simulator. A change of simulated results
also changes the tolerances of printed numbers.
"""

import csv
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from scipy.stats import t

from airhop.errors import InputError
from airhop.experiments import Experiment, registry
from airhop.experiments.experiment import X
from airhop.experiments.outcome import mode_of
from airhop.experiments.samples import Samples
from airhop.experiments.spreads import FILE
from airhop.stats import CONFIDENCE
from airhop.study import Table

PATH = Path(__file__).resolve().parent.parent / "python" / "airhop" / "experiments" / FILE
GAINS = {
    "cheng2008/table": (("tcp-cl", "reno"),),
    "koo2007/fig2": (("westwood-vt", "westwood-nr"), ("westwood-vt", "reno")),
}
"""Curves with checked gains, and the curve that they are compared with, by the beginning of an experiment's
id.
"""
HEAD = ("experiment", "curve", "other", "x", "runs", "spread")
Row = tuple[str, str, str, str, int, str]


def printed() -> dict[str, Experiment]:
    """List the experiments whose papers print numbers, by id."""
    return {
        id_: one
        for id_, one in registry().items()
        if isinstance(one, Experiment) and id_.startswith(tuple(GAINS))
    }


def spread(values: Sequence[float]) -> str:
    """Return t(0.975, n - 1) times the standard deviation, four digits."""
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    return f"{float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * deviation:.4g}"


def rows_of(experiment: Experiment, samples: Samples) -> Iterator[Row]:
    """Make the rows of an experiment: its printed numbers, and the gains of curves over others."""

    def key(x: X) -> str:
        return x if isinstance(x, str) else f"{x:g}"

    for curve, x in experiment.published or {}:
        values = samples.values(curve, x)
        yield experiment.id, curve, "", key(x), len(values), spread(values)
    pairs = next(pairs for begin, pairs in GAINS.items() if experiment.id.startswith(begin))
    for curve, other in pairs:
        for x in samples.xs:
            over, under = samples.paired((curve, x), (other, x))
            whole = min(*over, *under) > 0.0
            ratios = [math.log(a / b) for a, b in zip(over, under, strict=True)] if whole else []
            yield experiment.id, curve, other, key(x), len(over), spread(ratios) if whole else "inf"


def main() -> int:
    """Write the file from the folder of a run with the papers' own counts."""
    tables = {table.study.name: table for table in Table.load(Path(sys.argv[1]))}
    rows: list[Row] = []
    try:
        for id_, experiment in printed().items():
            table = tables.get(id_)
            if table is None or mode_of(experiment, table) != "full":
                raise InputError(f"{sys.argv[1]} has no run of {id_} --full by this simulator")
            rows += rows_of(experiment, Samples.of(experiment, "full", table))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    with PATH.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
