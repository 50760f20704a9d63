"""Figure 19: benefit of ERSN when link-layer retransmissions have a long delay.

Printed in section 5.4: "We also investigate the effectiveness of ERSN in the network with long retransmission
delay"; the rest is lost. The introduction names 80 to 100 ms for loss awareness in UMTS Release 99. The
purpose of ERSN is to prevent spurious timeouts.

Inferred: each retransmission of a frame waits for that delay, and the whole queue waits behind the frame. The
retry limit is 4, and the FER is 1 %, as in Figure 7. LL-ELSN reacts either to ELNs only, or to ELNs and
ERSNs. ERSN prevents spurious timeouts if a run of 200 s has fewer than one with ERSN, and more without. The
claim that ERSN increases goodput is Airhop's own: the paper wants to prevent spurious timeouts because they
reduce goodput.
"""

from __future__ import annotations

from collections.abc import Sequence

from airhop.experiments.asked import Asked, Span, worded
from airhop.experiments.claims import below, each_above, every, outnumbers
from airhop.experiments.experiment import (
    Claim,
    ClaimResult,
    Curve,
    Experiment,
    Metric,
    PlottedAxis,
    TimelineChoice,
    X,
)
from airhop.experiments.reading import SILENT, Question, Reading
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.fig14 import WITH_ARQ
from airhop.experiments.yun2009.readings import ELN_FILTER

DELAY = PlottedAxis(
    key="retry_delay_ms",
    name="retry delay",
    paths=("wlan.cell.retry_delay",),
    label="Delay of a link-layer retransmission (ms)",
    full=(0, 20, 40, 60, 80, 100),
    coarse=(0, 40, 80, 100),
    unit="ms",
    ticks=(0, 20, 40, 60, 80, 100),
)
GOODPUT = Metric(
    "goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6), printed=False
)
SPURIOUS = Metric(
    "spurious_timeouts", "Spurious timeouts", unit="", ticks=(0.0, 20.0, 40.0, 60.0), digits=1, printed=False
)
TIMEOUTS = Metric("timeouts", "Timeouts", unit="", ticks=(0.0, 20.0, 40.0, 60.0), digits=1, printed=False)
ELN, BOTH = "eln", "eln+ersn"
CURVES = (
    Curve(ELN, "ELN only", {"name": "ll-elsn", "ersn": "ignored"}),
    Curve(BOTH, "ELN and ERSN", {"name": "ll-elsn", "ersn": "heeded"}),
)
LONG_MS = 80
"""Shortest retransmission delay of UMTS Release 99 in milliseconds."""


def headline(samples: Samples) -> str:
    """Return a sentence on spurious timeouts and goodput per run, without and with ERSN."""
    last = samples.xs[-1]
    eln, both = (samples.also[SPURIOUS.name].estimate(name, last).mean for name in (ELN, BOTH))
    gain = samples.ratio(BOTH, ELN, last).value - 1
    return (
        f"With {DELAY.text(last)} per retransmission ERSN reduces the spurious timeouts of 200 s from "
        f"{eln:.1f} to {both:.1f}, which changes goodput by {100 * gain:+.1f} %."
    )


@worded("at {at}, {measure} in a run is below 1 with ERSN, and higher without")
def prevents(samples: Samples, at: Sequence[X]) -> ClaimResult:
    """Check whether a run has fewer than one timeout with ERSN, and more without, at each of these delays."""
    left = {x: samples.estimate(BOTH, x) for x in at}
    fewer = outnumbers(samples, DELAY, ELN, BOTH, at)
    return ClaimResult(every((*(below(one, 1.0) for one in left.values()), fewer.decision)), fewer.measured)


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-16-spurious",
        "ERSN prevents spurious timeouts: with link-layer retransmission delays of 80 to 100 ms a run of "
        "200 s has fewer than one with ERSN, and more without.",
        Asked(prevents, Span(LONG_MS), of=SPURIOUS),
        quote="Explicit Retransmission Start Notification (ERSN), which notifies the TCP sender of the start "
        "of the retransmission process at the wireless link layer, in order to prevent spurious timeouts at "
        "the TCP sender",
    ),
    Claim(
        "yun-16-goodput",
        "ERSN is effective: with link-layer retransmission delays of 80 to 100 ms, LL-ELSN delivers more "
        "with ERSN than without.",
        Asked(each_above, DELAY, (BOTH,), ELN, Span(LONG_MS)),
        own=True,
        because="The text on goodput with ERSN is lost; the prevention of a timeout is useful only if it "
        "increases goodput.",
        reason="The delays of link-layer retransmissions are part of the RTT samples, so the RTO is longer "
        "than one of them. A spurious timeout needs several such delays in a row, or occurs in the first "
        "seconds, when the RTO is shorter.",
    ),
)

CHANNEL = Question(
    about="the channel behind slow retransmissions",
    default=Reading(
        "fer-1",
        "One frame in a hundred is lost, as in Figure 7.",
        "Goodput versus delay offset of link buffer (n = 1, PER = 1%)",
    ),
    others=(
        Reading(
            "fer-10",
            "One frame in ten is lost.",
            SILENT,
            {"wlan.cell.errors": {"kind": "bernoulli", "fer": 0.1}},
        ),
        Reading(
            "fer-30",
            "Three frames in ten are lost.",
            SILENT,
            {"wlan.cell.errors": {"kind": "bernoulli", "fer": 0.3}},
        ),
        Reading(
            "bursty",
            "Losses come in bursts of two frames on average, as in Figure 18.",
            "vary the staying probability in the bad state, denoted as pbb, from 0.1 to 0.5",
            {"wlan.cell.errors": {"kind": "gilbert-elliott", "p_gb": 0.01, "p_bb": 0.5}},
        ),
    ),
)
RETRY_LIMIT = Question(
    about="the retry limit of slow retransmissions",
    default=Reading("arq-4", "A frame is sent up to four times.", "using a small retry limit"),
    others=(
        Reading(
            "arq-7",
            "A frame is sent up to seven times, 802.11's default.",
            "as defined in the IEEE 802.11",
            {"wlan.cell.attempts": 7},
        ),
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig19",
    title="Effect of ERSN with slow link-layer retransmissions",
    source=f"{PAPER}, section 5.4",
    scenario="yun2009-downlink",
    settings={
        "duration": "200 s",
        "wlan.cell.attempts": 4,
        "wlan.cell.errors": {"kind": "bernoulli", "fer": 0.01},
    },
    curves=CURVES,
    baseline=ELN,
    axis=DELAY,
    metric=GOODPUT,
    also=(SPURIOUS, TIMEOUTS),
    replications=WITH_ARQ,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice(BOTH, 100, duration_s=20.0, opening_s=4.0),
    questions=(CHANNEL, RETRY_LIMIT, ELN_FILTER),
)
