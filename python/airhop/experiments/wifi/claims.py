"""Claims about notices that all experiments of the group share."""

from __future__ import annotations

from collections.abc import Sequence

from airhop.experiments.asked import Asked, Span, worded
from airhop.experiments.experiment import Claim, ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.experiments.today.duels import has_more
from airhop.experiments.wifi import AS_GOOD, CLEARLY, DISCARDED, LOST

ALL_HIDDEN = 1e-3
"""Maximum share of lost MPDUs that become discarded packets if Block Ack "hides" losses from TCP."""
HIDES = (
    "Block Ack repairs a lost MPDU within milliseconds, and the recipient delivers packets in order: the"
    " sender sees a delay and no loss, so a notice has no effect."
)
At = Span | Sequence[X]
"""Values of the axis: a range of numbers, or words."""


@worded("the number of discarded packets is at most {share:percent} of the number of lost MPDUs at {at}")
def hides_losses(samples: Samples, share: float, at: Sequence[X]) -> ClaimResult:
    """Check whether at most `share` of the lost MPDUs became discarded packets, over all runs."""
    lost, discarded = (
        sum(sum(cell.values()) for (_, x), cell in samples.also[metric.name].cells.items() if x in at)
        for metric in (LOST, DISCARDED)
    )
    measured = f"{discarded:,.0f} of {lost:,.0f} lost MPDUs"
    return ClaimResult(discarded <= share * lost if lost else None, measured)


def hidden(name: str, at: At, where: str) -> Claim[Samples]:
    """Return the claim that Block Ack hides losses from TCP; `where` is `at` in words."""
    return Claim(
        f"{name}-hidden",
        f"Block Ack hides losses of the air from TCP: {where}, at most one in a thousand lost MPDUs becomes "
        "a discarded packet.",
        Asked(hides_losses, ALL_HIDDEN, at),
    )


def of_notices(
    name: str, axis: PlottedAxis, at: At, where: str, every: str, reason: str = HIDES
) -> tuple[Claim[Samples], ...]:
    """Return the claims about the gain of notices at some axis values, and about senders without notices.

    `where` is `at` in words. `every` describes the whole axis, for the claims that compare CUBIC and BBR.
    """
    return (
        Claim(
            f"{name}-elsn",
            f"Notices beat CUBIC: LL-ELSN delivers more than 1.05 times as much {where}.",
            Asked(has_more, axis, ("ll-elsn",), "cubic", CLEARLY, at),
            reason=reason,
        ),
        Claim(
            f"{name}-elsn-cubic",
            f"Notices help CUBIC: ELN-CUBIC delivers more than 1.05 times as much {where}.",
            Asked(has_more, axis, ("eln-cubic",), "cubic", CLEARLY, at),
            reason=reason,
        ),
        Claim(
            f"{name}-services",
            "The other services beat Reno: Snoop, ELN, TCP-CL and EBSN each deliver more than 1.05 times as "
            f"much {where}.",
            Asked(has_more, axis, ("snoop", "eln", "tcp-cl", "ebsn"), "reno", CLEARLY, at),
            reason=reason,
        ),
        Claim(
            f"{name}-cubic",
            "CUBIC without any service is as good as LL-ELSN: it delivers more than 0.95 times as much "
            f"{every}.",
            Asked(has_more, axis, ("cubic",), "ll-elsn", AS_GOOD),
        ),
        Claim(
            f"{name}-bbr",
            f"BBR is as good as CUBIC: it delivers more than 0.95 times as much {every}.",
            Asked(has_more, axis, ("bbr",), "cubic", AS_GOOD),
        ),
    )
