"""The verifier finds nothing in correct runs with any scheme and any links."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airhop
from airhop import _core, catalogue
from airhop.results import Result
from airhop.verify import verify
from airhop.verify.networks import random_network

SCHEMA: dict[str, Any] = json.loads(_core.schema())
"""Schema of scenario files, with the built-in schemes."""
_EXEMPT = re.compile(r"digest$|\.scheme\[.*=")
"""Keys that need not be drawn: digests, which Airhop writes; and words of parameters of schemes, which are
many."""
LINKS = ("last-hop", "yun2009-uplink", "kounavis1996-mobile-mobile", "cheng2008-chain")


def schemes_and_links() -> Iterator[tuple[str, str]]:
    """Yield pairs: each scheme with one kind of link, and one scheme of each kind with all kinds of links.

    The kind of a scheme is its loss recovery, its services and its flags.
    """
    kinds: set[tuple[str, ...]] = set()
    for number, scheme in enumerate(catalogue.built_in()):
        name, kind = scheme["name"], (*scheme["needs"], "/", *scheme["flags"])
        is_first = kind not in kinds or name in ("tahoe", "reno", "newreno", "sack")
        kinds.add(kind)
        yield from ((name, links) for links in (LINKS if is_first else [LINKS[number % len(LINKS)]]))


@pytest.mark.parametrize("name", ["wifi-n", "wifi-ac", "wifi-ax"])
def test_downloads_over_aggregates_pass_the_verifier(name: str) -> None:
    scenario = airhop.Scenario.load(name).with_({"duration": "200 ms", "warmup": "0 s"})
    assert verify(scenario, airhop.run(scenario, seed=1, trace=True)) == []


@pytest.mark.parametrize(("scheme", "links"), list(schemes_and_links()))
def test_runs_of_every_scheme_pass_the_verifier(scheme: str, links: str) -> None:
    scenario = airhop.Scenario.load(links).with_({"duration": "1 s", "scheme": scheme})
    assert verify(scenario, airhop.run(scenario, trace=True)) == []


@airhop.scheme("verify-gentle")
class Gentle:
    """Scheme in Python: NewReno with a reduction to three quarters of the window."""

    def on_ack(self, window: airhop.Window, *_: object) -> None:
        window.cwnd += 1 if window.in_slow_start else 1 / window.cwnd

    def on_loss(self, window: airhop.Window, loss: airhop.Loss, *_: object) -> None:
        window.ssthresh = max(0.75 * window.cwnd, 2)
        window.cwnd = 1 if loss.signal == "timeout" else window.ssthresh


# Seeds 6 and 9: errors by SNR. Seed 432: a router removes packets from the queue of a cell with aggregation.
@pytest.mark.parametrize("seed", [*range(7), *range(8, 19), *range(20, 26), 432])
def test_runs_of_random_networks_pass_the_verifier(seed: int, tmp_path: Path) -> None:
    scenario = airhop.Scenario.load(random_network(seed, tmp_path, ["verify-gentle"]))
    assert verify(scenario, airhop.run(scenario, seed=seed, trace=True)) == []


NEEDLESS: dict[str, Any] = {
    "name": "needless",
    "duration": "3600 ms",
    "wired": [{"name": "w", "ends": ["s", "bs"], "rate": "2 Mbit/s", "delay": "10 ms"}],
    "wlan": [
        {
            "name": "cell",
            "standard": "802.11g",
            "rate": "54 Mbit/s",
            "attempts": 1,
            "stations": {"bs": [0, 0], "d": [30, 0]},
            "errors": {"kind": "gilbert-elliott", "loss": 0.05, "burst": 2},
        }
    ],
    "flow": [{"name": "ftp", "from": "s", "to": "d", "scheme": "snoop", "tcp": {"preset": "linux"}}],
}


def test_the_verifier_accepts_a_recovery_without_retransmission() -> None:
    """An agent repairs segments before pacing lets the sender retransmit them.

    The flight decreases anyway (RFC 9937).
    """
    scenario = airhop.Scenario.load(NEEDLESS)
    results = [airhop.run(scenario, rep=rep, trace=True) for rep in (7, 11, 12)]
    assert any(_cuts_without_repair(result) for result in results)
    assert [verify(scenario, result) for result in results] == [[], [], []]


def _cuts_without_repair(result: Result) -> bool:
    """Return whether the first segment after a window reduction is new data."""
    window, segments = result.tables["window"], result.tables["segments"]
    cuts = window.filter(pl.col("cwnd") < pl.col("cwnd").shift(1))["time_s"]
    after = [
        segments.filter(pl.col("time_s") >= cut)["cause"].cast(pl.String).head(1).to_list() for cut in cuts
    ]
    return ["new"] in after


def test_the_verifier_accepts_notices_without_ecn_in_an_ecn_flow() -> None:
    """Linux marks all packets of a DCTCP connection ECN-capable, but not a base station's notices."""
    flow = {**NEEDLESS["flow"][0], "scheme": "dctcp", "notices": "elsn"}
    scenario = airhop.Scenario.load({**NEEDLESS, "flow": [flow]})
    result = airhop.run(scenario, trace=True)
    assert "notice" in result.tables["packets"]["kind"].cast(pl.String)
    assert verify(scenario, result) == []


def test_the_verifier_accepts_collisions_with_a_frame_cut_off_by_the_end_of_the_run() -> None:
    """Two stations out of range of each other; the first long frame is on the air at the end of the run."""
    cell = {
        "name": "cell",
        "standard": "802.11b",
        "rate": "1 Mbit/s",
        "range": {"receive": "50 m", "sense": "60 m"},
        "stations": {"a": [0, 0], "b": [45, 0], "c": [90, 0]},
    }
    app = {"kind": "cbr", "rate": "1 Mbit/s"}
    flows = [
        {"name": end, "from": end, "to": "b", "transport": "udp", "segment": size, "app": app, "start": start}
        for end, size, start in (("a", "1400 B", "100 ms"), ("c", "40 B", "0 s"))
    ]
    for ms in range(101, 112):
        scenario = airhop.Scenario.load(
            {"name": "cut off", "duration": f"{ms} ms", "wlan": [cell], "flow": flows}
        )
        assert verify(scenario, airhop.run(scenario, trace=True)) == [], ms


@pytest.fixture
def eight_a_millisecond(tmp_path: Path) -> str:
    """Make a file of delivery opportunities, eight at each instant."""
    deliveries = tmp_path / "eight-a-millisecond.trace"
    deliveries.write_text("".join(f"{ms}\n" * 8 for ms in range(1, 200)))
    return str(deliveries)


def test_the_verifier_accepts_a_recovery_that_begins_during_a_burst(tmp_path: Path) -> None:
    """Rate halving uses the flight before a burst, whose ACKs release segments before duplicate ACKs."""
    deliveries = tmp_path / "bursts.trace"
    deliveries.write_text("".join(f"{ms}\n" * 20 for ms in range(100, 2001, 100)))
    scenario = airhop.Scenario.load(
        {
            "name": "bursts",
            "duration": "5 s",
            "wired": [{"name": "w", "ends": ["s", "d"], "delay": "5 ms", "deliveries": str(deliveries)}],
            "flow": [
                {
                    "name": "ftp",
                    "from": "s",
                    "to": "d",
                    "scheme": {"name": "westwood-plus", "filter": "linux", "recovery": "rate-halving"},
                    "tcp": {"preset": "rfc"},
                }
            ],
        }
    )
    assert verify(scenario, airhop.run(scenario, trace=True)) == []


def test_the_verifier_accepts_an_ack_at_the_time_of_its_segment(eight_a_millisecond: str) -> None:
    """A proxy is at the end of a link without delay, which delivers several packets at one instant."""
    scenario = airhop.Scenario.load(
        {
            "name": "instant",
            "duration": "1 s",
            "wired": [{"name": "w", "ends": ["s", "bs"], "rate": "30 Mbit/s", "delay": "10 ms"}],
            "radio": [
                {"name": "air", "ends": ["bs", "d"], "delay": "0 ms", "deliveries": eight_a_millisecond}
            ],
            "flow": [{"name": "ftp", "from": "d", "to": "s", "scheme": "split"}],
        }
    )
    assert verify(scenario, airhop.run(scenario, trace=True)) == []


def test_the_verifier_accepts_an_ack_between_two_simultaneous_segments(eight_a_millisecond: str) -> None:
    """A host with zero turnaround: data delivered later at an instant have not arrived before the ACK."""
    scenario = airhop.Scenario.load(
        {
            "name": "at once",
            "duration": "1 s",
            "wired": [{"name": "w", "ends": ["s", "d"], "delay": "1 ms", "deliveries": eight_a_millisecond}],
            "flow": [
                {
                    "name": "ftp",
                    "from": "s",
                    "to": "d",
                    "scheme": "reno",
                    "segment": "500 B",
                    "tcp": {"turnaround": {"median": "0 us"}},
                }
            ],
        }
    )
    assert verify(scenario, airhop.run(scenario, trace=True)) == []


def test_the_verifier_accepts_a_syn_timeout_at_the_time_of_the_syn_ack(eight_a_millisecond: str) -> None:
    """The SYN's timer expires without data in flight, and the SYN-ACK arrives at the same instant."""
    wire = {"name": "w", "ends": ["s", "d"], "delay": "15 ms", "deliveries": eight_a_millisecond}
    tcp = {"preset": "rfc", "rto": {"kind": "linux", "initial": "32 ms"}}
    flow = {"name": "ftp", "from": "s", "to": "d", "scheme": "reno", "tcp": tcp}
    scenario = airhop.Scenario.load({"name": "at once", "duration": "1 s", "wired": [wire], "flow": [flow]})
    result = airhop.run(scenario, trace=True)
    opened = result.tables["segments"]["time_s"][0]
    window = result.tables["window"].filter(pl.col("time_s") == opened)
    assert window["flight"].to_list()[0] == 1, "the timer expired first"
    assert verify(scenario, result) == []


def test_random_networks_do_not_depend_on_registered_schemes(tmp_path: Path) -> None:
    """Seed 7 yields the same network, although Python has an additional scheme."""
    assert "verify-gentle" in [scheme["name"] for scheme in airhop.schemes()]
    drawn = [random_network(seed, tmp_path) for seed in range(50)]
    schemes = {word for network in drawn for word in _drawn(SCHEMA, network, "") if ".scheme=" in word}
    assert ".flow.scheme=verify-gentle" not in schemes


def test_random_networks_draw_every_key_of_scenario_files(tmp_path: Path) -> None:
    """Every key of the schema, every kind of link, queue, channel, change and recovery, and every scheme."""
    theirs = airhop.added.added().keys()  # schemes of other tests
    words = {path: set(re.split(r"[][.=]", path)) for path in _keys(SCHEMA, "") if not _is_exempt(path)}
    missing = {_of_any_link(path) for path in words if not words[path] & theirs}
    for seed in range(2300, 6000):  # from this seed on, 780 networks suffice
        missing -= set(map(_of_any_link, _drawn(SCHEMA, random_network(seed, tmp_path), "")))
        if not missing:
            break
    assert not missing


def _is_exempt(path: str) -> bool:
    return bool(_EXEMPT.search(path))


def _of_any_link(path: str) -> str:
    """Name a key of a queue or an error model, which all kinds of links share, without the kind of link."""
    return re.sub(r"^\.(?:wired|radio|wlan)\.((?:queue|errors)\[)", r".\1", path)


def _keys(schema: dict[str, Any], path: str) -> Iterator[str]:
    """List the keys that a schema allows, including the keys of each kind or scheme."""
    for part in _parts(schema):
        if "properties" not in part:
            yield from (f"{path}={word}" for word in part.get("enum", ()))
            continue
        place = path + _kind(part)
        yield place
        for key, value in part["properties"].items():
            if "const" not in value:
                yield f"{place}.{key}"
                yield from _keys(value, f"{place}.{key}")


def _drawn(schema: dict[str, Any], value: Any, path: str) -> Iterator[str]:
    """List the keys of a value, named as by the listing of the schema."""
    if isinstance(value, list):
        for item in value:
            yield from _drawn(schema, item, path)
    elif not isinstance(value, dict):
        yield f"{path}={value}"
    else:
        chosen = {value.get("kind"), value.get("name")} - {None}
        for part in _parts(schema):
            if "properties" in part and (_kind(part)[1:-1] in chosen or not _kind(part)):
                place = path + _kind(part)
                yield place
                for key in value.keys() & part["properties"].keys():
                    yield f"{place}.{key}"
                    yield from _drawn(part["properties"][key], value[key], f"{place}.{key}")


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """List the alternatives of a value."""
    if "items" in schema and schema.get("type") == "array":
        yield from _parts(schema["items"])
    parts = [part for word in ("anyOf", "oneOf") for part in schema.get(word, ())]
    for part in parts:
        yield from _parts(part)
    if not parts:
        yield schema


def _kind(part: dict[str, Any]) -> str:
    """Return the kind, or the scheme, of a table."""
    constants = [value["const"] for value in part["properties"].values() if "const" in value]
    return f"[{constants[0]}]" if constants else ""


def test_a_run_without_trace_cannot_be_verified() -> None:
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "1 s"})
    with pytest.raises(ValueError, match="not traced"):
        verify(scenario, airhop.run(scenario))
