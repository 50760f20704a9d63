"""Tables of a run's flows and losses in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

from airhop.analysis.loss_classifications import LossClassifications
from airhop.analysis.measures import (
    ACTIVE,
    AIRTIME_JAIN,
    GOODPUT,
    LOSS,
    MEASURES,
    OF_QUEUES,
    OF_STATIONS,
    Measure,
    is_real,
)
from airhop.cli.common.output import print_note, print_table, say
from airhop.cli.shown.judgements import print_counts
from airhop.results import Result
from airhop.terminal import number, percent

OF_TCP = (
    "rtt_p50_ms",
    "delay_p50_ms",
    "delay_p95_ms",
    "retransmissions",
    "timeouts",
    "window_cuts",
    "fast_recoveries",
)
"""Measures with a column, in addition to the two rates."""
OF_DATAGRAMS = (LOSS, "delay_mean_ms", "delay_p95_ms", "delay_max_ms", "jitter_ms")
"""Columns of UDP flows."""
OF_COMPLETIONS = ("completion_count", "completion_unfinished", "completion_mean_ms", "completion_p50_ms",
                  "completion_p95_ms", "completion_p99_ms")  # fmt: skip
"""Columns of flows with transfers or requests."""
QUALITIES = (
    (
        "calls",
        ("call_r", "call_mos", "call_late_pct", "call_lost_pct", "call_mouth_to_ear_ms", "call_burst_ratio",
         "call_idd", "call_ie_eff"),
    ),
    ("games", ("game_late_pct", "game_lost_pct", "delay_p50_ms", "delay_p99_ms")),
    (
        "videos",
        ("video_startup_s", "video_stalls", "video_stalled_s", "video_stalled_pct", "video_bitrate_mbps",
         "video_switches", "video_segments"),
    ),
)  # fmt: skip
"""Titles and columns of the tables of calls, games and videos. A table lists the flows with a value in the
first column.
"""
OF_CLASSES = ("class_flows", "class_goodput_mbps", "class_jain", "class_delay_p50_ms", "class_delay_p95_ms",
              "class_completion_count", "class_completion_unfinished", "class_completion_p50_ms",
              "class_completion_p95_ms", "class_call_r", "class_call_r_min", "class_game_late_pct",
              "class_game_lost_pct", "class_video_startup_s", "class_video_stalls",
              "class_video_stalled_pct", "class_video_bitrate_mbps")  # fmt: skip
"""Columns of the table of classes. Columns of an application are omitted if no class has the application."""
OF_APPLICATIONS = ("completion_ms", "call", "game", "video")
"""Groups of measures that exist only for flows of some applications."""
MOST_FLOWS = 40
"""Maximum number of rows of a table of flows."""


def print_run(out: Console, result: Result, *, kernels: Mapping[str, str] | None = None) -> None:
    """Print the flows of a run, the classified losses, and all losses by cause.

    – stands for an unknown value. For real flows, the first rate is comparable with the rate that iperf3
    prints. `kernels` are the congestion controls of real senders, by flow.
    """
    d = result.document
    rates = (ACTIVE, GOODPUT) if any(map(is_real, d["flows"])) else (GOODPUT, ACTIVE)
    title = f"{d['scenario']}, {d['duration_s']:g} s, seed {d['seed']}, replication {d['rep']}"
    tcp, others = result.tcp_flows, [flow for flow in d["flows"] if flow["transport"] != "tcp"]
    if tcp or not others:
        _print_flows(out, title, tcp, (*rates, *OF_TCP), kernels or {})
    if others:
        _print_flows(out, "datagrams" if tcp else title, others, (*rates, *OF_DATAGRAMS), {})
    completing = [flow for flow in tcp if _has_completions(flow)]
    if completing:
        _print_flows(out, "transfers and requests", completing, OF_COMPLETIONS, kernels or {})
    for title, names in QUALITIES:
        if mine := [flow for flow in d["flows"] if MEASURES[names[0]].path[0] in flow]:
            _print_flows(out, title, mine, names, kernels or {})
    _print_classes(out, d.get("classes", ()))
    print_note(out, over_what(d))
    by_scheme: dict[str, list[Mapping[str, Any]]] = {}
    for flow in tcp:
        by_scheme.setdefault(_scheme(flow, kernels or {}), []).append(flow)
    print_counts(out, {scheme: LossClassifications.of_flows(flows) for scheme, flows in by_scheme.items()})
    drops = [number(count) for count in d["drops"].values()]
    print_table(out, list(d["drops"]), [drops], title="losses by reason", left=0)
    print_note(out, "channel and collision count frames, other causes packets")
    _print_queues(out, d.get("queues", ()))
    _print_airtime(out, d)
    _print_marks(out, d)
    say(f"{d['events']:,} events in {d['wall_s']:.2f} s; fingerprint {d['fingerprint']}")


def _has_completions(flow: Mapping[str, Any]) -> bool:
    """Return whether a flow has transfers or requests, complete or incomplete."""
    completion = flow.get("completion_ms") or {"count": 0, "unfinished": 0}
    return bool(completion["count"] or completion["unfinished"])


def _print_classes(out: Console, classes: Sequence[Mapping[str, Any]]) -> None:
    """Print the results by class, if there is more than one class."""
    if len(classes) < 2:
        return
    absent = {group for group in OF_APPLICATIONS if not any(one.get(group) for one in classes)}
    shown = [measure for name in OF_CLASSES if (measure := MEASURES[name]).path[0] not in absent]
    rows = [[one["name"], *(number(measure.value(one)) for measure in shown)] for one in classes]
    heads = ["class", *(measure.heading for measure in shown)]
    print_table(out, heads, rows, title="classes of flows", left=1, most=MOST_FLOWS)


def _print_queues(out: Console, queues: Sequence[Mapping[str, Any]]) -> None:
    """Print the sojourn times of packets in the queues, and the number of ECN marks of queues that mark."""
    waited = [queue for queue in queues if queue.get("wait_ms") is not None or queue["marked"]]
    marks = any(queue["marked"] for queue in waited)
    shown = [measure for measure in OF_QUEUES if marks or measure.column != "marked"]
    rows = [[queue["name"], *(number(measure.value(queue)) for measure in shown)] for queue in waited]
    if waited:
        heads = ["queue", *(measure.heading for measure in shown)]
        print_table(out, heads, rows, title="sojourn times in queues", left=1, most=MOST_FLOWS)


def _print_airtime(out: Console, document: Mapping[str, Any]) -> None:
    """Print each station's share of airtime (time of the station's frame exchanges), and the fairness."""
    stations = document.get("stations", ())
    if stations:
        rows = [
            [one["cell"], one["name"], *(percent(measure.value(one)) for measure in OF_STATIONS)]
            for one in stations
        ]
        heads = ["cell", "station", *(f"{measure.heading}\n%" for measure in OF_STATIONS)]
        print_table(out, heads, rows, title="airtime of stations", left=2, most=MOST_FLOWS)
        fairness = MEASURES[AIRTIME_JAIN]
        print_note(out, f"{fairness.label}: {number(document.get(AIRTIME_JAIN))}")


def _print_marks(out: Console, document: Mapping[str, Any]) -> None:
    """Print the ECN marks of each flow with marks."""
    flows = [
        (flow["name"], marks) for flow in document["flows"] if any((marks := flow.get("marks", {})).values())
    ]
    if flows:
        heads = ["flow", "sent\nECT(0)", "sent\nECT(1)", "marked\nCE", "ACKs with\nECE"]
        rows = [[name, *map(number, marks.values())] for name, marks in flows]
        print_table(out, heads, rows, title="marks", left=1, most=MOST_FLOWS)


def over_what(document: Mapping[str, Any]) -> str:
    """Return a text with the averaging periods of the table's two rates."""
    warmup_s = document["warmup_s"]
    whole = f"{document['duration_s'] - warmup_s:g} s" + (" after the warm-up" if warmup_s else "")
    return f"goodput: over the {whole}; active: from the first segment to the last delivery"


def heading(measure: Measure) -> str:
    """Return the heading of a column; loss shares are in %."""
    return f"{measure.heading}\n%" if measure.column == LOSS else measure.heading


def _print_flows(
    out: Console,
    title: str,
    flows: Sequence[Mapping[str, Any]],
    names: Iterable[str],
    kernels: Mapping[str, str],
) -> None:
    shown = [MEASURES[name] for name in names]
    print_table(
        out,
        ["flow", "scheme", "path", *map(heading, shown)],
        [
            [
                flow["name"],
                _scheme(flow, kernels),
                f"{flow['from']} → {flow['to']}",
                *(_cell(measure, flow) for measure in shown),
            ]
            for flow in flows
        ],
        title=title,
        left=3,
        most=MOST_FLOWS,
    )


def _cell(measure: Measure, flow: Mapping[str, Any]) -> str:
    value = measure.value(flow)
    return percent(value) if measure.column == LOSS and value is not None else number(value)


def _scheme(flow: Mapping[str, Any], kernels: Mapping[str, str]) -> str:
    """Return a flow's scheme, or a real sender's congestion control in the kernel."""
    if flow["scheme"] is not None:
        return str(flow["scheme"])
    kernel = kernels.get(flow["name"])
    return str(flow["transport"]) if kernel is None else f"{kernel} (kernel)"
