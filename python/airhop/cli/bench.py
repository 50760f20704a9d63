"""`airhop bench`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Annotated

from cyclopts import Parameter

from airhop.bench import speed
from airhop.bench.courses import COURSES, NS2_SCHEMES, Course
from airhop.bench.speed import Queue, Speed, UnavailableError
from airhop.cli.common.app import Json, Whole
from airhop.cli.common.output import console, print_json, print_table, say
from airhop.errors import InputError, did_you_mean
from airhop.progress import Reporter, reporter_for_stderr
from airhop.stats import Estimate, estimate
from airhop.terminal import mean_pm, number

COLUMNS = ("simulator", "goodput\nMbit/s", "to\nAirhop", "segments/\nCPU s", "Airhop\nis", "simu-\nlated s")

WIDTH, NAMES = 80, 18
"""Maximum width of prose and width of the name column, in characters."""


def bench(
    *courses: str,
    peers: Annotated[Path | None, Parameter(env_var="AIRHOP_PEERS")] = None,
    repeats: Whole = 5,
    as_json: Json = False,
) -> int:
    """Measure speed and goodput on equal scenarios, also of ns-2 and ns-3 if they are installed.

    Goodput is the mean over the seeds with the half-width of its 95 % interval. Where a simulator deviates
    from the course, the deviation is in brackets below its name, and the reason below the table.

    The line below each course is Airhop's share of its ceiling: the event rate of a run in per cent of the
    rate at which the event queue alone pushes and pops the same events. The share does not measure quality: a
    faster event queue lowers it.

    Parameters
    ----------
    courses
        Courses: last-hop, chain (eight hops), dumbbell (100 flows at 1 Gbit/s), wifi-ac (a download over
        802.11ac); by default all courses.
    peers
        Folder with the programs for ns-2 and ns-3; by default bench/peers of the source tree.
    repeats
        Runs of every simulator, with different seeds; the speed is the speed of the fastest run.
    """
    if repeats < 1:
        raise InputError(f"repeats is {repeats}; at least one run is needed")
    if peers is not None and not peers.is_dir():
        raise InputError(f"there is no folder {peers}")
    for course in courses:
        if course not in COURSES:
            known = ", ".join(COURSES)
            raise InputError(
                f"there is no course `{course}`; expected {known}.{did_you_mean(course, COURSES)}"
            )
    if peers is None and (peers := speed.find_peers()) is None:
        say("ns-2 and ns-3 need their programs: --peers FOLDER (bench/peers of the source tree)")
    reporter = reporter_for_stderr()
    documents = []
    missing: set[str] = set()
    for name in dict.fromkeys(courses or COURSES):
        measured = _measure(name, peers, repeats, reporter, missing)
        if as_json:
            documents.append(_document(name, measured))
        else:
            _print(COURSES[name], measured)
    if as_json:
        print_json(documents)
    return 0


@dataclass(frozen=True)
class _Measured:
    """Results of a course."""

    runs: Mapping[str, Sequence[Speed]]
    """Runs of each simulator, Airhop first; one run per seed."""
    queue: Queue
    """Measurement of Airhop's event queue alone."""

    @property
    def share(self) -> float:
        """Event rate of Airhop's run divided by the event rate of the queue alone."""
        return speed.best(self.runs["Airhop"]).events_per_cpu_s / self.queue.events_per_cpu_s

    def goodput(self, simulator: str) -> Estimate:
        """Mean goodput of a simulator over the seeds, in Mbit/s."""
        return estimate([one.goodput_mbps for one in self.runs[simulator]])

    def difference(self, simulator: str) -> float:
        """Relative difference of a simulator's goodput from Airhop's goodput."""
        return self.goodput(simulator).mean / self.goodput("Airhop").mean - 1.0

    def times_faster(self, simulator: str) -> float:
        """Speed of Airhop divided by the speed of `simulator`, in segments per CPU second."""
        ours, theirs = (speed.best(self.runs[one]).segments_per_cpu_s for one in ("Airhop", simulator))
        return ours / theirs


def _measure(name: str, peers: Path | None, repeats: int, reporter: Reporter, missing: set[str]) -> _Measured:
    """Measure all simulators in turn, `repeats` times, so that a varying machine load affects each simulator.

    A simulator that is not installed is reported once and added to `missing`.
    """
    course = COURSES[name]
    contenders = {who: run for who, run in _contenders(course, peers).items() if who not in missing}
    runs: dict[str, list[Speed]] = {}
    queues: list[Queue] = []
    at_work = ""
    with reporter.task(f"bench {name}", repeats * (1 + len(contenders)), lambda: at_work) as task:
        alone = speed.queue_alone(course)
        for done, seed in enumerate(speed.seeds(repeats)):
            queues.append(alone())
            task.advance()
            for contender, measure in list(contenders.items()):
                at_work = contender
                try:
                    runs.setdefault(contender, []).append(measure(seed))
                except UnavailableError as why:
                    reporter.say(f"airhop: {why}")
                    missing.add(contender)
                    del contenders[contender]
                    task.total -= repeats - done - 1
                task.advance()
    return _Measured({who: of_one for who, of_one in runs.items() if of_one}, speed.best(queues))


def _contenders(course: Course, peers: Path | None) -> dict[str, Callable[[int], Speed]]:
    found: dict[str, Callable[[int], Speed]] = {"Airhop": partial(speed.airhop, course)}
    if course.value("scheme") in NS2_SCHEMES:
        found["Airhop, in Python"] = partial(speed.python_scheme, course)
    if peers is not None and course.ns2_program:
        found["ns-2"] = partial(speed.ns2, peers, course)
    if peers is not None and course.ns3_scenario:
        found["ns-3"] = partial(speed.ns3, peers, course)
    return found


def _document(name: str, measured: _Measured) -> dict[str, object]:
    course, queue = COURSES[name], measured.queue
    return {
        "course": name,
        "parameters": {one.what: one.value for one in course.parameters},
        "simulators": [_of_simulator(course, who, measured) for who in measured.runs],
        "event_queue_alone": {
            "events": queue.events,
            "mean_waiting": queue.mean_waiting,
            "cpu_s": queue.cpu_s,
            "events_per_cpu_s": queue.events_per_cpu_s,
            "airhop_share": measured.share,
        },
        "recorded": course.recorded and asdict(course.recorded),
    }


def _of_simulator(course: Course, who: str, measured: _Measured) -> dict[str, object]:
    runs, goodput = measured.runs[who], measured.goodput(who)
    fastest = speed.best(runs)
    return {
        "simulator": who,
        "simulated_s": fastest.simulated_s,
        "seeds": speed.seeds(len(runs)),
        "segments": fastest.segments,
        "events": fastest.events,
        "cpu_s": fastest.cpu_s,
        "segments_per_cpu_s": fastest.segments_per_cpu_s,
        "events_per_cpu_s": fastest.events_per_cpu_s,
        "goodput_mbps": {"mean": goodput.mean, "half_width": goodput.half_width, "n": goodput.n},
        "goodput_difference_percent": 100.0 * measured.difference(who),
        "airhop_is_times_faster": measured.times_faster(who),
        "differs_in": {note.word: note.why for note in course.notes if note.peer == who},
    }


def _print(course: Course, measured: _Measured) -> None:
    def row(who: str) -> tuple[str, ...]:
        fastest, is_ours = speed.best(measured.runs[who]), who == "Airhop"
        words = ", ".join(note.word for note in course.notes if note.peer == who)
        return (
            f"{who}\n{fill(f'[{words}]', NAMES)}" if words else who,
            mean_pm(measured.goodput(who)),
            "" if is_ours else f"{100 * measured.difference(who):+.1f} %",
            f"{fastest.segments_per_cpu_s:,.0f}",
            "" if is_ours else f"× {number(measured.times_faster(who))}",
            f"{fastest.simulated_s:,.0f}",
        )

    out, queue = console(), measured.queue
    print_table(out, COLUMNS, [row(who) for who in measured.runs], title=course.title)
    seeds = ", ".join(map(str, speed.seeds(max(map(len, measured.runs.values())))))
    notes = [f"[{note.word}] {note.why}" for note in course.notes if note.peer in measured.runs]
    foot = [
        f"Seeds {seeds}. Speed is of the fastest run of each: user CPU time, one thread.",
        *notes,
        f"Airhop's event queue alone, {number(queue.mean_waiting)} events waiting: "
        f"{queue.events_per_cpu_s:,.0f} events/CPU s; the run handles {measured.share:.1%} of that.",
    ]
    if (peer := course.recorded) is not None:
        foot.append(
            f"Recorded: {peer.simulator} delivers {peer.goodput_mbps:.3g} Mbit/s and"
            f" {peer.segments_per_cpu_s:,.0f} segments/CPU s, Airhop beside it"
            f" × {number(peer.airhop_is_times_faster)}. {peer.why}"
        )
    for line in foot:
        out.print(fill(line, min(out.width, WIDTH)))
    out.print()
