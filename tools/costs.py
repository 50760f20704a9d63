"""Measure the cost of a delivered segment against the numbers of flows, hops and stations, and the loss rate.

    python tools/costs.py              # on an idle machine; two minutes of CPU
    python tools/docs.py               # writes the page from the measurements

The program writes docs/costs.csv and the figures docs/costs-*.svg. `--quick` measures once, with about a
tenth of the simulated time; `--out FOLDER` selects another folder; `--draw` draws the figures from the
existing file. Each point is a run in a separate process, repeated several times. The cost is that of the
fastest run: all runs are equal, so their times differ only by the load of the machine.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import multiprocessing
import resource
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop import Scenario, run
from airhop.bench.speed import user_cpu
from airhop.progress import reporter_for_stderr

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent.parent / "docs"
FILE = "costs.csv"
REPEATS = 5
SEGMENT_BYTES = 1000
"""Payload of a segment in every measured scenario, bytes."""


Changes = Mapping[str, Any]
"""Other values in a scenario, by their paths."""


@dataclass(frozen=True)
class Point:
    """A run to measure."""

    curve: str
    x: float
    scenario: str
    """Name of the packaged scenario."""
    changes: Changes
    simulated_s: float


@dataclass(frozen=True)
class Cost:
    """Cost of a point: a row of the file."""

    curve: str
    x: float
    simulated_s: float
    delivered: int
    """Number of delivered segments."""
    sent: int
    """Number of sent segments, retransmissions included."""
    events: int
    cpu_s: float
    """User CPU time of the fastest run, including its set-up."""
    peak_mb: float
    """Maximum memory of the process, with Python, in units of 10^6 bytes."""

    @property
    def us_per_segment(self) -> float:
        """User CPU time per delivered segment."""
        return 1e6 * self.cpu_s / self.delivered

    @property
    def events_per_segment(self) -> float:
        """Events per delivered segment."""
        return self.events / self.delivered

    @property
    def ns_per_event(self) -> float:
        """User CPU time per event."""
        return 1e9 * self.cpu_s / self.events

    @property
    def sent_per_segment(self) -> float:
        """Sent segments per delivered segment, retransmissions included."""
        return self.sent / self.delivered


# ---- measurements ----------------------------------------------------------------------------------------


def flows() -> Iterable[Point]:
    """Yield points with increasing numbers of flows on the link of a dumbbell."""
    for count in (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000):
        all_by_s = 0.1 if count <= 1000 else 1
        gap_us = min(1000, 1e6 * all_by_s / count)
        changes: Changes = {"copies": count, "flow.f*.stagger": f"{gap_us:.0f} us"}
        yield Point("flows", count, "dumbbell", changes, 5)


def hops() -> Iterable[Point]:
    """Yield points with increasing numbers of hops of a chain with static routes."""
    for count in (1, 2, 3, 4, 6, 8, 12, 16):
        changes: Changes = {
            "scheme": "sack",
            "wlan.field.layout.nodes": count + 1,
            "flow.ftp.to": f"n{count}",
            "wlan.field.routing": {"kind": "static"},
        }
        yield Point("hops", count, "cheng2008-chain", changes, 60)


def stations() -> Iterable[Point]:
    """Yield points with stations at random positions, of which one in ten sends to a neighbour.

    There are two rectangles. One grows with the number of stations (20 in 100 m × 100 m), so that a station
    senses at most 45 others on average. In the other, each station senses all others.
    """
    for count in (2, 5, 10, 20, 50, 100, 200, 500):
        connections = max(1, count // 10)
        for curve, side_m, simulated_s in (
            ("stations, one density", 100 * (count / 20) ** 0.5, max(40 / connections, 3)),
            ("stations, one cell", 28, 20 if count <= 100 else 10),
        ):
            size = f"{side_m:.1f} m"
            changes: Changes = {
                "scheme": "sack",
                "copies": connections,
                "wlan.field.layout": {
                    "kind": "random",
                    "nodes": count,
                    "width": size,
                    "height": size,
                    "connected": False,
                },
                "wlan.field.routing": {"kind": "static"},
                "flow.ftp*.between": {"wlan": "field", "hops": 1},
            }
            yield Point(curve, count, "cheng2008-random", changes, simulated_s)


def loss() -> Iterable[Point]:
    """Yield points with increasing frame error rates on the last hop.

    The link has one attempt, so that each frame error is a loss for TCP, or up to seven attempts.
    """
    for percent, simulated_s in (
        (0, 300),
        (0.1, 300),
        (0.3, 500),
        (1, 1000),
        (2, 1500),
        (5, 3000),
        (10, 9000),
    ):
        for curve, attempts in (("loss, one attempt", 1), ("loss, seven attempts", 7)):
            changes: Changes = {
                "scheme": "sack",
                "wlan.cell.errors.fer": percent / 100,
                "wlan.cell.attempts": attempts,
            }
            yield Point(curve, percent, "yun2009-downlink", changes, simulated_s if attempts == 1 else 300)


def points() -> list[Point]:
    """List all points."""
    return [*flows(), *hops(), *stations(), *loss()]


def shortened(point: Point) -> Point:
    """Return a point with a tenth of its duration, but long enough for the start of all flows."""
    return replace(point, simulated_s=max(point.simulated_s / 10, min(point.simulated_s, 1.2)))


# ---- measuring -------------------------------------------------------------------------------------------


def measure(point: Point) -> Cost:
    """Return the cost of a point from one run in a separate process."""
    changes = {**point.changes, "duration": f"{point.simulated_s:g} s"}
    scenario = Scenario.load(point.scenario).with_(changes)
    before = user_cpu(resource.RUSAGE_SELF)
    result = run(scenario)
    cpu_s = user_cpu(resource.RUSAGE_SELF) - before
    ends = result.tcp_flows
    return Cost(
        curve=point.curve,
        x=point.x,
        simulated_s=point.simulated_s,
        delivered=sum(flow["delivered_bytes"] for flow in ends) // SEGMENT_BYTES,
        sent=sum(flow["sent_segments"] for flow in ends),
        events=result.document["events"],
        cpu_s=cpu_s,
        peak_mb=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,  # KiB, on Linux
    )


def measure_all(wanted: Sequence[Point], repeats: int) -> list[Cost]:
    """Measure all points in turn, `repeats` times."""
    costs: list[list[Cost]] = [[] for _ in wanted]
    # Each measurement has its own process, so that its peak memory excludes earlier measurements.
    one_each = multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1)
    with one_each, reporter_for_stderr().task("costs", repeats * len(wanted)) as task:
        for _ in range(repeats):
            for runs, cost in zip(costs, one_each.imap(measure, wanted), strict=True):
                runs.append(cost)
                task.advance()
    return [min(runs, key=lambda cost: cost.cpu_s) for runs in costs]


# ---- the file --------------------------------------------------------------------------------------------


def write(costs: Iterable[Cost], path: Path) -> None:
    """Write the costs as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [field.name for field in fields(Cost)], lineterminator="\n")
        rows.writeheader()
        for cost in costs:
            shown = {"x": f"{cost.x:g}", "simulated_s": f"{cost.simulated_s:g}"}
            rows.writerow(
                asdict(cost) | shown | {"cpu_s": f"{cost.cpu_s:.6f}", "peak_mb": f"{cost.peak_mb:.1f}"}
            )


def read(path: Path) -> dict[str, list[Cost]]:
    """Read the costs by curve."""
    kinds = {"curve": str, "delivered": int, "sent": int, "events": int}
    curves: dict[str, list[Cost]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cost = Cost(**{name: kinds.get(name, float)(text) for name, text in row.items()})
            curves.setdefault(cost.curve, []).append(cost)
    return curves


# ---- the figures -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Picture:
    """Figure of the curves whose names begin with a key."""

    label: str
    """Label of the x axis."""
    is_log: bool = False
    """True if the x axis is logarithmic."""
    time_is_log: bool = False
    """True if the axis of the CPU time is logarithmic."""


PICTURES = {
    "flows": Picture("flows through one link", is_log=True),
    "hops": Picture("hops"),
    "stations": Picture("stations", is_log=True, time_is_log=True),
    "loss": Picture("frame errors (%)"),
}


LABELS = {"stations, one density": "constant density"}
"""Labels of curves in figures, if they differ from the curve's name."""


def figure_name(key: str) -> str:
    """Return the file name of a figure."""
    return f"costs-{key}.svg"


def digest(path: Path) -> str:
    """Return a file's digest, 12 hexadecimal digits; each figure records the digest of its data."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def draw(folder: Path) -> None:
    """Draw the figures of the file in a folder: CPU time on the left, events on the right."""
    import matplotlib as mpl

    from airhop.plots import paper

    curves, drawn_from = read(folder / FILE), digest(folder / FILE)
    with mpl.rc_context(paper.PRINT_STYLE):
        for key, picture in PICTURES.items():
            shown = {name: costs for name, costs in curves.items() if name.partition(",")[0] == key}
            figure = figure_of(picture, shown)
            title = f"What a delivered segment costs against {picture.label}; {FILE} {drawn_from}"
            paper.write(figure, folder / figure_name(key), title)


def figure_of(picture: Picture, shown: Mapping[str, Sequence[Cost]]) -> Figure:
    """Draw curves; call it inside PRINT_STYLE."""
    from airhop.plots.fading import WIDE_IN
    from airhop.plots.paper import HEIGHT_IN, face, new_figure
    from airhop.plots.style import PALETTE

    figure = new_figure(WIDE_IN, HEIGHT_IN)
    time, events = figure.subplots(1, 2)
    for (name, costs), style in zip(shown.items(), (PALETTE[4], PALETTE[11]), strict=False):
        xs = [cost.x for cost in costs]
        look: dict[str, Any] = {
            "color": style.color,
            "marker": style.marker,
            "markerfacecolor": face(style),
            "label": LABELS.get(name, name.partition(", ")[2]),
            "clip_on": False,
            "zorder": 3,
        }
        time.plot(xs, [cost.us_per_segment for cost in costs], **look)
        events.plot(xs, [cost.events_per_segment for cost in costs], **look)
    prepare(time, picture, "CPU time per delivered segment (µs)", is_log=picture.time_is_log)
    prepare(events, picture, "events per delivered segment", is_log=False)
    if len(shown) > 1:
        time.legend(frameon=False)
    return figure


def prepare(axes: Axes, picture: Picture, label: str, *, is_log: bool) -> None:
    """Scale and label axes; linear axes begin at 0."""
    from matplotlib.ticker import MaxNLocator

    axes.grid(visible=True, linewidth=0.3, color="0.85")
    axes.set_axisbelow(True)
    axes.set_xlabel(picture.label)
    axes.set_ylabel(label)
    if picture.is_log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if is_log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.set_ylim(0, 1.1 * axes.dataLim.ymax)


def main() -> int:
    """Measure all points, write the file, and draw the figures, as the options request."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", action="store_true")
    asked = parser.parse_args()
    if not asked.draw:
        wanted = points()
        if asked.quick:
            wanted = [shortened(point) for point in wanted]
        write(measure_all(wanted, 1 if asked.quick else REPEATS), asked.out / FILE)
    draw(asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
