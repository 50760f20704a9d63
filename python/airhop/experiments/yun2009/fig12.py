"""Figure 12: goodput of one Reno connection beside ten connections of another scheme, downlink.

Printed in the paper: n = 10, "the goodput change of a connection using TCP Reno when 10 connections using …"
(the sentence is cut off in the text known to us), curves such as "Reno + ideal BWE", without Snoop, "since
Snoop is a link-level solution"; Westwood, Veno, TIBET and the ideal estimator "are aggressive against Reno
connections". Inferred: that the change is against ten rivals of Reno itself, and the errors. Two settings
are run: 1 % without link retransmission, as in the figures before, and no channel errors with up to four
attempts, where nearly all losses are those of a full queue. What the ideal estimator does with what it knows
is inferred too.

Aggressive is who leaves Reno less than nine tenths of what it has among its own kind. The paper's statement
is asked for 1 % and one attempt, the setting of the other figures, and again for no channel errors and four.
"""

from __future__ import annotations

from airhop.experiments.claims import along, below, every
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Experiment, Metric, PlottedAxis
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER, REPLICATIONS, SCHEMES, SETTINGS
from airhop.numerals import interval

RIVALS = {name: label for name, label in SCHEMES.items() if name != "snoop"} | {"ideal-bwe": "ideal BWE"}
RIVAL = PlottedAxis(
    key="rivals",
    name="Rivals",
    paths=("flow.rivals*.scheme",),
    label="Ten rivals of the Reno connection",
    full=tuple(RIVALS),
    coarse=("reno", "veno", "westwood-plus", "tibet", "ideal-bwe"),
    words=RIVALS,
)
USUAL, CONGESTED = "1 % FER, 1 attempt", "0 % FER, 4 attempts"


def _curve(percent: int, attempts: int) -> Curve:
    name = f"{percent} % FER, {attempts} attempt{'s' if attempts > 1 else ''}"
    changes = {"wlan.cell.errors.fer": percent / 100, "wlan.cell.attempts": attempts}
    return Curve(name, name, settings=changes)


GOODPUT = Metric(
    "flow.reno.goodput_mbps",
    "Goodput of the Reno connection",
    "Mbit/s",
    ticks=(0.0, 0.1, 0.2, 0.3, 0.4),
    digits=3,
    printed=False,
)
TOTAL = Metric(
    "goodput_mbps", "Total goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6), printed=False
)
RESENT = Metric(
    "100 * flow.reno.retransmissions / flow.reno.sent_segments",
    "Share that Reno sent again",
    "%",
    ticks=(0.0, 3.0, 6.0, 9.0, 12.0),
    digits=1,
    printed=False,
)
"""How many losses the Reno connection has, collisions with the rivals' frames among them."""
FRIENDLY = 0.9


def headline(samples: Samples) -> str:
    """Say what each of the rivals of which the paper speaks leaves to Reno."""
    parts = [
        f"{RIVAL.text(rival)} {100 * along(samples, USUAL, 'reno', rival).value:.0f} %"
        for rival in ("westwood-plus", "veno", "tibet", "ideal-bwe")
    ]
    return f"Of what Reno has among ten of its kind at {USUAL}, it is left by {', '.join(parts)}."


def aggressive(samples: Samples, curve: str, *rivals: str) -> ClaimResult:
    """Judge whether each of the rivals leaves Reno less than nine tenths of what it has among its own."""
    left = {rival: along(samples, curve, "reno", rival) for rival in rivals}
    parts = [f"{rival} {interval(ratio)}" for rival, ratio in left.items()]
    return ClaimResult(
        every(below(ratio, FRIENDLY) for ratio in left.values()),
        f"left to Reno, of what ten of its kind leave: {', '.join(parts)}",
    )


ESTIMATORS = ("westwood-plus", "veno", "tibet")
CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-10",
        "Westwood, Veno and TIBET are aggressive against Reno, at 1 % and without link retransmission.",
        lambda s: aggressive(s, USUAL, *ESTIMATORS),
        reason="Westwood and Veno are, TIBET is not: its smallest round trip has decayed and its threshold "
        "is two segments, below the half to which Reno falls (see Figure 6). With Westwood and Veno the "
        "cell is busier, and Reno's frames collide more often.",
    ),
    Claim(
        "yun-10-ideal",
        "Even an ideal estimator is aggressive against Reno, at 1 % and without link retransmission.",
        lambda s: aggressive(s, USUAL, "ideal-bwe"),
        reason="The fair share of eleven connections, times the round trip of the empty path, is 2.9 "
        "segments, and that is what Reno's halved window is as well. It would be aggressive if the "
        "bandwidth that it knows were the whole link's, or the round trip that with the queue: the paper "
        "does not say.",
    ),
    Claim(
        "yun-10-queue",
        "Westwood, Veno and TIBET are aggressive where losses are those of the queue, too: without channel "
        "errors and with up to four attempts.",
        lambda s: aggressive(s, CONGESTED, *ESTIMATORS),
        reason="Westwood is, Veno is at the edge, TIBET is not, which falls to two segments. Veno sees more "
        "than three of its segments in the queue at nearly every loss, takes it for congestion and halves "
        "its window as Reno does; what it gains is by fewer timeouts, 6 for each connection in 200 s "
        "against Reno's 68.",
    ),
    Claim(
        "yun-10-ideal-queue",
        "And so is an ideal estimator, without channel errors and with up to four attempts.",
        lambda s: aggressive(s, CONGESTED, "ideal-bwe"),
        reason="Here it is meeker than Reno: after a loss its window is 2.9 segments, that of Reno 4.4, "
        "because Reno halves a window that filled the queue, and the ideal estimator leaves the queue out.",
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig12",
    title="A Reno connection beside ten connections of another scheme, downlink",
    source=f"{PAPER}, Figure 12",
    scenario="yun2009-friendliness",
    settings=SETTINGS,
    curves=(_curve(1, 1), _curve(0, 4)),
    baseline=USUAL,
    axis=RIVAL,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    also=(TOTAL, RESENT),
)
