"""Effect of the packet size on the benefit of notices; the paper has only packets of 128 bytes.

The sizes are from Bakshi et al. (1997). Links in that paper split packets into frames of 128 bytes, but here
each packet is one frame. The window is always 4 kB, or two of the largest packets.
"""

from __future__ import annotations

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.claims import each_above
from airhop.experiments.experiment import Claim, PlottedAxis
from airhop.experiments.kounavis1996 import EBSN, LOCAL, PATIENT, RTTN, experiment, unmodified
from airhop.experiments.kounavis1996.checks import ratio_text
from airhop.experiments.kounavis1996.ebsn import GAIN
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples

WINDOW = 4096
HEADERS = 40
SIZES = (128, 256, 512, 1024, 1536)


def takes(size: int) -> tuple[str, str]:
    """Return the payload of a packet of `size` bytes, and the payload of a whole window."""
    payload = size - HEADERS
    return f"{payload} B", f"{WINDOW // size * payload} B"


SIZE = PlottedAxis(
    key="packet_bytes",
    name="packet",
    paths=("flow.ftp.segment", "flow.ftp.tcp.receive_window"),
    label="Packet size (bytes)",
    full=SIZES,
    coarse=(128, 512, 1536),
    unit="B",
    ticks=tuple(map(float, SIZES)),
    limits=(0.0, 1600.0),
    takes={size: takes(size) for size in SIZES},
)


def headline(samples: Samples) -> str:
    """Return a sentence on EBSN's gain with the smallest and with the largest packets."""
    told = [
        f"{ratio_text(samples, 'ebsn', 'basic', x)} times the goodput of unmodified TCP and "
        f"{ratio_text(samples, 'ebsn', 'local', x)} times that of local recovery alone with packets of "
        f"{SIZE.text(x)}"
        for x in (samples.xs[0], samples.xs[-1])
    ]
    return f"EBSN delivers {told[0]}; {told[1]}."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-2-sizes",
        "With packets of any size EBSN delivers more than 1.5 times the goodput of unmodified TCP (the "
        "paper's statement is about 128 bytes).",
        Asked(each_above, SIZE, ("ebsn",), "basic", ALL_X, GAIN),
        own=True,
        because="The paper's statement is about packets of 128 bytes.",
        reason="EBSN's goodput cannot exceed the goodput of a sender without timeouts, as in "
        "`kounavis1996/ebsn`. "
        "Two of the largest packets fill the window, and the link needs seconds to detect a failed packet, "
        "so timeouts can precede the first notice.",
    ),
    Claim(
        "kou-sizes-local",
        "EBSN delivers more than local recovery alone with packets of any size.",
        Asked(each_above, SIZE, ("ebsn",), "local", ALL_X),
        own=True,
        because="For the fixed-to-mobile network, the paper does not compare EBSN with local recovery alone.",
    ),
)

EXPERIMENT = experiment(
    "packet-size",
    "Goodput against the size of packets",
    "§5",
    FIXED,
    (unmodified(FIXED), LOCAL, EBSN, RTTN, PATIENT),
    CLAIMS,
    headline,
    axis=SIZE,
    at=128,
)
