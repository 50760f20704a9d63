"""The experiments: runs, checks of claims, output and files."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

import synthetic
from airhop.cli.common.app import dispatch
from airhop.engines import Engine, open_engine
from airhop.errors import InputError
from airhop.experiments import (
    Claim,
    ClaimResult,
    Experiment,
    Outcome,
    TimelineChoice,
    lookup,
    outcomes_in,
    registry,
)
from airhop.experiments.experiment import X
from airhop.experiments.outcome import rows
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.experiments.yun2009.fig7 import EXPERIMENT as FIG7
from airhop.experiments.yun2009.fig8 import EXPERIMENT as FIG8
from airhop.experiments.yun2009.fig9 import EXPERIMENT as FIG9
from airhop.experiments.yun2009.fig10 import EXPERIMENT as FIG10
from airhop.numerals import half_width_text
from airhop.progress import Reporter
from airhop.reproduction import print_outcome, reproduce
from airhop.reproduction.rows import write_rows
from airhop.scenario import Scenario
from airhop.simulate import Job
from airhop.stats import Estimate, Interval
from airhop.store import read_rows
from airhop.study import Until
from synthetic import FIGURE6, FIGURE7, FIGURE9, changed

KNOWN = registry()
STUDIES = [experiment for experiment in KNOWN.values() if isinstance(experiment, Experiment)]
OTHERS = ("reno", "sack", "snoop")


# ---- registry -----------------------------------------------------------------------------------------


def test_listing_experiments_imports_no_heavy_library() -> None:
    code = (
        "import sys; from airhop.experiments import registry; registry(); "
        "print([m for m in ('matplotlib', 'bokeh', 'polars', 'scipy.stats', 'jinja2') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_figures_6_to_10_have_the_papers_durations_runs_and_error_rates() -> None:
    # Yun 2009, 5.1 and 5.2: 200 s, 20 runs without LL-ARQ, retry limit one.
    for experiment in (FIG6, FIG7, FIG8, FIG9, FIG10):
        assert experiment.settings.items() >= {"duration": "200 s", "wlan.cell.attempts": 1}.items()
        assert len(experiment.labels) == 12
        assert experiment.replications.full == 20
    # FER from 0.001 % to 9 %; the printed axis begins at 0.01 %.
    for experiment in (FIG6, FIG8):
        assert experiment.axis.grid("full") == (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 6e-2, 9e-2)
        assert experiment.axis.limits == (1e-4, 1e-1)
    # Captions: PER = 1 %; axis 2, 10, 20, 30 ms.
    assert FIG7.axis.grid("full") == (2, 10, 20, 30)
    assert FIG7.settings["wlan.cell.errors.fer"] == 0.01


@pytest.mark.parametrize("experiment", STUDIES, ids=[experiment.id for experiment in STUDIES])
def test_every_scenario_of_every_experiment_is_valid(experiment: Experiment) -> None:
    # The core checks points at their creation; the quick grid is a part of the full grid.
    assert set(experiment.axis.coarse) <= set(experiment.axis.full)
    assert len(experiment.study("full").points()) == len(experiment.axis.full) * len(experiment.labels)
    assert len({claim.id for claim in experiment.claims}) == len(experiment.claims)


def first_point(experiment: Experiment, x: X) -> Scenario:
    """Return the scenario of the first scheme at x."""
    points = experiment.study("full").points()
    return points[experiment.axis.full.index(x) * len(experiment.labels)].scenario


def test_the_round_trip_of_figure_7_grows_on_every_link() -> None:
    # Figure 5: all wired links have the same delay offset.
    for x in FIG7.axis.full:
        wired = first_point(FIG7, x).to_dict()["wired"]
        assert [link["delay"] for link in wired] == [f"{x} ms"] * 3


def test_several_keys_of_an_axis_are_set_to_the_same_value() -> None:
    two = replace(FIG7, axis=replace(FIG7.axis, paths=("wired.w2.delay", "wired.w3.delay")))
    wired = first_point(two, 30).to_dict()["wired"]
    assert [link["delay"] for link in wired] == ["10 ms", "30 ms", "30 ms"]


@pytest.mark.parametrize("n", [1, 3])
def test_connections_of_figure_9_share_neither_senders_nor_receivers(n: int) -> None:
    flows = first_point(FIG9, n).to_dict()["flow"]
    assert len({flow["from"] for flow in flows}) == len({flow["to"] for flow in flows}) == n


def test_the_station_is_the_sender_in_figure_8() -> None:
    down, up = (first_point(experiment, 0.01).to_dict() for experiment in (FIG6, FIG8))
    assert up["flow"][0]["from"] in up["wlan"][0]["stations"]
    assert (up["flow"][0]["from"], up["flow"][0]["to"]) == (down["flow"][0]["to"], down["flow"][0]["from"])
    assert up["wlan"] == down["wlan"]


def test_figure_10_uses_the_runs_of_figure_9() -> None:
    runs = [[p.scenario.digest for p in e.study("full").points()] for e in (FIG9, FIG10)]
    assert runs[0] == runs[1]


def test_the_mode_sets_the_number_of_replications_or_the_stopping_rule() -> None:
    assert FIG6.study("quick").reps == 3
    assert FIG6.study("full").reps == 20
    until = FIG10.study("default").reps
    assert until == Until(0.03, relative=True, of="jain", max=100, batch=10)


def test_an_unknown_experiment_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"`yun2009/fig66`.*Did you mean `yun2009/fig6`"):
        lookup(["yun2009/fig66"], KNOWN)


# ---- running ---------------------------------------------------------------------------------------------


def test_cells_with_different_replications_are_paired_by_replication() -> None:
    cell = {rep: 2.0 + rep for rep in range(4)}
    measured = Samples("goodput_mbps", {("a", 0.1): cell, ("b", 0.1): {3: 4.0, 1: 2.0}})
    assert measured.paired(("a", 0.1), ("b", 0.1)) == [[3.0, 5.0], [2.0, 4.0]]
    assert measured.reps == 2


@pytest.mark.parametrize("experiment", STUDIES, ids=lambda one: one.id)
def test_the_packet_view_of_a_report_shows_a_run_that_every_mode_has(experiment: Experiment) -> None:
    if (shown := experiment.timeline) is not None:
        assert shown.curve in experiment.labels
        assert callable(shown.x) or shown.x in experiment.axis.coarse


@pytest.fixture
def short() -> Experiment:
    """Make a small Figure 6: 4 schemes, 3 FERs, 2 replications of 3 s."""
    return replace(
        FIG6,
        id="test/short",
        settings={**FIG6.settings, "duration": "3 s"},
        curves=FIG6.curves[:4],
        axis=replace(FIG6.axis, coarse=(1e-3, 1e-2, 3e-2)),
        replications=replace(FIG6.replications, quick=2),
        claims=(),
        timeline=TimelineChoice("ll-elsn", 1e-2, duration_s=2.0, opening_s=1.0),
        also=(),
        panels=(),
        questions=(),
    )


@pytest.fixture
def unwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the writing of figures and reports, because most tests concern only the runs."""
    monkeypatch.setattr("airhop.reproduction.reproducing.write_outcome", lambda outcome, _folder: outcome)


def run(experiments: Sequence[Experiment], *args: Any, **options: Any) -> list[Outcome]:
    """Reproduce studies."""
    found = list(reproduce(experiments, *args, **options))
    assert all(isinstance(outcome, Outcome) for outcome in found)
    return found  # type: ignore[return-value]


class Said(Reporter):
    """Records messages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        """Record a message."""
        self.lines.append(text)


def test_reproduce_writes_all_files_from_simulated_runs(short: Experiment, tmp_path: Path) -> None:
    (outcome,) = run([short], "quick", tmp_path)
    assert outcome.reps == 2
    assert [row.scheme for row in outcome.rows] == [scheme for scheme in short.labels for _ in range(3)]
    assert all(row.value.mean > 0 for row in outcome.rows)
    names = {path.name for path in outcome.files}
    assert names >= {"report.html", "figure.pdf", "figure.png", "rows.csv", "outcome.json"}
    assert all(path.is_relative_to(tmp_path / "test/short") and path.stat().st_size for path in outcome.files)
    assert json.loads((tmp_path / "test/short/outcome.json").read_text()) == outcome.to_dict()


def test_files_of_an_earlier_call_stay_intact_when_writing_fails(
    short: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "test/short"
    folder.mkdir(parents=True)
    (folder / "rows.csv").write_text("as it was")
    monkeypatch.setattr("airhop.report.write_report", stopped)
    with pytest.raises(KeyboardInterrupt, match="interrupted in test/short"):
        list(run([short], "quick", tmp_path))
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("rows.csv", "as it was")]


@pytest.mark.usefixtures("unwritten")
def test_a_second_call_reuses_every_run_and_counts_the_reused_runs(short: Experiment, tmp_path: Path) -> None:
    first, again = Said(), Said()
    (before,) = run([short], "quick", tmp_path, first)
    (after,) = run([short], "quick", tmp_path, again)
    assert "test/short: computed 24, reused 0" in first.lines
    assert "test/short: computed 0, reused 24" in again.lines
    assert after.to_dict() == before.to_dict()


@pytest.mark.usefixtures("unwritten")
def test_experiments_with_equal_scenarios_share_runs(short: Experiment, tmp_path: Path) -> None:
    fairness = replace(short, id="test/fairness", metric=FIG10.metric, claims=())
    first, second = run([short, fairness], "quick", tmp_path)
    assert (first.table.computed, second.table.computed, second.table.reused) == (24, 0, 24)
    # With a single connection Jain's index is one.
    assert {row.value.mean for row in second.rows} == {1.0}
    assert read_rows(tmp_path)["run_id"].n_unique() == 24


@pytest.mark.usefixtures("unwritten")
def test_the_companion_experiment_is_run_and_read_back_too(short: Experiment, tmp_path: Path) -> None:
    wired = {"wired.all.delay": "2 ms", **short.settings}
    both = replace(short, beside=replace(short, id="test/beside", settings=wired))
    (outcome,) = run([both], "quick", tmp_path)
    assert read_rows(tmp_path)["run_id"].n_unique() == 48
    assert outcome.samples.ratio_to_beside("reno", 1e-2).value < 1.0
    (found,) = outcomes_in(tmp_path, {both.id: both})
    assert found.samples.beside == outcome.samples.beside
    assert found.to_dict() == outcome.to_dict()


@pytest.mark.usefixtures("unwritten")
def test_no_claim_is_checked_while_runs_of_the_companion_experiment_are_missing(
    short: Experiment, tmp_path: Path
) -> None:
    list(run([short], "quick", tmp_path))
    beside = replace(short, id="test/beside", settings={**short.settings, "duration": "4 s"})
    assert outcomes_in(tmp_path, {short.id: replace(short, beside=beside)}) == []


@pytest.mark.usefixtures("unwritten")
def test_all_schemes_of_a_replication_have_the_same_channel_errors(short: Experiment, tmp_path: Path) -> None:
    (outcome,) = run([short], "quick", tmp_path, seed=7)
    frame = outcome.table.frame()
    assert set(frame["seed"]) == {7}
    assert {tuple(reps) for reps in frame.group_by("scheme", short.axis.paths[0]).agg("rep")["rep"]} == {
        (0, 1)
    }


@pytest.mark.usefixtures("unwritten")
def test_outcomes_are_read_back_without_a_new_simulation(
    short: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (outcome,) = run([short], "quick", tmp_path)
    monkeypatch.setattr("airhop._core.run_many", None)
    (found,) = outcomes_in(tmp_path, {**KNOWN, short.id: short})
    assert found.to_dict() == outcome.to_dict()
    assert (found.mode, found.seed) == ("quick", 1)


@pytest.mark.usefixtures("unwritten")
def test_outcomes_are_read_back_in_another_working_directory(
    short: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("there", "here"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "there")
    (outcome,) = run([replace(short, beside=replace(short, id="test/beside"))], "quick", tmp_path / "out")
    monkeypatch.chdir(tmp_path / "here")
    (found,) = outcomes_in(tmp_path / "out", {short.id: outcome.experiment})
    assert found.to_dict() == outcome.to_dict()


@pytest.mark.usefixtures("unwritten")
def test_an_experiment_changed_after_its_runs_is_not_checked(short: Experiment, tmp_path: Path) -> None:
    list(run([short], "quick", tmp_path))
    other = replace(short, settings={**short.settings, "duration": "4 s"})
    assert outcomes_in(tmp_path, {other.id: other}) == []


@pytest.mark.usefixtures("unwritten")
def test_an_interrupted_reproduction_keeps_finished_runs(
    short: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airhop.engines import LocalEngine

    finish = LocalEngine.run

    def stopped(self: LocalEngine, jobs: Sequence[Job], on_done: Callable[[int, str], None]) -> None:
        finish(self, jobs[:7], on_done)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(LocalEngine, "run", stopped)
        with pytest.raises(KeyboardInterrupt, match="interrupted in test/short; the finished runs are kept"):
            list(run([short], "quick", tmp_path))
    assert read_rows(tmp_path)["run_id"].n_unique() == 7
    (outcome,) = run([short], "quick", tmp_path)
    assert (outcome.table.computed, outcome.table.reused) == (17, 7)


@pytest.mark.usefixtures("unwritten")
def test_reproduce_prints_failed_and_open_claims(
    short: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = tuple(
        Claim(word, word, lambda _, holds=holds: ClaimResult(holds, ""), reason="because")  # type: ignore[misc]
        for word, holds in (("right", True), ("wrong", False), ("close", None))
    )
    monkeypatch.setattr(
        "airhop.cli.reproduce.registry", lambda **_: {"a/b": replace(short, id="a/b", claims=claims)}
    )
    asked = list[tuple[str, int | None]]()

    def opened(spec: str, threads: int | None) -> AbstractContextManager[Engine]:
        asked.append((spec, threads))
        return open_engine(spec, threads)

    monkeypatch.setattr("airhop.engines.open_engine", opened)
    assert dispatch(["reproduce", "a/b", "--quick", "--json", "--workers", "1", "--out", str(tmp_path)]) == 1
    assert asked == [("local", 1)]
    told = capsys.readouterr()
    (document,) = json.loads(told.out)["experiments"]
    # Failed claims come first, with their reason if known.
    assert [claim["verdict"] for claim in document["claims"]] == ["fails", "open", "holds"]
    assert [claim["holds"] for claim in document["claims"]] == [False, False, True]
    assert [claim["reason"] for claim in document["claims"]] == ["because", "because", None]
    assert told.err.splitlines()[-2:] == [
        "airhop: a/b: wrong does not hold",
        "airhop: a/b: close is undecided; run more replications",
    ]


def test_an_unknown_engine_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert dispatch(["reproduce", "yun2009/fig6", "--engine", "lokal", "--out", str(out)]) == 2
    assert "Did you mean `local`?" in capsys.readouterr().err
    assert not out.exists()


# ---- results --------------------------------------------------------------------------------------


@pytest.fixture
def outcome() -> Outcome:
    return synthetic.outcome(FIG6)


def test_the_json_document_of_an_outcome_has_the_specified_keys(outcome: Outcome) -> None:
    document = json.loads(json.dumps(outcome.to_dict(), allow_nan=False))
    assert set(document) == {"id", "reps", "rows", "claims"}
    assert document["reps"] == 5
    assert len(document["rows"]) == 12 * 5 * len((FIG6.metric, *FIG6.also))
    assert {"scheme", "x", "metric", "mean", "half_width", "published"} <= set(document["rows"][0])
    row = next(row for row in document["rows"] if row["scheme"] == "snoop" and row["x"] == {"fer": 0.01})
    assert row["mean"] == pytest.approx(2.0, rel=0.01)
    assert row["metric"] == "goodput_mbps"
    assert row["published"] is None
    assert [set(claim) for claim in document["claims"]] == [
        {"id", "text", "holds", "verdict", "outcome", "needs", "asked", "measured", "reason"}
    ] * len(FIG6.claims)


@pytest.mark.parametrize("fails", [False, True])
def test_the_terminal_output_has_every_number_in_80_columns(fails: bool) -> None:
    means = changed(FIGURE6, 1e-2, reno=0.9) if fails else FIGURE6
    outcome = synthetic.outcome(FIG6, synthetic.samples(means))
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    print_outcome(outcome, console)
    text = console.export_text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "…" not in text
    for row in outcome.rows:
        assert f"{row.value.mean:.2f} {half_width_text(row.value)}" in text
        assert row.ratio is None or f"{row.ratio.value:.2f}×" in text
    # The claim on the size fails, because the bound is far exceeded. The claim on the order fails only if
    # Reno is ahead of other schemes.
    order = text[: text.index("yun-4-order")].rindex("yun-")
    assert ("✗ fails" in text[order : text.index("yun-4-order")]) is fails
    assert "✓ holds" in text


def test_output_to_a_pipe_is_plain_text_without_trailing_blanks(outcome: Outcome) -> None:
    stream = io.StringIO()
    print_outcome(outcome, Console(width=160, file=stream))
    lines = stream.getvalue().splitlines()
    assert max(len(line) for line in lines) <= 96
    assert not [line for line in lines if line != line.rstrip() or "\x1b" in line]


def test_no_printed_line_separates_a_number_from_its_unit(outcome: Outcome) -> None:
    for width in range(80, 97):
        stream = io.StringIO()
        print_outcome(outcome, Console(width=width, file=stream))
        begins = [line.split()[0] for line in stream.getvalue().splitlines() if line.strip()]
        assert not {"%", "×", "Mbit/s."} & set(begins), width


def test_the_terminal_chart_has_the_papers_axis_ticks() -> None:
    stream = io.StringIO()
    print_outcome(synthetic.outcome(FIG7, synthetic.samples(FIGURE7)), Console(width=80, file=stream))
    (axis,) = [line for line in stream.getvalue().splitlines() if line.split() == ["2", "10", "20", "30"]]
    # From 0 to 32 ms: 2 ms is at a sixteenth of the axis, 30 ms at the same distance from the other end.
    assert axis.index("2") < 0.15 * len(axis)


def test_the_interval_of_a_fairness_index_ends_at_1() -> None:
    cell = {0: 0.97, 1: 1.0, 2: 1.0}
    measured = Samples("jain", {(scheme, 2.0): cell for scheme in FIG10.labels})
    row = rows(FIG10, FIG10.metric, measured)[0]
    assert row.value.half_width is not None and row.value.mean + row.value.half_width > 1.0
    assert row.interval == Interval(row.value.mean - row.value.half_width, 1.0)


def test_rows_of_an_outcome_have_paired_difference_and_correlation(outcome: Outcome) -> None:
    row = next(row for row in outcome.rows if (row.scheme, row.x) == ("snoop", 1e-2))
    assert row.difference is not None and row.difference.correlation is not None
    assert row.difference.mean == pytest.approx(2.0 - 0.7, rel=0.02)
    assert row.difference.correlation > 0.5  # synthetic replications share their channel
    assert next(row for row in outcome.rows if row.scheme == "reno").difference is None


def test_no_ratio_is_printed_for_a_fairness_index() -> None:
    outcome = synthetic.outcome(replace(FIG10, also=(), claims=()), synthetic.samples(FIGURE9))
    stream = io.StringIO()
    print_outcome(outcome, Console(width=80, file=stream))
    assert "1.000 ± 0.000" in stream.getvalue()
    assert "×" not in stream.getvalue()


@pytest.mark.parametrize(
    ("half_width", "text"),
    [(0.084, "± 0.08"), (0.005, "± 0.01"), (0.0049, "±<0.01"), (0.0, "± 0.00"), (None, "± ?")],
)
def test_a_positive_half_width_is_never_printed_as_0(half_width: float | None, text: str) -> None:
    assert half_width_text(Estimate(3.7, half_width, 5)) == text


def test_rows_csv_has_the_values_of_the_document(outcome: Outcome, tmp_path: Path) -> None:
    write_rows(outcome, tmp_path / "rows.csv")
    table = pl.read_csv(tmp_path / "rows.csv")
    written = [row for row in outcome.to_dict()["rows"] if row["metric"] == "goodput_mbps"]
    for line, row in zip(table.iter_rows(named=True), written, strict=True):
        assert (line["scheme"], line["fer"]) == (row["scheme"], row["x"]["fer"])
        assert line["goodput_mbps_mean"] == pytest.approx(row["mean"])
        assert line["goodput_mbps_half_width"] == pytest.approx(row["half_width"])
