"""`airhop bench`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop import speed
from airhop.cli.app import Json, Whole
from airhop.cli.output import console, print_json, print_table, say
from airhop.errors import InputError, did_you_mean
from airhop.progress import Reporter, reporter_for_stderr
from airhop.speed import Course, Queue, Speed, UnavailableError
from airhop.terminal import number

COLUMNS = (
    "simulator",
    "segments/\nCPU s",
    "events/\nCPU s",
    "Airhop\nis",
    "CPU s",
    "goodput\nMbit/s",
    "simu-\nlated s",
)


def bench(
    *courses: str,
    peers: Annotated[Path | None, Parameter(env_var="AIRHOP_PEERS")] = None,
    repeats: Whole = 3,
    as_json: Json = False,
) -> int:
    """Measure the simulator's speed, beside ns-2 and ns-3 where they are installed.

    Below each course stands how far Airhop is from its ceiling: the rate at which a run handles events, in
    per cent of the rate at which the event queue alone lets the same events come and go, when nothing is
    done with them. It is no grade: a faster queue lowers it.

    Parameters
    ----------
    courses
        What they run: last-hop, chain (eight hops), dumbbell (100 flows at 1 Gbit/s); by default all.
    peers
        Folder with the programs for ns-2 and ns-3. By default bench/peers of the source tree.
    repeats
        Runs of every simulator, of which the fastest counts.
    """
    if repeats < 1:
        raise InputError(f"repeats is {repeats}; at least one run is needed")
    if peers is not None and not peers.is_dir():
        raise InputError(f"there is no folder {peers}")
    for course in courses:
        if course not in speed.COURSES:
            known = ", ".join(speed.COURSES)
            raise InputError(
                f"there is no course `{course}`; expected {known}.{did_you_mean(course, speed.COURSES)}"
            )
    if peers is None and (peers := speed.find_peers()) is None:
        say("ns-2 and ns-3 need their programs: --peers FOLDER (bench/peers of the source tree)")
    reporter = reporter_for_stderr()
    documents = []
    missing: set[str] = set()
    for name in dict.fromkeys(courses or speed.COURSES):
        measured = _measure(name, peers, repeats, reporter, missing)
        if as_json:
            documents.append(_document(name, measured))
        else:
            _print(speed.COURSES[name], measured)
    if as_json:
        print_json(documents)
    return 0


@dataclass(frozen=True)
class _Measured:
    """What a course gave."""

    runs: Sequence[Speed]
    """The fastest of each simulator; Airhop's comes first."""
    queue: Queue
    """Airhop's event queue alone."""

    @property
    def share(self) -> float:
        """How fast Airhop handles events, as a share of what its queue alone does."""
        return self.runs[0].events_per_cpu_s / self.queue.events_per_cpu_s


def _measure(name: str, peers: Path | None, repeats: int, reporter: Reporter, missing: set[str]) -> _Measured:
    """Measure all in turn, `repeats` times, so that the same minutes' machine serves them all.

    Who is not here is told, is `missing` from then on, and not asked again.
    """
    course = speed.COURSES[name]
    contenders = {who: run for who, run in _contenders(course, peers).items() if who not in missing}
    runs: dict[str, list[Speed]] = {}
    queues: list[Queue] = []
    at_work = ""
    with reporter.task(f"bench {name}", repeats * (1 + len(contenders)), lambda: at_work) as task:
        alone = speed.queue_alone(course)
        for done in range(repeats):
            queues.append(alone())
            task.advance()
            for contender, measure in list(contenders.items()):
                at_work = contender
                try:
                    runs.setdefault(contender, []).append(measure())
                except UnavailableError as why:
                    reporter.say(f"airhop: {why}")
                    missing.add(contender)
                    del contenders[contender]
                    task.total -= repeats - done - 1
                task.advance()
    return _Measured([speed.best(of_one) for of_one in runs.values() if of_one], speed.best(queues))


def _contenders(course: Course, peers: Path | None) -> dict[str, Callable[[], Speed]]:
    ours: dict[str, Callable[[], Speed]] = {
        "Airhop": partial(speed.airhop, course),
        "Python": partial(speed.python_scheme, course),
    }
    if peers is None:
        return ours
    return {**ours, "ns-2": partial(speed.ns2, peers, course), "ns-3": partial(speed.ns3, peers, course)}


def _document(name: str, measured: _Measured) -> dict[str, object]:
    ours, queue = measured.runs[0], measured.queue
    return {
        "course": name,
        "simulators": [
            {
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
            for one in measured.runs
        ],
        "event_queue_alone": {
            "events": queue.events,
            "mean_waiting": queue.mean_waiting,
            "cpu_s": queue.cpu_s,
            "events_per_cpu_s": queue.events_per_cpu_s,
            "airhop_share": measured.share,
        },
    }


def _print(course: Course, measured: _Measured) -> None:
    ours, queue = measured.runs[0], measured.queue

    def row(one: Speed) -> tuple[str, ...]:
        faster = ours.segments_per_cpu_s / one.segments_per_cpu_s
        return (
            one.simulator,
            f"{one.segments_per_cpu_s:,.0f}",
            f"{one.events_per_cpu_s:,.0f}",
            "" if one is ours else f"× {number(faster)}",
            f"{one.cpu_s:.3f}",
            number(one.goodput_mbps),
            f"{one.simulated_s:,.0f}",
        )

    out = console()
    title = f"{course.title}: the fastest run of each, user CPU time, one thread"
    print_table(out, COLUMNS, [row(one) for one in measured.runs], title=title)
    out.print(
        f"Airhop's event queue alone, {number(queue.mean_waiting)} events waiting: "
        f"{queue.events_per_cpu_s:,.0f} events/CPU s; the run handles {measured.share:.1%} of that.\n"
    )
