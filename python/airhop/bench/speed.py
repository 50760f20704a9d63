"""Measurement of speed (segments per second of user CPU time) and goodput of simulators on a course.

The peers' programs for the courses (`airhop.bench.courses`) are in bench/peers of the source tree. ns-2 is
the Debian package ns2, and ns-3 the package libns3-dev.

The ceiling of a run is the speed of the event queue alone. The measurement replays the pushes and pops of the
run's second half, but processes no events. The queue then has the same length and the same events in the same
order. This is the hold model (D. W. Jones, CACM 29(4), 1986) with the time increments of the run instead of a
distribution. The run's share of the ceiling shows the possible gain from a faster event loop or faster
network code. A faster queue lowers the share, so the share does not measure quality.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from airhop._core import Ack, Flow, Loss, Schedule, Window
from airhop.bench.courses import Changes, Course
from airhop.custom import scheme as register
from airhop.scenario import Scenario
from airhop.simulate import run

NS3_MODULES = (
    "ns3-core",
    "ns3-internet",
    "ns3-wifi",
    "ns3-applications",
    "ns3-point-to-point",
    "ns3-mobility",
    "ns3-traffic-control",
    "ns3-aodv",
)


SEED_STEP = 1001
"""Step between the seeds of runs. With adjacent seeds, the first random numbers of ns-2 differ by only
0.0003.
"""


def seeds(n: int) -> list[int]:
    """Return the seeds of n runs."""
    return [SEED_STEP * k for k in range(1, n + 1)]


@dataclass(frozen=True)
class Speed:
    """One measured run."""

    simulator: str
    simulated_s: float
    segments: float
    cpu_s: float
    """User CPU time in seconds. For ns-3, the construction of the network is excluded."""
    events: int
    goodput_mbps: float

    @property
    def segments_per_cpu_s(self) -> float:
        """Delivered segments per second of user CPU time."""
        return self.segments / self.cpu_s

    @property
    def events_per_cpu_s(self) -> float:
        """Events per second of user CPU time; each simulator defines an event differently."""
        return self.events / self.cpu_s


@dataclass(frozen=True)
class Queue:
    """Measurement of the event queue alone, by replaying the pushes and pops of a run."""

    events: int
    mean_waiting: float
    """Mean number of events in the queue."""
    cpu_s: float

    @property
    def events_per_cpu_s(self) -> float:
        """Events pushed and popped per second of user CPU time."""
        return self.events / self.cpu_s


Measured = TypeVar("Measured", Speed, Queue)

SCHEDULED_EVENTS = 2**17
"""Number of recorded events of a run; the record takes 3 MB of memory."""
REPLAYED_EVENTS = 4_000_000
"""Number of events in one measurement of the queue alone. The measurement takes a tenth of a second."""


class UnavailableError(Exception):
    """Error for a peer simulator that cannot run here; the message contains the install command."""


def airhop(course: Course, seed: int) -> Speed:
    """Return Airhop's speed on one thread."""
    return _airhop("Airhop", course, course.changes, seed)


def queue_alone(course: Course) -> Callable[[], Queue]:
    """Record a course's event-queue operations; the returned function replays and measures the record."""
    schedule = Schedule.of(_scenario(course, course.changes).core, SEED_STEP, 0, SCHEDULED_EVENTS)
    rounds = REPLAYED_EVENTS // len(schedule) + 1

    def measure() -> Queue:
        before = user_cpu(resource.RUSAGE_SELF)
        for _ in range(rounds):
            schedule.replay()
        cpu = user_cpu(resource.RUSAGE_SELF) - before
        return Queue(rounds * len(schedule), schedule.mean_waiting, cpu)

    return measure


def python_scheme(course: Course, seed: int) -> Speed:
    """Measure Airhop with the course's scheme written in Python; results equal those of the Rust scheme."""
    scheme = course.value("scheme")
    name = f"{scheme}-in-python"
    register(name, recovery=scheme)(_Reno)
    return _airhop("Airhop, in Python", course, {**course.changes, "scheme": name}, seed)


class _Reno:
    """Congestion control of the schemes `sack` and `newreno` (RFC 5681 §3.1) in Python."""

    def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
        """Increase the window: slow start, then one segment per round trip."""
        window.cwnd += 1 if window.in_slow_start else 1 / window.cwnd

    def on_loss(self, window: Window, loss: Loss, _flow: Flow) -> None:
        """Halve the window."""
        window.ssthresh = loss.half
        window.cwnd = 1 if loss.signal == "timeout" else loss.window


def _airhop(label: str, course: Course, changes: Changes, seed: int) -> Speed:
    scenario = _scenario(course, changes)
    before = user_cpu(resource.RUSAGE_SELF)
    result = run(scenario, seed=seed)
    cpu = user_cpu(resource.RUSAGE_SELF) - before
    segments = sum(flow["delivered_bytes"] for flow in result.tcp_flows) / course.value("segment, B")
    return Speed(label, course.duration_s, segments, cpu, result.document["events"], result.goodput_mbps)


def _scenario(course: Course, changes: Changes) -> Scenario:
    return Scenario.load(course.scenario).with_({**changes, "duration": f"{course.duration_s} s"})


def ns2(peers: Path, course: Course, seed: int) -> Speed:
    """Measure the whole process of ns-2, including its start-up of a few hundredths of a second."""
    ns = shutil.which("ns")
    if ns is None:
        raise UnavailableError("ns-2 is not installed. Debian or Ubuntu: sudo apt install ns2")
    program = _program(peers, f"ns2/{course.ns2_program}")
    output, cpu = _run([ns, str(program), *course.words("ns-2"), f"T={course.duration_s}", f"seed={seed}"])
    # RES,A,Sack1,PARAMETERS,SEED,GOODPUT,pkts=…;events=…;rexmit=…
    fields = _result_line(output).split(",")
    counts = dict(pair.split("=") for pair in fields[6].split(";"))
    return Speed(
        "ns-2", course.duration_s, float(counts["pkts"]), cpu, int(float(counts["events"])), float(fields[5])
    )


def ns3(peers: Path, course: Course, seed: int) -> Speed:
    """Build the ns-3 program at the first call, and measure a run without the construction of the network."""
    binary = _build_ns3(_program(peers, "ns3/base.cc"), Path(_ns3_folder().name))
    scenario = f"--scn={course.ns3_scenario}"
    output, _ = _run(
        [str(binary), scenario, *course.words("ns-3"), f"--T={course.ns3_duration_s}", f"--seed={seed}"]
    )
    counts = dict(word.split("=", 1) for word in _result_line(output).split()[1:])
    return Speed(
        "ns-3",
        course.ns3_duration_s,
        float(counts["segs"]),
        float(counts["cpu_run"]),
        int(counts["events"]),
        float(counts["goodput"]),
    )


def best(runs: Sequence[Measured]) -> Measured:
    """Return the fastest of several equal runs, because other processes disturbed the fastest run least."""
    return max(runs, key=lambda one: one.events_per_cpu_s)


def find_peers() -> Path | None:
    """Return the folder of the peers' programs; None if Airhop does not run from a source tree."""
    folder = Path(__file__).resolve().parents[3] / "bench" / "peers"
    return folder if folder.is_dir() else None


@cache
def _ns3_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder for the compiled ns-3 program, removed when Airhop ends."""
    return tempfile.TemporaryDirectory(prefix="airhop-ns3-")


@cache
def _build_ns3(source: Path, folder: Path) -> Path:
    for tool, package in (("pkg-config", "pkg-config"), ("g++", "g++")):
        if shutil.which(tool) is None:
            raise UnavailableError(
                f"{tool}, needed to build for ns-3, is missing. Debian or Ubuntu: sudo apt install {package}"
            )
    flags = subprocess.run(
        ["pkg-config", "--cflags-only-I", "--libs", *NS3_MODULES], capture_output=True, text=True, check=False
    )
    if flags.returncode:
        raise UnavailableError("ns-3 is not installed. Debian or Ubuntu: sudo apt install libns3-dev")
    # Debian's pkg-config files of ns-3 contain include paths with `;`, and unneeded libraries.
    wanted = [flag for flag in flags.stdout.split() if not any(bad in flag for bad in (";", "gsl", "sqlite"))]
    binary = folder / "base"
    built = subprocess.run(
        ["g++", "-O2", "-std=c++17", str(source), "-o", str(binary), *dict.fromkeys(wanted)],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        raise UnavailableError(f"the program for ns-3 does not build with this ns-3:\n{built.stderr[-800:]}")
    return binary


def _program(peers: Path, name: str) -> Path:
    program = peers / name
    if not program.is_file():
        raise UnavailableError(f"there is no {program}")
    return program


def _run(command: list[str]) -> tuple[str, float]:
    """Run a peer program; return the output and the user CPU time in seconds."""
    before = user_cpu(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    cpu = user_cpu(resource.RUSAGE_CHILDREN) - before
    if done.returncode:
        raise UnavailableError(
            f"{Path(command[0]).name} ended with code {done.returncode}: {done.stderr.strip()[-400:]}"
        )
    return done.stdout, cpu


def _result_line(output: str) -> str:
    for line in output.splitlines():
        if line.startswith("RES"):
            return line
    raise UnavailableError(f"the program printed no line that begins with RES: {output[-400:]!r}")


def user_cpu(who: int) -> float:
    """Return the user CPU time so far in seconds; `who` is a RUSAGE_* constant of the module resource."""
    return resource.getrusage(who).ru_utime
