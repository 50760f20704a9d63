"""Figure 11: goodput of one connection beside background traffic, against the frame error rate, downlink.

Printed in the paper: background along the path of the connection, Pareto with a mean of 8 Mbit/s and shape 2;
LL-ELSN "still shows the best performance", and "the severe performance degradation of LHP is due to multiple
fast recoveries". Inferred: the x axis is the FER, as in Figure 6. The background traffic takes 80 % of the
wired path. The cell has a smaller capacity, and the background traffic does not enter the cell.

LHP's degradation is severe if LHP keeps less than four fifths of its goodput without background traffic
(Figure 6), and a smaller share than most other schemes. Two claims for FERs up to 1 % are Airhop's own: LHP
keeps the smallest share, and LHP's goodput relative to SACK's falls to less than two thirds of the ratio
without background traffic. (SACK repairs the same losses in one recovery per window.) At higher FERs the
channel causes more losses than the queue.

"Multiple fast recoveries" are several fast recoveries for the drops of one window (§4.1, Figure 4). LL-ELSN
is the reference, because ESACK enters fast recovery once for the drops of a window. LHP has multiple fast
recoveries if it enters fast recovery more than 1.5 times as often as LL-ELSN, per segment sent. The
comparison with SACK is Airhop's own claim.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import Asked, Span
from airhop.experiments.claims import ahead_everywhere, each_above, falls_behind_beside
from airhop.experiments.experiment import Claim, Metric
from airhop.experiments.reading import Question, Reading
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import MUCH, OTHERS, OWN, PAPER, SCHEMES, SEVERE
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIGURE6
from airhop.experiments.yun2009.fig6 import FER, FIRST_PRINTED_FER, TIMEOUTS
from airhop.experiments.yun2009.overall import (
    above_over,
    falls_behind_beside_over,
    keeps_least_beside_over,
    keeps_less_than_most_beside,
)
from airhop.experiments.yun2009.readings import OF_SCHEMES

GOODPUT = Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.2, 0.4, 0.6, 0.8), printed=False)
RECOVERIES = Metric(
    "1000 * fast_recoveries / sent_segments",
    "Fast recoveries in a thousand segments",
    "",
    ticks=(0.0, 10.0, 20.0, 30.0, 40.0),
    digits=1,
    printed=False,
)
PARETO = "flow.background.app"
GRID = replace(FER, full=(1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 9e-2), coarse=(1e-4, 1e-2))


AT_THE_LIMIT = (
    "The cell reports its frame losses to LHP also with background traffic. A queue overflow reduces the "
    "windows of SACK and of LHP equally."
)
BACKGROUND = Question(
    about="the background of Figure 11",
    default=Reading(
        "bursts-0.4s",
        "The background is on for 0.4 s and off for 0.1 s on average, over the links between routers.",
        "the Pareto distribution whose mean rate is 8 Mbps and the shape parameter is set rather high as two",
    ),
    others=(
        Reading(
            "bursts-0.04s",
            "The background is on for 40 ms and off for 10 ms on average.",
            "the shape parameter is set rather high as two to induce high dynamics to the network",
            settings={f"{PARETO}.on": "40 ms", f"{PARETO}.off": "10 ms"},
        ),
        Reading(
            "bursts-4s",
            "The background is on for 4 s and off for 1 s on average.",
            settings={f"{PARETO}.on": "4 s", f"{PARETO}.off": "1 s"},
        ),
        Reading(
            "bursts-ns2",
            "The background is on and off for half a second each, the default of ns-2's Pareto source; "
            "during bursts it sends at 16 Mbit/s, all of which its access link carries.",
            settings={
                f"{PARETO}.on": "500 ms",
                f"{PARETO}.off": "500 ms",
                f"{PARETO}.peak": "15.552 Mbit/s",
                "wired.wb.rate": "100 Mbit/s",
            },
        ),
        Reading(
            "background-to-bs",
            "The background goes over all the wired links of the path, to the base station.",
            "we introduce background traffic to the network along the path of a TCP connection",
            settings={"flow.background.to": "bs"},
        ),
        Reading(
            "background-to-station",
            "The background goes over the whole path to the station, at more than the capacity of the cell.",
            "we introduce background traffic to the network along the path of a TCP connection",
            settings={"flow.background.to": "d1"},
        ),
    ),
)


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of LL-ELSN and of Reno beside the background traffic."""
    ours, reno = (samples.estimate(scheme, 1e-2).mean for scheme in ("ll-elsn", "reno"))
    return (
        f"Beside 8 Mbit/s of background, at 1 % frame errors, LL-ELSN delivers {ours:.2f} Mbit/s, "
        f"Reno {reno:.2f}."
    )


CONGESTED = Span(FIRST_PRINTED_FER, 1e-2)
"""FERs at which the background traffic causes most losses."""
NOT_LHP = tuple(name for name in SCHEMES if name != "lhp")


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-9",
        "LL-ELSN is also best with background traffic: over the axis it delivers more than any other scheme.",
        Asked(above_over, (OWN,), OTHERS, Span(FIRST_PRINTED_FER)),
        own=True,
        because=(
            "The paper's sentence names no error rate. Its weakest interpretation is about the goodput "
            "summed over the axis."
        ),
    ),
    Claim(
        "yun-9-strict",
        "LL-ELSN is first also with background traffic, at every FER from 0.01 % up.",
        Asked(ahead_everywhere, GRID, OWN, OTHERS, FIRST_PRINTED_FER),
        quote="LL-ELSN still shows the best performance among the testing schemes",
        reason={
            "westwood-plus": (
                "At low error rates most losses are queue overflows. Queue overflows cause no notice, so "
                "LL-ELSN halves its window as SACK does; Westwood reduces its window by less."
            )
        },
    ),
    Claim(
        "yun-9-lhp",
        "LHP degrades severely: over the FERs up to 1 %, the ratio of LHP's goodput to SACK's is below two "
        "thirds of the same ratio without background traffic (Figure 6).",
        Asked(falls_behind_beside_over, "lhp", "sack", CONGESTED, 1.0 / MUCH),
        own=True,
        because=(
            "The paper does not name the reference of LHP's degradation; Airhop compares LHP with SACK, "
            "which repairs losses as LHP does."
        ),
        reason=AT_THE_LIMIT,
    ),
    Claim(
        "yun-9-lhp-strict",
        "At every FER from 0.01 % to 1 %, the ratio of LHP's goodput to SACK's is below two thirds of the "
        "same ratio without background traffic (Figure 6).",
        Asked(falls_behind_beside, GRID, "lhp", "sack", CONGESTED, 1.0 / MUCH),
        own=True,
        because=(
            "The paper does not name the reference of LHP's degradation; Airhop compares LHP with SACK, "
            "which repairs losses as LHP does."
        ),
        reason=AT_THE_LIMIT,
    ),
    Claim(
        "yun-9-lhp-severe",
        "LHP degrades severely: at every FER from 0.01 % up it keeps, beside background traffic, less than "
        "80 % of its goodput, and a smaller part than most of the other schemes.",
        Asked(keeps_less_than_most_beside, GRID, "lhp", NOT_LHP, Span(FIRST_PRINTED_FER), SEVERE),
        quote="The severe performance degradation of LHP",
        reason=AT_THE_LIMIT,
    ),
    Claim(
        "yun-9-lhp-most",
        "LHP degrades most: beside background traffic it keeps a smaller "
        "part of its goodput than any other scheme, over the FERs up to 1 %.",
        Asked(keeps_least_beside_over, "lhp", NOT_LHP, CONGESTED),
        own=True,
        because="The paper calls LHP's degradation severe, not the most severe, and names no error rate.",
        reason=AT_THE_LIMIT,
    ),
    Claim(
        "yun-9-recoveries",
        "The cause is multiple fast recoveries: over the FERs up to 1 % LHP enters fast recovery more than "
        "1.5 times as often as SACK, in a thousand segments.",
        Asked(above_over, ("lhp",), ("sack",), CONGESTED, MUCH, of=RECOVERIES),
        own=True,
        because=(
            "The sentence is about several recoveries for the drops of one window. SACK enters recovery once "
            "for the losses of a window, but also for channel losses, which are few at the rates at which "
            "the background is the main cause of losses."
        ),
    ),
    Claim(
        "yun-9-recoveries-strict",
        "The cause is multiple fast recoveries: at every FER from 0.01 % up LHP enters fast recovery more "
        "than 1.5 times as often, in a thousand segments, as LL-ELSN, whose ESACK enters it once for all "
        "drops of a window.",
        Asked(each_above, GRID, ("lhp",), OWN, Span(FIRST_PRINTED_FER), MUCH, of=RECOVERIES),
        quote="The severe performance degradation of LHP is due to multiple fast recoveries.",
    ),
)

EXPERIMENT = replace(
    FIGURE6,
    id="yun2009/fig11",
    title="Goodput beside background traffic against frame error rate, downlink",
    source=f"{PAPER}, Figure 11",
    scenario="yun2009-background",
    axis=GRID,
    metric=GOODPUT,
    claims=CLAIMS,
    headline=headline,
    beside=FIGURE6,
    also=(RECOVERIES, TIMEOUTS),
    questions=(*OF_SCHEMES, BACKGROUND),
)
