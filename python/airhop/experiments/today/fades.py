"""Kounavis' fades with today's senders: 4 s of 14 s on an air interface of 19.2 kbit/s, fixed to mobile.

The notice is EBSN (explicit bad state notification), with the local recovery that EBSN needs. Today's senders
run with and without this local recovery. They have the TCP of Linux, with a clock of 1 ms and an unlimited
receive window. Tahoe has the paper's clock and a window of 4 kB.
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.asked import Asked
from airhop.experiments.experiment import Claim, Curve, Experiment, PlottedAxis, Replications, TimelineChoice
from airhop.experiments.kounavis1996 import GOODPUT, PAPER, RESENT, SECONDS, SPURIOUS, TIMEOUTS
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples
from airhop.experiments.today import CLEARLY, LINUX, SENDERS
from airhop.experiments.today.duels import has_less
from airhop.numerals import interval

FADE = PlottedAxis(
    key="bad_s",
    name="mean fade",
    paths=FIXED.each("errors.bad"),
    label="Mean fade length (s)",
    full=(1, 4, 16),
    coarse=(4,),
    unit="s",
    log=True,
    limits=(0.9, 18.0),
)
TAHOE: Mapping[str, object] = {
    "preset": "ns2",
    "receive_window": "2816 B",
    "rto": {"kind": "single-gain", "tick": "100 ms", "min": "200 ms", "max": "64 s"},
}
"""Settings of Tahoe, as in the packaged scenario."""
TODAY = {
    sender.name: sender
    for sender in SENDERS
    if sender.preset == LINUX and sender.name == sender.scheme and sender.scheme != "eln-cubic"
}
"""Today's senders by name, except the sender that needs notices from an 802.11 cell."""


def _curve(name: str, label: str, scheme: object, tcp: Mapping[str, object], *, local: bool) -> Curve:
    changes = (FIXED.recovery if local else FIXED.plain) | {"flow.ftp.tcp": dict(tcp)}
    return Curve(name, label, scheme, changes)  # type: ignore[arg-type]


LOCAL = tuple(f"{name}-arq" for name in TODAY)
CURVES = (
    _curve("tahoe", "Tahoe", "tahoe", TAHOE, local=False),
    _curve("tahoe-arq", "Tahoe, ARQ", "tahoe", TAHOE, local=True),
    _curve("ebsn", "EBSN, ARQ", {"name": "ebsn", "base": "tahoe"}, TAHOE, local=True),
    *(_curve(name, one.label, one.scheme, {"preset": LINUX}, local=False) for name, one in TODAY.items()),
    *(
        _curve(f"{name}-arq", f"{one.label}, ARQ", one.scheme, {"preset": LINUX}, local=True)
        for name, one in TODAY.items()
    ),
)


def headline(samples: Samples) -> str:
    """Return a sentence on EBSN's goodput relative to today's senders over the same local recovery."""
    told = ", ".join(f"{interval(samples.ratio('ebsn', other, 4))} times that of {other}" for other in LOCAL)
    return f"With mean fades of 4 s EBSN delivers {told}."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "fades-ebsn",
        "EBSN has an advantage over today's senders: with fades of 4 s, each of them over the same local "
        "recovery delivers less than 1 / 1.05 of EBSN's goodput.",
        Asked(has_less, FADE, LOCAL, "ebsn", 1 / CLEARLY, (4,)),
    ),
    Claim(
        "fades-local",
        "Local recovery gains more than a newer sender: with fades of 4 s, each of today's senders without "
        "local recovery delivers less than Tahoe with local recovery.",
        Asked(has_less, FADE, tuple(TODAY), "tahoe-arq", 1.0, (4,)),
    ),
)

BAKSHI = {"radio.air.errors.ber_good": 1e-6, "radio.air.errors.ber_bad": 1e-2}
"""Bit error rates of Bakshi et al. (1997). Kounavis uses the channel model of that paper."""

EXPERIMENT = Experiment(
    id="airhop/today/fades",
    title="Today's senders on Kounavis' fading link",
    source=f"Airhop's own question, on the network of {PAPER}, result 3",
    scenario=FIXED.scenario,
    settings=BAKSHI,
    curves=CURVES,
    baseline="tahoe-arq",
    axis=FADE,
    metric=GOODPUT,
    replications=Replications(quick=10, full=100),
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("ebsn", 4, duration_s=SECONDS, opening_s=SECONDS),
    also=(TIMEOUTS, SPURIOUS, RESENT),
    panels=(
        ("tahoe", *TODAY),
        ("tahoe-arq", "ebsn", *LOCAL),
    ),
)
