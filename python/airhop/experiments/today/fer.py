"""Yun's Figure 6 with today's senders: goodput against the frame error rate, downlink, one connection.

Two additional curves, schemes of the papers with the TCP of Linux, separate the effect of the scheme from the
effect of the stack.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import Asked
from airhop.experiments.claims import best_ratio
from airhop.experiments.experiment import Claim, Experiment, Metric, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.experiments.today import (
    AS_GOOD,
    CLEARLY,
    CURVES_WITH_CONTROLS,
    MUCH,
    PANELS_WITH_CONTROLS,
    REPLICATIONS,
    SETTINGS,
    SOURCE,
)
from airhop.experiments.today.duels import has_less, has_more
from airhop.experiments.yun2009 import fig6
from airhop.numerals import multiple

FER = replace(fig6.FER, full=(1e-4, 1e-2, 3e-2, 9e-2), coarse=(1e-2,), limits=(7e-5, 1.3e-1))
GOODPUT = Metric(
    "goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0), digits=2, printed=False
)
RESENT = Metric(
    "100 * retransmissions / sent_segments",
    "Retransmitted segments",
    "%",
    ticks=(0.0, 10.0, 20.0, 30.0, 40.0),
    digits=1,
    printed=False,
)
TIMEOUTS = Metric("timeouts", "Timeouts", "", ticks=(0.0, 20.0, 40.0, 60.0), digits=1, printed=False)


def headline(samples: Samples) -> str:
    """Return the headline: gains of notices over CUBIC and over BBR, and the gain of link-layer ARQ."""
    x, cubic = best_ratio(samples, "ll-elsn", "cubic")
    least, most = (
        pick(samples.ratio("ll-elsn", "bbr", at).value for at in samples.xs) for pick in (min, max)
    )
    arq = min(samples.ratio("cubic-arq", "ll-elsn", at).value for at in samples.xs)
    bbr = f"{least:.2f}" if f"{least:.2f}" == f"{most:.2f}" else f"{least:.2f} to {most:.2f}"
    return (
        f"LL-ELSN delivers {multiple(cubic)} times CUBIC's goodput at {FER.text(x)} frame errors and {bbr} "
        f"times BBR's; CUBIC over link ARQ delivers at least {arq:.2f} times LL-ELSN's."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "fer-cubic",
        "Notices beat CUBIC: LL-ELSN delivers more than 1.5 times as much at every FER.",
        Asked(has_more, FER, ("ll-elsn",), "cubic", MUCH),
    ),
    Claim(
        "fer-bbr",
        "Notices beat BBR: LL-ELSN delivers more than 1.05 times as much at every FER.",
        Asked(has_more, FER, ("ll-elsn",), "bbr", CLEARLY),
        reason="Both senders keep the air busy. BBR's ProbeRTT leaves the air idle for a moment every ten "
        "seconds, to measure the path without BBR's own queue.",
    ),
    Claim(
        "fer-bbr-as-good",
        "BBR without any notice is as good as LL-ELSN: it delivers more than 0.95 times as much at every "
        "FER.",
        Asked(has_more, FER, ("bbr",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "fer-bbr3",
        "Notices beat BBRv3: LL-ELSN delivers more than 1.05 times as much at every FER.",
        Asked(has_more, FER, ("ll-elsn",), "bbr3", CLEARLY),
    ),
    Claim(
        "fer-copa",
        "Copa, which is delay-based, is as good as LL-ELSN at every FER.",
        Asked(has_more, FER, ("copa",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "fer-eln-cubic",
        "Notices also help a present-day sender: ELN-CUBIC is as good as LL-ELSN at every FER.",
        Asked(has_more, FER, ("eln-cubic",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "fer-snoop",
        "Snoop, which repairs losses without notices, is as good as LL-ELSN at every FER, also with "
        "Linux's TCP.",
        Asked(has_more, FER, ("snoop", "snoop-linux"), "ll-elsn", AS_GOOD),
        reason="Snoop's own retransmissions are also frames with one attempt. The sender detects the lost "
        "retransmissions, and classifies the wireless losses as congestion.",
    ),
    Claim(
        "fer-arq",
        "Plain link ARQ is clearly better than notices: CUBIC with up to seven attempts per frame delivers "
        "more than 1.05 times as much as LL-ELSN with one attempt, at every FER.",
        Asked(has_more, FER, ("cubic-arq",), "ll-elsn", CLEARLY),
    ),
    Claim(
        "fer-told-over-arq",
        "Over link ARQ notices still help: LL-ELSN delivers more than 1.05 times as much as CUBIC, at every "
        "FER.",
        Asked(has_more, FER, ("ll-elsn-arq",), "cubic-arq", CLEARLY),
        reason="A packet is lost on the air only if all seven attempts fail: otherwise all losses are "
        "queue overflows, which cause no notices.",
    ),
    Claim(
        "fer-bbr-over-arq",
        "Over link ARQ BBR delivers less than CUBIC, at every FER.",
        Asked(has_less, FER, ("bbr-arq",), "cubic-arq"),
    ),
    Claim(
        "fer-stack",
        "The scheme matters, not the stack: LL-ELSN with Linux's TCP is as good as with the paper's TCP, at "
        "every FER.",
        Asked(has_more, FER, ("ll-elsn-linux",), "ll-elsn", AS_GOOD),
    ),
)

EXPERIMENT = Experiment(
    id="airhop/today/fer",
    title="Today's senders against frame error rate, one connection",
    source=f"{SOURCE}, Figure 6",
    scenario="yun2009-downlink",
    settings=SETTINGS,
    curves=CURVES_WITH_CONTROLS,
    baseline="cubic",
    axis=FER,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice(
        "ll-elsn", lambda s: best_ratio(s, "ll-elsn", "cubic")[0], duration_s=20.0, opening_s=2.0
    ),
    also=(RESENT, TIMEOUTS),
    panels=PANELS_WITH_CONTROLS,
)
