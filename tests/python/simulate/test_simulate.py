"""Running through the Python API: documents, frames, tables, replications."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import airhop
from airhop import InputError, Interrupted, Job, Result, Scenario, _core


@pytest.fixture(scope="module")
def short() -> Scenario:
    return Scenario.load("last-hop").with_({"duration": "5 s"})


def test_the_dataframe_of_flows_equals_the_document(short: Scenario) -> None:
    result = airhop.run(short, scheme="sack", seed=3, rep=2)
    document = result.to_dict()
    assert (document["seed"], document["rep"], document["duration_s"]) == (3, 2, 5.0)
    row = result.flows.row(0, named=True)
    assert row["scheme"] == "sack"
    assert row["goodput_mbps"] == document["flows"][0]["goodput_mbps"] == result.goodput_mbps
    assert row["notice_eln"] == document["flows"][0]["notices"]["eln"]
    json.dumps(document, allow_nan=False)


def test_changing_a_returned_document_does_not_change_the_result(short: Scenario) -> None:
    result = airhop.run(short)
    result.to_dict()["flows"].clear()
    result.drops.clear()
    assert result.flows.height == 1
    assert result.drops


def test_goodput_equals_delivered_bytes_divided_by_duration(short: Scenario) -> None:
    flow = airhop.run(short).document["flows"][0]
    assert flow["goodput_mbps"] == pytest.approx(flow["delivered_bytes"] * 8 / 5.0 / 1e6, rel=1e-6)


def test_trace_tables_have_the_specified_types(short: Scenario, tmp_path: Path) -> None:
    result = airhop.run(short, trace=True)
    logged = {"segments", "acks", "window", "drops", "queue", "notices", "deliveries", "air", "packets"}
    assert set(result.tables) == logged | {"fades", "stations", "mpdus"}
    segments = result.tables["segments"]
    assert segments.schema["time_s"] == pl.Float64
    assert segments.schema["seq"] == pl.UInt64
    assert segments.schema["bytes"] == pl.UInt32
    assert segments.schema["retransmission"] == pl.Boolean
    assert segments.schema["flow"] == pl.String
    assert segments["flow"].str.starts_with("ft").all()
    assert segments["flow"].unique().to_list() == ["ftp"]
    assert segments["time_s"].is_sorted()
    for path in result.write_tables(tmp_path / "trace"):
        assert pl.read_parquet(path).equals(result.tables[path.stem])


def test_a_run_without_trace_has_no_tables(short: Scenario) -> None:
    assert airhop.run(short).tables == {}


def test_run_many_returns_results_in_the_order_of_the_jobs(short: Scenario) -> None:
    jobs = [Job(short, seed=1, rep=rep) for rep in (2, 0, 1)]
    seen: list[int] = []
    results = airhop.run_many(jobs, threads=2, on_done=lambda index, _: seen.append(index))
    assert [result.document["rep"] for result in results] == [2, 0, 1]
    assert sorted(seen) == [0, 1, 2]


def test_run_many_orders_results_that_finish_in_another_order(
    short: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    def last_first(jobs: list[object], _threads: int, on_done: Callable[[int, str], None]) -> None:
        for index in reversed(range(len(jobs))):
            on_done(index, json.dumps({"rep": index}))

    monkeypatch.setattr(_core, "run_many", last_first)
    results = airhop.run_many([Job(short, rep=rep) for rep in range(3)])
    assert [result.document["rep"] for result in results] == [0, 1, 2]


def test_a_run_alone_equals_the_same_run_among_others(short: Scenario) -> None:
    alone = airhop.run(short, seed=1, rep=1).fingerprint
    among = airhop.run_many([Job(short, rep=rep) for rep in range(4)], threads=2)[1].fingerprint
    assert alone == among


def test_tracing_does_not_change_the_run(short: Scenario) -> None:
    assert airhop.run(short, trace=True).fingerprint == airhop.run(short).fingerprint


def test_an_interrupted_run_many_returns_finished_runs(short: Scenario) -> None:
    def stop(_index: int, _result: Result) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="1 of 50 runs had finished") as interrupt:
        airhop.run_many([Job(short, rep=rep) for rep in range(50)], threads=2, on_done=stop)
    assert len(interrupt.value.results) == 1


@pytest.mark.parametrize(("seed", "rep"), [(-1, 0), (1, -1), (2**64, 0)])
def test_seed_and_replication_must_be_whole_numbers(short: Scenario, seed: int, rep: int) -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        airhop.run(short, seed=seed, rep=rep)
