"""Make docs/what-a-run-costs.md from docs/costs.csv, which tools/costs.py measures.

All numbers in the page come from the file. A test checks the page's statements about events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airhop.terminal import number
from blocks import table
from costs import DOCS, FILE, REPEATS, Cost, figure_name, read

HEAD = """# What a run costs

This page shows the CPU time and the number of events per delivered segment as a function of the size of a
scenario. Each point is the fastest of {repeats} runs on one thread, in user CPU time, which includes the
construction of the world. Times depend on the machine; numbers of events do not. This command measures all
numbers, and writes [costs.csv](costs.csv):

```text
python tools/costs.py
```

"""

FLOWS = """## Flows

SACK flows share one link of 1 Gbit/s for 5 s (`dumbbell`). Each flow has two separate hosts. A segment and
its ACK cross six wires in total.

![CPU time and events per delivered segment, as a function of the number of flows]({figure})

With {last:,.0f} flows, a delivered segment needs {events:.1f} times the events and {time:.1f} times the CPU
time of a segment with one flow. The loop finds a flow by its number without a search, and the cost of the
event queue grows with the logarithm of the number of pending events. Two other costs grow:

- **retransmissions**: the path contains at most 6500 packets, less than one packet for each of {last:,.0f}
  flows, and the flows send {waste:.0f} % more segments than arrive;
- **cache misses**: consecutive events belong to different flows, and the state of all flows does not fit
  into the caches. An event lasts {ns_first:.0f} ns with one flow and {ns_last:.0f} ns with {last:,.0f} flows.

Memory grows linearly, by {kilobytes:.0f} kB per flow between {before:,.0f} and {last:,.0f} flows. This value
includes two hosts, two wires, the scenario's text and the results. It is measured as the peak memory of the
process, Python included.

"""

HOPS = """## Hops

One SACK flow crosses a chain of stations at distances of 30 m, with static routes (`cheng2008-chain`). The
receive range is 40 m and the sense range is 85 m.

![CPU time and events per delivered segment, as a function of the number of hops]({figure})

The cost is linear: from {middle:.0f} to {last:.0f} hops, each hop adds {events:.1f} events and {time:.2f} µs
to a segment. On each hop the segment and its ACK need contention, a frame and a link ACK. The second hop adds
only {second:.1f} events, because all stations of two hops sense each other and few frames collide.

"""

STATIONS = """## Stations

Stations have random positions, and one station in ten has a SACK flow to a neighbour. The measurement has two
variants. With *constant density* the area grows with the number of stations; 20 stations have an area of
100 m × 100 m, as in `cheng2008-random`. In *one cell* every station receives the frames of all other
stations.

![CPU time and events per delivered segment, as a function of the number of stations]({figure})

The number of events hardly depends on the number of stations; only collisions are more frequent in a crowded
cell. The cost of an event increases with the number of stations, because the begin and the end of a frame
update each station that senses the frame:

- In **one cell** all stations sense the frame. An event lasts {cell_first:.0f} ns with {first:.0f} stations,
  {cell_middle:,.0f} ns with {middle:.0f} and {cell_last:,.0f} ns with {last:.0f}.
- With **constant density** the stations within 85 m sense the frame: on average 32 of 100 stations, and 38
  of 500, because a smaller share of 500 stations is near an edge. An event lasts
  {density_middle:,.0f} ns with {middle:.0f} stations and {density_last:,.0f} ns with {last:.0f}. The cost
  increases more than the number of sensing stations (38/32), for two reasons: cache misses, as with flows,
  and the construction of the world, which computes the ranges of all pairs of stations.

"""

LOSS = """## Loss

One SACK flow crosses the last hop of Yun 2009 (`yun2009-downlink`). With one attempt per frame, TCP loses a
segment with each frame error; with seven attempts the link layer repairs the error.

![CPU time and events per delivered segment, as a function of the frame error rate]({figure})

The cost per delivered segment is nearly constant. With one attempt, a segment needs {one_first:.1f} events
without errors, and {one_last:.1f} events at {last:.0f} % errors. At {last:.0f} % the sender sends {again:.0f}
% more segments than arrive; a retransmission costs as much as a transmission, and loss detection costs
little. With seven attempts, a segment needs {seven_first:.1f} events without errors, and {seven_last:.1f}
events at {last:.0f} %. A run with errors costs less in total, because its goodput is lower and a simulated
second therefore contains fewer segments.

"""

CEILING = """## The event queue

The event queue bounds the speed of the event loop. `airhop bench` measures a run's share of this bound:

```text
airhop bench                      # three courses, also with ns-2 and ns-3 if installed
```

The command records the operations of the second half of the run on the event queue: the pushed events, their
delays, and their departures. It then repeats these operations on a queue without processing the events. The
share is the event rate of the run as a percentage of the event rate of the queue. A low share is no fault of
the event loop, because a faster queue also reduces the share.
"""


def page() -> str:
    """Return the text of the page."""
    curves = read(DOCS / FILE)
    return "".join(
        [
            HEAD.format(repeats=REPEATS),
            flows(curves["flows"]),
            hops(curves["hops"]),
            stations(curves["stations, one density"], curves["stations, one cell"]),
            loss(curves["loss, one attempt"], curves["loss, seven attempts"]),
            CEILING,
        ]
    )


def flows(costs: Sequence[Cost]) -> str:
    """Return the section about the number of flows."""
    first, before, last = costs[0], at(costs, 1000), costs[-1]
    text = FLOWS.format(
        figure=figure_name("flows"),
        last=last.x,
        before=before.x,
        events=last.events_per_segment / first.events_per_segment,
        time=last.us_per_segment / first.us_per_segment,
        waste=100 * (last.sent_per_segment - 1),
        ns_first=first.ns_per_event,
        ns_last=last.ns_per_event,
        kilobytes=1000 * (last.peak_mb - before.peak_mb) / (last.x - before.x),
    )
    head = ("flows", *COLUMNS, "memory of the process, MB")
    rows = ((f"{one.x:,.0f}", *cells(one), f"{one.peak_mb:.0f}") for one in costs)
    return text + table(head, rows, left=0) + "\n"


def hops(costs: Sequence[Cost]) -> str:
    """Return the section about the number of hops."""
    middle, last = at(costs, 4), costs[-1]
    more = last.x - middle.x
    text = HOPS.format(
        figure=figure_name("hops"),
        middle=middle.x,
        last=last.x,
        second=costs[1].events_per_segment - costs[0].events_per_segment,
        events=(last.events_per_segment - middle.events_per_segment) / more,
        time=(last.us_per_segment - middle.us_per_segment) / more,
    )
    return text + against("hops", costs)


def stations(density: Sequence[Cost], cell: Sequence[Cost]) -> str:
    """Return the section about the number of stations."""
    middle = 100
    text = STATIONS.format(
        figure=figure_name("stations"),
        first=cell[0].x,
        middle=middle,
        last=cell[-1].x,
        cell_first=cell[0].ns_per_event,
        cell_middle=at(cell, middle).ns_per_event,
        cell_last=cell[-1].ns_per_event,
        density_middle=at(density, middle).ns_per_event,
        density_last=density[-1].ns_per_event,
    )
    return text + against("stations, constant density", density) + against("stations, one cell", cell)


def loss(one: Sequence[Cost], seven: Sequence[Cost]) -> str:
    """Return the section about the loss rate."""
    text = LOSS.format(
        figure=figure_name("loss"),
        last=one[-1].x,
        one_first=one[0].events_per_segment,
        one_last=one[-1].events_per_segment,
        again=100 * (one[-1].sent_per_segment - 1),
        seven_first=seven[0].events_per_segment,
        seven_last=seven[-1].events_per_segment,
    )
    return text + against("errors (%), one attempt", one) + against("errors (%), seven attempts", seven)


COLUMNS = (
    "delivered segments",
    "sent segments per delivered segment",
    "events per segment",
    "CPU time per segment, µs",
    "CPU time per event, ns",
)


def against(label: str, costs: Sequence[Cost]) -> str:
    """Return the table of a curve; `label` is the head of its first column."""
    rows: Iterator[Sequence[str]] = ((f"{one.x:g}", *cells(one)) for one in costs)
    return table((label, *COLUMNS), rows, left=0) + "\n"


def cells(cost: Cost) -> tuple[str, ...]:
    """Return the cells of a row with the measured values."""
    return (
        f"{cost.delivered:,}",
        f"{cost.sent_per_segment:.2f}",
        f"{cost.events_per_segment:.1f}",
        number(cost.us_per_segment),
        f"{cost.ns_per_event:,.0f}",
    )


def at(costs: Sequence[Cost], x: float) -> Cost:
    """Return the point of a curve at `x`."""
    return next(cost for cost in costs if cost.x == x)
