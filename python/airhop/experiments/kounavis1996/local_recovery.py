"""Result 2: Go-Back-3 at the base station. "This scheme suffers from timeouts".

This experiment checks two claims of section 2. With local recovery, packets arrive late instead of being
lost: the link becomes reliable, with a fluctuating bandwidth. Two independent retransmission schemes, of TCP
and of the link, send the same data twice.
"""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.claims import each_below
from airhop.experiments.experiment import Claim, ClaimResult
from airhop.experiments.kounavis1996 import (
    DUPLICATES,
    GIVEN_UP,
    LENGTH,
    LOCAL,
    PATIENT,
    RESENT,
    SECONDS,
    SPURIOUS,
    TIMEOUTS,
    experiment,
    unmodified,
)
from airhop.experiments.kounavis1996.checks import count, more_than, mostly, ratio_text, share
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of local recovery, and on the gain without timeouts."""
    left = count(samples, TIMEOUTS).estimate("local", SECONDS).mean
    needless = share(samples, SPURIOUS, TIMEOUTS, "local").value
    return (
        f"Local recovery delivers {ratio_text(samples, 'local', 'basic')} times the goodput of unmodified "
        f"TCP and has {left:.1f} timeouts in 100 s, {100 * needless:.0f} % of them spurious; without "
        f"timeouts it would deliver {ratio_text(samples, 'patient', 'basic')} times as much."
    )


UNLIMITED = "an implementation by other authors: in Airhop's implementation the attempts are unlimited"
"""Missing information for a claim that a link drops packets, if the simulated link cannot drop any."""


def loses_nothing(samples: Samples) -> ClaimResult:
    """Check whether local recovery drops no packet.

    By construction, the simulated link drops none. The claim is then undecided.
    """
    given_up = count(samples, GIVEN_UP).estimate("local", SECONDS)
    told = f"packets that the link drops in 100 s: {given_up.mean:g}, by construction"
    if given_up.mean > 0.0:
        return ClaimResult(False, told)
    return ClaimResult(None, told, needs=UNLIMITED)


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-7-timeouts",
        "Local recovery alone suffers from timeouts: the sender has more than one in 100 s.",
        Asked(more_than, TIMEOUTS, "local", 1.0),
        quote="However this scheme suffers from timeouts",
    ),
    Claim(
        "kou-7-reliable",
        "The link behaves as though packets were not lost but late: it drops no packet. In Airhop this "
        "holds by construction, because the number of attempts is unlimited.",
        loses_nothing,
        quote="We can consider that the link behaves as though packets were not lost, but simply arrived "
        "late at the mobile receiver.",
    ),
    Claim(
        "kou-7-late",
        "The sender mistakes late packets for lost ones: more than 95 % of its timeouts are spurious.",
        Asked(mostly, SPURIOUS, TIMEOUTS, "local", 0.95),
        own=True,
        because="The paper's sentence is about the link, not about the timeouts of the sender.",
    ),
    Claim(
        "kou-7-redundant",
        "Redundant retransmissions of the remote sender cannot be avoided: the receiver gets more than one "
        "duplicate segment in 100 s.",
        Asked(more_than, DUPLICATES, "local", 1.0),
        quote="redundant retransmissions […] retransmissions from the remote sender cannot be avoided.",
    ),
    Claim(
        "kou-7-redundant-most",
        "Most retransmissions of the remote sender are duplicates at the receiver.",
        Asked(mostly, DUPLICATES, RESENT, "local"),
        own=True,
        because="The paper does not state the share of redundant retransmissions.",
    ),
    Claim(
        "kou-7-cost",
        "Timeouts degrade performance: local recovery delivers less than a sender without timeouts.",
        Asked(each_below, LENGTH, ("local",), "patient", (SECONDS,)),
        quote="The primary disadvantage of local recovery is its inability to deal with timeouts at the "
        "remote sender : […] redundant retransmissions and performance degradation.",
    ),
)

EXPERIMENT = experiment(
    "local-recovery",
    "Local recovery",
    "result 2",
    FIXED,
    (unmodified(FIXED), LOCAL, PATIENT),
    CLAIMS,
    headline,
    shown="local",
)
