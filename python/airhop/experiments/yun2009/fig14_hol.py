"""Figure 14, second part: two stations in the bad state, three good stations, against the retry limit.

Printed in section 5.4: a large retry limit results in head-of-line (HOL) blocking in the FIFO queue of the
base station, "so the other connections in the good state cannot be served due to a few connections in the bad
state which keep on retransmitting failed frames until the retry limit is reached". Inferred: there are five
connections. Two stations have a FER of 50 % in both directions, and three have no errors (their frames still
collide).

A large retry limit means 7, 802.11's default, and a small limit means 2. HOL blocking shows as a lower
goodput of the three good stations. This goodput is divided by the goodput with all stations good, to exclude
the effect of the retry limit itself. "Cannot be served" means a ratio below one half: the good stations wait
for more time than they are served.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.claims import along, below, every, keeps_most
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Experiment, Metric, TimelineChoice
from airhop.experiments.reading import Question, Reading
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.fig14 import LIMIT, WITH_ARQ
from airhop.experiments.yun2009.readings import ELN_FILTER
from airhop.numerals import interval

SCHEMES = {"reno": "Reno", "ll-elsn": "LL-ELSN"}
LIMITS = replace(LIMIT, full=(1, 2, 4, 7), coarse=(1, 2, 7))
SMALL, LARGE = 2, 7
UNSERVED = 0.5
"""Good stations "cannot be served" if bad stations leave them less than this share of their goodput."""
ERRORS = "wlan.cell.errors"
GOOD_ONES = Metric(
    "goodput_mbps - flow.ftp1.goodput_mbps - flow.ftp2.goodput_mbps",
    "Goodput of the good stations",
    "Mbit/s",
    ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6),
    printed=False,
)


def bad(fer: float, stations: int = 2) -> list[dict[str, object]]:
    """Return the channel errors: the first `stations` stations have the error rate `fer`, the others none."""
    return [
        {"kind": "bernoulli", "fer": fer, "direction": way}
        for station in range(1, stations + 1)
        for way in (f"bs->d{station}", f"d{station}->bs")
    ]


def none_bad(scheme: str) -> str:
    """Return the name of a scheme's curve without bad stations."""
    return f"{scheme}, none bad"


CURVES = tuple(Curve(name, label, name, {ERRORS: bad(0.5)}) for name, label in SCHEMES.items()) + tuple(
    Curve(none_bad(name), f"{label}, none bad", name) for name, label in SCHEMES.items()
)


def _read_as(errors: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    return {name: {ERRORS: errors} for name in SCHEMES}


BAD_STATE = Question(
    about="the bad state",
    default=Reading(
        "two-bad-0.5",
        "Two stations of five lose half of their frames.",
        "a few connections in the bad state which keep on retransmitting failed frames",
    ),
    others=(
        Reading("two-bad-0.3", "Two stations of five lose 30 % of their frames.", curves=_read_as(bad(0.3))),
        Reading("two-bad-0.8", "Two stations of five lose 80 % of their frames.", curves=_read_as(bad(0.8))),
        Reading(
            "one-bad",
            "One station of five loses half of its frames.",
            curves=_read_as(bad(0.5, 1)),
            metric=replace(GOOD_ONES, name="goodput_mbps - flow.ftp1.goodput_mbps"),
        ),
    ),
)


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of good stations beside two bad stations, for both retry limits."""
    small, large = (samples.estimate("ll-elsn", x).mean for x in (SMALL, LARGE))
    return (
        f"Beside two bad stations the three good ones get {small:.1f} Mbit/s together with a retry limit of "
        f"{SMALL}, and {large:.1f} with {LARGE} (LL-ELSN)."
    )


def less_with_large(samples: Samples) -> ClaimResult:
    """Check whether the good stations have less goodput with retry limit 7 than with 2, for both schemes."""
    kept = {scheme: along(samples, scheme, SMALL, LARGE) for scheme in SCHEMES}
    told = ", ".join(f"{scheme} {interval(ratio)}" for scheme, ratio in kept.items())
    return ClaimResult(
        every(below(ratio, 1.0) for ratio in kept.values()), f"goodput with 7, times that with 2: {told}"
    )


def unserved_with_large(samples: Samples) -> ClaimResult:
    """Check whether bad stations cost good stations over half of their goodput at limit 7, and less at 2."""
    found = [keeps_most(samples, LIMITS, none_bad(scheme), (scheme,), from_x=SMALL) for scheme in SCHEMES]
    left = {scheme: samples.ratio(scheme, none_bad(scheme), LARGE) for scheme in SCHEMES}
    told = ", ".join(f"{scheme} {interval(ratio)}" for scheme, ratio in left.items())
    return ClaimResult(
        every((*(below(one, UNSERVED) for one in left.values()), *(one.decision for one in found))),
        f"left beside bad stations, with {LARGE}: {told}; {'; '.join(one.measured for one in found)}",
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-11-hol",
        "A large retry limit results in HOL blocking: with two stations in the bad state, the good stations "
        "together have less goodput with seven transmissions than with two, for Reno and for LL-ELSN.",
        less_with_large,
        quote="large retry limit results in the head of line (HOL) blocking in the First-In First-Out (FIFO) "
        "queue of BS",
    ),
    Claim(
        "yun-11-hol-bad",
        "The good stations cannot be served due to the bad ones: with seven transmissions they have less "
        "than half of the goodput that they have without a bad station, and a smaller share than with two.",
        unserved_with_large,
        quote="the other connections in the good state cannot be served due to a few connections in the bad "
        "state which keep on retransmitting failed frames until the retry limit is reached",
        reason="A retried frame blocks the queue for a few milliseconds. TCP sends less to stations whose "
        "packets are lost or late, so most packets in the queue are for the good stations.",
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig14-hol",
    title="Head-of-line blocking: goodput of three good stations beside two bad ones",
    source=f"{PAPER}, section 5.4",
    scenario="yun2009-downlink",
    settings={"duration": "200 s", "copies": 5, "wlan.cell.errors": {"kind": "clean"}},
    curves=CURVES,
    baseline=none_bad("reno"),
    axis=LIMITS,
    metric=GOOD_ONES,
    replications=WITH_ARQ,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("ll-elsn", LARGE, duration_s=20.0, opening_s=2.0),
    questions=(BAD_STATE, ELN_FILTER),
)
