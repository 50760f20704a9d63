"""Write the tables of docs/wifi-notices.md from a full run of `airhop reproduce airhop/wifi`.

    airhop reproduce airhop/wifi --full --out DIR
    python tools/wifi_page.py DIR

The program replaces the blocks between `<!-- wifi: NAME -->` and `<!-- end -->`, and keeps the prose around
them. It simulates nothing: DIR must contain rows of the current simulator.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from airhop.errors import InputError
from airhop.experiments import Outcome, Reproduced, lookup, registry
from airhop.experiments.calculation import Calculated, calculated_in
from airhop.experiments.experiment import X
from airhop.experiments.outcome import outcomes_in
from airhop.experiments.traced import mean_and_half
from airhop.experiments.wifi import DISCARDED, DROPPED, LOSS, LOST, NOTICES, RESENT, SPURIOUS, SRTT, TIMEOUTS
from airhop.experiments.wifi.delay import MEAN, TAIL
from airhop.experiments.wifi.download import QUEUES
from blocks import fill, table
from wins import ANSWERS, grid

PAGE = Path(__file__).resolve().parent.parent / "docs" / "wifi-notices.md"
STANDARDS = ("n", "ac", "ax")
SHOWN = 0.1
"""MPDU loss of the table of causes."""
CAUSES = (LOST, DISCARDED, DROPPED, SPURIOUS, RESENT, TIMEOUTS, NOTICES, SRTT)

Found = Mapping[str, Reproduced]
"""Outcomes by the last part of their ids."""


def found_in(folder: Path) -> dict[str, Reproduced]:
    """Read a full run of `airhop/wifi` from a folder. Raises InputError if results are missing."""
    known = {one.id: one for one in lookup(["airhop/wifi"], registry())}
    there = [*outcomes_in(folder, known), *calculated_in(folder, known)]
    by_id = {one.experiment.id: one for one in there if one.mode == "full"}
    if missing := [id_ for id_ in known if id_ not in by_id]:
        raise InputError(
            f"{folder} has no full run of {', '.join(missing)} by this simulator; "
            f"`airhop reproduce airhop/wifi --full --out {folder}` makes one"
        )
    return {id_.rpartition("/")[2]: by_id[id_] for id_ in known}


def goodput(name: str) -> Callable[[Found], str]:
    """Make the block of an experiment's goodputs: a row per sender, a column per loss."""
    return lambda found: grid(_outcome(found, name), digits=1)


def causes(name: str) -> Callable[[Found], str]:
    """Return the function that makes an experiment's table of causes: a row per sender at one loss rate."""

    def block(found: Found) -> str:
        outcome = _outcome(found, name)
        samples, labels = outcome.samples.also, outcome.experiment.labels
        rows = [
            (
                label,
                *(f"{samples[one.name].estimate(curve, SHOWN).mean:,.{one.digits}f}" for one in CAUSES),
            )
            for curve, label in labels.items()
        ]
        return table((f"at {LOSS.text(SHOWN)} loss", *(one.title for one in CAUSES)), rows)

    return block


def shares(found: Found) -> str:
    """Return the numbers of lost MPDUs and of their discarded packets, by experiment and loss."""

    def row(name: str, outcome: Outcome) -> tuple[str, ...]:
        lost, discarded = (outcome.samples.also[one.name] for one in (LOST, DISCARDED))

        def cell(x: X) -> str:
            all_of = [
                sum(sum(one.values(curve, x)) for curve in outcome.experiment.labels)
                for one in (lost, discarded)
            ]
            return f"{all_of[1]:,.0f} of {all_of[0]:,.0f}"

        return (f"`{name}`", *(cell(x) if x in outcome.samples.xs else "–" for x in LOSS.full if x))

    head = ("discarded packets of lost MPDUs, by MPDU loss rate", *(LOSS.text(x) for x in LOSS.full if x))
    return table(head, [row(name, one) for name, one in found.items() if isinstance(one, Outcome)])


def delay(found: Found) -> str:
    """Return the mean and the 99th percentile of the delay, ms: a row per standard, a column per loss."""
    calculated = found["delay"]
    assert isinstance(calculated, Calculated)

    def cell(name: str, loss: X) -> str:
        mean, tail = (calculated.values.at(name, one, **{LOSS.key: loss}).value for one in (MEAN, TAIL))
        return f"{mean_and_half(mean)}, {tail.mean:.1f}"

    rows = [(f"802.11{name}", *(cell(name, loss) for loss in LOSS.full)) for name in STANDARDS]
    return table(("one-way delay (ms): mean, 99th percentile", *map(LOSS.text, LOSS.full)), rows)


def _outcome(found: Found, name: str) -> Outcome:
    outcome = found[name]
    assert isinstance(outcome, Outcome)
    return outcome


def questions(found: Found) -> str:
    """Return every question with its answer and the measured values."""
    rows = [
        (f"`{claim.id}`", claim.text, ANSWERS[by_id[claim.id].word], by_id[claim.id].result.measured)
        for outcome in found.values()
        for by_id in [{one.claim.id: one for one in outcome.claims}]
        for claim in outcome.experiment.claims
    ]
    return table(("claim", "statement", "verdict", "measured"), rows).replace("--:", "---")


BLOCKS: Mapping[str, Callable[[Found], str]] = {
    "shares": shares,
    **{name: goodput(name) for name in STANDARDS},
    **{
        f"{name}-{queue}": goodput(f"{name}-{queue}")
        for name in STANDARDS
        for queue in QUEUES
        if queue != "drop-tail"
    },
    "ac-once": goodput("ac-once"),
    **{f"{name}-causes": causes(name) for name in (*STANDARDS, "ac-fq-codel", "ac-once")},
    "delay": delay,
    "questions": questions,
}
"""Blocks of the page by name."""


def filled(page: str, found: Found) -> str:
    """Write every block of a page anew."""
    return fill(page, "wifi", {name: block(found) for name, block in BLOCKS.items()})


def main() -> int:
    """Fill the page from the folder of a run."""
    try:
        page = filled(PAGE.read_text(encoding="utf-8"), found_in(Path(sys.argv[1])))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
