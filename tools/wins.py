"""Write the tables of docs/what-wins-where.md from a full run of `airhop reproduce airhop/today`.

    airhop reproduce airhop/today --full --out DIR
    python tools/wins.py DIR

The program replaces the blocks between `<!-- wins: NAME -->` and `<!-- end -->`, and keeps the prose around
them. It simulates nothing: DIR must contain rows of the current simulator.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from airhop import schemes
from airhop.errors import InputError
from airhop.experiments import Outcome, Reproduced, Values, lookup, registry
from airhop.experiments.calculation import Calculated, calculated_in
from airhop.experiments.claims import above, along
from airhop.experiments.experiment import Claim, X
from airhop.experiments.outcome import outcomes_in
from airhop.experiments.samples import Samples
from airhop.experiments.today import ARQ, AS_GOOD, LABELS, PANELS, SENDERS, Sender, delay
from airhop.experiments.today.beside import KINDS, LOSSY, RELIABLE
from airhop.experiments.today.buffers import BUFFER
from airhop.experiments.today.flows import JAIN
from airhop.experiments.today.short import COMPLETION, times
from airhop.numerals import NO_BREAK, half_width_text, interval
from blocks import fill, table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "what-wins-where.md"
ANSWERS = {"holds": "yes", "fails": "no", "open": "open"}

Found = Mapping[str, Reproduced]
"""Reproduced experiments, by the last part of their ids."""


def found_in(folder: Path) -> dict[str, Reproduced]:
    """Read a full run of `airhop/today` from a folder. Raises InputError if results are missing."""
    known = {one.id: one for one in lookup(["airhop/today"], registry())}
    there = [*outcomes_in(folder, known), *calculated_in(folder, known)]
    by_id = {one.experiment.id: one for one in there if one.mode == "full"}
    if missing := [id_ for id_ in known if id_ not in by_id]:
        raise InputError(
            f"{folder} has no full run of {', '.join(missing)} by this simulator; "
            f"`airhop reproduce airhop/today --full --out {folder}` makes one"
        )
    return {id_.rpartition("/")[2]: by_id[id_] for id_ in known}


# ---- tables ----------------------------------------------------------------------------------------------


def grid(outcome: Outcome, digits: int = 2) -> str:
    """Return a table with a row per curve and a column per x: mean and half-width; best values are bold."""
    axis, labels = outcome.experiment.axis, outcome.experiment.labels
    samples, low = judged_by(outcome)
    best = {x: unbeaten(samples, tuple(labels), x, low=low) for x in samples.xs}

    def cell(curve: str, x: X) -> str:
        found = samples.estimate(curve, x)
        text = f"{found.mean:.{digits}f} {half_width_text(found, digits)}"
        return f"**{text}**" if curve in best[x] else text

    return table(
        (axis.label, *(axis.text(x) for x in samples.xs)),
        [(label, *(cell(curve, x) for x in samples.xs)) for curve, label in labels.items()],
    )


def judged_by(outcome: Outcome) -> tuple[Samples, bool]:
    """Return the measure that ranks senders, goodput or completion time, and whether smaller is better."""
    if COMPLETION in outcome.experiment.also:
        return times(outcome.samples), True
    return outcome.samples, False


def unbeaten(
    samples: Samples, curves: Sequence[str], x: X, share: float = 1.0, *, low: bool = False
) -> list[str]:
    """Return the best curve at x, and the curves whose ratio to it is not significantly below a share.

    With `low` smaller values are better.
    """
    sign = -1 if low else 1
    ranked = sorted(curves, key=lambda curve: -sign * samples.estimate(curve, x).mean)
    best = ranked[0]

    def holds_out(curve: str) -> bool:
        ratio = samples.ratio(best, curve, x) if low else samples.ratio(curve, best, x)
        return above(ratio, share).holds is not False

    return [best, *(curve for curve in ranked[1:] if holds_out(curve))]


def goodput(found: Found) -> str:
    """Return the table of goodput against frame errors."""
    return grid(_outcome(found, "fer"))


def round_trip(found: Found) -> str:
    """Return the table of goodput against the round-trip time."""
    return grid(_outcome(found, "rtt"))


def connections(found: Found) -> str:
    """Return the table of the goodput of all connections, and fairness with the most connections."""
    flows, fair = _outcome(found, "flows"), _outcome(found, "fairness")
    last = flows.samples.xs[-1]
    lines = grid(flows).splitlines()
    index = {curve: fair.samples.estimate(curve, last) for curve in fair.experiment.labels}
    added = [f" {JAIN.label}, {fair.experiment.axis.text(last)} |", " --: |"]
    added += [f" {one.mean:.3f} {half_width_text(one, 3)} |" for one in index.values()]
    return "".join(f"{line}{more}\n" for line, more in zip(lines, added, strict=True))


def beside(found: Found) -> str:
    """Return the goodput of Reno and CUBIC beside rivals, as a share of the goodput beside their own kind."""
    both = {kind: _outcome(found, f"beside-{kind}") for kind in ("reno", "cubic")}
    axis = both["reno"].experiment.axis
    head = [f"{LABELS[kind]}, {cell}" for kind in both for cell in (LOSSY, RELIABLE)]
    rows = [
        (
            axis.text(rival),
            *(
                interval(along(outcome.samples, cell, kind, rival))
                for kind, outcome in both.items()
                for cell in (LOSSY, RELIABLE)
            ),
        )
        for rival in both["reno"].samples.xs
    ]
    return table((axis.label, *head), rows)


def short(found: Found) -> str:
    """Return the table of completion times."""
    return grid(_outcome(found, "short"))


def fades(found: Found) -> str:
    """Return the table of goodput through the fades of Kounavis 1996."""
    return grid(_outcome(found, "fades"))


def fades_11b(found: Found) -> str:
    """Return the table of goodput through fades of Yun 2009's last hop."""
    return grid(_outcome(found, "fades-11b"))


def buffers(found: Found) -> str:
    """Return the table of goodput by buffer size."""
    return grid(_outcome(found, "buffers"))


def waits(found: Found) -> str:
    """Return the table of the mean and 95th percentile of waits by buffer size."""
    values = _values(found)

    def cell(curve: str, packets: int) -> str:
        mean, tail = (values.at(curve, one, packets=packets).value for one in (delay.MEAN, delay.TAIL))
        return f"{mean.mean:.1f} {half_width_text(mean, 1)}, {tail.mean:.0f}"

    measured = delay.buffers_in(values)
    return table(
        ("Queueing delay (ms): mean, 95th percentile", *(BUFFER.text(packets) for packets in measured)),
        [(sender.label, *(cell(sender.name, packets) for packets in measured)) for sender in SENDERS],
    )


# ---- summary ---------------------------------------------------------------------------------------------

CONDITIONS: tuple[tuple[str, str, X], ...] = (
    ("One connection, 0.01 % FER", "fer", 1e-4),
    ("1 % FER", "fer", 1e-2),
    ("9 % FER", "fer", 9e-2),
    ("1 % FER, round trip of 360 ms", "rtt", 60),
    ("1 % FER, ten connections", "flows", 10),
    ("1 % FER, buffers of 10 packets", "buffers", 10),
    ("1 % FER, buffers of 500 packets", "buffers", 500),
    ("Fades of 0.5 s", "fades-11b", 0.5),
    ("Fades of 4 s", "fades-11b", 4),
    ("Transfer of 30 kB", "short", 30),
    ("Transfer of 3 MB", "short", 3000),
)
"""Labels of the summary's rows, by experiment and value of its axis."""


def summary(found: Found) -> str:
    """Return a table of the best schemes with one attempt and with link ARQ, and of the gain of ARQ."""
    head = (
        "Scenario",
        "best scheme without link ARQ",
        "as good",
        "best scheme with link ARQ",
        "as good",
        "gain of link ARQ",
    )
    return table(head, [_condition(found, *condition) for condition in CONDITIONS]).replace("--:", "---")


def _condition(found: Found, words: str, name: str, x: X) -> tuple[str, ...]:
    outcome = _outcome(found, name)
    samples, low = judged_by(outcome)
    unit = " s" if low else ""
    cells, best = [], []
    for curves in PANELS:
        first, *others = unbeaten(samples, curves, x, AS_GOOD, low=low)
        cells.append(f"**{_short(first)}** {samples.estimate(first, x).mean:.2f}{unit}")
        cells.append(", ".join(map(_short, others)) or "–")
        best.append(first)
    once, arq = best
    gain = samples.ratio(once, arq, x) if low else samples.ratio(arq, once, x)
    return words, *cells, f"{interval(gain)} ×".replace(" ", NO_BREAK)


def _short(curve: str) -> str:
    """Return the name of a sender, without its link layer."""
    return LABELS[curve].removesuffix(", ARQ").replace(" ", NO_BREAK)


def senders(found: Found) -> str:
    """Return a table of the senders: needs, goodput, queueing delay, share of goodput left to CUBIC."""
    goodputs, values, left = _outcome(found, "fer").samples, _values(found), _outcome(found, "beside-cubic")
    needs = {scheme["name"]: scheme["needs"] for scheme in schemes()}
    waits = [packets for packets in delay.BUFFERS if packets >= delay.USUAL]

    def row(sender: Sender) -> tuple[str, ...]:
        link = ["link ARQ"] if sender.attempts == ARQ else []
        waited = (values.at(sender.name, delay.MEAN, packets=packets).value.mean for packets in waits)
        return (
            sender.label,
            ", ".join((*link, *needs[sender.scheme])) or "nothing",
            f"{goodputs.estimate(sender.name, 1e-2).mean:.2f}",
            *(f"{wait:.0f}" for wait in waited),
            left_to_cubic(left.samples, sender),
        )

    head = (
        "Sender",
        "service",
        "goodput (Mbit/s)",
        *(f"queueing delay, {BUFFER.text(p)} (ms)" for p in waits),
        "goodput left to CUBIC",
    )
    return table(head, [row(sender) for sender in SENDERS])


def left_to_cubic(samples: Samples, sender: Sender) -> str:
    """Return CUBIC's goodput beside ten connections of a sender, as a share of the goodput beside CUBIC."""
    (rival,) = [kind.name for kind in KINDS if kind.scheme == sender.scheme] or [""]
    cell = RELIABLE if sender.attempts == ARQ else LOSSY
    return f"{100 * along(samples, cell, 'cubic', rival).value:.0f} %" if rival else "–"


def questions(found: Found) -> str:
    """Return every question with its answer and the measured values."""
    rows = [
        (f"`{claim.id}`", claim.text, ANSWERS[word], measured)
        for outcome in found.values()
        for claim, word, measured in _answers(outcome)
    ]
    return table(("claim", "statement", "verdict", "measured"), rows).replace("--:", "---")


def _answers(outcome: Reproduced) -> list[tuple[Claim[Any], str, str]]:
    """Return the claims of an experiment in its order, with outcome and measured value."""
    by_id = {one.claim.id: one for one in outcome.claims}
    return [
        (claim, by_id[claim.id].word, by_id[claim.id].result.measured) for claim in outcome.experiment.claims
    ]


def _outcome(found: Found, name: str) -> Outcome:
    outcome = found[name]
    assert isinstance(outcome, Outcome)
    return outcome


def _values(found: Found) -> Values:
    calculated = found["delay"]
    assert isinstance(calculated, Calculated)
    return calculated.values


BLOCKS: Mapping[str, Callable[[Found], str]] = {
    block.__name__.replace("_", "-"): block
    for block in (
        summary,
        senders,
        goodput,
        round_trip,
        connections,
        beside,
        short,
        fades_11b,
        fades,
        buffers,
        waits,
        questions,
    )
}
"""Blocks of the page by name."""


def filled(page: str, found: Found) -> str:
    """Write every block of a page anew."""
    return fill(page, "wins", {name: block(found) for name, block in BLOCKS.items()})


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
