"""Yun's Figure 12 with today's senders: one Reno or CUBIC connection beside ten connections of another kind.

The goodput of the single connection is compared with its goodput beside ten connections of its own kind. One
cell sends each frame once at 1 % frame errors, as in Yun's figures, so most losses are channel errors. The
other cell has up to seven attempts, so nearly all losses are queue drops. Snoop is excluded, as in Yun 2009,
because Snoop is an agent of the link, not a sender.
"""

from __future__ import annotations

from functools import partial

from airhop.experiments.asked import Asked, worded
from airhop.experiments.claims import above, along, below, every
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Experiment, Metric, PlottedAxis
from airhop.experiments.samples import Samples
from airhop.experiments.today import ARQ, ONCE, REPLICATIONS, SENDERS, SETTINGS, SOURCE, Sender, attempts
from airhop.numerals import interval

KINDS = tuple(sender for sender in SENDERS if sender.attempts == ONCE and sender.scheme != "snoop")
RIVALS = PlottedAxis(
    key="rivals",
    name="Rivals",
    paths=("flow.rivals*.scheme", "flow.rivals*.tcp.preset"),
    label="Ten rivals of the connection",
    full=tuple(kind.name for kind in KINDS),
    coarse=("reno", "ll-elsn", "cubic", "bbr"),
    words={kind.name: kind.label for kind in KINDS},
    takes={kind.name: (kind.scheme, kind.preset) for kind in KINDS},
)
LOSSY, RELIABLE = "1 attempt", "7 attempts"
CELLS = (
    Curve(LOSSY, "1 % FER, 1 attempt", settings=attempts(ONCE)),
    Curve(RELIABLE, "1 % FER, 7 attempts", settings=attempts(ARQ)),
)
SHARE = Metric(
    "11 * flow.reno.goodput_mbps / goodput_mbps",
    "Share of the connection, 1 is an equal share",
    "",
    ticks=(0.0, 0.5, 1.0, 1.5, 2.0),
    printed=False,
)
LEFT = 0.9
"""Share of its goodput that a connection keeps at least beside friendly rivals, as in Yun 2009."""

# Reasons why two of the rivals are unfriendly to both Reno and CUBIC.
BBR3_DRIVES_THE_QUEUE = (
    "BBRv3 reduces its flight only at loss rates above its threshold, and so fills the queue further than "
    "a sender that halves its window at any loss."
)
COPA_OVERFILLS_THE_QUEUE = "Copa competes if others fill the queue, and several Copa flows overfill it."


def of_kind(samples: Samples, kind: str, cell: str, rivals: str) -> str:
    """Return a text: goodput beside rivals as a share of goodput beside ten connections of the same kind."""
    return interval(along(samples, cell, kind, rivals))


@worded(
    f"ten {{rivals}} connections leave to one of {{kind}} more than {LEFT} × its goodput beside ten of its "
    "own kind, at {cells}"
)
def friendly(samples: Samples, kind: str, rivals: tuple[str, ...], *cells: str) -> ClaimResult:
    """Check whether a connection keeps 90 % of its goodput if rivals replace its own kind, in each cell."""
    chosen = [(cell, one) for cell in cells for one in rivals if one in samples.xs]
    decisions = [above(along(samples, cell, kind, one), LEFT) for cell, one in chosen]
    return ClaimResult(every(decisions), _left(samples, kind, chosen))


@worded(
    f"ten {{rivals}} connections leave to one of {{kind}} less than {LEFT} × its goodput beside ten of its "
    "own kind, at {cells}"
)
def aggressive(samples: Samples, kind: str, rivals: tuple[str, ...], *cells: str) -> ClaimResult:
    """Check whether a connection keeps less than 90 % of its goodput if rivals replace its own kind."""
    chosen = [(cell, one) for cell in cells for one in rivals if one in samples.xs]
    decisions = [below(along(samples, cell, kind, one), LEFT) for cell, one in chosen]
    return ClaimResult(every(decisions), _left(samples, kind, chosen))


def _left(samples: Samples, kind: str, chosen: list[tuple[str, str]]) -> str:
    told = ", ".join(f"{one} {of_kind(samples, kind, cell, one)} with {cell}" for cell, one in chosen)
    return f"goodput of {kind} relative to its goodput beside ten of its kind: {told}"


def claims_of_today(kind: Sender) -> tuple[Claim[Samples], ...]:
    """Return the claims about BBR, BBRv3 and Copa as rivals of one connection with this sender."""
    both = (LOSSY, RELIABLE)
    where = "over link ARQ and without"
    return (
        Claim(
            f"beside-{kind.name}-bbr",
            f"BBR is aggressive against {kind.label}, {where}.",
            Asked(aggressive, kind.name, ("bbr",), *both),
        ),
        Claim(
            f"beside-{kind.name}-bbr3",
            f"BBRv3 is friendly to {kind.label}, {where}.",
            Asked(friendly, kind.name, ("bbr3",), *both),
            reason=BBR3_DRIVES_THE_QUEUE,
        ),
        Claim(
            f"beside-{kind.name}-copa",
            f"Copa is friendly to {kind.label}, {where}.",
            Asked(friendly, kind.name, ("copa",), *both),
            reason=COPA_OVERFILLS_THE_QUEUE,
        ),
    )


def headline(kind: str, label: str, samples: Samples) -> str:
    """State the goodput beside today's rivals, as a share of the goodput beside its own kind."""
    told = [
        f"{RIVALS.text(rivals)} {100 * along(samples, cell, kind, rivals).value:.0f} % with {cell}"
        for rivals in ("ll-elsn", "bbr")
        for cell in (LOSSY, RELIABLE)
    ]
    return f"{label} keeps, of its goodput beside ten connections of its kind: beside {', '.join(told)}."


def experiment(kind: Sender, claims: tuple[Claim[Samples], ...]) -> Experiment:
    """Return the experiment with one connection of a sender beside ten connections of other senders."""
    return Experiment(
        id=f"airhop/today/beside-{kind.name}",
        title=f"A {kind.label} connection beside ten of today's senders",
        source=f"{SOURCE}, Figure 12",
        scenario="yun2009-friendliness",
        settings={**SETTINGS, "flow.reno.scheme": kind.scheme, "flow.reno.tcp.preset": kind.preset},
        curves=CELLS,
        baseline=LOSSY,
        axis=RIVALS,
        metric=Metric(
            "flow.reno.goodput_mbps",
            f"Goodput of the {kind.label} connection",
            "Mbit/s",
            ticks=(0.0, 0.2, 0.4, 0.6, 0.8),
            digits=3,
            printed=False,
        ),
        replications=REPLICATIONS,
        claims=claims,
        headline=partial(headline, kind.name, kind.label),
        also=(SHARE,),
    )
