"""Makes docs/cross-checks.md from docs/cross-checks.csv, which a command measures.

    airhop doctor --cross-check --out docs/cross-checks.csv

Nothing is simulated here: the checks' own laws, references, bounds and reasons meet the measured numbers.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median

from airhop.crosscheck import SOURCES, Reason, Row, against_ns2, against_ns3, checks
from airhop.crosscheck.check import EXPLAINED_WITHIN
from airhop.crosscheck.record import recorded
from airhop.crosscheck.words import count, known
from airhop.terminal import mean_pm
from blocks import table

MEASURED = Path(__file__).resolve().parent.parent / "docs" / "cross-checks.csv"

HEAD = """# Cross-checks

What Airhop simulates beside what is known from elsewhere: three laws, two simulators and a kernel. Every
number is made by code: theirs by the closed form or as the mean of their runs, ours by

```text
airhop doctor --cross-check --out docs/cross-checks.csv
```

which takes a few minutes; `--quick` makes every fourth check in less than one. It ends with 1 when a number
is beyond its bound for no known reason. The numbers below are means of replications with the half-width of
their 95 % interval, and a [file](cross-checks.csv) of their own.

The difference is ours less theirs, in per cent of theirs. Verdicts:

- *within*: it is no more than the bound;
- a named [reason](#reasons): it is more, and by as much as that reason is known to make, {explained}
  percentage points more or less;
- *open*: the difference is neither, but some of its interval is, that of both means;
- *beyond*: none of these.

Bounds are those of the crates' tests ([how results are checked](checked.md)); PFTK's was chosen here. A bound
is no error bar: which way numbers differ is part of the result.

"""

LEFT_OUT_HEAD = """## What is not compared

Of what was measured elsewhere, these are not in the tables:

"""


@cache
def measured() -> list[Row]:
    """Read the measured rows. Raises InputError when the file does not fit the checks."""
    return recorded(MEASURED, checks())


def page() -> str:
    """Write the page. Raises InputError when the measured file does not fit the checks."""
    rows = measured()
    return "".join(
        [
            HEAD.format(explained=f"{100 * EXPLAINED_WITHIN:g}"),
            summary(rows),
            *(section(key, [row for row in rows if row.check.source == key]) for key in SOURCES),
            reasons(rows),
            LEFT_OUT_HEAD,
            *(
                f"- {why}\n"
                for left_out in (against_ns2.LEFT_OUT, against_ns3.LEFT_OUT)
                for why in left_out.values()
            ),
        ]
    )


def summary(rows: Sequence[Row]) -> str:
    """Count the verdicts of each source, and tell how far apart the two are."""

    def line(key: str) -> tuple[str, ...]:
        of_source = [row for row in rows if row.check.source == key]
        counts = Counter(row.verdict for row in of_source)
        off = [100 * abs(row.difference) for row in of_source if row.verdict == "within"]
        title = SOURCES[key].title
        return (
            f"[{title}](#{title.lower().replace(' ', '-').translate(NO_MARKS)})",
            str(len(of_source)),
            *(str(counts[verdict]) for verdict in ("within", "explained", "open", "beyond")),
            f"{median(off):.1f} %",
            f"{max(off):.1f} %",
        )

    head = ("", "checks", "within", "named reason", "open", "beyond", "median of those within", "largest")
    return table(head, map(line, SOURCES), left=1)


NO_MARKS = str.maketrans("", "", "'.")
"""What an anchor of a heading leaves out."""


def section(key: str, rows: Sequence[Row]) -> str:
    """Give the table of a source."""
    source = SOURCES[key]
    head = ("Quantity", "Scenario", "ours", "theirs", "difference", "bound", "verdict")
    return f"\n## {source.title}\n\n{source.about}\n\n{table(head, map(cells, rows), left=2)}"


def cells(row: Row) -> tuple[str, ...]:
    """Give the cells of a row."""
    check, why = row.check, row.reason
    return (
        f"{check.quantity.name}, {check.quantity.unit}",
        check.scenario,
        mean_pm(row.ours),
        known(check.theirs),
        f"{100 * row.difference:+.1f} %",
        f"{100 * check.bound:g} %",
        row.verdict if why is None else f"[{why.name}](#reasons)",
    )


def reasons(rows: Sequence[Row]) -> str:
    """List the reasons that explain differences, with how many."""
    named = [row.reason for row in rows if row.reason is not None]
    listed = [reason(one, often) for one, often in Counter(named).items()]
    return "".join(["\n## Reasons\n\nWhy numbers are beyond their bounds:\n\n", *listed, "\n"])


def reason(one: Reason, often: int) -> str:
    """Give the line of a reason that explains so many numbers."""
    shown = f" [Traces]({one.page})." if one.page else ""
    return f"- **{one.name}** ({count(often, 'number')}). {one.why}{shown}\n"
