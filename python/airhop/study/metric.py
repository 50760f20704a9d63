"""Metrics of runs: the name of a column, or a formula of column names.

`goodput_mbps` is the sum over all TCP flows, and `flow.reno.goodput_mbps` the goodput of the flow `reno`.
`class.bulk down.delay_p95_ms` is a measure of the class `bulk down`. `hops.2.goodput_mbps` is the sum over
the flows with a shortest path of two hops. A run without such flows lacks the metric. `most.timeouts` is the
largest number of timeouts of a TCP flow. `retransmissions / sent_segments` is a formula; formulas support + -
* /, parentheses and numbers.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from airhop.analysis.measures import OF_CLASSES, SUMS
from airhop.errors import InputError, did_you_mean
from airhop.study.measure import METRICS, OF_A_FLOW

if TYPE_CHECKING:
    import polars as pl

_NAME = re.compile(
    r"(?<![\w.])(?:flow\.[^\s()]+|class\.[\w-]+(?: (?:up|down))?\.\w+|hops\.\d+\.\w+|most\.\w+|[A-Za-z_]\w*)"
)
_LARGEST = "most."
_OF_HOPS = re.compile(r"hops\.(\d+)\.(\w+)")
_OF_A_CLASS = re.compile(r"class\.([^.]+)\.(\w+)")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@cache
def columns_of(metric: str) -> tuple[str, ...]:
    """List the columns that a metric names.

    Raises InputError for an unknown name, and for an invalid formula.
    """
    _formula(metric)
    columns = tuple(dict.fromkeys(_NAME.findall(metric)))
    if not columns:
        raise InputError(_no_formula(metric))
    for column in columns:
        _check(column)
    return columns


def flows_of(metric: str) -> list[str]:
    """List the flows that a metric names."""
    return [_flow_and_column(column)[0] for column in columns_of(metric) if column.startswith("flow.")]


def with_flows(runs: pl.DataFrame, rows: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Add the columns of single flows that a metric needs to a table of runs."""
    import polars as pl

    for column in columns_of(metric):
        if column.startswith("flow."):
            flow, name = _flow_and_column(column)
            values = rows.filter(pl.col("flow") == flow).select("run_id", pl.col(name).alias(column))
        elif found := _OF_A_CLASS.fullmatch(column):
            of_class = rows.filter(pl.col("class") == found[1])
            value = pl.col(f"class_{found[2]}").first().alias(column)
            values = of_class.group_by("run_id").agg(value)
        elif found := _OF_HOPS.fullmatch(column):
            of_hops = (pl.col("transport") == "tcp") & (pl.col("route_hops") == int(found[1]))
            values = rows.filter(of_hops).group_by("run_id").agg(pl.col(found[2]).sum().alias(column))
        elif column.startswith(_LARGEST):
            largest = pl.col(column.removeprefix(_LARGEST)).max().alias(column)
            values = rows.filter(pl.col("transport") == "tcp").group_by("run_id").agg(largest)
        else:
            continue
        runs = runs.join(values, on="run_id", how="left", maintain_order="left")
    return runs


def measured(runs: pl.DataFrame, metric: str) -> list[float]:
    """Return a metric of each run, from a table with the needed columns.

    The metric is nan if a run lacks the value, for example the `srtt_ms` of a starved flow, and after a
    division by zero.
    """
    import polars as pl

    columns_of(metric)
    names = [pl.col(name).cast(pl.Float64) for name in _NAME.findall(metric)]
    value = _compute(_formula(metric), names)
    found = runs.select(pl.when(value.is_finite()).then(value).alias("value"))["value"]
    return found.fill_null(math.nan).to_list()


def _formula(metric: str) -> ast.expr:
    """Parse a metric as a Python expression with `_i` in place of the i-th name."""
    count = iter(range(len(metric)))
    try:
        return ast.parse(_NAME.sub(lambda _: f"_{next(count)}", metric), mode="eval").body
    except SyntaxError:
        raise InputError(_no_formula(metric)) from None


def _compute(node: ast.expr, names: Sequence[pl.Expr]) -> pl.Expr:
    import polars as pl

    match node:
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_compute(left, names), _compute(right, names))  # type: ignore[no-any-return]
        case ast.Constant(value=int() | float() as number):
            return pl.lit(float(number))
        case ast.Name(id=name):
            return names[int(name[1:])]
    raise InputError(_no_formula(ast.unparse(node)))


def _check(column: str) -> None:
    if column.startswith("flow."):
        _, name = _flow_and_column(column)
        known: Sequence[str] = OF_A_FLOW
    elif found := _OF_A_CLASS.fullmatch(column):
        name, known = found[2], [measure.column.removeprefix("class_") for measure in OF_CLASSES]
    elif found := _OF_HOPS.fullmatch(column):
        name, known = found[2], SUMS
    elif column.startswith(_LARGEST):
        name, known = column.removeprefix(_LARGEST), OF_A_FLOW
    else:
        name, known = column, METRICS
    if name not in known:
        near = did_you_mean(name, known)
        raise InputError(f"there is no metric `{column}`.{near} There are: {', '.join(known)}.")


def _flow_and_column(column: str) -> tuple[str, str]:
    flow, _, name = column.removeprefix("flow.").rpartition(".")
    return flow, name


def _no_formula(metric: str) -> str:
    return f"`{metric}` is no formula of metrics, as in `retransmissions / sent_segments`"
