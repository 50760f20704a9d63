"""Today's senders on the wireless paths of the papers, and whether explicit notices still pay.

No paper asked this: the networks are those of Yun 2009 and Kounavis 1996, the questions are ours. `airhop
reproduce airhop/today` runs all of it; what came out, in words, is on the page "What wins where".

What is compared, in one place: `SENDERS`. Three kinds of answer to a lossy last hop stand beside each other,
each with frames that are sent once, as in Yun's figures: senders that are told (LL-ELSN, ELN for CUBIC), an
agent that repairs (Snoop), and senders that do not take a loss for congestion (BBR, Copa). And the answer of
the link layer itself, "ARQ": the same cell with up to seven attempts at a frame, 802.11's own default.

Each sender has the TCP that it is known with. Reno, Snoop and LL-ELSN have that of the paper, ns-2's: no
delayed ACKs, an initial window of two, no handshake. Those of today have Linux's. What a stack does to a
scheme is seen by Snoop and LL-ELSN on Linux's, `CONTROLS`.

How sentences are read, written down before the first full run: "more" is above 1 with its whole interval,
"clearly more" above 1.05, "as good" above 0.95; "much" is a factor of 1.5, as for Yun 2009. Runs last 60 s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airhop.experiments.experiment import Curve, Replications

SOURCE = "Airhop's own question, on the network of J.-H. Yun, EURASIP JWCN 2009, 617818"
DURATION = "60 s"
ONCE, ARQ = 1, 7
"""Attempts at a frame: Yun's "retry limit … to one", and dot11ShortRetryLimit."""
PAPERS, LINUX = "ns2", "linux"
"""Presets: the papers' simulator, and what Linux 6 does by default."""
CLEARLY = 1.05
"""A difference that somebody who chooses a sender would care about."""
AS_GOOD = 0.95
MUCH = 1.5


@dataclass(frozen=True)
class Sender:
    """A scheme with the TCP under it and the link layer beside it."""

    name: str
    """Of its curve, in documents, files and claims."""
    label: str
    scheme: str
    preset: str = LINUX
    attempts: int = ONCE

    def curve(self) -> Curve:
        """Make its curve on Yun's last hop."""
        return Curve(self.name, self.label, self.scheme, tcp(self.preset) | attempts(self.attempts))


def tcp(preset: str) -> dict[str, object]:
    """Choose the TCP of the bulk connections."""
    return {"flow.ftp*.tcp.preset": preset}


def attempts(most: int) -> dict[str, object]:
    """Choose how often a frame is sent at most."""
    return {"wlan.cell.attempts": most}


SENDERS = (
    Sender("reno", "Reno", "reno", PAPERS),
    Sender("snoop", "Snoop", "snoop", PAPERS),
    Sender("ll-elsn", "LL-ELSN", "ll-elsn", PAPERS),
    Sender("cubic", "CUBIC", "cubic"),
    Sender("eln-cubic", "ELN-CUBIC", "eln-cubic"),
    Sender("bbr", "BBR", "bbr"),
    Sender("bbr3", "BBRv3", "bbr3"),
    Sender("copa", "Copa", "copa"),
    Sender("cubic-arq", "CUBIC, ARQ", "cubic", attempts=ARQ),
    Sender("bbr-arq", "BBR, ARQ", "bbr", attempts=ARQ),
    Sender("bbr3-arq", "BBRv3, ARQ", "bbr3", attempts=ARQ),
    Sender("copa-arq", "Copa, ARQ", "copa", attempts=ARQ),
    Sender("ll-elsn-arq", "LL-ELSN, ARQ", "ll-elsn", attempts=ARQ),
)
"""Curves on Yun's last hop, in the order in which they are drawn."""
CONTROLS = (
    Sender("snoop-linux", "Snoop, Linux", "snoop"),
    Sender("ll-elsn-linux", "LL-ELSN, Linux", "ll-elsn"),
)
"""Schemes of papers on today's TCP."""
OVER_ARQ = tuple(sender.name for sender in SENDERS if sender.attempts == ARQ)
LABELS: Mapping[str, str] = {sender.name: sender.label for sender in (*SENDERS, *CONTROLS)}
CURVES = tuple(sender.curve() for sender in SENDERS)
WITH_CONTROLS = tuple(sender.curve() for sender in (*SENDERS, *CONTROLS))
PANELS = (tuple(sender.name for sender in SENDERS if sender.attempts == ONCE), OVER_ARQ)
"""Frames sent once, and up to seven times."""
PANELS_WITH_CONTROLS = (PANELS[0], (*OVER_ARQ, *(sender.name for sender in CONTROLS)))
SETTINGS: Mapping[str, object] = {"duration": DURATION, "wlan.cell.errors.fer": 0.01}
REPLICATIONS = Replications(quick=3, full=10)
