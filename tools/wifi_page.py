"""Write the tables of docs/wifi-notices.md from a full run of `airhop reproduce airhop/wifi-last-hop`.

    airhop reproduce airhop/wifi-last-hop --full --out DIR
    python tools/wifi_page.py DIR

The program replaces the blocks between `<!-- wifi: NAME -->` and `<!-- end -->`, and keeps the prose around
them. It simulates nothing: DIR must contain rows of the current simulator.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from airhop.errors import InputError
from airhop.experiments import Outcome, Reproduced, lookup, registry
from airhop.experiments.calculation import Calculated, Values, calculated_in
from airhop.experiments.experiment import X
from airhop.experiments.outcome import outcomes_in
from airhop.experiments.traced import mean_and_half
from airhop.experiments.wifi import (
    DISCARDED,
    DROPPED,
    GROUP,
    LOSS,
    LOST,
    NOTICES,
    QUEUES,
    RESENT,
    SENDERS,
    SPURIOUS,
    SRTT,
    STANDARDS,
    TIMEOUTS,
    TOLD,
)
from airhop.experiments.wifi.airtime import AIRTIME, CELLS
from airhop.experiments.wifi.delay import MEAN, TAIL
from airhop.experiments.wifi.five import EDGE, MEASURES, TENTH
from airhop.experiments.wifi.snr import PLACES
from airhop.numerals import half_width_text, interval
from blocks import fill, table
from wins import ANSWERS, grid

PAGE = Path(__file__).resolve().parent.parent / "docs" / "wifi-notices.md"
CAUSES = (LOST, DISCARDED, DROPPED, SPURIOUS, RESENT, TIMEOUTS, NOTICES, SRTT)
SHOWN: Mapping[str, X] = {
    "n": 0.1,
    "ac": 0.1,
    "ax": 0.1,
    "ac-fq-codel": 0.1,
    "ac-snr": PLACES["ac"][3],
    "ac-five": TENTH,
    "ac-five-fq-codel": TENTH,
    "ac-once": 0.1,
    "ac-attempts": 2,
    "ac-lifetime": 5,
}
"""Experiments with a table of causes, and the value of the axis in this table."""
CONDITIONS: tuple[tuple[str, str, X], ...] = (
    *((f"802.11{name}, alone, 10 % loss", name, 0.1) for name in STANDARDS),
    *((f"802.11{name}, alone, 50 % loss", name, 0.5) for name in STANDARDS),
    *((f"802.11{name}, alone, FQ-CoDel, 10 % loss", f"{name}-fq-codel", 0.1) for name in STANDARDS),
    *((f"802.11{name}, alone, edge of the MCS", f"{name}-snr", PLACES[name][2]) for name in STANDARDS),
    *((f"802.11{name}, alone, beyond the edge", f"{name}-snr", PLACES[name][3]) for name in STANDARDS),
    *((f"802.11{name}, among five, 10 % loss", f"{name}-five", TENTH) for name in STANDARDS),
    *((f"802.11{name}, among five, at the edge", f"{name}-five", EDGE) for name in STANDARDS),
    *(
        (f"802.11{name}, among five, FQ-CoDel, 10 % loss", f"{name}-five-fq-codel", TENTH)
        for name in STANDARDS
    ),
    *((f"802.11ac, alone, 10 % loss, attempts: {most}", "ac-attempts", most) for most in (1, 2, 4, 7)),
    *((f"802.11ac, alone, 50 % loss, lifetime {ms} ms", "ac-lifetime", ms) for ms in (5, 10, 20)),
)
"""Labels of the summary's rows, by experiment and value of its axis."""

Found = Mapping[str, Reproduced]
"""Outcomes by the last part of their ids."""


def found_in(folder: Path) -> dict[str, Reproduced]:
    """Read a full run of `airhop/wifi-last-hop` from a folder. Raises InputError if results are missing."""
    known = {one.id: one for one in lookup([GROUP], registry())}
    there = [*outcomes_in(folder, known), *calculated_in(folder, known)]
    by_id = {one.experiment.id: one for one in there if one.mode == "full"}
    if missing := [id_ for id_ in known if id_ not in by_id]:
        raise InputError(
            f"{folder} has no full run of {', '.join(missing)} by this simulator; "
            f"`airhop reproduce {GROUP} --full --out {folder}` makes one"
        )
    return {id_.rpartition("/")[2]: by_id[id_] for id_ in known}


def goodput(name: str) -> Callable[[Found], str]:
    """Return the function that makes an experiment's table of goodputs: a row per sender, a column per x."""
    return lambda found: grid(_outcome(found, name), digits=1)


def summary(found: Found) -> str:
    """Return a table of the gain of services by condition: best sender, LL-ELSN and ELN-CUBIC."""
    head = (
        "condition",
        "best without a service",
        "best with a service",
        "gain",
        "LL-ELSN / Reno",
        "ELN-CUBIC / CUBIC",
    )
    return table(head, [_condition(found, *one) for one in CONDITIONS])


def _condition(found: Found, words: str, name: str, x: X) -> tuple[str, ...]:
    outcome = _outcome(found, name)
    samples, labels = outcome.samples, outcome.experiment.labels
    groups = ([curve for curve in labels if curve not in TOLD], list(TOLD))
    without, told = (max(those, key=lambda curve: samples.estimate(curve, x).mean) for those in groups)
    best = (f"{labels[curve]} {samples.estimate(curve, x).mean:.1f}" for curve in (without, told))
    pairs = ((told, without), ("ll-elsn", "reno"), ("eln-cubic", "cubic"))
    return words, *best, *(interval(samples.ratio(*pair, x)) for pair in pairs)


def measures(name: str) -> Callable[[Found], str]:
    """Return the function that makes a table of the download and the other four connections at 10 % loss."""

    def block(found: Found) -> str:
        outcome = _outcome(found, name)
        samples, goodputs = outcome.samples, outcome.experiment.metric
        several = ((goodputs, samples), *((one, samples.also[one.name]) for one in MEASURES))
        rows = [
            (
                label,
                *(
                    f"{value.mean:.{metric.digits}f} {half_width_text(value, metric.digits)}"
                    for metric, those in several
                    for value in (those.estimate(curve, TENTH),)
                ),
            )
            for curve, label in outcome.experiment.labels.items()
        ]
        return table((f"at {TENTH}", *(one.title for one, _ in several)), rows)

    return block


def causes(name: str) -> Callable[[Found], str]:
    """Return the function that makes an experiment's table of causes: a row per sender at one value of x."""

    def block(found: Found) -> str:
        outcome, x = _outcome(found, name), SHOWN[name]
        samples, axis = outcome.samples.also, outcome.experiment.axis
        rows = [
            (label, *(f"{samples[one.name].estimate(curve, x).mean:,.{one.digits}f}" for one in CAUSES))
            for curve, label in outcome.experiment.labels.items()
        ]
        return table(
            (f"{axis.label.partition(' (')[0]}: {axis.text(x)}", *(one.title for one in CAUSES)), rows
        )

    return block


def shares(found: Found) -> str:
    """Return the numbers of discarded packets and of lost MPDUs, by experiment and MPDU loss rate."""

    def row(name: str, outcome: Outcome) -> tuple[str, ...]:
        return (
            f"`{name}`",
            *(_share(outcome, x) if x in outcome.samples.xs else "–" for x in LOSS.full if x),
        )

    head = ("discarded packets of lost MPDUs, by MPDU loss rate", *(LOSS.text(x) for x in LOSS.full if x))
    rows = [row(name, one) for name, one in found.items() if isinstance(one, Outcome) and _by_loss(one)]
    return table(head, rows)


def other_shares(found: Found) -> str:
    """Return the numbers of discarded packets and of lost MPDUs of the experiments with another axis."""
    rows = [
        (
            f"`{name}`",
            *(f"{one.experiment.axis.text(x)}: {_share(one, x)}" for x in one.samples.xs),
            *("–" for _ in range(5 - len(one.samples.xs))),
        )
        for name, one in found.items()
        if isinstance(one, Outcome) and not _by_loss(one)
    ]
    return table(("discarded packets of lost MPDUs", "", "", "", "", ""), rows)


def _by_loss(outcome: Outcome) -> bool:
    return outcome.experiment.axis.key == LOSS.key


def _share(outcome: Outcome, x: X) -> str:
    samples, labels = outcome.samples.also, outcome.experiment.labels
    lost, discarded = (
        sum(sum(samples[metric.name].values(curve, x)) for curve in labels) for metric in (LOST, DISCARDED)
    )
    return f"{discarded:,.0f} of {lost:,.0f}"


def airtime(found: Found) -> str:
    """Return the airtime of the access point among five stations: a row per sender, a column per cell."""
    values = _values(found, "airtime")
    rows = [
        (
            one.label,
            *(mean_and_half(values.at(one.name, AIRTIME, cell=cell).value) for cell in CELLS),
        )
        for one in SENDERS
    ]
    return table(("airtime of the access point", *(f"`{cell}`" for cell in CELLS)), rows)


def delay(found: Found) -> str:
    """Return the mean and the 99th percentile of the delay, ms: a row per standard, a column per loss."""
    values = _values(found, "delay")

    def cell(name: str, loss: X) -> str:
        mean, tail = (values.at(name, one, **{LOSS.key: loss}).value for one in (MEAN, TAIL))
        return f"{mean_and_half(mean)}, {tail.mean:.1f}"

    rows = [(f"802.11{name}", *(cell(name, loss) for loss in LOSS.full)) for name in STANDARDS]
    return table(("one-way delay (ms): mean, 99th percentile", *map(LOSS.text, LOSS.full)), rows)


def _values(found: Found, name: str) -> Values:
    calculated = found[name]
    assert isinstance(calculated, Calculated)
    return calculated.values


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


FIVE = tuple(CELLS)
"""Names of the experiments among five stations."""
GOODPUTS = (
    *STANDARDS,
    *(f"{name}-{queue}" for name in STANDARDS for queue in QUEUES if queue != "drop-tail"),
    *(f"{name}-snr" for name in STANDARDS),
    *FIVE,
    "ac-once",
    "ac-attempts",
    "ac-lifetime",
)
"""Names of the experiments with a table of goodputs."""
BLOCKS: Mapping[str, Callable[[Found], str]] = {
    "summary": summary,
    "shares": shares,
    "other-shares": other_shares,
    **{name: goodput(name) for name in GOODPUTS},
    **{f"{name}-measures": measures(name) for name in FIVE},
    **{f"{name}-causes": causes(name) for name in SHOWN},
    "airtime": airtime,
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
