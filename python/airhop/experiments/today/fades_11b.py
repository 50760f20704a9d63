"""Deep fades on Yun's last hop: fades of seconds with a frame error rate of 1, and good times of 10 s.

The frame error rate of good times is 1 %. With seven attempts the link layer discards a frame after some tens
of milliseconds, so link-layer ARQ does not bridge a fade.
"""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.experiment import Claim, Experiment, PlottedAxis, Replications, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.experiments.today import CLEARLY, CURVES, DURATION, PANELS, SOURCE
from airhop.experiments.today.duels import has_more
from airhop.experiments.today.fer import GOODPUT, TIMEOUTS
from airhop.numerals import interval

FADES = PlottedAxis(
    key="bad_s",
    name="mean fade",
    paths=("wlan.cell.errors.bad",),
    label="Mean fade length (s)",
    full=(0.5, 1, 4),
    coarse=(4,),
    unit="s",
    limits=(0.0, 4.2),
    ticks=(0.0, 0.5, 1.0, 2.0, 3.0, 4.0),
)
CHANNEL = {"kind": "two-state", "good": "10 s", "bad": "4 s", "fer_good": 0.01, "fer_bad": 1.0}


def headline(samples: Samples) -> str:
    """Return a sentence on the ratio of LL-ELSN's goodput to BBR's with the longest fades."""
    last = samples.xs[-1]
    told = ", ".join(
        f"{interval(samples.ratio('ll-elsn', other, last))} times that of {other}"
        for other in ("bbr", "cubic", "cubic-arq")
    )
    return f"With mean fades of {FADES.text(last)} LL-ELSN delivers {told}."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "fades-11b-bbr",
        "With fades of 4 s notices beat BBR: LL-ELSN, which freezes, delivers more than 1.05 times as much.",
        Asked(has_more, FADES, ("ll-elsn",), "bbr", CLEARLY, (4,)),
    ),
    Claim(
        "fades-11b-bbr-half",
        "Notices also beat BBR with fades of half a second.",
        Asked(has_more, FADES, ("ll-elsn",), "bbr", CLEARLY, (0.5,)),
        reason="Such a fade costs BBR a timeout, whose backoff ends soon after the fade.",
    ),
    Claim(
        "fades-11b-arq",
        "With fades of 4 s notices also gain over link ARQ: LL-ELSN delivers more than 1.05 times as much "
        "as CUBIC.",
        Asked(has_more, FADES, ("ll-elsn-arq",), "cubic-arq", CLEARLY, (4,)),
    ),
    Claim(
        "fades-11b-bbr-arq",
        "With fades of 4 s BBR delivers more over link ARQ than CUBIC.",
        Asked(has_more, FADES, ("bbr-arq",), "cubic-arq", 1.0, (4,)),
        reason="BBR and CUBIC back off for the same time in a fade; their difference is the same without "
        "fades.",
    ),
)

EXPERIMENT = Experiment(
    id="airhop/today/fades-11b",
    title="Today's senders on a fading 802.11b last hop",
    source=f"{SOURCE}, Figure 5, with fades as in Kounavis 1996",
    scenario="yun2009-downlink",
    settings={"duration": DURATION, "wlan.cell.errors": CHANNEL},
    curves=CURVES,
    baseline="cubic",
    axis=FADES,
    metric=GOODPUT,
    replications=Replications(quick=3, full=30),
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("ll-elsn", 4, duration_s=60.0, opening_s=60.0),
    also=(TIMEOUTS,),
    panels=PANELS,
)
