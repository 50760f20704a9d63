"""Loss classifications by true cause, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from airhop.analysis.loss_classifications import TRUE_CAUSES, LossClassifications, share_right
from airhop.cli.common.output import print_table
from airhop.terminal import number, percent, percent_interval

CAUSES = {
    "queue": "queue",
    "aqm": "AQM",
    "channel": "channel",
    "collision": "colli-\nsion",
    "none": "not\nlost",
}
"""Headings of the columns by true cause."""
COLUMNS = ("scheme", "classified\nas", *(CAUSES[cause] for cause in TRUE_CAUSES), "correct\n%")


def print_counts(out: Console, by_scheme: Mapping[str, LossClassifications]) -> None:
    """Print the losses of one run by classification and true cause; print nothing without losses.

    If a scheme does not classify losses, a dash replaces the share of correct classifications.
    """
    rows = []
    for scheme, found in by_scheme.items():
        for place, judged in enumerate(found.judged):
            counts = [number(found.count(judged, cause)) for cause in TRUE_CAUSES]
            right = percent(found.right / found.total) if found.decided else number(None)
            rows.append(_row(scheme, place, judged, counts, right))
    if rows:
        print_table(out, COLUMNS, rows, title="detected losses, by classification and true cause", left=2)


def print_shares(out: Console, by_scheme: Mapping[str, Sequence[LossClassifications]]) -> None:
    """Print the classifications over replications, in per cent of all losses of the scheme."""
    rows = []
    for scheme, sample in by_scheme.items():
        right, found = share_right(sample), LossClassifications.sum(sample)
        for place, judged in enumerate(found.judged):
            shares = [percent(found.share(judged, cause)) for cause in TRUE_CAUSES]
            told = number(None) if right is None else percent_interval(right)
            rows.append(_row(scheme, place, judged, shares, told))
    if not rows:
        return
    title = "detected losses, by classification and true cause, % of the scheme's losses"
    print_table(out, COLUMNS, rows, title=title, left=2)


def _row(scheme: str, place: int, judged: str, cells: Sequence[str], right: str) -> list[str]:
    """Return a row of the table; only a scheme's first row (`place` 0) contains its name."""
    return [scheme if place == 0 else "", judged, *cells, right if place == 0 else ""]
