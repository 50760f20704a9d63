"""Figure 6: goodput against the frame error rate, downlink, one connection, no link retransmission.

Printed in the paper: 200 s, 20 runs, retry limit 1, d_off 10 ms, 1000-byte packets, queues of 50, 802.11b at
11 Mb/s. The paper draws the curves without a table, so there are no published numbers to compare. The claims
below are statements of the paper.

If a statement that a scheme is better or worse names no FER, every FER of the printed axis is checked. The
printed axis begins at 0.01 %. The text names 0.001 % to 9 %: 0.001 % is simulated, but no claim is checked
there. Claims about sums over the axis are Airhop's own.
"""

from __future__ import annotations

import math

from airhop.experiments.asked import Asked, Span
from airhop.experiments.claims import (
    above,
    ahead_everywhere,
    best_ratio,
    each_above,
    each_below,
    every,
    exceeds_everywhere,
    exceeds_somewhere,
    falls_behind_all_along,
    keeps_most,
    nowhere_exceeds,
    order_at,
    within_axis,
)
from airhop.experiments.experiment import (
    Claim,
    ClaimResult,
    Experiment,
    Metric,
    PlottedAxis,
    TimelineChoice,
)
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import (
    CURVES,
    GOOD,
    MUCH,
    NO_SLOWER,
    OTHERS,
    OWN,
    PANELS,
    PAPER,
    REPLICATIONS,
    SCHEMES,
    SETTINGS,
    THE_REST,
)
from airhop.experiments.yun2009.overall import above_over, sum_below
from airhop.experiments.yun2009.readings import OF_SCHEMES
from airhop.numerals import multiple

FER = PlottedAxis(
    key="fer",
    name="FER",
    paths=("wlan.cell.errors.fer",),
    label="Frame error rate (FER)",
    full=(1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 6e-2, 9e-2),
    coarse=(1e-4, 1e-2, 9e-2),
    log=True,
    limits=(1e-4, 1e-1),
    percent=True,
)
GOODPUT = Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6))
CUTS = Metric(
    "window_cuts", "Window reductions", "", ticks=(0.0, 200.0, 400.0, 600.0), digits=0, printed=False
)
TIMEOUTS = Metric("timeouts", "Timeouts", "", ticks=(0.0, 50.0, 100.0, 150.0), digits=0, printed=False)
SPURIOUS = Metric(
    "spurious_timeouts", "Spurious timeouts", "", ticks=(0.0, 10.0, 20.0, 30.0), digits=0, printed=False
)
COLLIDED = Metric(
    "drops_collision / (drops_collision + drops_channel)",
    "Collisions among the lost frames",
    "",
    (0.0, 0.25, 0.5, 0.75, 1.0),
    most=1.0,
    printed=False,
)
FIRST_PRINTED_FER = 1e-4
"""First FER of the printed axis, and lowest FER of the claims."""
FACTORS = {"reno": 4.0, "snoop": 1.5}
"""Factors in the abstract: "more than 400% of TCP-Reno and 150% of Snoop"."""
TYPICAL = (1e-2, 3e-2)


TIBET_DECAYS = {
    "tibet": (
        "Each loss multiplies TIBET's RTTmin by a reducing factor, and since RTTmin only takes smaller "
        "samples no measurement raises it again, so ssthresh decays to two segments. §2.2 describes this "
        "in congested networks; here channel losses count as congestion, too. The paper does not print the "
        "factor."
    )
}


WHY_SO_MUCH = (
    "At high error rates Reno has more than one timeout a second and sends almost nothing between "
    "timeouts, while LL-ELSN, which receives a notice of each loss, keeps its window: the ratio of the two "
    "has no bound. At the error rate of Figure 7 and Figure 9 both ratios are near the printed ones."
)


def headline(samples: Samples) -> str:
    """Return a sentence on the largest ratios of LL-ELSN to Reno and to Snoop, with their FERs."""
    at_reno, reno = best_ratio(samples, "ll-elsn", "reno")
    at_snoop, snoop = best_ratio(samples, "ll-elsn", "snoop")
    beside_reno = "" if at_reno == at_snoop else f" at {FER.text(at_reno)} frame errors"
    return (
        f"LL-ELSN delivers {multiple(reno)} times the goodput of Reno{beside_reno} "
        f"and {multiple(snoop)} times that of Snoop at {FER.text(at_snoop)} frame errors."
    )


def first_also_by_collisions(samples: Samples) -> ClaimResult:
    """Check whether LL-ELSN leads at all FERs from 0.01 % up, and collisions dominate losses at 0.01 %."""
    found = ahead_everywhere(samples, FER, OWN, OTHERS, FIRST_PRINTED_FER)
    first = samples.from_x(FIRST_PRINTED_FER)[0]
    collided = {curve: samples.also[COLLIDED.name].estimate(curve, first) for curve in SCHEMES}
    least = min(collided, key=lambda curve: collided[curve].mean)
    told = f"{100 * collided[least].mean:.0f} % of the lost frames with {least} at {FER.text(first)}"
    return ClaimResult(
        every((found.decision, *(above(share, 0.5) for share in collided.values()))),
        f"{found.measured}; fewest collisions: {told}",
        found.short,
    )


def clock_lost(samples: Samples) -> ClaimResult:
    """Check whether Snoop's sender has more timeouts and more spurious timeouts than LL-ELSN's, at 9 %."""
    last = samples.xs[-1]
    more = {
        metric.label.lower(): samples.also[metric.name].difference("snoop", "ll-elsn", last)
        for metric in (TIMEOUTS, SPURIOUS)
    }
    told = ", ".join(
        f"{one.mean:.1f} ± {one.half_width or math.nan:.1f} more {label}" for label, one in more.items()
    )
    return ClaimResult(
        every(above(one, 0.0) for one in more.values()), f"Snoop: {told} than LL-ELSN at {FER.text(last)}"
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-1",
        "LL-ELSN delivers more than four times the goodput of Reno and more than one and a half times that "
        "of Snoop at every FER of Figure 6 from 0.01 % up, which is one of the paper's environments. A bound "
        "that fails in one environment fails.",
        Asked(exceeds_everywhere, FER, "ll-elsn", FACTORS, Span(FIRST_PRINTED_FER)),
        quote="yields the throughput performance of more than 400% of TCP-Reno and 150% of Snoop in the "
        "considered environments",
        bound=True,
        reason="At low error rates the only losses are a few collisions, which cost Reno and Snoop little, "
        "so LL-ELSN can gain little.",
    ),
    Claim(
        "yun-1-somewhere",
        "Somewhere in the grid LL-ELSN delivers more than four times the goodput of Reno, and somewhere more "
        "than one and a half times that of Snoop.",
        Asked(exceeds_somewhere, FER, "ll-elsn", FACTORS),
        own=True,
        because="The weakest interpretation of the sentence: the bound holds in some considered "
        "environment, which may differ for the two schemes.",
        bound=True,
    ),
    Claim(
        "yun-1-size",
        "The gains printed as more than 400 % and 150 % are not far larger: at no FER from 0.01 % up LL-ELSN "
        "delivers more than 500 % of Reno's goodput, or 200 % of Snoop's.",
        Asked(nowhere_exceeds, FER, "ll-elsn", {"reno": 5.0, "snoop": 2.0}, FIRST_PRINTED_FER),
        own=True,
        because="A paper that measured a factor of fifteen would not print “more than 400 %”: the printed "
        "bound is taken to be near the measured value.",
        reason=WHY_SO_MUCH,
    ),
    Claim(
        "yun-4",
        "LL-ELSN is first at every FER from 0.01 % up, also at 0.01 %, where most of the lost frames "
        "collided.",
        first_also_by_collisions,
        quote="LL-ELSN is better than the other schemes even with 0.01% FER since there are still wireless "
        "losses due to collisions",
    ),
    Claim(
        "yun-4-significant",
        "LL-ELSN improves performance significantly: every other scheme has less than 90 % of its goodput at "
        "every FER from 0.01 % up.",
        Asked(each_below, FER, OTHERS, OWN, Span(FIRST_PRINTED_FER), GOOD),
        quote="LL-ELSN shows significant performance improvement over the other schemes",
    ),
    Claim(
        "yun-4-second",
        "Snoop is second: over the axis it delivers more than any scheme but LL-ELSN.",
        Asked(above_over, ("snoop",), ("reno", *THE_REST), Span(FIRST_PRINTED_FER)),
        own=True,
        because=(
            "The paper's sentence names no error rate. Its weakest interpretation is about the sum over "
            "the axis."
        ),
    ),
    Claim(
        "yun-4-second-strict",
        "Snoop is second everywhere: it has more goodput than every scheme except LL-ELSN, at every FER "
        "from 0.01 % up.",
        Asked(ahead_everywhere, FER, "snoop", ("reno", *THE_REST), FIRST_PRINTED_FER),
        quote="Snoop shows the second best performance",
        reason={
            "lhp": (
                "LHP receives reports of wireless losses and reduces its window for few of them. Snoop's "
                "retransmissions can also be lost; if Snoop does not repeat a lost retransmission in time, "
                "the sender has a timeout."
            )
        },
    ),
    Claim(
        "yun-4-falls",
        "Snoop loses a larger part of its goodput than LL-ELSN with every step of the FER from 0.01 % up.",
        Asked(falls_behind_all_along, FER, "snoop", "ll-elsn", FIRST_PRINTED_FER),
        quote="as FER increases, the goodput of Snoop decreases more drastically than that of LL-ELSN",
    ),
    Claim(
        "yun-4-falls-ends",
        "From 0.01 % to the highest FER Snoop loses a larger part of its goodput than LL-ELSN.",
        Asked(keeps_most, FER, "ll-elsn", ("snoop",), FIRST_PRINTED_FER),
        own=True,
        because="The weakest interpretation of the sentence compares only the highest error rate with the "
        "lowest.",
    ),
    Claim(
        "yun-4-clock",
        "If frames are lost often, Snoop's sender loses its ACK clock due to a long delay, and LL-ELSN's "
        "sender keeps on sending: at the highest error rate Snoop's sender has more timeouts than "
        "LL-ELSN's, and more spurious timeouts, whose cause is a long delay of a packet or its ACK, not a "
        "loss.",
        clock_lost,
        quote=(
            "the local retransmission causes TCP to lose its ACK-based clock due to long end-to-end "
            "delay in high FER while LL-ELSN lets the TCP sender keep on sending data"
        ),
    ),
    Claim(
        "yun-4-rest",
        "The other schemes are better than Reno: over the axis each delivers more.",
        Asked(above_over, THE_REST, ("reno",), Span(FIRST_PRINTED_FER)),
        own=True,
        because=(
            "The paper's sentence names no error rate. Its weakest interpretation is about the sum over "
            "the axis."
        ),
        reason=TIBET_DECAYS,
    ),
    Claim(
        "yun-4-rest-strict",
        "The other schemes are better than Reno at every FER from 0.01 % up.",
        Asked(each_above, FER, THE_REST, "reno", Span(FIRST_PRINTED_FER)),
        quote="The other schemes are better than Reno, but are much worse than LL-ELSN.",
        reason=TIBET_DECAYS,
    ),
    Claim(
        "yun-4-much-worse",
        "The other schemes are much worse than LL-ELSN: over the axis each delivers less than two thirds "
        "of its goodput.",
        Asked(sum_below, THE_REST, "ll-elsn", Span(FIRST_PRINTED_FER), 1.0 / MUCH),
        own=True,
        because=(
            "The paper's sentence names no error rate. Its weakest interpretation is about the sum over "
            "the axis."
        ),
    ),
    Claim(
        "yun-4-much-worse-strict",
        "The other schemes are much worse than LL-ELSN everywhere: each has less than two thirds of its "
        "goodput at every FER from 0.01 % up.",
        Asked(each_below, FER, THE_REST, "ll-elsn", Span(FIRST_PRINTED_FER), 1.0 / MUCH),
        quote="The other schemes are better than Reno, but are much worse than LL-ELSN.",
    ),
    Claim(
        "yun-4-order",
        "At 1 % and 3 % the order is LL-ELSN, Snoop, all other schemes, Reno.",
        Asked(order_at, FER, (("ll-elsn",), ("snoop",), THE_REST, ("reno",)), TYPICAL),
        own=True,
        because="The claim combines four sentences about the figure into one order, at two error rates.",
        reason=TIBET_DECAYS,
    ),
    Claim(
        "yun-4-axis",
        "No curve exceeds the printed axis, which ends at 3.6 Mbit/s.",
        Asked(within_axis, FER, tuple(SCHEMES), 3.6, FIRST_PRINTED_FER),
        quote="Goodput (Mbps) 0 0.6 1.2 1.8 2.4 3 3.6 FER",
        reason=NO_SLOWER,
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig6",
    title="Goodput against frame error rate, downlink, one connection",
    source=f"{PAPER}, Figure 6",
    scenario="yun2009-downlink",
    settings=SETTINGS,
    curves=CURVES,
    baseline="reno",
    axis=FER,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice(
        "ll-elsn", lambda s: best_ratio(s, "ll-elsn", "reno")[0], duration_s=20.0, opening_s=2.0
    ),
    also=(CUTS, TIMEOUTS, SPURIOUS, COLLIDED),
    panels=PANELS,
    questions=OF_SCHEMES,
)
