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

EXPERIMENT = replace(
    FIGURE2B,
    id="koo2007/fig2b-ftp",
    title="Goodput against the wireless error rate, with a Reno connection each way",
    settings={
        **FIGURE2B.settings,
        **{f"flow.{flow}.{key}": value for flow in ("forward", "backward") for key, value in CROSS.items()},
    },
)
