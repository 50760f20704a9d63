"""Packaged scenarios of today's networks behave as their comments state."""

import re
from typing import Any

import pytest

import airhop
from airhop import Scenario
from airhop.scenario import packaged
from airhop.verify import verify

PACKET = 1500 * 8
"""Length of a full packet, bits."""
APPLICATIONS = {"pages", "video down", "request-response down", "call", "bulk down", "bulk up"}
CLASSES = {
    "home": {*APPLICATIONS, "game"},
    "cafe": APPLICATIONS,
    "office": APPLICATIONS,
    "train": APPLICATIONS,
}
"""Classes of flows, by scenario."""
NETWORKS = sorted(CLASSES)
SOURCED = re.compile(r"choices?\b|RFC|IEEE|ITU|3GPP|Report|Almanac|NCTA|MMSys|IMC|ATC|CM-GL|draft")
"""Pattern of words by which a comment names a source or a choice."""


def of_class(scenario: Scenario, name: str) -> dict[str, Any]:
    """Run a scenario for 15 s, and return the measures of a class."""
    result = airhop.run(scenario.with_({"duration": "15 s", "warmup": "3 s"}))
    (found,) = [one for one in result.document["classes"] if one["name"] == name]
    return dict(found)


def alone(name: str, kind: str) -> Scenario:
    """Return a scenario with only the flows of one application."""
    tables = Scenario.load(name).to_dict()
    tables["flow"] = [flow for flow in tables["flow"] if flow["app"]["kind"] == kind]
    return Scenario.load(tables)


@pytest.mark.parametrize("name", NETWORKS)
def test_senders_are_those_of_linux_and_classes_are_those_of_the_applications(name: str) -> None:
    scenario = Scenario.load(name)
    assert set(scenario.classes().values()) == CLASSES[name]
    tcp = [flow for flow in scenario.to_dict()["flow"] if flow["transport"] == "tcp"]
    assert {flow["tcp"]["preset"] for flow in tcp} == {"linux"}
    assert {flow["segment"] for flow in tcp} == {"1448 B"}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_sentence_with_a_number_names_a_source_or_a_choice(name: str) -> None:
    head = packaged()[name].partition("\nname =")[0].replace("\n# ", " ").removeprefix("# ")
    paragraphs = re.split(r" (?=(?:Line|Cell|Cell on board|Cellular link|Campus|Applications): )", head)[1:]
    assert len(paragraphs) >= 3
    assert [text for text in paragraphs if not SOURCED.search(text)] == []


@pytest.mark.parametrize("name", NETWORKS)
def test_half_a_second_passes_the_verifier(name: str) -> None:
    changes: dict[str, object] = {"duration": "500 ms", "warmup": "0 s"}
    if name == "train":  # its changes begin later
        outage = {"kind": "outage", "at": "200 ms", "lasts": "50 ms"}
        handoff = {"kind": "handoff", "at": "350 ms", "gap": "100 ms", "mobile": "router"}
        changes["radio.air.changes"] = [outage, handoff]
    if name != "office":
        changes["flow.pages*.stagger"] = "10 ms"
    scenario = Scenario.load(name).with_(changes)
    assert verify(scenario, airhop.run(scenario, seed=1, trace=True)) == []


def test_the_uplink_of_a_home_is_ten_to_twenty_times_slower_than_its_downlink() -> None:
    (line,) = [wire for wire in Scenario.load("home").to_dict()["wired"] if wire["name"] == "line"]
    down, up = (float(line["rate"][way].split()[0]) for way in ("isp->ap", "ap->isp"))
    assert 10 <= down / up <= 20


@pytest.mark.parametrize(
    ("name", "link", "way", "slowest", "seconds"),
    [
        ("home", "line", "isp->ap", 150e6, 0.1),
        ("home", "line", "ap->isp", 10e6, 0.3),
        ("cafe", "line", "isp->ap", 50e6, 0.1),
        ("cafe", "line", "ap->isp", 10e6, 0.2),
        ("train", "air", None, 8e6, 1.5),
    ],
)
def test_a_full_buffer_delays_by_the_time_of_the_comment(
    name: str, link: str, way: str | None, slowest: float, seconds: float
) -> None:
    tables = Scenario.load(name).to_dict()
    (found,) = [one for kind in ("wired", "radio") for one in tables.get(kind, ()) if one["name"] == link]
    queues = found["queue"] if isinstance(found["queue"], list) else [found["queue"]]
    (queue,) = [one for one in queues if one.get("direction") == way]
    # The comments round to a tenth of a second.
    assert queue["packets"] * PACKET / slowest == pytest.approx(seconds, abs=0.05)


# Alone, all packets are in time: late packets of the packaged scenario waited behind other data. G.711 has
# R = 93.2 at best (ITU-T G.107); above 90 users are very satisfied, and below 70 many are not (G.109).
@pytest.mark.parametrize("name", ["office", "cafe"])
def test_other_data_in_long_buffers_makes_calls_late(name: str) -> None:
    assert of_class(alone(name, "call"), "call")["call"]["r_min"] > 90
    loaded = of_class(Scenario.load(name), "call")["call"]
    assert loaded["late_pct"] > 10 * loaded["lost_pct"]
    assert loaded["r_min"] < 70


def test_other_data_in_the_buffers_of_a_home_makes_games_late() -> None:
    assert of_class(alone("home", "game"), "game")["game"]["late_pct"] == 0
    assert of_class(Scenario.load("home"), "game")["game"]["late_pct"] > 10


# Voice in its own category does not wait behind other data.
def test_priority_of_voice_keeps_the_calls_of_an_office() -> None:
    voice = Scenario.load("office").with_({"flow.call*.access_category": "VO"})
    assert of_class(voice, "call")["call"]["r_min"] > 90


# Of the 12 s from 8 to 20 s, 2 s are in the tunnel, where packets wait. Packets of the tunnel's last 100 ms,
# the playout delay, play in time.
def test_the_tunnel_of_a_train_makes_packets_of_calls_late() -> None:
    scenario = alone("train", "call").with_({"duration": "20 s", "warmup": "8 s"})
    calls = [flow["call"] for flow in airhop.run(scenario).document["flows"]]
    assert len(calls) == 4
    assert all(call["lost"] == 0 for call in calls)
    assert [call["late_pct"] for call in calls] == pytest.approx([100 * 1.9 / 12] * 4, abs=0.2)
