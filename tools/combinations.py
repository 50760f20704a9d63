"""Runs a fraction of all combinations of readings, and tells which of them meet what a paper prints.

    python tools/combinations.py OUT [CLAIM…]

Each claim of `SEARCHES` is judged in quick mode at the places of the axis that decide it. What OUT has is
reused.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from airhop.engines import open_engine
from airhop.experiments import Experiment, Outcome, registry
from airhop.experiments.combined import design, together
from airhop.experiments.experiment import X
from airhop.experiments.reading import find
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio
from airhop.store import Store
from airhop.study import run_study
from blocks import fill, table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "experiments" / "readings.md"


@dataclass(frozen=True)
class Search:
    """A printed number, and the readings that are combined to meet it."""

    experiment: str
    printed: str
    least: float
    """The ratio that is printed."""
    readings: tuple[str, ...]
    at: tuple[X, ...]
    """The places of the axis that decide."""
    measured: Callable[[Samples], Ratio]


def greatest(curve: str, other: str) -> Callable[[Samples], Ratio]:
    """Make what gives the greatest ratio of two curves over the places that are run."""
    return lambda samples: max(
        (samples.ratio(curve, other, x) for x in samples.xs), key=lambda ratio: ratio.value
    )


VT = ("westwood-vt", "westwood-nr")
SEARCHES: Mapping[str, Search] = {
    "koo-4": Search(
        "koo2007/fig2a",
        "greatest gain of 41 % over WestwoodNR",
        1.41,
        ("delay-30", "air-1", "segment-1460", "both-ways", "ewma"),
        (0.02, 0.05),
        greatest(*VT),
    ),
    "koo-5-nr": Search(
        "koo2007/fig2b",
        "greatest gain of 24 % over WestwoodNR, with cross traffic",
        1.24,
        ("delay-30", "air-1", "segment-1460", "both-ways", "ewma", "cbr"),
        (0.01, 0.05),
        greatest(*VT),
    ),
    "cheng-t2-last": Search(
        "cheng2008/table2",
        "57 % over Reno at eight hops",
        1.57,
        ("rate-48", "ofdm", "ns2-mac", "ns2-sender", "aodv-ns2", "attempts-8", "no-held-nak"),
        (4, 8),
        lambda samples: samples.ratio("tcp-cl", "reno", samples.xs[-1]),
    ),
}
"""By claim. The readings are those of the largest effects that do not exclude each other."""


def combinations(search: Search) -> list[Experiment]:
    """Make the experiment under each combination of the design, at the places that decide."""
    one = registry()[search.experiment]
    assert isinstance(one, Experiment)
    found = [find(name, one.questions, of=one.id) for name in search.readings]
    made = []
    for levels in design(len(found)):
        chosen = [reading for reading, on in zip(found, levels, strict=True) if on and reading]
        read = one.under(together(chosen)) if chosen else one
        made.append(
            replace(read, axis=replace(read.axis, coarse=search.at), beside=None, claims=(), pictures=())
        )
    return made


def run(search: Search, out: Path) -> list[tuple[str, Ratio]]:
    """Run each combination; return its readings and the ratio that is measured."""
    found = []
    with open_engine("local", None) as engine, Store.open(out) as store:
        for experiment in combinations(search):
            done = run_study(experiment.study("quick"), store=store, engine=engine)
            outcome = Outcome.of(experiment, "quick", 1, done)
            name = experiment.id.partition("@")[2] or "default"
            found.append((name, search.measured(outcome.samples)))
            print(search.experiment, name, interval(found[-1][1]), file=sys.stderr)
    return found


def told(claim: str, search: Search, found: Sequence[tuple[str, Ratio]]) -> str:
    """Describe the combinations that meet the number, and their common part; list the nearest."""
    met = [(name, ratio) for name, ratio in found if _holds(ratio, search.least)]
    shared = set.intersection(*(set(name.split("+")) for name, _ in met)) if met else set()
    all_with = f", all with {', '.join(f'`{name}`' for name in sorted(shared))}" if shared else ""
    nearest = sorted(found, key=lambda one: abs(one[1].value - search.least))[:4]
    rows = [(f"`{name}`", interval(ratio)) for name, ratio in nearest]
    head = (f"nearest to the printed {search.least:g}", "measured (95 %)")
    return (
        f"`{claim}`, {search.printed}: in the interval of {len(met)} of {len(found)} combinations run of "
        f"{', '.join(f'`{name}`' for name in search.readings)}{all_with}.\n\n{table(head, rows)}\n"
    )


def _holds(ratio: Ratio, printed: float) -> bool:
    """Return whether the interval holds the printed number."""
    return ratio.low is not None and ratio.high is not None and ratio.low <= printed <= ratio.high


def main() -> int:
    """Run the searches, and fill the block of the page."""
    out, names = Path(sys.argv[1]), sys.argv[2:] or list(SEARCHES)
    parts = [told(name, SEARCHES[name], run(SEARCHES[name], out)) for name in names]
    block = {"combinations": "\n".join(parts)}
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), "readings", block), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
