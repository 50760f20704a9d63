"""Comparison of speed: the output of ns-2 and ns-3 is parsed correctly, and missing programs are reported."""

import json
import math
import re
from dataclasses import asdict, replace
from itertools import cycle
from pathlib import Path

import pytest

from airhop import Scenario, _core, run
from airhop.bench import speed
from airhop.bench.courses import COURSES, NS2_SCHEMES, Course, Peer
from airhop.bench.speed import Queue, Speed, UnavailableError
from airhop.cli.bench import bench

# Output of the two programs, reduced to the fields that are read.
NS2 = (
    "RES,A,Sack1,fer=0.01;retry=1,1,0.81646,pkts=204115;events=7992222;rexmit=4000;timeouts=90;jain=1.0000\n"
)
NS3 = "RES scn=A goodput=0.830000 segs=20750 cpu_setup=0.010 cpu_run=5.000 events=1600000 segs_per_cpu=4150\n"

LAST_HOP = COURSES["last-hop"]
PEERED = {name: course for name, course in COURSES.items() if course.ns2_program}
"""Courses that ns-2 and ns-3 also run."""


@pytest.fixture
def peers(tmp_path: Path) -> Path:
    (tmp_path / "ns2").mkdir()
    (tmp_path / "ns2" / "last_hop.tcl").touch()
    (tmp_path / "ns3").mkdir()
    (tmp_path / "ns3" / "base.cc").touch()
    return tmp_path


def test_the_output_of_ns2_is_read(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(speed, "_run", lambda _command: (NS2, 1.5))
    assert speed.ns2(peers, LAST_HOP, 1001) == Speed("ns-2", 1000, 204115.0, 1.5, 7992222, 0.81646)


def test_the_output_of_ns3_is_read(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "_build_ns3", lambda _source, folder: folder / "base")
    monkeypatch.setattr(speed, "_run", lambda _command: (NS3, 5.1))
    found = speed.ns3(peers, LAST_HOP, 1001)
    # CPU time that ns-3 reports, without the construction of the network
    assert found == Speed("ns-3", 200, 20750.0, 5.0, 1600000, 0.83)
    assert found.segments_per_cpu_s == 4150


def test_a_missing_peer_is_reported_with_its_installation(
    peers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(UnavailableError, match="apt install ns2"):
        speed.ns2(peers, LAST_HOP, 1001)
    with pytest.raises(UnavailableError, match="apt install pkg-config"):
        speed.ns3(peers, LAST_HOP, 1001)


def test_a_failed_peer_is_reported(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/false")
    with pytest.raises(UnavailableError, match="false ended with code 1"):
        speed.ns2(peers, LAST_HOP, 1001)


@pytest.mark.parametrize("name", PEERED)
def test_a_scheme_in_python_is_measured_on_the_same_run(name: str) -> None:
    short = replace(COURSES[name], duration_s=20 if name == "last-hop" else 1)
    ours, python = speed.airhop(short, 1001), speed.python_scheme(short, 1001)
    assert (python.events, python.segments, python.goodput_mbps) == (
        ours.events,
        ours.segments,
        ours.goodput_mbps,
    )


def test_the_reported_speed_is_that_of_the_fastest_run() -> None:
    assert speed.best([Speed("x", 1, 100, cpu, 1, 1.0) for cpu in (2.0, 1.0, 4.0)]).cpu_s == 1.0
    assert speed.best([Queue(100, 5.0, cpu) for cpu in (2.0, 1.0, 4.0)]).cpu_s == 1.0


def test_the_event_queue_benchmark_processes_the_operations_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[tuple[int, int, int]] = []

    class Watched:
        """Recorded schedule that counts its replays."""

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
    assert taken == [(speed.SEED_STEP, 0, speed.SCHEDULED_EVENTS)]
    assert (queue.events, queue.mean_waiting) == (1000 * Watched.asked, 4.5)
    assert speed.REPLAYED_EVENTS <= queue.events < speed.REPLAYED_EVENTS + 2000


def test_a_recorded_event_schedule_covers_the_second_half_of_a_run() -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "4 s", "scheme": "sack"})
    whole = run(scenario).document["events"]
    rest = len(_core.Schedule.of(scenario.core, 1, 0, whole))
    assert 0.35 * whole < rest < 0.65 * whole
    few = _core.Schedule.of(scenario.core, 1, 0, 50)
    assert len(few) == 50
    assert 1 < few.mean_waiting < 20  # a frame in the cell, packets on three wires, the sender's timer
    few.replay()


@pytest.fixture
def simulators(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace each simulator by two fake runs, without an installed ns-3."""
    slow, fast = Speed("", 10, 500, 4.0, 6000, 1.0), Speed("", 10, 500, 2.0, 6000, 1.2)
    runs, queues = cycle([slow, fast]), cycle([Queue(9000, 7.5, cpu) for cpu in (0.5, 0.75)])
    monkeypatch.setattr(speed, "airhop", lambda _course, _seed: next(runs))
    monkeypatch.setattr(speed, "python_scheme", lambda _course, _seed: slow)
    monkeypatch.setattr(speed, "queue_alone", lambda _course: lambda: next(queues))
    monkeypatch.setattr(speed, "ns2", lambda _peers, _course, seed: replace(slow, goodput_mbps=seed / 1001))
    monkeypatch.setattr(speed, "ns3", unavailable)


@pytest.mark.usefixtures("simulators")
def test_the_share_of_the_ceiling_is_computed_from_events_per_second(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench("chain", "dumbbell", "chain", repeats=2, as_json=True) == 0
    written = capsys.readouterr()
    found, other = json.loads(written.out)
    assert (found["course"], other["course"]) == ("chain", "dumbbell")
    assert [one["simulator"] for one in found["simulators"]] == ["Airhop", "Airhop, in Python", "ns-2"]
    assert [one["airhop_is_times_faster"] for one in found["simulators"]] == [1.0, 2.0, 2.0]
    assert found["event_queue_alone"]["events_per_cpu_s"] == 18_000.0
    assert found["event_queue_alone"]["airhop_share"] == 3000 / 18_000
    assert written.err.count("is not here") == 1, "one message, for any number of courses and repeats"


@pytest.mark.usefixtures("simulators")
def test_goodputs_of_simulators_are_printed_with_their_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("chain", repeats=2, as_json=True) == 0
    ours, _, ns2 = json.loads(capsys.readouterr().out)[0]["simulators"]
    assert ours["goodput_mbps"]["mean"] == pytest.approx(1.1)
    assert ns2["seeds"] == [1001, 2002]
    assert ns2["goodput_mbps"]["mean"] == pytest.approx(1.5)  # of 1 and 2
    # Student's t of one degree of freedom, 12.706 at 95 %, over the root of two.
    assert ns2["goodput_mbps"]["half_width"] == pytest.approx(
        12.706 * math.sqrt(0.5) / math.sqrt(2), rel=1e-4
    )
    assert ns2["goodput_difference_percent"] == pytest.approx(100 * (1.5 / 1.1 - 1))


@pytest.mark.usefixtures("simulators")
def test_a_row_of_the_speed_table_names_the_differences_of_its_simulator(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(speed, "ns3", lambda _peers, _course, _seed: Speed("", 10, 500, 4.0, 6000, 1.0))
    assert bench(*PEERED, repeats=2) == 0
    written = capsys.readouterr()
    assert max(map(len, written.out.splitlines())) <= 80
    assert "too narrow" not in written.err
    for course in PEERED.values():
        assert course.notes
        for note in course.notes:
            assert f"[{note.word}] " in written.out


def unavailable(_peers: Path, _course: Course, _seed: int) -> Speed:
    raise UnavailableError("it is not here")


# ---- one experiment --------------------------------------------------------------------------------------

ONLY_ONE = {
    ("stack", "ns-2"),
    ("stack", "ns-3"),
    ("MAC and routing", "ns-2"),
    ("MAC and routing", "ns-3"),
    ("frame header, us", "ns-3"),
}
"""Parameters with a fixed value in a peer, which is the value of the course."""
EVERY = [(name, one.what) for name, course in PEERED.items() for one in course.parameters]


def another(value: object) -> object:
    """Return a value of the same kind."""
    match value:
        case bool():
            return not value
        case str():
            others = {"sack": "newreno", "newreno": "sack", "aodv": "static", "ns2": "rfc"}
            return others[value]
        case int() | float():
            return value * 2 or 40
        case _:
            raise TypeError(value)


# A new value of a course's parameter changes all simulators.
@pytest.mark.parametrize(("name", "what"), EVERY)
def test_a_changed_parameter_of_a_benchmark_changes_all_simulators(name: str, what: str) -> None:
    course = COURSES[name]
    (old,) = (one for one in course.parameters if one.what == what)
    new = replace(old, value=another(old.value))  # type: ignore[arg-type]
    changed = replace(course, parameters=[new if one is old else one for one in course.parameters])
    assert changed.changes != course.changes
    for peer in ("ns-2", "ns-3"):
        is_told = changed.words(peer) != course.words(peer)
        assert is_told != ((what, peer) in ONLY_ONE), peer


# A program silently keeps its default for an argument that it does not read: ns-2's chain once ran Reno while
# the other simulators ran NewReno.
@pytest.mark.parametrize("name", PEERED)
def test_the_programs_of_peers_accept_every_option_of_a_benchmark(name: str) -> None:
    course, folder = COURSES[name], speed.find_peers()
    assert folder is not None
    tcl = (folder / "ns2" / course.ns2_program).read_text(encoding="utf-8")
    (defaults,) = re.findall(r"^array set o \{(.*)\}$", tcl, flags=re.M)
    assert "read_words $argv" in tcl
    known: dict[Peer, set[str]] = {
        "ns-2": set(defaults.split()[::2]),
        "ns-3": set(
            re.findall(r'AddValue\("(\w+)"', (folder / "ns3" / "base.cc").read_text(encoding="utf-8"))
        ),
    }
    for peer, words in known.items():
        told = [word.lstrip("-").partition("=")[0] for word in course.words(peer)]
        assert set(told) <= words
        assert len(told) == len(set(told)), "no line is printed twice"
    assert {"scheme", "seed", "T"} <= known["ns-2"] & known["ns-3"]


@pytest.mark.parametrize("name", PEERED)
def test_scheme_window_and_segment_of_a_benchmark_reach_all_simulators(name: str) -> None:
    course = COURSES[name]
    scheme, segment, window = (
        course.value(f"{what}") for what in ("scheme", "segment, B", "window, segments")
    )
    assert (course.changes["scheme"], f"scheme={NS2_SCHEMES[scheme]}" in course.words("ns-2")) == (
        scheme,
        True,
    )
    assert f"--sack={int(scheme == 'sack')}" in course.words("ns-3")
    assert {f"pkt={segment}"} <= set(course.words("ns-2"))
    assert {f"--mss={segment}", f"--wnd={window}"} <= set(course.words("ns-3"))
    # `show` writes every value: the changes are in the scenario that runs.
    document = Scenario.load(course.scenario).with_(dict(course.changes)).to_dict()
    flow = document["flow"][0]
    assert (flow["scheme"], flow["segment"]) == (scheme, f"{segment} B")


def test_seeds_of_benchmark_runs_differ_by_1001() -> None:
    assert speed.seeds(3) == [1001, 2002, 3003]


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_every_benchmark_can_be_run(course: Course) -> None:
    measured = speed.airhop(replace(course, duration_s=1), 1001)
    bits = course.value("segment, B") * 8 / 1e6
    assert 0 < measured.segments * bits == pytest.approx(measured.goodput_mbps, rel=0.01)


# ---- a download over 802.11ac ----------------------------------------------------------------------------

WIFI = COURSES["wifi-ac"]


@pytest.mark.usefixtures("simulators")
def test_a_benchmark_without_peers_prints_their_recorded_speed(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("wifi-ac", repeats=2, as_json=True) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert [one["simulator"] for one in found["simulators"]] == ["Airhop"]
    assert WIFI.recorded is not None
    assert found["recorded"] == asdict(WIFI.recorded)
    assert bench("wifi-ac", "chain", repeats=2) == 0
    assert capsys.readouterr().out.count("Recorded: ns-3.44 delivers 289 Mbit/s") == 1


def test_the_download_benchmark_equals_the_packaged_scenario() -> None:
    document = Scenario.load(WIFI.scenario).with_(dict(WIFI.changes)).to_dict()
    (cell,), (wire,), (flow,) = document["wlan"], document["wired"], document["flow"]
    assert (cell["standard"], cell["width"], cell["rate"]) == ("802.11ac", "80 MHz", {"mcs": 9, "streams": 1})
    assert (wire["delay"], flow["scheme"]["name"], flow["segment"]) == ("20 ms", "cubic", "1448 B")


# The goodput of ns-3.44 on this course.
def test_the_download_benchmark_has_the_goodput_of_ns3() -> None:
    assert WIFI.recorded is not None
    measured = speed.airhop(replace(WIFI, duration_s=6), 1001)
    assert measured.goodput_mbps == pytest.approx(WIFI.recorded.goodput_mbps, rel=0.06)
