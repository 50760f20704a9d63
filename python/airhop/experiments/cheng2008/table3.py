"""Table "TCP goodput comparison (with GE error model)": four schemes over a lossy chain of one to eight hops.

Printed: the two states of the channel and the numbers. Inferred: the state may change after each frame,
independently on each directed link. All frames except ACK, RTS and CTS of the MAC can be lost. With these
rules, ns-2 is closest to the printed numbers. The schemes TCP-CC and TCP-W are guessed from the labels.
"""

from __future__ import annotations

from airhop.experiments import printed
from airhop.experiments.cheng2008 import gain
from airhop.experiments.cheng2008.chains import HOPS, experiment, lossy_claims
from airhop.experiments.cheng2008.readings import BELOW_TCP, ERRORS, STRIKES, TCP_W
from airhop.experiments.cheng2008.table2 import EXPERIMENT as CLEAN
from airhop.experiments.cheng2008.table2 import PRINTED as PRINTED_CLEAN
from airhop.experiments.claims import within
from airhop.experiments.experiment import Claim, ClaimResult
from airhop.experiments.samples import Samples
from airhop.numerals import interval

PRINTED = printed.columns(
    HOPS.full,
    reno=(12.70, 6.32, 2.72, 1.53, 1.19, 1.03, 0.83, 0.73),
    tcp_cc=(12.74, 6.26, 2.76, 1.59, 1.28, 1.12, 0.85, 0.80),
    tcp_w=(13.02, 6.33, 2.76, 1.66, 1.29, 1.14, 0.84, 0.76),
    tcp_cl=(12.87, 6.32, 3.67, 2.30, 2.02, 1.86, 1.66, 1.54),
)
REPAIRED = PRINTED["reno", 1] / PRINTED_CLEAN["reno", 1]
"""Printed goodput of table 3 divided by the printed goodput of table 2, over one hop. The mean FER of 8.25 %
costs only airtime.
"""
NEAR = 0.03


def headline(samples: Samples) -> str:
    """Return a sentence on TCP-CL's gains at the fewest hops with a gain, and at the most hops."""
    first, last = samples.from_x(3)[0], samples.xs[-1]
    return (
        f"Over a lossy chain TCP-CL delivers {gain(samples, first)} against Reno at {HOPS.text(first)} and "
        f"{gain(samples, last)} at {HOPS.text(last)}; printed are +35 % and +111 %."
    )


def repaired(samples: Samples) -> ClaimResult:
    """Check whether Reno's goodput over one hop is 0.909 ± 0.03, the printed ratio, of that in table 2."""
    kept = samples.ratio_to_beside("reno", 1)
    decision = within(kept, REPAIRED - NEAR, REPAIRED + NEAR)
    return ClaimResult(decision, f"reno {interval(kept)} of that without errors (printed {REPAIRED:.3f})")


CLAIMS: tuple[Claim[Samples], ...] = (
    *lossy_claims(3, PRINTED),
    Claim(
        "cheng-t3-repaired",
        "Over one hop the MAC repairs every error: Reno keeps the printed 91 % of its goodput in table 2, "
        "within 3 percentage points.",
        repaired,
        own=True,
        because="The slides print both tables and do not compare them.",
        reason="The slides do not state which frames can be lost. In Airhop errors hit all frames except "
        "control frames of the MAC, TCP's ACKs included, as in ns-2 with such an error model.",
    ),
)

EXPERIMENT = experiment(
    3,
    "Goodput over a chain with Gilbert-Elliott errors",
    "TCP goodput comparison (with GE error model)",
    {"wlan.field.errors": ERRORS},
    PRINTED,
    CLAIMS,
    headline,
    beside=CLEAN,
    questions=(*BELOW_TCP, STRIKES, TCP_W),
)
