"""Comparisons select schemes by class of flows, and have results by class."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airhop import InputError, Scenario, compare
from airhop.comparison.classes import class_tables
from command_line import Cli


def workload() -> Scenario:
    """Two downloads, two copies of an upload, and transfers, over the last hop for 4 s."""
    scenario = Scenario.load("last-hop").to_dict() | {"duration": "4 s"}
    down, up = {"from": "s", "to": "d", "scheme": "reno"}, {"from": "d", "to": "s", "scheme": "sack"}
    web = down | {"class": "web", "app": {"kind": "transfer", "size": "20 kB"}}
    scenario["flow"] = [
        down | {"name": "one"},
        down | {"name": "two"},
        up | {"name": "up"},
        web | {"name": "page"},
        web | {"name": "other", "start": "1 s"},
    ]
    return Scenario.load(scenario)


def schemes(document: dict[str, Any]) -> dict[str, str]:
    return {flow["name"]: flow["scheme"] for flow in document["flows"]}


def test_a_scheme_for_each_class_forms_a_single_arm() -> None:
    """A class without its direction is both directions; flows of other classes keep their scheme."""
    words = ["bulk=cubic,web=newreno", "bulk=cubic, bulk up=vegas", "reno"]
    found = compare(workload(), words, reps=2)
    assert found.schemes == words and found.heading == "scheme"
    assert list(found.frame()["scheme"].unique(maintain_order=True)) == words
    flows = [schemes(found.results[word, 0].document) for word in words]
    assert flows[0] == {"one": "cubic", "two": "cubic", "up": "cubic", "page": "newreno", "other": "newreno"}
    assert flows[1] == {"one": "cubic", "two": "cubic", "up": "vegas", "page": "reno", "other": "reno"}
    assert set(flows[2].values()) == {"reno"}


def test_schemes_by_class_can_be_combined_with_values_of_keys() -> None:
    found = compare(workload(), ["web=cubic", "reno"], vary={"queue": ["drop-tail", "fq-codel"]}, reps=1)
    names = ["web=cubic, drop-tail", "web=cubic, fq-codel", "reno, drop-tail", "reno, fq-codel"]
    assert found.schemes == names
    assert schemes(found.results[names[1], 0].document)["page"] == "cubic"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "wob=cubic",
            r"no TCP flow of class `wob`. Did you mean `web`\? Its classes .*: bulk down, bulk up, web",
        ),
        ("web=cubic,web=reno", "class `web` is named twice"),
        ("web=", "expected CLASS=SCHEME,CLASS=SCHEME"),
        ("web=cubik", "cubik"),
    ],
)
def test_schemes_of_unknown_classes_are_refused(word: str, message: str) -> None:
    with pytest.raises((InputError, ValueError), match=message):
        compare(workload(), [word], reps=1)


def test_rows_have_the_classes_of_all_replications() -> None:
    found = compare(workload(), ["reno", "web=cubic"], reps=3)
    row = found.rows()[0]
    documents = [found.results["reno", rep].document for rep in range(3)]
    values = [
        group["goodput_mbps"] for run in documents for group in run["classes"] if group["name"] == "web"
    ]
    goodput = row.classes["web"]["class_goodput_mbps"]
    assert goodput is not None and goodput.mean == pytest.approx(sum(values) / 3)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(document["schemes"][0]["classes"]) == ["bulk down", "bulk up", "web"]
    assert document["schemes"][0]["classes"]["web"]["completion_count"]["mean"] > 0
    goals = {(goal["goal"], goal["class"]) for goal in document["verdict"]["goals"]}
    assert {("throughput", None), ("completion", "web"), ("fairness", "bulk down")} <= goals


def test_compare_prints_the_verdict_and_a_table_for_each_class(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "workload.toml"
    scenario.write_text(workload().toml())
    shown = cli("compare", str(scenario), "reno", "bulk=cubic", "-n", "3").out
    assert shown.index("completion time of web") < shown.index("class bulk down, 2 flows")
    assert "class web, 2 flows" in shown
    assert "class bulk down" not in cli("compare", "last-hop", "reno", "-n", "1", "--set", "duration=2 s").out


def test_tables_of_classes_have_fairness_only_for_several_flows_whose_rates_may_differ() -> None:
    """An application sets the rate of its calls, and one flow shares with nobody."""
    scenario = workload().to_dict()
    call = {"from": "s", "to": "d", "transport": "udp", "app": {"kind": "call"}}
    scenario["flow"] += [call | {"name": f"call{number}"} for number in (1, 2)]
    found = compare(Scenario.load(scenario), ["reno", "cubic"], reps=2)
    titles = {
        table.title: [measure.column for measure in table.measures] for table in class_tables(found.rows())
    }
    fair = [title for title, columns in titles.items() if "class_jain" in columns]
    assert fair == ["class bulk down, 2 flows", "class web, 2 flows"]
    assert {"class bulk up, 1 flow", "class call, 2 flows"} < set(titles)
    # A narrow terminal omits the last columns: the rating is the result, and the others are its reasons.
    of_calls = titles["class call, 2 flows"]
    assert of_calls.index("class_call_r") < of_calls.index("class_call_late_pct")
