"""The experiments: what they run, how claims are judged, what they print and write."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from rich.console import Console

import synthetic
from airhop.errors import InputError
from airhop.experiments import Outcome, TimelineChoice, registry, reproduce
from airhop.experiments.measure import Grid
from airhop.experiments.numerals import plus_minus
from airhop.experiments.samples import Samples
from airhop.progress import SILENT
from airhop.results import Result
from airhop.simulate import Job
from airhop.stats import Estimate

FIG6 = registry()["yun2009/fig6"]
OnDone = Callable[[int, Result], None]


def judged(means: dict[float, dict[str, float]], **scatter: float) -> dict[str, bool]:
    outcome = synthetic.outcome(FIG6, synthetic.samples(means, **scatter))  # type: ignore[arg-type]
    return {claim: judgement.holds for claim, judgement in outcome.claims.items()}


def changed(x: float | None = None, **goodput: float) -> dict[float, dict[str, float]]:
    """Figure 6's synthetic means with some schemes' numbers replaced, at one x or everywhere."""
    update = {scheme.replace("_", "-"): value for scheme, value in goodput.items()}
    return {at: {**row, **update} if x is None or at == x else row for at, row in synthetic.FIGURE6.items()}


# ---- what exists -----------------------------------------------------------------------------------------


def test_listing_experiments_imports_no_heavy_library() -> None:
    code = (
        "import sys; from airhop.experiments import registry; registry(); "
        "print([m for m in ('matplotlib', 'bokeh', 'polars', 'scipy.stats', 'jinja2') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_fig6_is_the_experiment_of_the_paper() -> None:
    # Yun 2009, 5.1 and 5.2: FER from 0.001 % to 9 %, 200 s, 20 runs without LL-ARQ, retry limit one.
    assert FIG6.axis.grid("full") == (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 6e-2, 9e-2)
    assert FIG6.axis.limits == (1e-4, 1e-1)
    assert FIG6.settings == {"duration": "200 s", "wlan.cell.attempts": 1}
    assert list(FIG6.schemes) == ["reno", "sack", "snoop", "ll-elsn"]
    assert FIG6.replications.full == 20


def test_an_unknown_experiment_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"`yun2009/fig66`.*Did you mean `yun2009/fig6`"):
        reproduce(["yun2009/fig66"], "quick", Path("unused"), SILENT)


def test_a_package_registers_experiments_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = replace(FIG6, id="mine/first")
    monkeypatch.setattr(
        "airhop.experiments.registered.entry_points",
        lambda group: (
            [SimpleNamespace(value="mine:first", load=lambda: mine)] if group == "airhop.experiments" else []
        ),
    )
    assert registry()["mine/first"] is mine
    assert "yun2009/fig6" in registry()


@pytest.mark.parametrize(
    ("loaded", "message"), [(FIG6, "already registered"), (42, "does not load an Experiment")]
)
def test_a_bad_entry_point_is_named(monkeypatch: pytest.MonkeyPatch, loaded: object, message: str) -> None:
    entry = SimpleNamespace(value="mine:bad", load=lambda: loaded)
    monkeypatch.setattr("airhop.experiments.registered.entry_points", lambda **_: [entry])
    with pytest.raises(InputError, match=f"mine:bad.*{message}"):
        registry()


# ---- claims (Yun 2009, abstract and 5.2) -----------------------------------------------------------------


def test_every_claim_holds_where_the_numbers_say_so() -> None:
    assert judged(synthetic.FIGURE6) == dict.fromkeys(
        ("yun-1", "yun-4", "yun-4-second", "yun-4-falls", "yun-4-order"), True
    )


@pytest.mark.parametrize(
    ("claim", "means"),
    [
        # Never four times Reno: lift Reno to a quarter of LL-ELSN and more everywhere.
        ("yun-1", {x: row | {"reno": 0.3 * row["ll-elsn"]} for x, row in synthetic.FIGURE6.items()}),
        # Never one and a half times Snoop.
        ("yun-1", {x: row | {"snoop": 0.7 * row["ll-elsn"]} for x, row in synthetic.FIGURE6.items()}),
        ("yun-4", changed(1e-4, ll_elsn=2.39)),
        ("yun-4-second", changed(9e-2, snoop=0.29)),
        # Snoop keeps all of its goodput, LL-ELSN four fifths.
        ("yun-4-falls", changed(snoop=2.4)),
        ("yun-4-order", changed(1e-2, reno=0.81)),
        ("yun-4-order", changed(3e-2, ll_elsn=1.59)),
    ],
)
def test_a_claim_fails_where_the_numbers_say_so(claim: str, means: dict[float, dict[str, float]]) -> None:
    assert judged(means)[claim] is False


def test_a_claim_that_holds_on_average_only_does_not_hold() -> None:
    # Snoop is 1 % ahead of SACK at one FER, with scatter of each scheme's own far larger than that.
    close = changed(1e-3, snoop=1.01)
    assert judged(close, own=0.0)["yun-4-second"] is True
    assert judged(close, own=0.2)["yun-4-second"] is False
    # And LL-ELSN at 4.05 times Reno everywhere.
    close = {x: row | {"reno": row["ll-elsn"] / 4.05} for x, row in synthetic.FIGURE6.items()}
    assert judged(close, own=0.0)["yun-1"] is True
    assert judged(close, own=0.2)["yun-1"] is False


def test_the_papers_statements_begin_where_its_axis_does() -> None:
    # 0.001 % is computed but not drawn; being behind there contradicts nothing.
    assert all(judged({1e-5: synthetic.FIGURE6[1e-4] | {"ll-elsn": 2.0}, **synthetic.FIGURE6}).values())


def test_pairing_takes_the_channel_out() -> None:
    # A channel that moves all schemes by 40 % together leaves a difference of 1 % visible.
    assert judged(changed(1e-3, snoop=1.01), common=0.4, own=0.0)["yun-4-second"] is True


def test_a_single_replication_decides_nothing() -> None:
    assert not any(judged(synthetic.FIGURE6, reps=1).values())


def test_a_failing_claim_says_what_was_measured() -> None:
    outcome = synthetic.outcome(FIG6, synthetic.samples(changed(1e-4, ll_elsn=2.0)))
    assert not outcome.holds
    judgement = outcome.claims["yun-4"]
    assert "0.83" in judgement.measured
    assert "not ahead at 0.01 %" in judgement.measured


def test_cells_of_different_counts_are_paired_by_replication() -> None:
    measured = Samples("goodput_mbps")
    for rep in range(4):
        measured.add("a", 0.1, rep, synthetic.run_document("a", 2.0 + rep, rep))
    for rep in (1, 3):
        measured.add("b", 0.1, rep, synthetic.run_document("b", 1.0 + rep, rep))
    assert measured.paired(("a", 0.1), ("b", 0.1)) == [[3.0, 5.0], [2.0, 4.0]]
    assert measured.reps == 2


# ---- running ---------------------------------------------------------------------------------------------


class Runner:
    """Stands in for the simulator: documents whose goodput is a given function of (scheme, x, rep)."""

    def __init__(self, goodput: Callable[[str, float, int], float], stop_after: int | None = None) -> None:
        self.goodput, self.stop_after, self.jobs = goodput, stop_after, list[tuple[str, float, int, int]]()

    def __call__(self, jobs: list[Job], *, on_done: OnDone) -> None:
        """Finish the jobs in order."""
        for index, job in enumerate(jobs):
            if len(self.jobs) == self.stop_after:
                raise KeyboardInterrupt
            scenario = tomllib.loads(job.scenario.toml())
            scheme, x = scenario["flow"][0]["scheme"], scenario["wlan"][0]["errors"]["fer"]
            if isinstance(scheme, dict):  # a scheme with parameters
                scheme = scheme["name"]
            self.jobs.append((scheme, x, job.rep, job.seed))
            document = synthetic.run_document(scheme, self.goodput(scheme, x, job.rep), job.rep, job.seed)
            on_done(index, Result(json.dumps(document)))


def test_quick_runs_the_coarse_grid_with_the_same_seeds_for_every_scheme(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runner = Runner(lambda *_: 1.0)
    monkeypatch.setattr("airhop.experiments.measure.run_many", runner)
    Grid(FIG6, "quick", seed=7).measure("quick", SILENT)
    wanted = {(s, x, rep, 7) for s in FIG6.schemes for x in FIG6.axis.coarse for rep in range(5)}
    assert len(runner.jobs) == len(wanted)
    assert set(runner.jobs) == wanted


def test_default_replicates_until_the_intervals_are_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only Snoop at 1 % scatters, ±10 % in turn: 3 % needs 50 replications of that column, 10 of the others.
    def goodput(scheme: str, x: float, rep: int) -> float:
        scatter = 0.1 if (scheme, x) == ("snoop", 1e-2) else 0.001
        return 1.0 + (scatter if rep % 2 else -scatter)

    runner = Runner(goodput)
    monkeypatch.setattr("airhop.experiments.measure.run_many", runner)
    samples = Grid(FIG6, "default", seed=1).measure("default", SILENT)
    counts = {cell: len(runs) for cell, runs in samples.runs.items()}
    assert {count for (_, x), count in counts.items() if x != 1e-2} == {10}
    assert {counts[scheme, 1e-2] for scheme in FIG6.schemes} == {50}
    width = samples.estimate("snoop", 1e-2).relative
    assert width is not None
    assert width < 0.03


def test_default_stops_at_the_most_replications(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = Runner(lambda _scheme, _x, rep: 1.0 + (0.9 if rep % 2 else -0.9))
    monkeypatch.setattr("airhop.experiments.measure.run_many", runner)
    samples = Grid(FIG6, "default", seed=1).measure("default", SILENT)
    assert {len(runs) for runs in samples.runs.values()} == {100}


def test_an_interrupt_keeps_what_is_finished(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("airhop.experiments.measure.run_many", Runner(lambda *_: 1.0, stop_after=7))
    kept = tmp_path / "yun2009/fig6/interrupted-runs.csv"
    with pytest.raises(KeyboardInterrupt) as stop:
        list(reproduce(["yun2009/fig6"], "quick", tmp_path, SILENT))
    assert str(stop.value) == f"interrupted in yun2009/fig6; the runs that had finished (7) are in {kept}"
    runs = pl.read_csv(kept)
    assert runs.height == 7
    assert {"scheme", "fer", "seed", "rep", "goodput_mbps", "drops_collision", "fingerprint"} <= set(
        runs.columns
    )


# ---- what comes out --------------------------------------------------------------------------------------


@pytest.fixture
def outcome() -> Outcome:
    return synthetic.outcome(FIG6)


def test_the_document_has_the_contracts_shape(outcome: Outcome) -> None:
    document = json.loads(json.dumps(outcome.to_dict(), allow_nan=False))
    assert set(document) == {"id", "reps", "rows", "claims"}
    assert document["reps"] == 5
    assert len(document["rows"]) == 4 * 5
    assert {"scheme", "x", "metric", "mean", "half_width", "published"} <= set(document["rows"][0])
    row = next(row for row in document["rows"] if row["scheme"] == "snoop" and row["x"] == {"fer": 0.01})
    assert row["mean"] == pytest.approx(2.0, rel=0.01)
    assert row["metric"] == "goodput_mbps"
    assert row["published"] is None
    assert [set(claim) for claim in document["claims"]] == [{"id", "text", "holds", "measured"}] * 5


@pytest.mark.parametrize("fails", [False, True])
def test_the_terminal_shows_every_number_in_80_columns(fails: bool) -> None:
    means = changed(1e-2, reno=0.9) if fails else synthetic.FIGURE6
    outcome = synthetic.outcome(FIG6, synthetic.samples(means))
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    outcome.print(console)
    text = console.export_text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "…" not in text
    for row in outcome.rows:
        assert f"{row.value.mean:.2f} {plus_minus(row.value)}" in text
        assert row.ratio is None or f"{row.ratio.value:.2f}×" in text
    assert ("✗ fails" in text) is fails
    assert "✓ holds" in text


def test_a_pipe_gets_plain_lines_without_trailing_blanks(outcome: Outcome) -> None:
    stream = io.StringIO()
    outcome.print(Console(width=160, file=stream))
    lines = stream.getvalue().splitlines()
    assert max(len(line) for line in lines) <= 96
    assert not [line for line in lines if line != line.rstrip() or "\x1b" in line]


def test_no_line_begins_with_the_unit_of_the_line_before(outcome: Outcome) -> None:
    for width in range(80, 97):
        stream = io.StringIO()
        outcome.print(Console(width=width, file=stream))
        begins = [line.split()[0] for line in stream.getvalue().splitlines() if line.strip()]
        assert not {"%", "×", "Mbit/s."} & set(begins), width


@pytest.mark.parametrize(
    ("half_width", "text"),
    [(0.084, "± 0.08"), (0.005, "± 0.01"), (0.0049, "±<0.01"), (0.0, "± 0.00"), (None, "± ?")],
)
def test_an_interval_never_rounds_to_nothing(half_width: float | None, text: str) -> None:
    assert plus_minus(Estimate(3.7, half_width, 5)) == text


def test_rows_csv_repeats_the_document(outcome: Outcome, tmp_path: Path) -> None:
    from airhop.experiments.reproduction import write_rows

    write_rows(outcome, tmp_path / "rows.csv")
    table = pl.read_csv(tmp_path / "rows.csv")
    for line, row in zip(table.iter_rows(named=True), outcome.to_dict()["rows"], strict=True):
        assert (line["scheme"], line["fer"]) == (row["scheme"], row["x"]["fer"])
        assert line["goodput_mbps_mean"] == pytest.approx(row["mean"])
        assert line["goodput_mbps_half_width"] == pytest.approx(row["half_width"])


def test_the_whole_way_on_the_real_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    short = replace(
        FIG6,
        id="test/short",
        settings={**FIG6.settings, "duration": "3 s"},
        axis=replace(FIG6.axis, coarse=(1e-3, 1e-2, 3e-2)),
        replications=replace(FIG6.replications, quick=2),
        timeline=TimelineChoice(x=1e-2, duration_s=2.0, opening_s=1.0),
    )
    entry = SimpleNamespace(value="test:short", load=lambda: short)
    monkeypatch.setattr("airhop.experiments.registered.entry_points", lambda **_: [entry])
    (outcome,) = reproduce(["test/short"], "quick", tmp_path, SILENT)
    assert outcome.reps == 2
    assert [row.scheme for row in outcome.rows] == [scheme for scheme in FIG6.schemes for _ in range(3)]
    assert all(row.value.mean > 0 for row in outcome.rows)
    assert {path.name for path in outcome.files} == {
        "report.html",
        "short.pdf",
        "short.png",
        "rows.csv",
        "runs.csv",
        "outcome.json",
    }
    assert all(path.is_relative_to(tmp_path / "test/short") and path.stat().st_size for path in outcome.files)
    assert json.loads((tmp_path / "test/short/outcome.json").read_text()) == outcome.to_dict()
