"""Result 3 in longer runs: EBSN's gain over unmodified TCP after the initial transient.

The paper does not print the length of its runs, and the 100 s of `kounavis1996/ebsn` are a guess. There,
unmodified TCP delivers 7.3 kbit/s in the first 10 s, 6.6 kbit/s in the next 10 s, and 5.9 kbit/s from 50 s
on. EBSN always delivers 8.8 kbit/s. The reason is the timeout of unmodified TCP. Before the first queue
builds up, the timeout is shorter and expires earlier in a fade.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import LAST, Asked
from airhop.experiments.claims import each_above
from airhop.experiments.experiment import Claim, Curve
from airhop.experiments.kounavis1996 import EBSN, LENGTH, experiment, unmodified
from airhop.experiments.kounavis1996.checks import ratio_text
from airhop.experiments.kounavis1996.ebsn import GAIN
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples

AXIS = replace(LENGTH, coarse=(100, 300))


QUOTE = "Simulation results showed that EBSN provides more than 50% improvement over basic TCP."


def headline(samples: Samples) -> str:
    """Return a sentence on EBSN's gain in the shortest and in the longest runs."""
    told = [
        f"{ratio_text(samples, 'ebsn', 'basic', x)} times the goodput of Tahoe and "
        f"{ratio_text(samples, 'ebsn', 'reno', x)} times that of Reno in {LENGTH.text(x)}"
        for x in (samples.xs[0], samples.xs[-1])
    ]
    return f"EBSN delivers {told[0]}, {told[1]}."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-2-long",
        "In long runs EBSN delivers more than 1.5 times the goodput of unmodified TCP, Tahoe.",
        Asked(each_above, LENGTH, ("ebsn",), "basic", LAST, GAIN),
        own=True,
        because="The paper does not print the length of its runs; the beginning of a run matters less in "
        "longer runs.",
        quote=QUOTE,
        reason="The gain is bounded by the share of the time in which the link is good.",
    ),
    Claim(
        "kou-2-long-reno",
        "In long runs EBSN delivers more than 1.5 times the goodput of unmodified TCP, Reno.",
        Asked(each_above, LENGTH, ("ebsn",), "reno", LAST, GAIN),
        own=True,
        because="The paper describes both senders, and does not state which of the two it ran.",
        quote=QUOTE,
    ),
)

EXPERIMENT = experiment(
    "run-length",
    "Goodput against the length of a run",
    "result 3",
    FIXED,
    (unmodified(FIXED, label="Tahoe"), Curve("reno", "Reno", "reno", FIXED.plain), EBSN),
    CLAIMS,
    headline,
    axis=AXIS,
    at=100,
)
