"""Yun 2009: explicit link status notification (LL-ELSN) against other schemes on a lossy last hop.

Common parts of figures 6 to 12. Words of the paper that need a number have the same number in all figures:

* "much", and "multiple" recoveries: a factor of 1.5, the abstract's factor of LL-ELSN over Snoop.
* "severe" degradation: less than four fifths of the goodput remain.

If a statement names no frame error rate, every rate of the grid from 0.01 % up is checked, because the
printed axes begin at 0.01 %. Statements about sums over these rates are Airhop's own claims. If the paper
does not name the frame error rate of a figure, the rate is 1 %, as in Figure 7.
"""

from __future__ import annotations

from airhop.experiments.experiment import Curve, Replications

PAPER = "J.-H. Yun, EURASIP J. Wireless Communications and Networking 2009, 617818"
SETTINGS = {"duration": "200 s", "wlan.cell.attempts": 1}
"""§5.1: "a period of 200 seconds"; §5.2: "we first set the retry limit of 802.11 MAC to one"."""
SCHEMES = {
    "reno": "Reno",
    "sack": "SACK",
    "snoop": "Snoop",
    "ll-elsn": "LL-ELSN",
    "veno": "Veno",
    "westwood-plus": "Westwood",
    "jersey": "Jersey",
    "jtcp": "JTCP",
    "tibet": "TIBET",
    "hack": "HACK",
    "lhp": "LHP",
    "dcr": "DCR",
}
"""Schemes in the order of Figure 6. §5.1: "The version of TCP Westwood considered in the simulation is
Westwood+"."""
OWN = "ll-elsn"
OTHERS = tuple(scheme for scheme in SCHEMES if scheme != OWN)
"""All schemes except the paper's own."""
THE_REST = tuple(scheme for scheme in OTHERS if scheme not in ("snoop", "reno"))
"""Schemes that the paper calls "the other schemes": all but LL-ELSN, Snoop and Reno."""
PANELS = (tuple(SCHEMES)[:4], tuple(SCHEMES)[4:])
"""Schemes in panels (a) and (b) of Figures 6 and 8."""
CURVES = Curve.of_schemes(SCHEMES)
REPLICATIONS = Replications(quick=3, full=20, printed=True)
"""§5.1: "20 runs without LL-ARQ"."""
NO_SLOWER = (
    "The capacity exceeds the end of the axis, even with a TCP ACK for each segment, if data and link ACKs "
    "have the printed rates, the highest of the standard, and the standard's preamble and slot. Only "
    "settings that the paper does not print could make its cell so slow: a lower rate of link ACKs, a longer "
    "preamble or larger headers."
)
"""Reason why LL-ELSN's goodput exceeds the printed axis."""
MUCH = 1.5
SEVERE = 0.8
"""Share of the goodput below which a degradation is "severe"."""
GOOD = 0.9
"""Minimum share of the best scheme's goodput that counts as "good"."""
