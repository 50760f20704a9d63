"""Figure 2b, second reading: the cross traffic is a long-lived FTP over Reno in each direction.

With the claims of the first reading. The two flows of cross traffic stay Reno whatever is under test.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.koo2007.fig2b import EXPERIMENT as FIGURE2B

CROSS: dict[str, object] = {
    "transport": "tcp",
    "scheme": "reno",
    "segment": "1460 B",
    "app": {"kind": "bulk"},
    "tcp.preset": "ns2",
}

BUNCHED = (
    "The data of the backward connection hold ACKs up and let them go in bunches (two in five follow within "
    "1 ms; a segment takes 6), from which Westwood's filter takes the link for 17 times as fast as it is. "
    "So ssthresh is at 160 segments and more (9 fill the pipe), nine losses in ten happen in slow start, "
    "and there WestwoodVT takes every loss for congestion, as WestwoodNR does."
)
REASONS = {
    "koo-5-nr": BUNCHED,
    "koo-5-new-jersey": f"{BUNCHED} New Jersey counts segments when they arrive, not when their ACKs do, "
    "and its routers warn it before they drop.",
    "koo-6-steadier": "As for the comparison with New Jersey: bunched ACKs mislead WestwoodVT, not New "
    "Jersey.",
    "koo-6-constant": "Two connections share each direction of the air.",
}

EXPERIMENT = replace(
    FIGURE2B,
    id="koo2007/fig2b-ftp",
    title="Goodput against the wireless error rate, with a Reno connection each way",
    settings={
        **FIGURE2B.settings,
        **{f"flow.{flow}.{key}": value for flow in ("forward", "backward") for key, value in CROSS.items()},
    },
    claims=tuple(replace(claim, reason=REASONS.get(claim.id, "")) for claim in FIGURE2B.claims),
)
