"""Measures are declared once, in Rust, for documents, data frames, stores, studies and comparisons."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import airhop
from airhop.analysis import measures
from airhop.analysis.measures import MEASURES, OF_FLOWS, OF_RUNS, Measure
from airhop.comparison import METRICS as COMPARED
from airhop.plots.quantities import QUANTITIES
from airhop.store import COLUMNS, MemoryStore
from airhop.study.measure import METRICS, OF_A_FLOW, per_run
from made_documents import QUALITIES, blank_flow, blank_run
from store_writer import document, job, values

IDENTITY = ["name", "scheme", "transport", "from", "to", "class"]


@pytest.fixture(scope="module")
def mixed() -> airhop.Result:
    """Run a bulk transfer beside a finite one and a stream of datagrams."""
    flow = {"from": "s", "to": "d"}
    scenario = airhop.Scenario.load("last-hop").to_dict() | {"duration": "3 s"}
    scenario["flow"] = [
        flow | {"name": "bulk", "scheme": "reno", "app": {"kind": "bulk"}},
        flow | {"name": "web", "scheme": "sack", "app": {"kind": "transfer", "size": "50 kB"}},
        flow
        | {
            "name": "call",
            "transport": "udp",
            "segment": "160 B",
            "app": {"kind": "cbr", "rate": "64 kbit/s"},
        },
    ]
    return airhop.run(airhop.Scenario.load(scenario))


def test_run_documents_have_the_declared_measures_in_their_order(mixed: airhop.Result) -> None:
    """Only flows of calls, games or videos have an entry for the quality of these applications."""
    everywhere = [measure for measure in OF_FLOWS if measure.path[0] not in QUALITIES]
    declared = list(dict.fromkeys(measure.path[0] for measure in everywhere))
    for flow in mixed.document["flows"]:
        assert list(flow) == IDENTITY + declared
        assert all(measure.value(flow) is not None for measure in everywhere if measure.is_count)
    of_run = [(measure.value(mixed.document), int if measure.is_count else float) for measure in OF_RUNS]
    assert all(isinstance(value, kind) for value, kind in of_run)


def test_frames_stores_studies_and_report_menus_have_every_measure(mixed: airhop.Result) -> None:
    columns = {measure.column for measure in OF_FLOWS} - set(measures.NOTICES)
    notices = {column.replace("notices_", "notice_") for column in measures.NOTICES}
    assert set(mixed.flows.columns) == columns.union(IDENTITY, notices)
    assert set(MEASURES) <= set(COLUMNS)
    of_a_run = {column for column, measure in MEASURES.items() if measure.over_flows != "apart"}
    assert of_a_run == set(METRICS) - {"jain", "judged_right"}
    assert {measure.column for measure in OF_FLOWS if measure.over_flows != "apart"} == set(OF_A_FLOW)
    assert set(COMPARED) <= set(METRICS)
    labels = {quantity.column: quantity.label for quantity in QUANTITIES}
    assert all(labels[column] == MEASURES[column].label for column in COMPARED if column != "delivered_bytes")


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda measure: measure.column)
def test_every_measure_has_a_definition(measure: Measure) -> None:
    assert measure.about.endswith(".") and measure.label and measure.heading
    ending = {"Mbit/s": "mbps", "B": "bytes", "%": "pct", "": ""}.get(measure.unit, measure.unit)
    assert measure.column.endswith(ending)


def test_a_comparison_and_a_study_aggregate_flows_equally(mixed: airhop.Result) -> None:
    """Both compute the same measures of a run: `srtt_ms` is the mean over the flows with a value."""
    store = MemoryStore()
    store.add(job(0), json.dumps(mixed.document), values(0))
    in_study = per_run(store.rows()).row(0, named=True)
    of_flows = [name for name in COMPARED if MEASURES[name].of == "flow"]
    compared = measures.aggregate_flows(mixed.document["flows"], of_flows)
    assert compared == pytest.approx({name: in_study[name] for name in of_flows}, nan_ok=False)
    assert in_study["airtime_jain"] == mixed.document["airtime_jain"]
    bulk, web, _ = mixed.document["flows"]
    assert compared["goodput_mbps"] == bulk["goodput_mbps"] + web["goodput_mbps"]
    assert compared["srtt_ms"] == pytest.approx((bulk["srtt_ms"] + web["srtt_ms"]) / 2)
    assert compared["completion_s"] == web["completion_s"]


def test_a_flow_without_a_round_trip_time_is_left_out_of_the_mean() -> None:
    """If one of two flows never had an ACK, the mean is the other flow's value, not half of it."""
    flow = blank_flow() | {"transport": "tcp"}
    flows = [flow | {"srtt_ms": 80.0}, flow]
    assert measures.aggregate_flows(flows, ["srtt_ms", "timeouts"]) == {"srtt_ms": 80.0, "timeouts": 0.0}
    assert measures.aggregate_flows([flow], ["srtt_ms"]) == {"srtt_ms": None}


def test_values_that_only_a_real_host_knows_are_null_in_the_flows_frame() -> None:
    unknown = {measure.path[0]: None for measure in OF_FLOWS if not measure.of_real}
    real = airhop.Result(json.dumps(blank_run() | {"flows": [blank_flow() | {"transport": "tcp"} | unknown]}))
    (row,) = real.flows.rows(named=True)
    assert {name for name, value in row.items() if name in MEASURES and value is None} >= {
        measure.column for measure in OF_FLOWS if not measure.of_real
    }
    assert row["sent_segments"] == row["notice_eln"] == 0


@pytest.mark.parametrize("measure", OF_FLOWS, ids=lambda measure: measure.column)
def test_documents_of_earlier_versions_have_null_for_a_measure_that_they_lack(measure: Measure) -> None:
    earlier = json.loads(document(3))
    for flow in earlier["flows"]:
        flow.pop(measure.path[0], None)  # only flows of some applications have this group
    store = MemoryStore()
    store.add(job(3), json.dumps(earlier), values(3))
    assert store.rows()[measure.column].null_count() == len(earlier["flows"])


def test_a_measure_that_a_document_lacks_has_the_value_none() -> None:
    new = replace(MEASURES["srtt_ms"], column="wait_p95_ms", path=("wait_ms", "p95"))
    assert new.value({"wait_ms": {"p95": 3.5}, "judgements": {}}) == 3.5
    assert new.value({"wait_ms": None, "judgements": {}}) is None
    assert new.value({"judgements": {}}) is None


def test_titles_keep_the_capitals_of_names() -> None:
    titles = [MEASURES[column].title for column in ("class_jain", "class_call_r", "goodput_mbps")]
    assert titles == ["Jain's index", "rating R", "goodput, Mbit/s"]


def test_stores_without_some_of_todays_columns_are_read(tmp_path: Path) -> None:
    """In the rows of a Parquet part of an earlier version, newer columns are null."""
    store = MemoryStore()
    store.add(job(1), document(1), values(1))
    earlier = store.rows().drop("lateness_mean_ms", "route_hops")
    earlier.write_parquet(tmp_path / "earlier.parquet")
    from airhop.store.schema import combine

    rows = combine([pl.read_parquet(tmp_path / "earlier.parquet")])
    assert set(COLUMNS) <= set(rows.columns) and rows["route_hops"].null_count() == rows.height
