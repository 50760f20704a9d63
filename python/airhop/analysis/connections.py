"""Trace names of the connections that applications open.

An application with `connections = "new"`, or with web pages, opens connections during the run. The run
document has the sums over all connections of a flow. In the trace, the connections of a flow `api` have the
names `api#1`, `api#2` and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def connections(flows: Iterable[str], tables: Mapping[str, pl.DataFrame]) -> dict[str, list[str]]:
    """Return the connections of each flow in the order of their first segments.

    Parameters
    ----------
    flows
        Names of TCP flows of the run document.
    tables
        Trace tables of the run; only the table `segments` is read.

    Returns
    -------
    dict[str, list[str]]
        Names in the trace by flow; empty for a flow whose application opens no connections.
    """
    found: dict[str, list[str]] = {flow: [] for flow in flows}
    for name in tables["segments"]["flow"].unique(maintain_order=True):
        flow = name.rpartition("#")[0]  # no flow of a scenario has "#" in its name
        if flow in found:
            found[flow].append(name)
    return found
