"""Comparison of the notices ERSN, EBSN and RTTN with equal fades.

No paper contains this comparison. An ERSN (Yun 2009) is sent once for each segment that the link begins to
retransmit. The ERSN restarts the timer, and suspends congestion control for the segment for two RTOs. An EBSN
is sent at each failed attempt, and restarts the timer. An RTTN (a reconstruction) announces in advance by how
much the round-trip time may increase.

ERSN needs the sender of LL-ELSN, which uses SACK. ERSN is therefore compared with a SACK sender over local
recovery alone. The axis is the delay of the wire, because a notice must arrive before the timer expires.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.claims import each_above
from airhop.experiments.experiment import Claim, Curve, Experiment, PlottedAxis
from airhop.experiments.kounavis1996 import EBSN, LOCAL, PAPER, PATIENT, RTTN, TIMEOUTS, experiment
from airhop.experiments.kounavis1996.checks import count
from airhop.experiments.kounavis1996.networks import FIXED, Network
from airhop.experiments.samples import Samples

DELAY = PlottedAxis(
    key="wire_ms",
    name="wire",
    paths=("wired.wire.delay",),
    label="Wire delay (ms)",
    full=(10, 50, 250, 1000),
    coarse=(50,),
    unit="ms",
    log=True,
    limits=(10.0, 1000.0),
)
SEED_DELAY = 50
SACK = Curve("sack", "Local recovery, SACK", "sack")
ERSN = Curve("ll-elsn", "ERSN (LL-ELSN)", "ll-elsn")
OWN = {"ebsn": "local", "rttn": "local", "ll-elsn": "sack"}
"""Curve to compare with each scheme: the same sender over local recovery, without notices."""
WHY_NOT = (
    "A segment causes at most one ERSN. The ERSN restarts the retransmission timer, and suspends "
    "congestion control for the segment for two RTOs at most. If the timer expires nevertheless, the "
    "retransmissions of segments that were only late cause duplicate ACKs. ESACK, which counts duplicates "
    "in sending order, detects a loss and reduces the window again; SACK does not."
)
SOURCE = (
    f"Airhop's own experiment, based on §4 of {PAPER} (ERSN is LL-ELSN's notice; RTTN, round trip time "
    "notification, is a reconstruction)"
)
LABELS = {"ll-elsn": "ERSN", "ebsn": "EBSN", "rttn": "RTTN (reconstruction)"}


def headline(samples: Samples) -> str:
    """Return a sentence on each scheme: ratio to the same sender without notices, and timeouts."""
    timeouts = count(samples, TIMEOUTS)
    told = [
        f"{LABELS[curve]} × {samples.ratio(curve, OWN[curve], SEED_DELAY).value:.2f} (timeouts "
        f"{timeouts.estimate(OWN[curve], SEED_DELAY).mean:.1f} to "
        f"{timeouts.estimate(curve, SEED_DELAY).mean:.1f})"
        for curve in LABELS
    ]
    return f"Over local recovery alone with the same sender: {', '.join(told)}."


def claims(end: str) -> tuple[Claim[Samples], ...]:
    """Return the claims that each notice fulfils its purpose, with `end` appended to the claim ids."""
    return tuple(
        Claim(
            f"kou-notices-{curve}{end}",
            f"{label} delivers more than local recovery alone with the same sender, for every delay.",
            Asked(each_above, DELAY, (curve,), OWN[curve], ALL_X),
            own=True,
            because="No paper compares ERSN, EBSN and RTTN, which were proposed for different links.",
            reason=WHY_NOT if curve == "ll-elsn" else "",
        )
        for curve, label in LABELS.items()
    )


def on_the_same_fades(
    id_: str, network: Network, end: str = "", others: tuple[Curve, ...] = ()
) -> Experiment:
    """Return the experiment on a network, with the common curves and the curves `others`."""
    made = experiment(
        id_,
        "Timer notices on the same fades: ERSN, EBSN and RTTN",
        "§4",
        network,
        (LOCAL, EBSN, RTTN, SACK, ERSN, PATIENT, *others),
        claims(end),
        headline,
        axis=DELAY,
        at=SEED_DELAY,
    )
    return replace(made, source=SOURCE)


EXPERIMENT = on_the_same_fades("notices", FIXED)
