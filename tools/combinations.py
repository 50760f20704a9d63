"""Run combinations of readings (interpretations) of a paper; report those that reproduce its numbers.

    python tools/combinations.py OUT [CLAIM…]

A reading is an interpretation of an unclear point in a paper. Each claim of `SEARCHES` is checked in quick
mode, at the decisive axis values, under the combinations of a fractional factorial design, and fills a block
of the page. Runs in OUT are reused.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

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


Word = Literal["met", "above", "below"]


@dataclass(frozen=True)
class Search:
    """Printed number or bound, and the readings (interpretations) whose combinations may reproduce it."""

    experiment: str
    printed: str
    number: float
    """Printed ratio."""
    curves: tuple[str, str]
    """Curves of the ratio."""
    readings: tuple[str, ...]
    at: tuple[X, ...]
    """Axis values over which the greatest ratio decides."""
    word: Word = "met"
    """`met` for a number, `above` and `below` for a bound."""

    def measured(self, samples: Samples) -> Ratio:
        """Return the greatest ratio of the two curves over the simulated axis values."""
        return max((samples.ratio(*self.curves, x) for x in samples.xs), key=lambda ratio: ratio.value)

    def holds(self, ratio: Ratio) -> bool:
        """Return whether the interval contains the printed number, or lies beyond the bound."""
        if ratio.low is None or ratio.high is None:
            return False
        if self.word == "met":
            return ratio.low <= self.number <= ratio.high
        return ratio.low > self.number if self.word == "above" else ratio.high < self.number


VT = ("westwood-vt", "westwood-nr")
CL = ("tcp-cl", "reno")
KOO = ("delay-30", "air-1", "segment-1460", "both-ways", "ewma")
CHENG = ("rate-48", "ofdm", "ns2-mac", "ns2-sender", "aodv-ns2", "attempts-8", "no-held-nak")
KOUNAVIS = ("ber-powers", "uniform-half", "reno", "tick-300", "two-gains", "blocks")
"""Names of compatible readings; of the readings of the links' ARQ, which set the same keys, only one is
included.
"""
SEARCHES: Mapping[str, Search] = {
    "koo-4": Search("koo2007/fig2a", "greatest gain of 41 % over WestwoodNR", 1.41, VT, KOO, (0.02, 0.05)),
    "koo-5-nr": Search(
        "koo2007/fig2b",
        "greatest gain of 24 % over WestwoodNR, with cross traffic",
        1.24,
        VT,
        (*KOO, "cbr"),
        (0.01, 0.05),
    ),
    "cheng-t2-last": Search("cheng2008/table2", "57 % over Reno at eight hops", 1.57, CL, CHENG, (8,)),
    "kou-2": Search(
        "kounavis1996/ebsn", "over 50 % over basic TCP", 1.5, ("ebsn", "basic"), KOUNAVIS, (100,), "above"
    ),
    "kou-3": Search(
        "kounavis1996/ebsn-m2m",
        "no more than local recovery between mobiles",
        1.0,
        ("ebsn", "local"),
        KOUNAVIS,
        (100,),
        "below",
    ),
}
"""Searches by claim, each with the compatible readings that have the largest effects."""


def combinations(search: Search) -> list[Experiment]:
    """Return the experiment under each combination of the design, at the decisive axis values."""
    one = registry()[search.experiment]
    assert isinstance(one, Experiment)
    found = [find(name, one.questions, of=one.id) for name in search.readings]
    made = []
    for levels in design(len(found)):
        chosen = [reading for reading, on in zip(found, levels, strict=True) if on and reading]
        read = one.under(together(chosen)) if chosen else one
        made.append(_at_places(read, search))
    return made


def _at_places(one: Experiment, search: Search) -> Experiment:
    """Restrict an experiment to the decisive values of the axis and curves."""
    return replace(
        one,
        axis=replace(one.axis, coarse=search.at),
        curves=tuple(curve for curve in one.curves if curve.name in search.curves),
        baseline=search.curves[1],
        beside=None,
        claims=(),
        panels=(),
        pictures=(),
        questions=(),
        timeline=None,
    )


def run(search: Search, out: Path) -> list[tuple[str, Ratio]]:
    """Run each combination; return its readings and the measured ratio."""
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
    """Return a text on the combinations that reproduce the number, and on the nearest combinations."""
    met = [name for name, ratio in found if search.holds(ratio)]
    shared = set.intersection(*(set(name.split("+")) for name in met)) if met else set()
    all_with = f", all with {', '.join(f'`{name}`' for name in sorted(shared))}" if shared else ""
    nearest = sorted(found, key=lambda one: abs(one[1].value - search.number))[:4]
    rows = [(f"`{name}`", interval(ratio)) for name, ratio in nearest]
    number = "printed number" if search.word == "met" else "bound"
    head = (f"nearest to the {number} {search.number:g}", "measured (95 %)")
    return (
        f"Claim `{claim}`, {search.printed}: the {number} is {MET[search.word]} of {len(met)} of the"
        f" {len(found)} simulated combinations of"
        f" {', '.join(f'`{name}`' for name in search.readings)}{all_with}.\n\n{table(head, rows)}\n"
    )


MET: Mapping[Word, str] = {
    "met": "in the interval",
    "above": "below the interval",
    "below": "above the interval",
}


def main() -> int:
    """Run the searches, and fill their blocks of the page."""
    out, names = Path(sys.argv[1]), sys.argv[2:] or list(SEARCHES)
    for name in names:
        block = {f"combinations {name}": told(name, SEARCHES[name], run(SEARCHES[name], out))}
        PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), "readings", block), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
