"""How late notices came that could have spared a sender a timeout: ERSN, EBSN and RTTN.

The lateness of a notice is its arrival minus the expiry of the retransmission timer that it should have
prevented: the first one since it was made, if that is past (late, more than 0), else the one that the running
timer has before the notice acts (in time, less than 0). With neither it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COLUMNS = {"lateness_notices": "notices", "lateness_late": "late", "lateness_mean_ms": "mean_ms"}
"""Columns of frames, by the keys of `lateness` in the run document: notices that have a lateness, those of
them that were late, and the mean of all in milliseconds."""

COUNTS = ("lateness_notices", "lateness_late")
"""Those that are whole numbers."""
MEAN = "lateness_mean_ms"
"""Null where no notice has a lateness."""


def columns_of(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Take the columns from a flow of a run document.

    All are null for a document of an earlier version, which does not say.
    """
    if "lateness" not in flow:
        return dict.fromkeys(COLUMNS)
    lateness = flow["lateness"] or {"notices": 0, "late": 0, "mean_ms": None}
    return {column: lateness[key] for column, key in COLUMNS.items()}
