"""Running studies: computed and reused runs, the stopping rule, and the tables."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import airhop
from airhop import InputError, Job, Scenario, Study, Table, stats
from airhop.engines import Shard
from airhop.progress import Reporter, Task
from airhop.store import MemoryStore
from airhop.study import Axis, InterruptedSweep, Until, run_in, run_study
from airhop.study.measure import METRICS
from airhop.study.spread import Spread

FER = "wlan.cell.errors.fer"
Goodput = Callable[[str, float, int], float]


class MadeUp:
    """Engine that returns synthetic documents, in the given or the reverse order, and can be interrupted."""

    name = "made-up"
    workers = 3

    def __init__(self, goodput: Goodput, *, backwards: bool = False, stop_after: int | None = None) -> None:
        self.goodput = goodput
        self.backwards = backwards
        self.left = stop_after
        self.ran: list[tuple[str, float, int]] = []

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, str], None]) -> None:
        order = range(len(jobs))
        for index in reversed(order) if self.backwards else order:
            if self.left == 0:
                raise KeyboardInterrupt
            self.left = None if self.left is None else self.left - 1
            on_done(index, self.document(jobs[index]))

    def document(self, job: Job) -> str:
        scenario = job.scenario.to_dict()
        scheme = scenario["flow"][0]["scheme"]
        scheme = scheme if isinstance(scheme, str) else scheme["name"]
        key = (scheme, scenario["wlan"][0]["errors"]["fer"], job.rep)
        self.ran.append(key)
        document = real_document()
        notices = dict.fromkeys(document["flows"][0]["notices"], 2)
        counts = {"delivered_bytes": 1000, "srtt_ms": 50.0, "notices": notices}
        flow = document["flows"][0] | {"scheme": scheme, "goodput_mbps": self.goodput(*key)} | counts
        second = flow | {"name": "second", "goodput_mbps": 0.0, "srtt_ms": None}
        datagrams = flow | {"name": "udp", "scheme": None, "transport": "udp", "goodput_mbps": 99.0}
        drops = dict.fromkeys(document["drops"], 4)
        made = {"seed": job.seed, "rep": job.rep, "events": 5, "fingerprint": str(key), "drops": drops}
        return json.dumps(document | made | {"flows": [flow, second, datagrams]})


@cache
def real_document() -> dict[str, Any]:
    return airhop.run(Scenario.load("last-hop").with_({"duration": "0.1 s"})).to_dict()


def study(**changes: Any) -> Study:
    axes = (Axis.of("scheme", ["reno", "sack"]), Axis.of(FER, [0.01, 0.1]))
    return Study(
        **{"name": "made-up", "scenario": Scenario.load("last-hop"), "axes": axes, "reps": 3, **changes}
    )


def noisy(scheme: str, fer: float, rep: int) -> float:
    """Return a goodput with a scatter common to all schemes, and a small scatter of the scheme."""
    mean = {"reno": 10.0, "sack": 20.0}[scheme]
    channel = scipy.stats.norm.ppf((rep * 0.618 + 0.05) % 1.0)
    own = scipy.stats.norm.ppf((rep * 0.7549 + 0.03 * mean) % 1.0)
    return float(mean + (0.1 if fer < 0.05 else 3.0) * (channel + 0.2 * own))


def test_every_point_has_every_replication_in_order() -> None:
    engine = MadeUp(noisy)
    table = run_study(study(), store=MemoryStore(), engine=engine)
    assert [rep for *_, rep in engine.ran] == [0] * 4 + [1] * 4 + [2] * 4
    # Within a replication the compared runs are adjacent.
    assert [(fer, scheme) for scheme, fer, _ in engine.ran[:4]] == [
        (0.01, "reno"), (0.01, "sack"), (0.1, "reno"), (0.1, "sack"),
    ]  # fmt: skip
    assert (table.computed, table.reused, table.complete) == (12, 0, True)


def test_stored_rows_are_reused() -> None:
    store = MemoryStore()
    few = run_study(
        study(axes=(Axis.of("scheme", ["sack"]), Axis.of(FER, [0.1]))), store=store, engine=MadeUp(noisy)
    )
    assert (few.computed, few.reused) == (3, 0)
    engine = MadeUp(noisy)
    table = run_study(study(reps=4), store=store, engine=engine)
    assert (table.computed, table.reused) == (13, 3)
    assert not any(scheme == "sack" and fer == 0.1 and rep < 3 for scheme, fer, rep in engine.ran)
    again = run_study(study(reps=4), store=store, engine=MadeUp(noisy))
    assert (again.computed, again.reused) == (0, 16)
    # A study with fewer replications finds only its own runs.
    assert run_study(study(reps=2), store=store, engine=MadeUp(noisy)).frame()["rep"].to_list() == [0, 1] * 4


def test_the_dataframe_does_not_depend_on_the_order_of_runs() -> None:
    forth, back = (
        run_study(study(), store=MemoryStore(), engine=MadeUp(noisy, backwards=b)) for b in (False, True)
    )
    assert forth.frame().equals(back.frame())
    assert forth.flows().equals(back.flows())
    assert forth.frame().select("scheme", FER, "rep").rows() == [
        (scheme, fer, rep) for scheme in ("reno", "sack") for fer in (0.01, 0.1) for rep in range(3)
    ]


def test_the_dataframe_has_the_summed_goodput_of_tcp_flows() -> None:
    frame = run_study(study(), store=MemoryStore(), engine=MadeUp(noisy)).frame()
    assert frame.columns == ["scheme", FER, "seed", "rep", *METRICS, "duration_s", "fingerprint", "run_id"]
    row = frame.row(0, named=True)
    assert row["goodput_mbps"] == noisy("reno", 0.01, 0)
    assert (row["delivered_bytes"], row["notices_eln"], row["drops_queue"]) == (2000, 4, 4)
    assert row["srtt_ms"] == 50.0  # of the only flow with a value
    assert row["jain"] == pytest.approx(0.5)  # one of two flows has all the goodput (Jain et al. 1984)


def test_the_fairness_index_of_flows_without_goodput_is_null() -> None:
    table = run_study(study(), store=MemoryStore(), engine=MadeUp(lambda *_: 0.0))
    assert table.frame()["jain"].to_list() == [None] * 12
    assert table.values(table.study.points()[0], "jain") == {} and table.cells("jain") == []


def test_the_flows_dataframe_has_the_axis_columns_first() -> None:
    axes = (Axis.of("scheme", [{"name": "ll-elsn", "n": 3}]), Axis.of("duration", ["3 s"]))
    table = run_study(study(axes=axes, reps=1), store=MemoryStore(), engine=MadeUp(lambda *_: 1.0))
    flows = table.flows()
    assert flows.columns[:2] == ["scheme", "duration_s"] and len(set(flows.columns)) == len(flows.columns)
    assert flows["flow"].to_list() == ["ftp", "second", "udp"]
    assert flows["scheme"].to_list() == ["ll-elsn(n=3)", "ll-elsn(n=3)", None]
    # The axis has precedence over the column of that name.
    assert flows["duration_s"].to_list() == [3.0] * 3 == table.frame()["duration_s"].to_list() * 3


def test_means_ratios_and_differences_of_cells_equal_the_textbook_formulas() -> None:
    table = run_study(study(reps=8), store=MemoryStore(), engine=MadeUp(noisy))
    cells = {(cell.point.scheme, cell.point.setting): cell for cell in table.cells()}
    sample = {s: np.array([noisy(s, 0.1, rep) for rep in range(8)]) for s in ("reno", "sack")}
    t = scipy.stats.t.ppf(0.975, 7) / math.sqrt(8)
    reno, sack = cells["reno", (0.1,)], cells["sack", (0.1,)]
    assert (reno.difference, reno.ratio) == (None, None)
    assert sack.value.mean == pytest.approx(sample["sack"].mean())
    assert sack.value.half_width == pytest.approx(t * sample["sack"].std(ddof=1))
    difference = sample["sack"] - sample["reno"]
    assert sack.difference is not None and sack.ratio is not None
    assert sack.difference.mean == pytest.approx(difference.mean())
    assert sack.difference.half_width == pytest.approx(t * difference.std(ddof=1))
    assert sack.difference.correlation == pytest.approx(np.corrcoef(sample["sack"], sample["reno"])[0, 1])
    assert sack.ratio.value == pytest.approx(sample["sack"].mean() / sample["reno"].mean())


def test_cells_are_paired_over_their_common_replications() -> None:
    # Interrupted after 9 of 12 runs, replication 2 has one run, of Reno at 1 %.
    with pytest.raises(InterruptedSweep) as stop:
        run_study(study(), store=MemoryStore(), engine=MadeUp(noisy, stop_after=9))
    cells = {(cell.point.scheme, cell.point.setting): cell for cell in stop.value.table.cells()}
    sack = cells["sack", (0.01,)]
    assert cells["reno", (0.01,)].n == 3 and sack.n == 2
    assert sack.difference is not None and sack.difference.n == 2
    assert sack.difference.mean == pytest.approx(
        np.mean([noisy("sack", 0.01, r) - noisy("reno", 0.01, r) for r in (0, 1)])
    )


def test_an_unknown_metric_of_a_study_is_refused() -> None:
    table = run_study(study(), store=MemoryStore(), engine=MadeUp(noisy))
    with pytest.raises(InputError, match="Did you mean `goodput_mbps`"):
        table.cells("goodput")


def test_an_interrupted_study_keeps_finished_points() -> None:
    store = MemoryStore()
    with pytest.raises(InterruptedSweep, match="5 runs computed, 0 reused") as stop:
        run_study(study(), store=store, engine=MadeUp(noisy, stop_after=5))
    assert len(stop.value.table.frame()) == 5 and not stop.value.table.complete
    assert any("not complete: this folder has 5 runs" in warning for warning in stop.value.table.warnings())
    resumed = run_study(study(), store=store, engine=MadeUp(noisy))
    assert (resumed.computed, resumed.reused, resumed.complete) == (7, 5, True)
    undisturbed = run_study(study(), store=MemoryStore(), engine=MadeUp(noisy))
    assert resumed.frame().equals(undisturbed.frame())


UNTIL = Until(0.02, relative=True, max=12, batch=3)


def stopped(table: Table) -> dict[float, int]:
    """Return the replications by setting, which all schemes share."""
    frame = table.frame().group_by(FER, "scheme").len().group_by(FER).agg(pl.col("len").unique())
    return {fer: one for fer, (one,) in frame.iter_rows()}


def test_a_stopping_rule_replicates_until_the_interval_is_narrow() -> None:
    engine = MadeUp(noisy)
    table = run_study(study(reps=UNTIL), store=MemoryStore(), engine=engine)
    counts = stopped(table)
    assert counts[0.1] == 12  # never narrow enough
    for count in range(3, counts[0.01] + 1, 3):
        widths = [
            scipy.stats.t.ppf(0.975, count - 1) * np.std(sample, ddof=1) / math.sqrt(count) / np.mean(sample)
            for sample in ([noisy(s, 0.01, rep) for rep in range(count)] for s in ("reno", "sack"))
        ]
        assert (max(widths) <= 0.02) == (count == counts[0.01])
    assert table.complete and table.computed == 2 * (12 + counts[0.01]) == len(engine.ran)
    assert any("at 1 of 2 settings" in warning for warning in table.warnings())


@settings(max_examples=12)
@given(
    st.sets(st.tuples(st.sampled_from(["reno", "sack"]), st.sampled_from([0.01, 0.1]), st.integers(0, 20)))
)
def test_a_stopping_rule_ignores_stored_rows_that_it_has_not_requested(
    there: set[tuple[str, float, int]],
) -> None:
    # With any existing rows, of other studies or of an interrupted study, the study stops at the same k.
    whole, store, engine = study(reps=UNTIL), MemoryStore(), MadeUp(noisy)
    points = {(point.scheme, point.setting[0]): point for point in whole.points()}
    for scheme, fer, rep in there:
        job = Job(points[scheme, fer].scenario, whole.seed, rep)
        store.add(job, engine.document(job), {})
    table = run_study(whole, store=store, engine=MadeUp(noisy))
    undisturbed = run_study(whole, store=MemoryStore(), engine=MadeUp(noisy))
    assert table.frame().equals(undisturbed.frame())
    assert table.reused == len(table.frame()) - table.computed


def test_a_stopping_rule_accepts_an_absolute_width_and_any_metric() -> None:
    wide = Until(100.0, relative=False, of="events", max=9, batch=2)
    assert set(stopped(run_study(study(reps=wide), store=MemoryStore(), engine=MadeUp(noisy))).values()) == {
        2
    }
    # Starved flows have no fairness index, so the interval is not narrow.
    never = Until(100.0, relative=False, of="jain", max=3, batch=2)
    table = run_study(study(reps=never), store=MemoryStore(), engine=MadeUp(lambda *_: 0.0))
    assert set(stopped(table).values()) == {3} and table.complete


@pytest.mark.parametrize("reps", [5, UNTIL])
def test_all_shards_together_complete_a_study(tmp_path: Path, reps: int | Until) -> None:
    engines = [MadeUp(noisy) for _ in range(3)]
    for index, engine in enumerate(engines, start=1):
        run_in(study(reps=reps), tmp_path, engine=engine, shard=Shard(index, 3))
    ran = [key for engine in engines for key in engine.ran]
    assert len(set(ran)) == len(ran)
    table = run_in(study(reps=reps), tmp_path, engine=MadeUp(noisy))
    assert (table.computed, table.reused, table.complete) == (0, len(ran), True)
    assert table.frame().equals(
        run_study(study(reps=reps), store=MemoryStore(), engine=MadeUp(noisy)).frame()
    )
    (loaded,) = Table.load(tmp_path)
    assert loaded.frame().equals(table.frame()) and loaded.study == table.study


def test_shards_split_a_study_and_keep_paired_runs_together() -> None:
    engines = [MadeUp(noisy), MadeUp(noisy)]
    for index, engine in enumerate(engines, start=1):
        run_study(study(reps=5), store=MemoryStore(), engine=engine, shard=Shard(index, 2))
    assert [len(engine.ran) for engine in engines] == [10, 10]
    for engine in engines:
        by_scheme = [{key[1:] for key in engine.ran if key[0] == scheme} for scheme in ("reno", "sack")]
        assert by_scheme[0] == by_scheme[1]


def test_shards_of_a_study_with_a_stopping_rule_are_whole_settings() -> None:
    engines = [MadeUp(noisy), MadeUp(noisy)]
    for index, engine in enumerate(engines, start=1):
        run_study(study(reps=UNTIL), store=MemoryStore(), engine=engine, shard=Shard(index, 2))
    assert [{fer for _, fer, _ in engine.ran} for engine in engines] == [{0.01}, {0.1}]


def test_warnings_name_unreliable_intervals() -> None:
    def warned(goodput: Goodput, reps: int) -> list[str]:
        return run_study(study(reps=reps), store=MemoryStore(), engine=MadeUp(goodput)).warnings()

    assert warned(noisy, 5) == []
    assert "too few" in warned(noisy, 2)[0]
    (few,) = warned(noisy, 3)
    assert few.startswith("the correlation is of fewer than 4 pairs at 2 of 2 points")
    (wide, _) = warned(lambda _scheme, _fer, rep: 7.0 if rep == 2 else 1.0 + 0.1 * rep, 3)
    assert wide.startswith("at 4 of 4 points the interval of the goodput, or of its ratio, reaches below 0")


def test_a_scenario_without_randomness_causes_a_warning() -> None:
    link = {"name": "w", "ends": ["a", "b"], "rate": "2 Mbit/s", "delay": "5 ms"}
    flow = {"name": "f", "from": "a", "to": "b", "scheme": "sack"}
    quiet = Scenario.load({"name": "quiet", "duration": "1 s", "wired": [link], "flow": [flow]})
    (told,) = airhop.sweep(quiet, {}, reps=3).warnings()
    assert "all replications are identical" in told
    (told,) = airhop.sweep(
        quiet, {"wired.w.errors": [{"kind": "clean"}, {"kind": "bernoulli", "loss": 0.1}]}, reps=3
    ).warnings()
    assert "at 1 of 2 points all replications are identical" in told


class Watching(Reporter):
    """Records the followed task, and its final status."""

    @contextmanager
    def task(self, label: str, total: int, status: Callable[[], str] = str) -> Iterator[Task]:
        self.seen = Task(label, total, status)
        yield self.seen


def test_progress_counts_reused_runs_and_reports_the_widest_interval() -> None:
    store, watch = MemoryStore(), Watching()
    run_study(study(reps=2), store=store, engine=MadeUp(noisy))
    table = run_study(study(), store=store, engine=MadeUp(noisy), reporter=watch)
    assert (watch.seen.label, watch.seen.total, watch.seen.done, watch.seen.reused) == ("made-up", 12, 12, 8)
    widest = max(cell.value.relative or 0.0 for cell in table.cells())
    assert watch.seen.text(0.0).endswith(f"widest interval ± {100 * widest:.2g} %, 3 workers")
    run_study(study(reps=UNTIL), store=MemoryStore(), engine=MadeUp(noisy), reporter=watch)
    assert watch.seen.total == watch.seen.done


@given(st.lists(st.floats(0.5, 100.0), min_size=2, max_size=30))
def test_the_spread_in_progress_equals_the_relative_half_width(values: list[float]) -> None:
    spread = Spread(2)
    for value in values:
        spread.add(1, value)
    expected = 100 * (stats.estimate(values).relative or 0.0)
    assert spread.widest() == pytest.approx(expected, abs=1e-5)
    assert Spread(1).widest() is None


def test_sweep_runs_the_simulator() -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "1 s"})
    table = airhop.sweep(scenario, {"scheme": ["reno", "sack"], FER: [0.05]}, reps=2, seed=3, name="mine")
    for row in table.frame().iter_rows(named=True):
        result = airhop.run(scenario.with_({FER: 0.05}), scheme=row["scheme"], seed=3, rep=row["rep"])
        assert (row["goodput_mbps"], row["fingerprint"]) == (result.goodput_mbps, result.fingerprint)
        assert row["events"] == result.document["events"] and row["jain"] == 1.0
    assert table.study.name == "mine" and table.study.baseline == "reno"


def test_sweep_stores_rows_in_a_folder(tmp_path: Path) -> None:
    vary = {"duration": ["1 s"], "wlan.cell.attempts": {"linear": [1, 3], "points": 2}}
    zipped = [{"wired.w1.delay": ["2 ms", "4 ms"], "wired.w2.delay": ["3 ms", "5 ms"]}]
    first, second = (airhop.sweep("last-hop", vary, zip=zipped, reps=2, out=tmp_path) for _ in range(2))
    assert (first.computed, second.computed, second.reused) == (8, 0, 8)
    assert first.frame().equals(second.frame())
    assert pl.read_parquet(tmp_path / "**/*.parquet").height == 8
    assert first.frame().columns[:4] == [
        "duration_s",
        "wlan.cell.attempts",
        "wired.w1.delay_ms",
        "wired.w2.delay_ms",
    ]


def test_sweep_accepts_a_stopping_rule_and_refuses_an_invalid_rule() -> None:
    table = airhop.sweep("last-hop", {"duration": ["1 s"]}, until={"half_width": 10, "max": 6, "batch": 2})
    assert len(table.frame()) == 2
    for arguments, told in (
        ({"vary": {}, "reps": 0}, "reps: expected at least one"),
        ({"vary": {"scheme": "reno"}}, r"vary\['scheme'\]: expected a list"),
        ({"vary": {}, "zip": [{}]}, r"zip\[0\]: expected at least one path"),
        ({"vary": {}, "engine": "dsk"}, "there is no engine `dsk`"),
        ({"vary": {}, "threads": 0}, "threads is 0"),
    ):
        with pytest.raises(InputError, match=told):
            airhop.sweep("last-hop", **arguments)


def test_an_empty_folder_has_no_tables_and_a_missing_one_is_refused(tmp_path: Path) -> None:
    assert Table.load(tmp_path) == []
    with pytest.raises(InputError):
        Table.load(tmp_path / "none")
