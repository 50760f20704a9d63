"""Scenarios, documents, stores and tables contain the classes of flows."""

from __future__ import annotations

from pathlib import Path

import pytest

import airhop
from airhop import Scenario, stats, sweep
from airhop.analysis.measures import OF_CLASSES, Measure
from command_line import Cli


def is_quality(measure: Measure) -> bool:
    """Return whether a measure is of calls, games or videos."""
    return measure.path[0] in ("call", "game", "video")


def workload() -> Scenario:
    """Two downloads, an upload, a backup with its own class, and a call, over the last hop for 5 s."""
    scenario = Scenario.load("last-hop").to_dict() | {"duration": "5 s"}
    down, up = {"from": "s", "to": "d", "scheme": "reno"}, {"from": "d", "to": "s", "scheme": "reno"}
    call = {"kind": "cbr", "rate": "64 kbit/s"}
    scenario["flow"] = [
        down | {"name": "one"},
        down | {"name": "two"},
        up | {"name": "up"},
        up | {"name": "night", "class": "backup"},
        {"name": "call", "from": "s", "to": "d", "transport": "udp", "segment": "160 B", "app": call},
    ]
    return Scenario.load(scenario)


def test_classes_of_flows_are_known_before_a_run() -> None:
    """The names equal the names in the run document."""
    classes = {"one": "bulk down", "two": "bulk down", "up": "bulk up", "night": "backup", "call": "cbr down"}
    assert workload().classes() == classes
    document = airhop.run(workload()).document
    assert {flow["name"]: flow["class"] for flow in document["flows"]} == classes
    assert [group["name"] for group in document["classes"]] == list(dict.fromkeys(classes.values()))


def test_a_class_has_the_sum_and_the_index_of_its_flows() -> None:
    """Jain's index is the squared sum divided by n times the sum of squares (Yun 2009, (5))."""
    document = airhop.run(workload()).document
    down = next(group for group in document["classes"] if group["name"] == "bulk down")
    shares = [flow["goodput_mbps"] for flow in document["flows"] if flow["class"] == "bulk down"]
    assert down["goodput_mbps"] == pytest.approx(sum(shares))
    assert down["jain"] == pytest.approx(stats.jain(shares))
    assert down["flows"] == 2 and down["completion_ms"] is None
    assert list(down["delay_ms"]) == ["mean", "p50", "p95", "p99", "max"]


def test_dataframes_of_classes_and_queues_equal_the_document() -> None:
    result = airhop.run(workload())
    assert result.classes.rows(named=True) == [
        {
            "name": group["name"],
            "flows": group["flows"],
            "goodput_mbps": group["goodput_mbps"],
            "jain": group["jain"],
            **{f"delay_{key}_ms": value for key, value in group["delay_ms"].items()},
            "completion_count": 0,
            "completion_unfinished": 0,
            **dict.fromkeys(f"completion_{key}_ms" for key in ("mean", "p50", "p95", "p99")),
            **dict.fromkeys(one.column.removeprefix("class_") for one in OF_CLASSES if is_quality(one)),
        }
        for group in result.document["classes"]
    ]
    queues = result.document["queues"]
    assert result.queues["name"].to_list() == [queue["name"] for queue in queues]
    assert result.queues["wait_p95_ms"].to_list() == [queue["wait_ms"]["p95"] for queue in queues]
    assert result.queues["marked"].null_count() == len(queues)


def test_stores_have_classes_and_formulas_can_use_their_measures() -> None:
    """A row of a store has the measures of its class; `class.NAME.MEASURE` is a metric of a run."""
    found = sweep(workload(), {"scheme": ["reno"]}, reps=2)
    (point,) = found.study.points()
    documents = [airhop.run(workload(), rep=rep).document for rep in range(2)]
    groups = [{group["name"]: group for group in document["classes"]} for document in documents]
    for name in ("bulk down", "backup"):
        assert found.values(point, f"class.{name}.delay_p95_ms") == {
            rep: groups[rep][name]["delay_ms"]["p95"] for rep in range(2)
        }
    share = found.values(point, "class.bulk up.goodput_mbps / goodput_mbps")
    assert share[0] == pytest.approx(
        groups[0]["bulk up"]["goodput_mbps"] / airhop.run(workload()).goodput_mbps
    )
    with pytest.raises(airhop.InputError, match=r"no metric `class\.bulk up\.srtt_ms`"):
        found.values(point, "class.bulk up.srtt_ms")


def test_run_prints_a_table_of_classes_if_there_are_several(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "workload.toml"
    scenario.write_text(workload().toml())
    shown = cli("run", str(scenario)).out
    assert "classes of flows" in shown and "bulk down" in shown and "jain" in shown
    assert "classes of flows" not in cli("run", "last-hop", "--set", "duration=3 s").out
