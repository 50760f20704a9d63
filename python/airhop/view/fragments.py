"""Texts of the page as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from airhop.analysis.measures import ACTIVE, GOODPUT, LOSS, MEASURES, aggregate_flows, class_of
from airhop.comparison import SHOWN_OF_DATAGRAMS, Comparison, Row
from airhop.comparison.alike import equal_runs
from airhop.comparison.classes import class_tables
from airhop.plots.style import SchemeStyle
from airhop.report.symbols import symbol
from airhop.stats import Estimate, estimate, replications
from airhop.terminal import mean_pm, number, ratio
from airhop.view.figures import dashes
from airhop.view.shown import Shown

COLUMNS = (GOODPUT, "retransmissions", "timeouts", "window_cuts", "srtt_ms", ACTIVE)
"""Metrics in the table's columns. The ratio of goodputs follows the first metric."""


_PERCENTS = ("p50_ms", "p95_ms", "p99_ms")
DELAY, RTT, COMPLETION = (
    [f"{what}_{percent}" for percent in _PERCENTS] for what in ("delay", "rtt", "completion")
)
PERCENTILES = (*DELAY, *RTT, *COMPLETION)
"""Columns of the table of percentiles; columns without a value are omitted."""


def tables(rows: Sequence[Row], look: Mapping[str, SchemeStyle]) -> str:
    """Return tables in HTML: the bars' numbers with further measures, the UDP flows, and the classes."""
    if not rows:
        return ""
    first, *others = (MEASURES[name].title for name in COLUMNS)
    heads = ["scheme", first, f"to {rows[0].scheme}", *others]
    found = _table("", heads, {row.scheme: _cells(row, row is rows[0]) for row in rows}, look)
    if rows[0].datagrams:
        title = "UDP flows: rates are sums over the flows, other columns are means"
        heads = ["scheme", *map(_datagram_head, SHOWN_OF_DATAGRAMS)]
        cells = {row.scheme: [_datagram_cell(row, name) for name in SHOWN_OF_DATAGRAMS] for row in rows}
        found += _table(title, heads, cells, look)
    for table in class_tables(rows):
        heads = ["scheme", *(measure.title for measure in table.measures)]
        cells = {scheme: list(map(_value, values)) for scheme, values in table.cells.items()}
        found += _table(table.title, heads, cells, look)
    return found


def percentiles(comparison: Comparison, shown: Shown, look: Mapping[str, SchemeStyle]) -> str:
    """Return the percentiles of delay, round-trip time and completion time of a flow or class."""
    found = {
        scheme: [
            _percentiles(comparison.results[scheme, rep].document, shown) for rep in comparison.paired_reps
        ]
        for scheme in comparison.schemes
    }
    names = [name for name in PERCENTILES if any(name in run for runs in found.values() for run in runs)]
    if not names:
        return Markup("<p class=note>{}</p>").format(f"{shown.of}: no packet has arrived")
    cells = {
        scheme: [_value(_estimate([run[name] for run in runs if name in run])) for name in names]
        for scheme, runs in found.items()
    }
    heads = ["scheme", *(MEASURES[name].title for name in names)]
    title = f"{shown.of}: percentiles within a run"
    if shown.is_class and any(name in names for name in RTT):
        title += "; round-trip times are means over the flows"
    return str(_table(title, heads, cells, look))


def verdict(comparison: Comparison) -> str:
    """Return a sentence on the best schemes for each goal.

    Empty for a single scheme or a single replication.
    """
    if len(comparison.schemes) < 2 or len(comparison.paired_reps) < 2:
        return ""
    return _join("<p class=note>{}</p>", [comparison.verdict.text])


def _table(
    title: str, heads: Sequence[str], cells: Mapping[str, Sequence[str]], look: Mapping[str, SchemeStyle]
) -> Markup:
    """Format a table with one line per scheme."""
    lines = [
        Markup("<tr><th scope=row>{} {}</th>{}</tr>").format(
            symbol("square", look[scheme].color), scheme, _join("<td>{}</td>", values)
        )
        for scheme, values in cells.items()
    ]
    caption = Markup("<caption>{}</caption>").format(title) if title else ""
    return Markup(
        "<div class=scroll><table class=grid>{}<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(caption, _join("<th scope=col>{}</th>", heads), Markup().join(lines))


def legend(look: Mapping[str, SchemeStyle], of: str) -> str:
    """Return the legend of colours and marks in the graphs.

    `of` names the flow, connection or class.
    """
    schemes = [
        Markup("<li>{} {}</li>").format(
            symbol("line" if dash == "solid" else dash, look[scheme].color), scheme
        )
        for scheme, dash in dashes(look).items()
    ]
    marks = [
        Markup("<li class=mark>{} {}</li>").format(symbol(name, "currentColor"), text)
        for name, text in (("triangle", "retransmission"), ("x", "data lost"))
    ]
    whose = Markup("<li class=mark>{}</li>").format(of)
    return Markup("<ul class=legend>{}{}{}</ul>").format(Markup().join(schemes), Markup().join(marks), whose)


def command(text: str) -> str:
    """Format a command with a button that copies it."""
    return Markup(
        "<div class=command><code>{0}</code>"
        '<button class=copy type=button data-copy="{0}">Copy</button></div>'
    ).format(text)


def problem(text: str) -> str:
    """Format an error."""
    return Markup("<div class=problem role=alert>{}</div>").format(text)


def notes(comparison: Comparison) -> str:
    """Format notes: equal runs, TCP stack of the senders, hints, and warnings about intervals."""
    doubts = comparison.warnings() if comparison.reps > 1 else ()
    return _join("<p class=note>{}</p>", [*equal_runs(comparison), *doubts, *comparison.hints])


def status(comparison: Comparison, reps: int, took_s: float) -> str:
    """Format the number of finished runs out of `reps` replications, and their computing time."""
    runs, done = len(comparison.results), comparison.reps
    so_far = "" if done == reps else f", {done} of {replications(reps)}"
    return Markup("<p class=status role=status>{} of {:g} s in {:.0f} ms{}</p>").format(
        f"{runs} run{'' if runs == 1 else 's'}", comparison.scenario.duration_s, 1e3 * took_s, so_far
    )


def _percentiles(document: Mapping[str, Any], shown: Shown) -> dict[str, float]:
    """Return the percentiles of a flow or class in a run document, by column name.

    For a class, the percentiles of the round-trip time are means over its flows.
    """
    if shown.is_class:
        flows = [flow for flow in document["flows"] if class_of(flow) == shown.name]
        of_all: Mapping[str, Any] = next(
            (one for one in document["classes"] if one["name"] == shown.name), {}
        )
        found = aggregate_flows(flows, RTT) | {
            name: MEASURES[f"class_{name}"].value(of_all) for name in (*DELAY, *COMPLETION)
        }
    else:
        (of_all,) = (flow for flow in document["flows"] if flow["name"] == shown.name)
        found = {name: MEASURES[name].value(of_all) for name in PERCENTILES}
    return {name: value for name, value in found.items() if value is not None}


def _estimate(values: Sequence[float]) -> Estimate | None:
    return estimate(values) if values else None


def _cells(row: Row, is_first: bool) -> list[str]:
    first, *others = (_value(row.metrics[name]) for name in COLUMNS)
    return [first, "× 1" if is_first else ratio(row.goodput_ratio, least=0.0), *others]


def _datagram_head(name: str) -> str:
    return f"{MEASURES[name].title}, %" if name == LOSS else MEASURES[name].title


def _datagram_cell(row: Row, name: str) -> str:
    value = row.datagrams[name]
    return _value(value.scaled(100) if value is not None and name == LOSS else value)


def _value(value: Estimate | None) -> str:
    """Format a mean with its interval; a count of a single run is a whole number."""
    if value is not None and value.n == 1 and value.mean.is_integer():
        return number(int(value.mean))
    return mean_pm(value)


def _join(pattern: str, values: Iterable[object]) -> Markup:
    return Markup().join(Markup(pattern).format(value) for value in values)
