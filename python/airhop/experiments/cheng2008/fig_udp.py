"""Figure "TCP goodput comparison (UDP interference)": a chain of four hops beside a UDP flow.

Printed: one TCP and one UDP connection, nodes 30 m apart, UDP at 1 to 5 Mbit/s. The figure and the drawing of
its topology are lost. Inferred: TCP over four hops, a UDP pair one hop apart and 30 m beside the middle of
the chain, packets of 1000 bytes at a constant rate, no channel errors. All claims are Airhop's own. The
curves are lost, and the paper's conclusion is about all settings together.
"""

from __future__ import annotations

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.cheng2008 import (
    ALSO,
    CURVES,
    GOODPUT,
    OTHERS,
    PAPER,
    REPLICATIONS,
    gain,
)
from airhop.experiments.cheng2008.readings import BELOW_TCP, TCP_W, UDP_PLACE
from airhop.experiments.claims import ahead_everywhere, each_above, falls_all_along
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis, TimelineChoice
from airhop.experiments.samples import Samples

RATE = PlottedAxis(
    key="udp_mbps",
    name="UDP",
    paths=("flow.udp.app.rate",),
    label="UDP rate (Mbit/s)",
    full=(1, 2, 3, 4, 5),
    coarse=(1, 5),
    unit="Mbit/s",
    ticks=(1, 2, 3, 4, 5),
)
UDP = Metric(
    "flow.udp.goodput_mbps", "Goodput of UDP", "Mbit/s", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), printed=False
)


def headline(samples: Samples) -> str:
    """Return a sentence on TCP-CL's gains with the slowest and with the fastest UDP flow."""
    told = " and ".join(f"{gain(samples, x)} beside {RATE.text(x)}" for x in (samples.xs[0], samples.xs[-1]))
    return f"TCP-CL delivers {told} of UDP against Reno."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "cheng-udp-ahead",
        "TCP-CL delivers more than Reno beside UDP traffic of any rate.",
        Asked(each_above, RATE, ("tcp-cl",), "reno", ALL_X),
        own=True,
        because="The curves are lost; the slides' conclusion, that TCP-CL enhances TCP, refers to all "
        "settings together.",
    ),
    Claim(
        "cheng-udp-ahead-strict",
        "TCP-CL delivers more than each other scheme beside UDP traffic of any rate.",
        Asked(ahead_everywhere, RATE, "tcp-cl", OTHERS),
        own=True,
        because="The curves are lost; the slides' conclusion, that TCP-CL enhances TCP, refers to all "
        "settings together.",
    ),
    Claim(
        "cheng-udp-falls",
        "TCP's goodput falls with the UDP rate, with every scheme.",
        Asked(falls_all_along, RATE, (*OTHERS, "tcp-cl")),
        own=True,
        because="The curves are lost; any such figure shows that UDP takes capacity from TCP.",
    ),
)

EXPERIMENT = Experiment(
    id="cheng2008/fig-udp",
    title="Goodput over four hops beside UDP",
    source=f'{PAPER}, "TCP goodput comparison (UDP interference)"',
    scenario="cheng2008-udp",
    settings={},
    curves=CURVES,
    baseline="reno",
    axis=RATE,
    metric=Metric(GOODPUT.name, "Goodput of TCP", "Mbit/s", (0.0, 0.5, 1.0, 1.5, 2.0), printed=False),
    also=(UDP, *ALSO),
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("tcp-cl", 1, duration_s=5.0, opening_s=1.0),
    questions=(*BELOW_TCP, UDP_PLACE, TCP_W),
)
