"""Metrics of runs are columns, columns of a single flow, or formulas of columns."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

import synthetic
from airhop import InputError, Scenario, Study, sweep
from airhop.simulate import Job
from airhop.store import MemoryStore
from airhop.study import Axis, Table, Until
from airhop.study.metric import columns_of, flows_of, measured

TWO_FLOWS = """
name = "two"
duration = "5 s"
wired = [{ name = "w", ends = ["a", "b"], rate = "5 Mbit/s", delay = "5 ms" }]
flow = [
    { name = "reno-1", from = "a", to = "b", scheme = "reno" },
    { name = "rival", from = "a", to = "b", scheme = "sack" },
]
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    file = tmp_path_factory.mktemp("net") / "two.toml"
    file.write_text(TWO_FLOWS)
    return sweep(file, {"flow.rival.scheme": ["sack", "reno"]}, reps=2)


def test_a_metric_of_a_flow_equals_the_value_of_that_flow(table: Table) -> None:
    flows = table.flows()
    own = flows.filter((flows["flow"] == "reno-1") & (flows["rep"] == 1))["goodput_mbps"].to_list()
    cells = table.cells("flow.reno-1.goodput_mbps")
    assert [table.values(cell.point, "flow.reno-1.goodput_mbps")[1] for cell in cells] == own
    both = table.values(cells[0].point, "flow.reno-1.goodput_mbps + flow.rival.goodput_mbps")
    assert both == pytest.approx(table.values(cells[0].point))


def test_a_formula_is_computed_for_each_run(table: Table) -> None:
    frame = table.frame("100 * retransmissions / (sent_segments - 1)")
    wanted = 100 * frame["retransmissions"] / (frame["sent_segments"] - 1)
    assert frame["100 * retransmissions / (sent_segments - 1)"].to_list() == wanted.to_list()


def test_values_that_cannot_be_computed_are_omitted(table: Table) -> None:
    # These runs have neither ELNs nor channel losses, so the formulas are 0/0 and a number divided by 0.
    for metric in ("notices_eln / drops_channel", "goodput_mbps / drops_channel"):
        assert table.values(table.study.points()[0], metric) == {}
    runs = pl.DataFrame({"timeouts": [3, 1], "drops_queue": [2, 0]})
    assert measured(runs, "timeouts / drops_queue")[0] == 1.5
    assert math.isnan(measured(runs, "timeouts / drops_queue")[1])


def test_names_of_flows_may_contain_dashes_and_numbers() -> None:
    assert columns_of("flow.ll-elsn-2.timeouts - 1e-3 * flow.f.srtt_ms") == (
        "flow.ll-elsn-2.timeouts",
        "flow.f.srtt_ms",
    )
    assert flows_of("flow.ll-elsn-2.timeouts / timeouts") == ["ll-elsn-2"]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("goodput", "no metric `goodput`. Did you mean `goodput_mbps`"),
        ("flow.reno.jain", "no metric `flow.reno.jain`"),  # a metric of runs, not of flows
        ("flow.reno", "no metric `flow.reno`"),
        ("hops.2.jain", "no metric `hops.2.jain`"),
        ("most.jain", "no metric `most.jain`"),
        ("hops.two.goodput_mbps", "is no metric|is no formula|no metric"),
        ("timeouts +", "is no formula"),
        ("timeouts ** 2", "is no formula"),
        ("timeouts if 1 else 2", "is no formula"),
        ("3", "is no formula"),
        ("", "is no formula"),
    ],
)
def test_unknown_metrics_are_refused(metric: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measured(pl.DataFrame({"timeouts": [1], "goodput_mbps": [1.0]}), metric)


def test_a_stopping_rule_can_use_the_interval_of_a_single_flow() -> None:
    # The goodput of a flow varies, but the sum of all goodputs does not: only the flow's metric needs a
    # second batch.
    scenario = Scenario.load("yun2009-downlink").with_({"copies": 2, "duration": "1 s"})
    store = MemoryStore()
    study = Study("one", scenario, (), Until(0.1, relative=True, of="flow.ftp1.goodput_mbps", max=4, batch=2))
    for rep in range(4):
        document = json.loads(_two(1.0 + rep % 2, 3.0 - rep % 2, rep))
        store.add(Job(scenario, 1, rep), json.dumps(document), {})
    assert len(Table(study, store.rows()).frame()) == 4
    total = Study("all", scenario, (), Until(0.1, relative=True, max=4, batch=2))
    assert len(Table(total, store.rows()).frame()) == 2


def test_metrics_can_aggregate_flows_by_route_length() -> None:
    # Three TCP flows of two hops, two and three; UDP flows never count, and a run without flows of two hops
    # has no value.
    scenario = Scenario.load("yun2009-downlink")
    store = MemoryStore()
    flow = synthetic.run_document("reno", 1.0, 0)["flows"][0]
    lengths = (("a", 2, "tcp", 1.0), ("b", 2, "tcp", 2.5), ("c", 3, "tcp", 4.0), ("d", 2, "udp", 8.0))
    for rep, kept in enumerate((lengths, lengths[2:])):
        document = synthetic.run_document("reno", 1.0, rep)
        document["flows"] = [
            flow | {"name": name, "route_hops": hops, "transport": transport, "goodput_mbps": goodput}
            for name, hops, transport, goodput in kept
        ]
        store.add(Job(scenario, 1, rep), json.dumps(document), {})
    table = Table(Study("classes", scenario, (), 2), store.rows())
    (point,) = table.study.points()
    assert table.values(point, "hops.2.goodput_mbps") == {0: 3.5}
    assert table.values(point, "hops.3.goodput_mbps / goodput_mbps") == {0: pytest.approx(4 / 7.5), 1: 1.0}


def test_the_maximum_over_flows_is_taken_over_the_tcp_flows_of_a_run() -> None:
    """The largest value of the TCP flows of each run; UDP has no timeouts, whatever its row contains."""
    scenario = Scenario.load("yun2009-downlink")
    store = MemoryStore()
    flow = synthetic.run_document("reno", 1.0, 0)["flows"][0]
    counts = (("a", "tcp", 3), ("b", "tcp", 7), ("c", "udp", 9))
    for rep in range(2):
        document = synthetic.run_document("reno", 1.0, rep)
        document["flows"] = [
            flow | {"name": name, "transport": transport, "timeouts": count + rep}
            for name, transport, count in counts
        ]
        store.add(Job(scenario, 1, rep), json.dumps(document), {})
    table = Table(Study("largest", scenario, (), 2), store.rows())
    (point,) = table.study.points()
    assert table.values(point, "most.timeouts") == {0: 7.0, 1: 8.0}
    assert table.values(point, "most.timeouts / timeouts") == {0: 0.7, 1: pytest.approx(8 / 12)}


def _two(first: float, second: float, rep: int) -> str:
    document = synthetic.run_document("reno", first, rep)
    (flow,) = document["flows"]
    document["flows"] = [flow | {"name": "ftp1"}, flow | {"name": "ftp2", "goodput_mbps": second}]
    return json.dumps(document)


def test_a_stopping_rule_for_an_unknown_flow_is_refused() -> None:
    rule = Until(0.1, relative=True, of="flow.ftq.goodput_mbps", max=4, batch=2)
    with pytest.raises(InputError, match=r"until\.of: there is no flow `ftq`"):
        Study("one", Scenario.load("yun2009-downlink"), (Axis.of("wlan.cell.attempts", [1, 2]),), rule)
