"""Figure 2b: goodput against the error rate, with cross traffic both ways.

The paper prints neither kind nor rate of the cross traffic: here it is UDP in Pareto bursts, 0.5 Mbit/s each
way, which share the air with the connection under test; it may as well be a Reno connection each way.

That WestwoodVT "keeps its performance constantly, regardless of wireless link error rates or background
traffics" is said against New Jersey, which loses: it keeps a larger part of what it has without cross traffic
than New Jersey does, at every error rate. That it keeps more than 90 % of it is judged as well.
"""

from __future__ import annotations

from airhop.experiments.claims import (
    above,
    ahead_everywhere,
    each_above,
    each_below_beside,
    every,
    ratio_of_ratios,
)
from airhop.experiments.experiment import Claim, ClaimResult, Experiment, TimelineChoice
from airhop.experiments.koo2007 import (
    CONFUSION,
    CURVES,
    ERRORS,
    GOODPUT,
    PAPER,
    REPLICATIONS,
    between_as_printed,
)
from airhop.experiments.koo2007.fig2a import EXPERIMENT as FIGURE2A
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

OTHERS = ("westwood-vt", "westwood-nr", "new-jersey")
CONSTANT = 0.9
"""The share that what is constant keeps."""


def headline(samples: Samples) -> str:
    """Say what cross traffic leaves of WestwoodVT and of New Jersey."""
    kept = {name: 100 * samples.ratio_to_beside(name, 0.01).value for name in ("westwood-vt", "new-jersey")}
    return (
        f"At 1 % errors cross traffic leaves WestwoodVT {kept['westwood-vt']:.0f} % of its goodput, New "
        f"Jersey {kept['new-jersey']:.0f} %."
    )


def keeps_more_than_new_jersey(samples: Samples) -> ClaimResult:
    """Judge whether WestwoodVT keeps a larger part of what it has without cross traffic, at every rate."""
    found = {x: ratio_of_ratios(samples, "westwood-vt", "new-jersey", x) for x in samples.xs}
    told = ", ".join(f"{interval(ratio)} at {ERRORS.text(x)}" for x, ratio in found.items())
    return ClaimResult(
        every(above(ratio, 1.0) for ratio in found.values()), f"part kept, times new-jersey's: {told}"
    )


def keeps_constant(samples: Samples) -> ClaimResult:
    """Judge whether WestwoodVT has nearly what it has without cross traffic, at every rate."""
    found = {x: samples.ratio_to_beside("westwood-vt", x) for x in samples.xs}
    told = ", ".join(f"{interval(ratio)} at {ERRORS.text(x)}" for x, ratio in found.items())
    return ClaimResult(every(above(ratio, CONSTANT) for ratio in found.values()), f"times that: {told}")


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "koo-5-reno",
        "Reno is the worst at every error rate.",
        lambda s: each_above(s, ERRORS, OTHERS, "reno", s.xs),
        quote="The performance of TCP Reno is worst.",
    ),
    Claim(
        "koo-5-nr",
        "WestwoodVT delivers 6 to 24 % more than WestwoodNR.",
        lambda s: between_as_printed(s, "westwood-nr", 1.06, 1.24),
        quote="WestwoodVT achieves 6% […] 24% improvements in goodput over WestwoodNR",
        reason="Losses in the queue: cross traffic fills it while few of its segments are WestwoodVT's own, "
        "so that WestwoodVT takes such a loss for one of the air, keeps its window and pays with "
        "timeouts. For the upper end see Figure 2a.",
    ),
    Claim(
        "koo-5-new-jersey",
        "WestwoodVT is ahead of TCP New Jersey at every error rate.",
        lambda s: ahead_everywhere(s, ERRORS, "westwood-vt", ("new-jersey",)),
        quote="it is overwhelming TCP New Jersey, with every wireless error rates.",
        reason="Routers warn New Jersey before the queue is full. WestwoodVT loses packets there, and takes "
        "some of these losses for those of the air.",
    ),
    Claim(
        "koo-6-new-jersey",
        "New Jersey loses goodput with background traffic, at every error rate.",
        lambda s: each_below_beside(s, ERRORS, ("new-jersey",), s.xs),
        quote="TCP New Jersey experiences the decreasing of throughput with background traffics.",
    ),
    Claim(
        "koo-6-steadier",
        "WestwoodVT is steadier: it keeps a larger part of its goodput than New Jersey, at every error rate.",
        keeps_more_than_new_jersey,
        quote="However, WestwoodVT keeps its performance constantly, regardless of wireless link error "
        "rates or background traffics.",
        reason="Cross traffic makes losses in the queue that WestwoodVT takes for those of the air; routers "
        "warn New Jersey of them.",
    ),
    Claim(
        "koo-6-constant",
        "WestwoodVT keeps its performance constantly: more than 90 % of what it has without background "
        "traffic, at every error rate.",
        keeps_constant,
        own=True,
        reason="The cross traffic takes air that no scheme can have.",
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
