"""Make docs/cross-checks.md and docs/cross-checks-table.md from docs/cross-checks.csv.

    airhop doctor --cross-check --out docs/cross-checks.csv

The command writes the CSV file with Airhop's measured values. This module simulates nothing: it combines the
measured values with the laws, references, bounds and reasons of the checks.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median

from airhop.crosscheck import SOURCES, Reason, Row, against_edca, against_ns2, against_ns3, checks
from airhop.crosscheck.check import EXPLAINED_WITHIN
from airhop.crosscheck.record import recorded
from airhop.crosscheck.words import count, known
from airhop.terminal import mean_pm
from blocks import table

MEASURED = Path(__file__).resolve().parent.parent / "docs" / "cross-checks.csv"

PAGE, TABLE_PAGE = "cross-checks.md", "cross-checks-table.md"

HEAD = """# Cross-checks

Airhop compares {checks} simulated values with *peers*: four closed-form laws, the simulators ns-2 and
ns-3, a Linux kernel, and, for BPF objects, the Rust schemes of their names. Of these values {within}
differ from the peer's value by no more than the bound of the check, {explained} exceed the bound for a
named [reason](#reasons), {open} are open, and {beyond}. The median difference is {median} of the peer's
value.

- The [summary](#summary) counts verdicts by peer and quantity.
- The section of each peer describes the comparison and lists differences by group.
- [Number by number]({table}) lists every check: Airhop's value, the peer's value, difference, bound, verdict.
- [cross-checks.csv](cross-checks.csv) contains Airhop's means and intervals.

The peer's value is the value of the closed form, or the mean of the peer's runs. Airhop's value is the
mean of replications with the half-width of the 95 % interval; for BPF objects it is a ratio, whose peer
is 1. The following command measures all of Airhop's values in a few minutes:

```text
airhop doctor --cross-check --out docs/cross-checks.csv
```

`--quick` measures {quick} of these values in less than one minute. The exit code of the command is 1 if a
difference exceeds its bound without a known reason.

## Verdicts

The *difference* is Airhop's value minus the peer's value, as a percentage of the peer's value.

- *within*: the difference is at most the bound.
- *explained*: the difference exceeds the bound, and deviates from the known effect of a [reason](#reasons) by
  at most {explained_within} percentage points. The table of all checks names the reason instead of the
  verdict.
- *open*: the difference exceeds the bound and has no reason, but its 95 % interval contains differences that
  do not exceed the bound. The interval includes the uncertainty of both means.
- *beyond*: all other differences.

Each bound equals the tolerance of the crate's test of the same comparison ([how results are
checked](checked.md)). PFTK and the ratios of BPF objects have no such test; their bounds were chosen for
this page. A bound is a tolerance, not a confidence interval: a systematic difference within the bound is
part of the result. The tables of the peers contain the median of the absolute differences, and the
smallest and the largest difference with its sign.

## Summary

"""

LEFT_OUT_HEAD = """## Not compared

The tables omit these measurements of other simulators:

"""

TABLE_HEAD = """# Cross-checks, number by number

This page lists every check. [Cross-checks](cross-checks.md) explains the verdicts and the
[reasons](cross-checks.md#reasons). The column *Airhop* contains the mean of the replications with the
half-width of the 95 % interval. The column *peer* contains the value of the closed form, or the mean of the
runs of the other simulator or of the kernel. In the column *scenario*, *down* and *up* are the direction of
data, *attempts* is the largest number of transmissions of a frame, *3 × 10 ms* are the delays of three wires,
and *control* is the rate of link ACKs and other control frames.
"""


@cache
def measured() -> list[Row]:
    """Read the measured rows. Raises InputError if the file has rows of other checks."""
    return recorded(MEASURED, checks())


def pages() -> dict[str, str]:
    """Return both pages by name. Raises InputError if the file of measurements has rows of other checks."""
    return {PAGE: page(), TABLE_PAGE: table_page()}


def page() -> str:
    """Write the page of the summary, the peers and the reasons."""
    rows = measured()
    return "".join(
        [
            head(rows),
            summary(rows),
            *(section(key, rows_of(key)) for key in SOURCES),
            reasons(rows),
            LEFT_OUT_HEAD,
            *(
                f"- {why}\n"
                for left_out in (against_ns2.LEFT_OUT, against_ns3.LEFT_OUT, against_edca.LEFT_OUT)
                for why in left_out.values()
            ),
        ]
    )


def table_page() -> str:
    """Write the page of all values, a table per source."""
    head = ("quantity", "scenario", "Airhop", "peer", "difference", "bound", "verdict")
    return TABLE_HEAD + "".join(
        f"\n## {source.title}\n\n{table(head, map(cells, rows_of(key)), left=2)}"
        for key, source in SOURCES.items()
    )


def rows_of(source: str) -> list[Row]:
    """Return the measured rows of a source."""
    return [row for row in measured() if row.check.source == source]


def head(rows: Sequence[Row]) -> str:
    """Write the head with the counts of verdicts over all sources."""
    counts = Counter(row.verdict for row in rows)
    return HEAD.format(
        checks=len(rows),
        quick=len(checks(quick=True)),
        **{verdict: counts[verdict] for verdict in ("within", "explained", "open")},
        beyond=f"{counts['beyond']} are beyond the bound"
        if counts["beyond"]
        else "none is beyond the bound without a reason",
        median=f"{median(map(off, rows)):.1f} %",
        table=TABLE_PAGE,
        explained_within=f"{100 * EXPLAINED_WITHIN:g}",
    )


def off(row: Row) -> float:
    """Return the absolute difference of a row, per cent."""
    return 100 * abs(row.difference)


def summary(rows: Sequence[Row]) -> str:
    """Count the verdicts by peer and quantity, with the median and the largest difference within bounds."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.check.source, row.check.quantity.name), []).append(row)

    def line(source: str, quantity: str) -> tuple[str, ...]:
        group = groups[source, quantity]
        counts = Counter(row.verdict for row in group)
        within = [off(row) for row in group if row.verdict == "within"]
        title = SOURCES[source].title
        return (
            f"[{title}](#{title.lower().replace(' ', '-').translate(NO_MARKS)})",
            quantity,
            str(len(group)),
            *(str(counts[verdict]) for verdict in ("within", "explained", "open", "beyond")),
            f"{median(within):.1f} %",
            f"{max(within):.1f} %",
        )

    verdicts = ("within", "explained", "open", "beyond")
    head = (
        "peer",
        "quantity",
        "checks",
        *verdicts,
        "median difference within the bound",
        "largest within the bound",
    )
    return table(head, (line(*group) for group in groups), left=2)


NO_MARKS = str.maketrans("", "", "'.,")
"""Characters that the anchor of a heading omits."""


def section(key: str, rows: Sequence[Row]) -> str:
    """Describe the comparison with a source, and list its differences by group."""
    source = SOURCES[key]
    groups = grouped(rows, 1)
    if len(groups) == 1:
        groups = grouped(rows, 2)
    head = ("group", "checks", "within", "median difference", "smallest", "largest")
    lines = (
        (
            name,
            str(len(group)),
            str(sum(row.verdict == "within" for row in group)),
            f"{median(map(off, group)):.1f} %",
            f"{100 * min(row.difference for row in group):+.1f} %",
            f"{100 * max(row.difference for row in group):+.1f} %",
        )
        for name, group in groups.items()
    )
    return f"\n## {source.title}\n\n{source.about}\n\n{table(head, lines, left=1)}"


def grouped(rows: Sequence[Row], parts: int) -> dict[str, list[Row]]:
    """Group rows by the first `parts` parts of their scenario's description."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(", ".join(row.check.scenario.split(", ")[:parts]), []).append(row)
    return groups


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row of the table page."""
    check, why = row.check, row.reason
    return (
        f"{check.quantity.name}, {check.quantity.unit}",
        check.scenario,
        mean_pm(row.ours),
        known(check.theirs),
        f"{100 * row.difference:+.1f} %",
        f"{100 * check.bound:g} %",
        row.verdict if why is None else f"[{why.name}]({PAGE}#reasons)",
    )


def reasons(rows: Sequence[Row]) -> str:
    """List the reasons that explain differences, with the count and range of those differences."""
    explained: dict[Reason, list[Row]] = {}
    for row in rows:
        if row.reason is not None:
            explained.setdefault(row.reason, []).append(row)
    listed = [reason(one, group) for one, group in explained.items()]
    return "".join(["\n## Reasons\n\nReasons of the numbers beyond their bounds:\n\n", *listed, "\n"])


def reason(one: Reason, rows: Sequence[Row]) -> str:
    """Return the line of a reason, with the differences that it explains."""
    shown = f" [Traces]({one.page})." if one.page else ""
    least, most = (100 * pick(row.difference for row in rows) for pick in (min, max))
    return (
        f"- **{one.name}** ({count(len(rows), 'number')}, {least:+.0f} to {most:+.0f} %). {one.why}{shown}\n"
    )
