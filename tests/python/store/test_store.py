"""Contract of the store: every added run is read back once, with one row per flow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import store_writer
from airhop import _core
from airhop.analysis.measures import OF_CLASSES, OF_FLOWS
from airhop.errors import InputError
from airhop.scenario import Scenario
from airhop.simulate import Job, model
from airhop.store import COLUMNS, MemoryStore, Store, read_rows, store
from airhop.store.layout import parts
from airhop.store.parts import write_part
from airhop.store.schema import FinishedRun, combine, rows_of

TWO_FLOWS = {
    "name": "two flows",
    "duration": "2 s",
    "wired": [{"name": "w", "ends": ["a", "b"], "rate": "10 Mbit/s", "delay": "1 ms"}],
    "flow": [
        {
            "name": "ftp",
            "from": "a",
            "to": "b",
            "scheme": "reno",
            "segment": "1000 B",
            "app": {"kind": "bulk"},
        },
        {
            "name": "cbr",
            "from": "b",
            "to": "a",
            "transport": "udp",
            "segment": "500 B",
            "app": {"kind": "cbr", "rate": "1 Mbit/s"},
        },
    ],
}

NAMED_OTHERWISE = (
    "name",
    "notices",
    "marks",
    "judgements",
    "lateness",
    "delay_ms",
    "rtt_ms",
    "completion_ms",
    "connections",
    "video",
)
"""Keys of a flow that are no columns."""
QUALITIES = ("call", "game")
"""Keys of flows and classes with such applications."""


OF_VIDEOS = ("startup_s", "stalls", "stalled_s", "stalled_pct", "played_s", "bitrate_mbps", "switches",
             "segments")  # fmt: skip
"""Numbers of the quality of a video."""


def parquet(folder: Path) -> pl.DataFrame:
    """Read the dataset as an external program, which knows only its folder."""
    return pl.read_parquet(folder / "**" / "*.parquet").sort("run_id", maintain_order=True)


def simulate(job: Job) -> str:
    return _core.run(job.scenario.core, job.seed, job.rep).json()


def durations(prefix: str, group: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of delays, completion times and quality of a flow or a class."""
    delay = group["delay_ms"] or dict.fromkeys(("mean", "p50", "p95", "p99", "max"))
    times = dict.fromkeys(("mean", "p50", "p95", "p99"))
    completion = group["completion_ms"] or {"count": 0, "unfinished": 0, **times}
    return (
        {f"{prefix}delay_{key}_ms": value for key, value in delay.items()}
        | {f"{prefix}completion_{key}": completion[key] for key in ("count", "unfinished")}
        | {f"{prefix}completion_{key}_ms": completion[key] for key in times}
        | {f"{prefix}video_{key}": group.get("video", {}).get(key) for key in OF_VIDEOS}
    )


def test_a_row_has_every_value_of_the_run_document(tmp_path: Path) -> None:
    """The dataset has every measure of the core under its name, except the wall clock."""
    job = Job(Scenario.load(TWO_FLOWS), seed=3, rep=4)
    document = json.loads(simulate(job))
    with Store.open(tmp_path) as opened:
        opened.add(job, json.dumps(document), {})
    rows = parquet(tmp_path)
    assert rows.schema == COLUMNS
    assert len(rows) == len(document["flows"])
    for row, flow in zip(rows.to_dicts(), document["flows"], strict=True):
        tables = ("flows", "classes", "queues", "stations", "drops", "wall_s")
        run = {key: value for key, value in document.items() if key not in tables}
        expected = run | {key: value for key, value in flow.items() if key not in NAMED_OTHERWISE}
        expected |= {f"notices_{kind}": count for kind, count in flow["notices"].items()}
        expected |= {f"marks_{kind}": count for kind, count in flow["marks"].items()}
        late = flow["lateness"] or {"notices": 0, "late": 0, "mean_ms": None}
        expected |= {f"lateness_{key}": value for key, value in late.items()}
        [group] = [group for group in document["classes"] if group["name"] == flow["class"]]
        expected |= {f"class_{key}": group[key] for key in ("flows", "goodput_mbps", "jain")}
        expected |= durations("class_", group)
        expected |= durations("", flow)
        connections = flow["connections"] or dict.fromkeys(("opened", "closed", "time_wait"), 0)
        expected |= {f"connections_{key}": count for key, count in connections.items()}
        round_trips = flow["rtt_ms"] or dict.fromkeys(("min", "p50", "p95", "p99"))
        expected |= {f"rtt_{key}_ms": value for key, value in round_trips.items()}
        expected |= {
            f"judged_{judged}_{cause}": count
            for judged, causes in flow["judgements"].items()
            for cause, count in causes.items()
        }
        expected |= dict.fromkeys(one.column for one in (*OF_FLOWS, *OF_CLASSES) if one.path[0] in QUALITIES)
        expected |= {f"drops_{cause}": count for cause, count in document["drops"].items()}
        expected |= {"airtime_jain": document.get("airtime_jain")}
        expected |= {"flow": flow["name"], "run_id": job.run_id}
        expected |= {"airhop": _core.__version__, "model": model()}
        scenario = json.loads(row.pop("scenario_json"))
        assert row == expected
        assert Scenario.load(scenario) == job.scenario


def test_measures_unknown_to_earlier_versions_are_null(tmp_path: Path) -> None:
    job = Job(Scenario.load(TWO_FLOWS))
    document = json.loads(simulate(job))
    for flow in document["flows"]:
        del flow["judgements"], flow["completion_s"]
    with Store.open(tmp_path) as opened:
        opened.add(job, json.dumps(document), {})
    (row, _) = read_rows(tmp_path).to_dicts()
    assert row["goodput_mbps"] > 0
    assert row["completion_s"] is row["judged_wireless_channel"] is None


def test_the_scenario_text_is_stored_once_for_all_flows_of_a_run(tmp_path: Path) -> None:
    """Memory and disk of a run of n flows are proportional to n; its scenario's text also grows with n."""
    flows, text = 2_000, "x" * 1_000_000
    document = json.loads(simulate(Job(Scenario.load(TWO_FLOWS))))
    document["flows"] = [document["flows"][0] | {"name": f"f{number}"} for number in range(flows)]
    run = FinishedRun("0" * 32, {}, json.dumps(document), text, "0.1.0", "model")
    rows = combine([rows_of([run]), rows_of([run])])
    assert len(rows) == flows
    assert rows.estimated_size() < 10 * len(text)
    write_part(tmp_path, rows)
    assert sum(path.stat().st_size for path in parts(tmp_path)) < len(text)


def test_parts_with_scenarios_as_plain_text_are_still_read(tmp_path: Path) -> None:
    job = Job(Scenario.load(TWO_FLOWS))
    with Store.open(tmp_path) as opened:
        opened.add(job, simulate(job), {})
    rows = read_rows(tmp_path)
    (part,) = parts(tmp_path / "runs")
    part.unlink()
    write_part(tmp_path / "runs", rows.cast({"scenario_json": pl.String}))
    assert_frame_equal(read_rows(tmp_path), rows)


def test_memory_journal_and_part_return_the_same_rows(tmp_path: Path) -> None:
    memory = MemoryStore()
    store_writer.add(memory, range(20))
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(12))
        opened.save()
        store_writer.add(opened, range(12, 20))
        assert opened.known() == memory.known()
        assert_frame_equal(opened.rows(), memory.rows())  # a part and a journal
        assert_frame_equal(read_rows(tmp_path), memory.rows())  # by another process, without a lock
    assert_frame_equal(read_rows(tmp_path), memory.rows())
    assert_frame_equal(parquet(tmp_path), memory.rows())
    with Store.open(tmp_path) as opened:
        assert opened.known() == memory.known()
        assert_frame_equal(opened.rows(), memory.rows())


def test_the_order_of_rows_does_not_depend_on_the_order_of_runs(tmp_path: Path) -> None:
    with Store.open(tmp_path / "forth") as forth, Store.open(tmp_path / "back") as back:
        store_writer.add(forth, range(10))
        store_writer.add(back, reversed(range(10)))
    names = [[path.name for path in (tmp_path / way / "runs").glob("*.parquet")] for way in ("forth", "back")]
    assert names[0] == names[1]  # the name contains a checksum: the file is equal byte for byte
    assert read_rows(tmp_path / "back")["flow"].to_list() == ["ftp", "cbr"] * 10  # as in the scenario


def test_the_rows_of_selected_runs_are_returned(tmp_path: Path) -> None:
    wanted = [store_writer.job(number).run_id for number in (3, 1)]
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(6))
        assert set(opened.rows(wanted)["run_id"]) == set(wanted)
        assert opened.rows([]).is_empty()


def test_a_run_is_stored_once(tmp_path: Path) -> None:
    """A run of two studies keeps the axis columns of the first, even if another process stored it."""
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, [1, 1])
        assert (tmp_path / "runs" / "writer.journal").read_text().count("\trun\t") == 1
    with Store.open(tmp_path) as opened:
        opened.add(store_writer.job(1), store_writer.document(1), {"another.axis": 1})
    rows = parquet(tmp_path)
    assert len(rows) == 2
    assert rows[store_writer.AXIS].to_list() == [0.01, 0.01]
    assert "another.axis" not in rows.columns


def test_a_full_journal_is_converted_to_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RUNS_PER_PART", 3)
    with Store.open(tmp_path) as opened:
        for number in range(7):
            store_writer.add(opened, [number])
            assert len(list(tmp_path.glob("runs/*.parquet"))) == (number + 1) // 3
            assert len(read_rows(tmp_path)) == len(opened.rows()) == 2 * (number + 1)
    assert len(parquet(tmp_path)) == 14
    assert not list(tmp_path.glob("runs/*.journal"))


@pytest.mark.parametrize("step", ["journals", "read_journal", "parts", "read_part"])
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_a_reader_finds_every_run_while_the_writer_makes_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, first: bool
) -> None:
    """Between any two steps of a reader the writer may convert its journal into a part."""
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
        opened.save()
        store_writer.add(opened, range(3, 6))
        original = getattr(store, step)

        def meanwhile(*given: object) -> object:
            monkeypatch.undo()  # the writer also uses these functions
            if first:
                opened.save()
            result = original(*given)
            opened.save()
            return result

        monkeypatch.setattr(store, step, meanwhile)
        rows = read_rows(tmp_path)
    assert_frame_equal(rows, read_rows(tmp_path))
    assert len(rows) == 12


def test_saving_without_new_runs_writes_no_file(tmp_path: Path) -> None:
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*.parquet")}
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
        opened.save()
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*.parquet")} == before


def test_the_scenario_is_written_once_per_journal(tmp_path: Path) -> None:
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(10))
        text = (tmp_path / "runs" / "writer.journal").read_text()
    assert text.count(store_writer.scenario("reno").core.json()) == 1
    assert text.count("\n") == 2 + len(store_writer.SCHEMES) + 10


def test_a_document_may_have_any_white_space(tmp_path: Path) -> None:
    """A run is one line of the journal, with any white space in its document."""
    memory = MemoryStore()
    with Store.open(tmp_path) as opened:
        for number, indent in enumerate((None, 2, "\t")):
            document = json.dumps(json.loads(store_writer.document(number)), indent=indent)
            opened.add(store_writer.job(number), document, {})
            memory.add(store_writer.job(number), document, {})
        assert_frame_equal(read_rows(tmp_path), memory.rows())


def test_a_store_has_the_axis_columns_of_all_its_studies(tmp_path: Path) -> None:
    with Store.open(tmp_path) as opened:
        studies: list[dict[str, object]] = [{"b": 1.5}, {"a": "x", "b": 2.5}, {}]
        for number, varied in enumerate(studies):
            opened.add(store_writer.job(number), store_writer.document(number), varied)
            opened.save()
        rows = opened.rows()
    by_rep = {row["fingerprint"]: (row["a"], row["b"]) for row in rows.to_dicts()}
    assert [by_rep[f"{number:016x}"] for number in range(3)] == [(None, 1.5), ("x", 2.5), (None, None)]
    first, last = rows.columns.index("rep"), rows.columns.index("duration_s")
    assert rows.columns[first + 1 : last] == ["a", "b"]


@pytest.mark.parametrize("split", [False, True], ids=["one part", "a part each"])
@pytest.mark.parametrize(
    ("given", "expected", "dtype"),
    [
        ([1, 2], [1.0, 2.0], pl.Float64),
        ([1, 0.5], [1.0, 0.5], pl.Float64),
        ([10, 0.5, "unlimited"], ["10", "0.5", "unlimited"], pl.String),
        ([10.0, 1e-4, "unlimited"], ["10", "0.0001", "unlimited"], pl.String),
        ([True, False], [True, False], pl.Boolean),
        ([True, 2], ["true", "2"], pl.String),
        ([2**70, 1], [2.0**70, 1.0], pl.Float64),
        ([np.int64(3), np.float64(0.5)], [3.0, 0.5], pl.Float64),
        ([None, 3], [None, 3.0], pl.Float64),
        ([{"kind": "red"}, [1, 2]], ['{"kind": "red"}', "[1, 2]"], pl.String),
    ],
)
def test_values_of_an_axis_have_a_common_type(
    tmp_path: Path, given: list[object], expected: list[object], dtype: pl.DataType, split: bool
) -> None:
    """An axis may have whole numbers, fractions or text in studies that share a store, in any order."""
    memory = MemoryStore()
    with Store.open(tmp_path) as opened:
        for number, value in enumerate(given):
            for to in (opened, memory):
                to.add(store_writer.job(number), store_writer.document(number), {"axis": value})
            if split:
                opened.save()
    for rows in (read_rows(tmp_path), memory.rows()):
        column = rows.sort("fingerprint").filter(pl.col("flow") == "ftp")["axis"]
        assert column.dtype == dtype
        assert column.to_list() == expected


def test_values_of_the_run_take_precedence_over_values_of_the_study(tmp_path: Path) -> None:
    """A study may vary `scheme` or `duration`, whose columns already exist, with a value per flow."""
    with Store.open(tmp_path) as opened:
        opened.add(store_writer.job(0), store_writer.document(0), {"scheme": "reno(n=3)", "duration_s": 1})
        rows = opened.rows()
    assert rows["scheme"].to_list() == ["reno", None]
    assert rows["duration_s"].to_list() == [200.0, 200.0]


def test_a_folder_without_runs_has_no_rows(tmp_path: Path) -> None:
    assert read_rows(tmp_path).schema == COLUMNS
    assert read_rows(tmp_path).is_empty()
    with pytest.raises(InputError, match="there is no folder"):
        read_rows(tmp_path / "nowhere")
