"""`airhop bench`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop import speed
from airhop.cli.app import Json, Whole
from airhop.cli.output import console, print_json, say, table
from airhop.errors import InputError
from airhop.progress import reporter_for_stderr
from airhop.speed import Course, Speed, UnavailableError
from airhop.terminal import number


def bench(
    course: str = "last-hop",
    *,
    peers: Annotated[Path | None, Parameter(env_var="AIRHOP_PEERS")] = None,
    repeats: Whole = 3,
    as_json: Json = False,
) -> int:
    """Measure the simulator's speed, beside ns-2 and ns-3 where they are installed.

    Parameters
    ----------
    course
        What they run: last-hop, chain (eight hops) or dumbbell (100 flows at 1 Gbit/s).
    peers
        Folder with the programs for ns-2 and ns-3. By default bench/peers of the source tree.
    repeats
        Runs of every simulator, of which the fastest counts.
    """
    if repeats < 1:
        raise InputError(f"repeats is {repeats}; at least one run is needed")
    if peers is not None and not peers.is_dir():
        raise InputError(f"there is no folder {peers}")
    chosen = speed.COURSES.get(course)
    if chosen is None:
        raise InputError(f"there is no course {course!r}; expected one of {', '.join(speed.COURSES)}")
    measured = _measure(chosen, peers or speed.find_peers(), repeats)
    if as_json:
        print_json([_document(one, measured[0]) for one in measured])
    else:
        _print(chosen, measured)
    return 0


def _measure(course: Course, peers: Path | None, repeats: int) -> list[Speed]:
    """Measure all in turn, so that the same minute's machine serves them all. Airhop comes first."""
    contenders: list[Callable[[], Speed]] = [
        partial(speed.airhop, course),
        partial(speed.python_scheme, course),
    ]
    if peers is None:
        say("ns-2 and ns-3 need their programs: --peers FOLDER (bench/peers of the source tree)")
    else:
        contenders += [partial(speed.ns2, peers, course), partial(speed.ns3, peers, course)]
    measured = []
    with reporter_for_stderr().task("bench", len(contenders)) as task:
        for contender in contenders:
            try:
                measured.append(speed.best(contender, repeats))
            except UnavailableError as why:
                say(f"airhop: {why}")
            task.advance()
    return measured


def _document(one: Speed, ours: Speed) -> dict[str, object]:
    return {
        "simulator": one.simulator,
        "simulated_s": one.simulated_s,
        "segments": one.segments,
        "events": one.events,
        "cpu_s": one.cpu_s,
        "segments_per_cpu_s": one.segments_per_cpu_s,
        "events_per_cpu_s": one.events_per_cpu_s,
        "goodput_mbps": one.goodput_mbps,
        "airhop_is_times_faster": ours.segments_per_cpu_s / one.segments_per_cpu_s,
    }


def _print(course: Course, measured: list[Speed]) -> None:
    title = f"{course.title}: the fastest run of each, user CPU time, one thread"
    columns = (
        "simulator",
        "simulated s",
        "CPU s",
        "segments/CPU s",
        "events/CPU s",
        "goodput Mbit/s",
        "Airhop is",
    )
    shown = table(*columns, title=title)
    for one in measured:
        faster = measured[0].segments_per_cpu_s / one.segments_per_cpu_s
        shown.add_row(
            one.simulator,
            f"{one.simulated_s:,.0f}",
            f"{one.cpu_s:.3f}",
            f"{one.segments_per_cpu_s:,.0f}",
            f"{one.events_per_cpu_s:,.0f}",
            number(one.goodput_mbps),
            "" if one is measured[0] else f"× {number(faster)} ({1 / faster:.1%} of its CPU time)",
        )
    console().print(shown)
