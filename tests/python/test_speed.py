"""The side-by-side measurement: what peers print is read right, and what is missing is said."""

from dataclasses import replace
from pathlib import Path

import pytest

from airhop import speed
from airhop.speed import COURSES, Course, Speed, UnavailableError

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
    runs = iter([Speed("x", 1, 100, cpu, 1, 1.0) for cpu in (2.0, 1.0, 4.0)])
    assert speed.best(lambda: next(runs), 3).cpu_s == 1.0


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_every_course_can_be_run(course: Course) -> None:
    measured = speed.airhop(replace(course, duration_s=1))
    assert (
        0
        < measured.segments * course.segment_bytes * 8 / 1e6
        == pytest.approx(measured.goodput_mbps, rel=0.01)
    )
