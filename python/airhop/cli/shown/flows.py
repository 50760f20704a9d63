"""What became of the flows of a run and of what was lost, in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from airhop.analysis.loss_classifications import LossClassifications
from airhop.analysis.measures import MEASURES
from airhop.cli.output import print_table, say
from airhop.cli.shown.judgements import print_counts
from airhop.results import Result
from airhop.terminal import number

SHOWN = ("goodput_mbps", "retransmissions", "timeouts", "fast_recoveries", "window_cuts", "srtt_ms")
"""Measures that have a column."""


def print_run(out: Console, result: Result, *, kernels: Mapping[str, str] | None = None) -> None:
    """Print the flows of a run, what they took losses for, and all losses by reason.

    – stands for what nobody knows. `kernels` are the congestion controls of real senders, by node.
    """
    d, shown = result.document, [MEASURES[name] for name in SHOWN]
    print_table(
        out,
        ["flow", "scheme", "path", *(measure.heading for measure in shown)],
        [
            [
                flow["name"],
                _scheme(flow, kernels or {}),
                f"{flow['from']} → {flow['to']}",
                *(number(measure.value(flow)) for measure in shown),
            ]
            for flow in d["flows"]
        ],
        title=f"{d['scenario']}, {d['duration_s']:g} s, seed {d['seed']}, replication {d['rep']}",
        left=3,
    )
    schemes = dict.fromkeys(flow["scheme"] for flow in result.tcp_flows)
    print_counts(
        out,
        {
            scheme: LossClassifications.of_flows(
                flow for flow in result.tcp_flows if flow["scheme"] == scheme
            )
            for scheme in schemes
        },
    )
    drops = [number(count) for count in d["drops"].values()]
    print_table(out, list(d["drops"]), [drops], title="losses by reason", left=0)
    out.print("channel and collision count frames, the others packets", style="dim")
    say(f"{d['events']:,} events in {d['wall_s']:.2f} s; fingerprint {d['fingerprint']}")


def _scheme(flow: Mapping[str, Any], kernels: Mapping[str, str]) -> str:
    """Name the scheme of a flow, or of a kernel's TCP the congestion control of its node."""
    if flow["scheme"] is not None:
        return str(flow["scheme"])
    kernel = kernels.get(flow["from"]) if flow["transport"] == "tcp" else None
    return str(flow["transport"]) if kernel is None else f"{kernel} (kernel)"
