"""The side-by-side measurement: what peers print is read right, and what is missing is said."""

import json
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from airhop import Scenario, _core, run, speed
from airhop.cli.bench import bench
from airhop.speed import COURSES, Course, Queue, Speed, UnavailableError

# What the two programs print, cut to the fields that are read.
NS2 = (
    "RES,A,Sack1,fer=0.01;retry=1,1,0.81646,pkts=204115;events=7992222;rexmit=4000;timeouts=90;jain=1.0000\n"
)
NS3 = "RES scn=A goodput=0.830000 segs=20750 cpu_setup=0.010 cpu_run=5.000 events=1600000 segs_per_cpu=4150\n"

LAST_HOP = COURSES["last-hop"]


@pytest.fixture
def peers(tmp_path: Path) -> Path:
    (tmp_path / "ns2").mkdir()
    (tmp_path / "ns2" / "last_hop.tcl").touch()
    (tmp_path / "ns3").mkdir()
    (tmp_path / "ns3" / "base.cc").touch()
    return tmp_path


def test_reads_ns2(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(speed, "_run", lambda _command: (NS2, 1.5))
    assert speed.ns2(peers, LAST_HOP) == Speed("ns-2", 2000, 204115.0, 1.5, 7992222, 0.81646)


def test_reads_ns3(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "_build_ns3", lambda _source, folder: folder / "base")
    monkeypatch.setattr(speed, "_run", lambda _command: (NS3, 5.1))
    found = speed.ns3(peers, LAST_HOP)
    assert found == Speed("ns-3", 200, 20750.0, 5.0, 1600000, 0.83)  # its own count, without the set-up
    assert found.segments_per_cpu_s == 4150


def test_missing_peer_says_how_to_get_it(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(UnavailableError, match="apt install ns2"):
        speed.ns2(peers, LAST_HOP)
    with pytest.raises(UnavailableError, match="apt install pkg-config"):
        speed.ns3(peers, LAST_HOP)


def test_failed_peer_is_told(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/false")
    with pytest.raises(UnavailableError, match="false ended with code 1"):
        speed.ns2(peers, LAST_HOP)


def test_a_scheme_in_python_is_measured_on_the_same_run() -> None:
    short = replace(LAST_HOP, duration_s=20)
    ours, python = speed.airhop(short), speed.python_scheme(short)
    assert (python.events, python.segments, python.goodput_mbps) == (
        ours.events,
        ours.segments,
        ours.goodput_mbps,
    )


def test_fastest_run_counts() -> None:
    assert speed.best([Speed("x", 1, 100, cpu, 1, 1.0) for cpu in (2.0, 1.0, 4.0)]).cpu_s == 1.0
    assert speed.best([Queue(100, 5.0, cpu) for cpu in (2.0, 1.0, 4.0)]).cpu_s == 1.0


def test_the_queue_alone_is_asked_what_the_run_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, int, int]] = []

    class Watched:
        """A schedule that counts how often it is asked."""

        asked = 0
        mean_waiting = 4.5

        @classmethod
        def of(cls, scenario: object, seed: int, rep: int, events: int) -> "Watched":
            assert isinstance(scenario, _core.Scenario)
            taken.append((seed, rep, events))
            return cls()

        def __len__(self) -> int:
            return 1000

        def replay(self) -> None:
            Watched.asked += 1

    monkeypatch.setattr(speed, "Schedule", Watched)
    queue = speed.queue_alone(LAST_HOP)()
    assert taken == [(1, 0, speed.SCHEDULED_EVENTS)]
    assert (queue.events, queue.mean_waiting) == (1000 * Watched.asked, 4.5)
    assert speed.REPLAYED_EVENTS <= queue.events < speed.REPLAYED_EVENTS + 2000


def test_a_schedule_is_of_the_second_half_of_a_run() -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "4 s", "scheme": "sack"})
    whole = run(scenario).document["events"]
    rest = len(_core.Schedule.of(scenario.core, 1, 0, whole))
    assert 0.35 * whole < rest < 0.65 * whole
    few = _core.Schedule.of(scenario.core, 1, 0, 50)
    assert len(few) == 50
    assert 1 < few.mean_waiting < 20  # a frame in the cell, packets on three wires, the sender's timer
    few.replay()


def test_share_of_the_ceiling_is_of_events_per_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow, fast = (Speed("Airhop", 10, 500, cpu, 6000, 1.0) for cpu in (4.0, 2.0))
    runs, queues = cycle([slow, fast]), cycle([Queue(9000, 7.5, cpu) for cpu in (0.5, 0.75)])
    monkeypatch.setattr(speed, "airhop", lambda _course: next(runs))
    monkeypatch.setattr(speed, "python_scheme", lambda _course: Speed("Python", 10, 500, 4.0, 6000, 1.0))
    monkeypatch.setattr(speed, "queue_alone", lambda _course: lambda: next(queues))
    monkeypatch.setattr(speed, "ns2", unavailable)
    monkeypatch.setattr(speed, "ns3", unavailable)
    assert bench("chain", "dumbbell", "chain", repeats=2, as_json=True) == 0
    written = capsys.readouterr()
    found, other = json.loads(written.out)
    assert (found.pop("course"), other.pop("course")) == ("chain", "dumbbell")
    assert found == other
    assert [one["simulator"] for one in found["simulators"]] == ["Airhop", "Python"]
    assert [one["airhop_is_times_faster"] for one in found["simulators"]] == [1.0, 2.0]
    assert found["event_queue_alone"]["events_per_cpu_s"] == 18_000.0
    assert found["event_queue_alone"]["airhop_share"] == 3000 / 18_000
    assert written.err.count("is not here") == 2, (
        "each of them says so once, whatever the courses and repeats"
    )


def unavailable(_peers: Path, _course: Course) -> Speed:
    raise UnavailableError("it is not here")


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_every_course_can_be_run(course: Course) -> None:
    measured = speed.airhop(replace(course, duration_s=1))
    assert (
        0
        < measured.segments * course.segment_bytes * 8 / 1e6
        == pytest.approx(measured.goodput_mbps, rel=0.01)
    )
