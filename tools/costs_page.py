"""Make docs/what-a-run-costs.md from docs/costs.csv, which tools/costs.py measures.

Numbers in the text come from the file; a test checks the statements of the page about events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airhop.terminal import number
from blocks import table
from costs import DOCS, FILE, REPEATS, Cost, figure_name, read

HEAD = """# What a run costs

This page shows CPU time and events per delivered segment against the size of a scenario. Each point is a run
on one thread, the fastest of {repeats}, in user CPU time including the construction of its world. Times
depend on the machine; numbers of events do not. [costs.csv](costs.csv) contains all numbers, measured by

```text
python tools/costs.py
```

"""

FLOWS = """## Flows

SACK flows share one link of 1 Gbit/s for 5 s (`dumbbell`), each between two hosts of its
own. A segment and its ACK pass six directions of wire.

![CPU time and events per delivered segment, against the number of flows]({figure})

From one flow to {last:,.0f}, a delivered segment takes {events:.1f} times the events and {time:.1f} times the
CPU time. The loop finds a flow by its number without a search, and the work of its event queue grows with the
logarithm of the number of waiting events. Two costs grow:

- **the work**: the path holds 6500 packets, so {last:,.0f} flows have less than one each and send
  {waste:.0f} % more segments than arrive;
- **cache misses**: consecutive events belong to different flows, and the state of all flows does not fit
  into the caches. An event takes {ns_first:.0f} ns with one flow, {ns_last:.0f} ns with
  {last:,.0f}.

Memory grows linearly: {kilobytes:.0f} kB per flow, from {before:,.0f} flows to {last:,.0f}. The figure
includes two hosts, two wires, the scenario's text and the results; it is the peak memory of the process,
Python included.

"""

HOPS = """## Hops

One SACK flow over a chain of stations, 30 m apart, that hear each other up to 40 m and sense each other up to
85 m; static routes (`cheng2008-chain`).

![CPU time and events per delivered segment, against the number of hops]({figure})

The cost is linear: from {middle:.0f} hops to {last:.0f}, each hop adds {events:.1f} events and {time:.2f} µs
to a segment. A hop is contention, a frame and its link ACK, for the segment and again for its ACK. The second
hop adds {second:.1f} events: up to two hops all stations sense each other, and few frames collide.

"""

STATIONS = """## Stations

Stations have random places, and one in ten has a SACK flow to a neighbour. Either the field grows with
their number (one density: 20 in 100 m × 100 m, as in `cheng2008-random`), or every station receives all
others (one cell).

![CPU time and events per delivered segment, against the number of stations]({figure})

The number of events hardly depends on the number of stations: a crowded cell only has more collisions. The
cost of an event does. The begin and the end of a frame update each station that senses it, and no other:

- in **one cell** that is all of them, and an event takes {cell_first:.0f} ns with {first:.0f} stations,
  {cell_middle:,.0f} ns with {middle:.0f} and {cell_last:,.0f} ns with {last:.0f};
- in **one density** it is those within 85 m: 32 on average with 100 stations and 38 with 500, of which fewer
  are near an edge. An event takes {density_middle:,.0f} ns with {middle:.0f} stations and
  {density_last:,.0f} ns with {last:.0f}. The increase beyond the ratio of sensing stations is cache misses,
  as with flows, and the construction of a world with the ranges of all pairs.

"""

LOSS = """## Loss

One SACK flow over the last hop of Yun 2009 (`yun2009-downlink`). With one attempt per
frame each frame error is a loss to TCP; with seven the link repairs it.

![CPU time and events per delivered segment, against frame errors]({figure})

The cost is nearly constant. With one attempt a segment takes {one_first:.1f} events without errors and
{one_last:.1f} at {last:.0f} %, where {again:.0f} % more segments are sent than arrive: a retransmission costs
as much as a transmission, and loss detection costs little. With seven attempts a segment takes
{seven_first:.1f} and {seven_last:.1f} events. A lossy run is still cheaper: its goodput is lower, so a
simulated second has fewer segments.

"""

CEILING = """## The ceiling

The event queue bounds the speed of the loop. `airhop bench` measures a run's share of this bound:

```text
airhop bench                      # three courses, beside ns-2 and ns-3 where they are installed
```

It records the operations of the run on its queue, from the middle of the run on: the pushed events, their
distance in time, and their departure. Then it repeats these operations on a queue alone, without handling the
events. The share is the event rate of the run in per cent of that of the queue. It is no grade: a faster
queue lowers it.
"""


def page() -> str:
    """Write the page."""
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
    """Write the part about flows."""
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
    head = ("flows", *COLUMNS, "process, MB")
    rows = ((f"{one.x:,.0f}", *cells(one), f"{one.peak_mb:.0f}") for one in costs)
    return text + table(head, rows, left=0) + "\n"


def hops(costs: Sequence[Cost]) -> str:
    """Write the part about hops."""
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
    """Write the part about stations."""
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
    return text + against("stations, one density", density) + against("stations, one cell", cell)


def loss(one: Sequence[Cost], seven: Sequence[Cost]) -> str:
    """Write the part about loss."""
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


COLUMNS = ("segments delivered", "sent for each", "events per segment", "CPU µs per segment", "ns per event")


def against(label: str, costs: Sequence[Cost]) -> str:
    """Return the table of a curve."""
    rows: Iterator[Sequence[str]] = ((f"{one.x:g}", *cells(one)) for one in costs)
    return table((label, *COLUMNS), rows, left=0) + "\n"


def cells(cost: Cost) -> tuple[str, ...]:
    """Return the cells of a row after the first ones."""
    return (
        f"{cost.delivered:,}",
        f"{cost.sent_per_segment:.2f}",
        f"{cost.events_per_segment:.1f}",
        number(cost.us_per_segment),
        f"{cost.ns_per_event:,.0f}",
    )


def at(costs: Sequence[Cost], x: float) -> Cost:
    """Find a point of a curve."""
    return next(cost for cost in costs if cost.x == x)
