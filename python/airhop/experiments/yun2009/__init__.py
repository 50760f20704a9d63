"""Yun 2009: explicit link status notification (LL-ELSN) against other schemes on a lossy last hop.

What its figures 6 to 10 share. Of the twelve schemes drawn there, those that exist here are run; statements
about the others are left out of the claims.
"""

from __future__ import annotations

from airhop.experiments.experiment import Curve, Replications

PAPER = "J.-H. Yun, EURASIP J. Wireless Communications and Networking 2009, 617818"
SETTINGS = {"duration": "200 s", "wlan.cell.attempts": 1}
"""§5.1: "a period of 200 seconds"; §5.2: "we first set the retry limit of 802.11 MAC to one"."""
SCHEMES = {"reno": "Reno", "sack": "SACK", "snoop": "Snoop", "ll-elsn": "LL-ELSN"}
CURVES = Curve.of_schemes(SCHEMES)
REPLICATIONS = Replications(quick=5, full=20)
"""§5.1: "20 runs without LL-ARQ"."""
