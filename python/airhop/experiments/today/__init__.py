"""Today's senders (CUBIC, BBR, Copa) on the papers' wireless paths, compared with explicit notices.

These experiments are Airhop's own; only the networks come from papers, Yun 2009 and Kounavis 1996. `airhop
reproduce airhop/today` runs all of them, and the page "What wins where" reports the results.

`SENDERS` lists the compared senders. Four reactions to a lossy last hop are compared:

* Senders with notices (LL-ELSN, ELN for CUBIC).
* An agent that repairs losses (Snoop).
* Senders whose rate does not depend on losses (BBR, Copa).
* Retransmission by the link layer ("ARQ"), with up to seven attempts per frame, the default of 802.11. In all
  other cases the cell sends each frame once, as in Yun's figures.

Reno, Snoop and LL-ELSN have the TCP of the paper's simulator, ns-2: no delayed ACKs, an initial window of
two, no handshake. Today's senders have the TCP of Linux. `CONTROLS` has Snoop and LL-ELSN with the TCP of
Linux, to separate the effect of the stack from the effect of the scheme.

The words of claims were defined before the first full run. "More" means that the whole interval of the ratio
is above 1, "clearly more" above 1.05, "as good" above 0.95, and "much" above 1.5, as for Yun 2009. Runs last
60 s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airhop.experiments.experiment import Curve, Replications

SOURCE = "Airhop's own question, on the network of J.-H. Yun, EURASIP JWCN 2009, 617818"
DURATION = "60 s"
ONCE, ARQ = 1, 7
"""Attempts per frame: Yun's "retry limit … to one", and dot11ShortRetryLimit."""
PAPERS, LINUX = "ns2", "linux"
"""Presets: the papers' simulator, and the defaults of Linux 6."""
CLEARLY = 1.05
"""Ratio above which a goodput is "clearly more", enough to influence the choice of a sender."""
AS_GOOD = 0.95
MUCH = 1.5


@dataclass(frozen=True)
class Sender:
    """Sender in a comparison: scheme, TCP preset, and transmissions per frame."""

    name: str
    """Name of the sender's curve, in documents, files and claims."""
    label: str
    scheme: str
    preset: str = LINUX
    attempts: int = ONCE

    def curve(self) -> Curve:
        """Return the sender's curve on Yun's last hop."""
        return Curve(self.name, self.label, self.scheme, tcp(self.preset) | attempts(self.attempts))


def tcp(preset: str) -> dict[str, object]:
    """Return the settings that select the TCP preset of all bulk connections."""
    return {"flow.ftp*.tcp.preset": preset}


def attempts(most: int) -> dict[str, object]:
    """Return the settings that limit the number of transmissions of a frame."""
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
"""Senders compared on Yun's last hop, in drawing order."""
CONTROLS = (
    Sender("snoop-linux", "Snoop, Linux", "snoop"),
    Sender("ll-elsn-linux", "LL-ELSN, Linux", "ll-elsn"),
)
"""Schemes from papers with the TCP of Linux."""
OVER_ARQ = tuple(sender.name for sender in SENDERS if sender.attempts == ARQ)
LABELS: Mapping[str, str] = {sender.name: sender.label for sender in (*SENDERS, *CONTROLS)}
CURVES = tuple(sender.curve() for sender in SENDERS)
CURVES_WITH_CONTROLS = tuple(sender.curve() for sender in (*SENDERS, *CONTROLS))
"""Curves of all senders, and of the schemes from papers with the TCP of Linux."""
PANELS = (tuple(sender.name for sender in SENDERS if sender.attempts == ONCE), OVER_ARQ)
"""Curves by panel: cells that send a frame once, and cells that send a frame up to seven times."""
PANELS_WITH_CONTROLS = (PANELS[0], (*OVER_ARQ, *(sender.name for sender in CONTROLS)))
SETTINGS: Mapping[str, object] = {"duration": DURATION, "wlan.cell.errors.fer": 0.01}
REPLICATIONS = Replications(quick=3, full=10)
