"""The download of one station, for each standard and queue of the access point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airhop.experiments.asked import Asked, Span, worded
from airhop.experiments.experiment import Claim, ClaimResult, Experiment, Metric, PlottedAxis, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.experiments.today.duels import has_more
from airhop.experiments.wifi import (
    AS_GOOD,
    CAUSES,
    CHANNEL,
    CLEARLY,
    DISCARDED,
    DURATION,
    FEW,
    LOSS,
    LOST,
    REPLICATIONS,
    SENDERS,
    SOURCE,
    TOLD,
)
from airhop.numerals import interval

QUEUES: Mapping[str, str] = {"drop-tail": "drop-tail", "fq-codel": "FQ-CoDel"}
"""Queues of the access point, with their names for readers."""
CAPACITY = {"n": 60.0, "ac": 340.0, "ax": 560.0}
"""Upper end of the axis of goodput by standard, Mbit/s."""
ALL_HIDDEN = 1e-3
"""Largest share of lost MPDUs whose packets are discarded if Block Ack hides losses from TCP."""
TRACED_S = 5.2
"""Length of the runs that a report shows packet by packet: the warm-up and 200 ms after it."""
ANY = Span(least=1e-9)
"""Loss rates above zero."""
HIDES = (
    "Block Ack repairs a lost MPDU within milliseconds, and the recipient delivers packets in order: the"
    " sender sees a delay and no loss, so a notice has no effect."
)


@dataclass(frozen=True)
class Kind:
    """A download: standard, queue of the access point, and whether each MPDU is sent once."""

    standard: str
    """"n", "ac" or "ax"."""
    queue: str = "drop-tail"
    once: bool = False
    """True if an MPDU is sent once; otherwise Block Ack repeats it for 500 ms."""

    @property
    def name(self) -> str:
        """Last part of the experiment's id, and first part of its claims' ids."""
        parts = [self.standard]
        parts += [] if self.queue == "drop-tail" else [self.queue]
        return "-".join([*parts, "once"] if self.once else parts)

    @property
    def title(self) -> str:
        """Title of the experiment."""
        sent = ", each MPDU sent once" if self.once else ""
        return f"A download over 802.11{self.standard}, {QUEUES[self.queue]} at the access point{sent}"

    @property
    def axis(self) -> PlottedAxis:
        """Losses of the experiment."""
        return LOSS if self.queue == "drop-tail" else FEW

    @property
    def settings(self) -> dict[str, object]:
        """Changes of the packaged scenario."""
        queue = {} if self.queue == "drop-tail" else {"wlan.cell.queue": {"kind": self.queue}}
        sent = {"wlan.cell.attempts": 1} if self.once else {}
        return {**DURATION, "wlan.cell.errors": CHANNEL, **queue, **sent}


def download(kind: Kind) -> Experiment:
    """Return the experiment of a download."""
    most = CAPACITY[kind.standard]
    ticks = tuple(most * step / 4 for step in range(5))
    return Experiment(
        id=f"airhop/wifi/{kind.name}",
        title=kind.title,
        source=SOURCE,
        scenario=f"wifi-{kind.standard}",
        settings=kind.settings,
        curves=SENDERS,
        baseline="cubic",
        axis=kind.axis,
        metric=Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=ticks, digits=1, printed=False),
        replications=REPLICATIONS,
        claims=(*_hidden(kind), *_claims_of_notices(kind)),
        headline=headline,
        also=CAUSES,
        timeline=TimelineChoice("cubic", 0.1, duration_s=TRACED_S, opening_s=0.05),
    )


def headline(samples: Samples) -> str:
    """State the best sender with a service relative to CUBIC at the largest loss rate."""
    last = samples.xs[-1]
    best = max(TOLD, key=lambda curve: samples.estimate(curve, last).mean)
    ratio = interval(samples.ratio(best, "cubic", last))
    return (
        f"At {LOSS.text(last)} loss {best}, the best sender with a service, delivers {ratio} times CUBIC's "
        "goodput."
    )


@worded(
    "the number of discarded packets is at most {share:percent} of the number of lost MPDUs, over all runs"
)
def hides_losses(samples: Samples, share: float) -> ClaimResult:
    """Check whether at most the claimed share of lost MPDUs became discarded packets, over all runs."""
    lost, discarded = (
        sum(sum(cell.values()) for cell in samples.also[metric.name].cells.values())
        for metric in (LOST, DISCARDED)
    )
    measured = f"{discarded:,.0f} of {lost:,.0f} lost MPDUs"
    return ClaimResult(discarded <= share * lost if lost else None, measured)


def _hidden(kind: Kind) -> tuple[Claim[Samples], ...]:
    if kind.once:
        return ()
    return (
        Claim(
            f"{kind.name}-hidden",
            "Block Ack hides losses of the air from TCP: at most one of a thousand lost MPDUs becomes a "
            "discarded packet.",
            Asked(hides_losses, ALL_HIDDEN),
        ),
    )


def _claims_of_notices(kind: Kind) -> tuple[Claim[Samples], ...]:
    reason = "" if kind.once else HIDES
    return (
        Claim(
            f"{kind.name}-elsn",
            "Notices beat CUBIC: LL-ELSN delivers more than 1.05 times as much at every loss rate.",
            Asked(has_more, LOSS, ("ll-elsn",), "cubic", CLEARLY, ANY),
            reason=reason,
        ),
        Claim(
            f"{kind.name}-elsn-cubic",
            "Notices help CUBIC: ELN-CUBIC delivers more than 1.05 times as much at every loss rate.",
            Asked(has_more, LOSS, ("eln-cubic",), "cubic", CLEARLY, ANY),
            reason=reason,
        ),
        Claim(
            f"{kind.name}-services",
            "The other services beat Reno: Snoop, ELN, TCP-CL and EBSN each deliver more than 1.05 times as "
            "much at every loss rate.",
            Asked(has_more, LOSS, ("snoop", "eln", "tcp-cl", "ebsn"), "reno", CLEARLY, ANY),
            reason=reason,
        ),
        Claim(
            f"{kind.name}-cubic",
            "CUBIC without any service is as good as LL-ELSN: it delivers more than 0.95 times as much at "
            "every loss rate.",
            Asked(has_more, LOSS, ("cubic",), "ll-elsn", AS_GOOD),
        ),
        Claim(
            f"{kind.name}-bbr",
            "BBR is as good as CUBIC: it delivers more than 0.95 times as much at every loss rate.",
            Asked(has_more, LOSS, ("bbr",), "cubic", AS_GOOD),
        ),
    )
