"""Figure 2b: goodput against the error rate, with cross traffic both ways.

The paper prints neither type nor rate of the cross traffic. Airhop uses UDP in Pareto bursts, 0.5 Mbit/s each
way, over the same wireless channel as the connection under test. One reading has a Reno connection each way
instead. In "keeps its performance constantly, regardless of wireless link error rates or background
traffics", constant means at least 90 % of the goodput at any other error rate. A further claim checks that
WestwoodVT keeps a larger share than New Jersey. "Overwhelming" means more than 6 %, the smallest improvement
in the same sentence.
"""

from __future__ import annotations

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.claims import (
    above,
    ahead_everywhere,
    each_above,
    each_below_beside,
    every,
    ratio_of_ratios,
    steady,
)
from airhop.experiments.experiment import Claim, ClaimResult, Experiment, TimelineChoice
from airhop.experiments.koo2007 import (
    CONFUSION,
    CURVES,
    ERRORS,
    GOODPUT,
    OWN,
    PAPER,
    REPLICATIONS,
    SOURCES,
    range_met,
)
from airhop.experiments.koo2007.fig2a import EXPERIMENT as FIGURE2A
from airhop.experiments.koo2007.fig2a import OUTPERFORMS
from airhop.experiments.koo2007.readings import (
    AIR_RATE,
    CROSS_TRAFFIC,
    FILTER,
    NEW_JERSEY_RTT,
    POSTPONED,
    SEGMENT,
    WAYS,
    delay,
    warnings,
)
from airhop.experiments.samples import Samples
from airhop.numerals import interval

THE_REST = ("westwood-vt", "westwood-nr", "new-jersey")
LEAST, GREATEST = 6, 24
"""Printed gains over WestwoodNR, in per cent."""
CONSTANT = 0.9
"""Minimum ratio of two goodputs that count as constant."""


def headline(samples: Samples) -> str:
    """Return a sentence on the shares of goodput that WestwoodVT and New Jersey keep with cross traffic."""
    kept = {name: 100 * samples.ratio_to_beside(name, 0.01).value for name in ("westwood-vt", "new-jersey")}
    return (
        f"At 1 % errors cross traffic leaves WestwoodVT {kept['westwood-vt']:.0f} % of its goodput, New "
        f"Jersey {kept['new-jersey']:.0f} %."
    )


def keeps_more_than_new_jersey(samples: Samples) -> ClaimResult:
    """Check whether WestwoodVT keeps more of its Figure 2a goodput than New Jersey, at every error rate."""
    found = {x: ratio_of_ratios(samples, "westwood-vt", "new-jersey", x) for x in samples.xs}
    told = ", ".join(f"{interval(ratio)} at {ERRORS.text(x)}" for x, ratio in found.items())
    return ClaimResult(
        every(above(ratio, 1.0) for ratio in found.values()), f"part kept, times new-jersey's: {told}"
    )


def keeps_constant(samples: Samples) -> ClaimResult:
    """Check whether WestwoodVT keeps 90 % of its Figure 2a goodput, and of its goodput at any error rate."""
    beside = {x: samples.ratio_to_beside(OWN, x) for x in samples.xs}
    told = ", ".join(f"{interval(ratio)} at {ERRORS.text(x)}" for x, ratio in beside.items())
    errors = steady(samples, ERRORS, OWN, CONSTANT)
    return ClaimResult(
        every((*(above(ratio, CONSTANT) for ratio in beside.values()), errors.decision)),
        f"of that without cross traffic: {told}; along the error rates {errors.measured}",
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "koo-5-reno",
        "Reno is the worst at every error rate.",
        Asked(each_above, ERRORS, THE_REST, "reno", ALL_X),
        quote="The performance of TCP Reno is worst.",
    ),
    Claim(
        "koo-5-nr",
        "WestwoodVT delivers 6 to 24 % more than WestwoodNR.",
        Asked(range_met, ERRORS, SOURCES["fig2b"], "westwood-nr", LEAST, GREATEST),
        quote="WestwoodVT achieves 6% […] 24% improvements in goodput over WestwoodNR",
        reason="Cross traffic fills the queue while WestwoodVT has few segments in it. WestwoodVT "
        "therefore classifies a queue overflow as a wireless loss, keeps its window and suffers "
        "timeouts. For the upper end of the range see Figure 2a.",
    ),
    Claim(
        "koo-5-new-jersey",
        "WestwoodVT overwhelms TCP New Jersey: its goodput is more than 6 % higher at every error rate.",
        Asked(each_above, ERRORS, (OWN,), "new-jersey", ALL_X, 1 + LEAST / 100),
        quote="it is overwhelming TCP New Jersey, with every wireless error rates.",
        reason="Routers mark New Jersey's packets before the queue is full. WestwoodVT loses packets in "
        "the queue, and classifies some of these losses as wireless.",
    ),
    Claim(
        "koo-6-new-jersey",
        "New Jersey has less goodput with background traffic than without, at every error rate.",
        Asked(each_below_beside, ERRORS, ("new-jersey",), ALL_X),
        quote="TCP New Jersey experiences the decreasing of throughput with background traffics.",
    ),
    Claim(
        "koo-6-steadier",
        "WestwoodVT is steadier: with background traffic it keeps a larger share of its goodput than New "
        "Jersey, at every error rate.",
        keeps_more_than_new_jersey,
        own=True,
        because="The paper's sentence about constancy follows a sentence about New Jersey's loss of "
        "throughput, so the former may be a comparison with New Jersey.",
        reason="Cross traffic causes queue overflows, which WestwoodVT classifies as wireless losses; "
        "routers mark New Jersey's packets before the queue overflows.",
    ),
    Claim(
        "koo-6-constant",
        "WestwoodVT keeps its performance constantly: at every error rate its goodput is more than 90 % of "
        "its goodput without background traffic, and more than 90 % of its goodput at any other error rate.",
        keeps_constant,
        quote="However, WestwoodVT keeps its performance constantly, regardless of wireless link error "
        "rates or background traffics.",
        reason="The cross traffic takes airtime from every scheme, and every scheme has to retransmit the "
        "segments that errors destroy.",
    ),
    Claim(
        "koo-8-cross",
        "WestwoodVT is ahead of WestwoodNR, New Jersey and Reno at every error rate, with cross traffic.",
        Asked(ahead_everywhere, ERRORS, OWN, ("westwood-nr", "new-jersey", "reno")),
        quote=OUTPERFORMS,
        reason="Routers mark New Jersey's packets before the queue is full (`koo-5-new-jersey`).",
    ),
)

EXPERIMENT = Experiment(
    id="koo2007/fig2b",
    title="Goodput against the wireless error rate, with cross traffic both ways",
    source=f"{PAPER}, Figure 2b",
    scenario="koo2007-cross",
    settings={"duration": "200 s"},
    curves=CURVES,
    baseline="reno",
    axis=ERRORS,
    metric=GOODPUT,
    also=CONFUSION,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("westwood-vt", 0.01, duration_s=30.0, opening_s=5.0),
    beside=FIGURE2A,
    questions=(
        CROSS_TRAFFIC,
        delay(wire_less_ms=5),
        AIR_RATE,
        SEGMENT,
        WAYS,
        FILTER,
        warnings("ws", "wire", "air"),
        NEW_JERSEY_RTT,
        POSTPONED,
    ),
)
