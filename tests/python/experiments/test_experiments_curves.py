"""Experiments with settings as curves, words as axes, and formulas as metrics."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from airhop.errors import InputError
from airhop.experiments import Curve, Metric, Outcome, PlottedAxis, outcomes_in
from airhop.experiments.claims import along
from airhop.experiments.frame import frame
from airhop.experiments.outcome import rows
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.report import Chapter, chapter_of_outcome
from airhop.report.data import chapter_data
from airhop.reproduction import print_outcome, reproduce
from airhop.reproduction.chart import goodput_figure
from airhop.reproduction.console import tables
from airhop.reproduction.rows import write_rows
from airhop.scenario import Scenario
from airhop.study.manifest import load_manifests, save_manifest

ATTEMPTS = "wlan.cell.attempts"
RETRIES = Metric("retransmissions / sent_segments", "Share sent again", unit="", ticks=(0.0, 0.1, 0.2))
SHORT = replace(
    FIG6,
    id="test/curves",
    settings={"duration": "2 s", ATTEMPTS: 1},
    curves=(
        Curve("reno", "Reno", "reno"),
        Curve("ll-elsn", "LL-ELSN", "ll-elsn"),
        Curve("ll-elsn, 4 attempts", "LL-ELSN, 4 attempts", "ll-elsn", {ATTEMPTS: 4}),
        Curve("n = 5", "LL-ELSN, N = 5", {"name": "ll-elsn", "n": 5}, {ATTEMPTS: 2}),
    ),
    axis=replace(FIG6.axis, coarse=(1e-2, 3e-2)),
    replications=replace(FIG6.replications, quick=2),
    also=(Metric("timeouts", "Timeouts", unit="", ticks=(0.0, 10.0)), RETRIES),
    claims=(),
    headline=lambda _: "Found.",
    timeline=None,
    panels=(),
    questions=(),
)
WORDS = PlottedAxis(
    key="direction",
    name="direction",
    paths=("flow.ftp*.from", "flow.ftp*.to"),
    label="Direction",
    full=("downlink", "uplink"),
    coarse=("downlink", "uplink"),
    words={"downlink": "to the station"},
    takes={"downlink": ("s*", "d*"), "uplink": ("d*", "s*")},
)


def scheme(scenario: Scenario) -> dict[str, object]:
    flow = scenario.to_dict()["flow"][0]
    found = flow["scheme"]
    return found if isinstance(found, dict) else {"name": found}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    (found,) = reproduce([SHORT], "quick", tmp_path_factory.mktemp("curves"))
    assert isinstance(found, Outcome)
    return found


# ---- curves ----------------------------------------------------------------------------------------------


def test_a_curve_has_its_scheme_its_parameters_and_its_settings() -> None:
    points = SHORT.study("quick").points()[:4]
    assert [point.scheme for point in points] == list(SHORT.labels)
    attempts = [point.scenario.to_dict()["wlan"][0]["attempts"] for point in points]
    assert attempts == [1, 1, 4, 2]  # the experiment sets what a curve does not set
    assert [scheme(point.scenario)["name"] for point in points] == ["reno", *["ll-elsn"] * 3]
    assert [scheme(point.scenario).get("n") for point in points[1:]] == [2, 2, 5]


def test_curves_at_a_setting_are_compared_with_the_baseline(outcome: Outcome) -> None:
    cells = {(cell.point.scheme, cell.point.setting): cell for cell in outcome.table.cells()}
    assert len(outcome.table.study.settings) == 2  # FERs: all curves at a FER are paired and stop together
    row = next(row for row in outcome.rows if (row.scheme, row.x) == ("ll-elsn, 4 attempts", 3e-2))
    assert row.ratio == cells["ll-elsn, 4 attempts", (3e-2,)].ratio is not None
    assert outcome.table.frame()["scheme"].unique(maintain_order=True).to_list() == list(SHORT.labels)


def test_the_manifest_stores_the_names_of_curves(tmp_path: Path) -> None:
    study = SHORT.study("quick")
    save_manifest(study, tmp_path)
    (again,) = load_manifests(tmp_path)
    assert again.to_dict() == study.to_dict()
    assert [(p.scheme, p.scenario.digest) for p in again.points()] == [
        (p.scheme, p.scenario.digest) for p in study.points()
    ]


def test_a_key_set_by_some_curves_only_is_refused_if_others_lack_it() -> None:
    with pytest.raises(InputError, match=r"the curve `reno` does not set `wlan.cell.attempts`"):
        replace(SHORT, settings={"duration": "2 s"}).study("quick")


def test_panels_that_lack_a_curve_or_have_an_unknown_curve_are_refused() -> None:
    for panels in ((("reno", "ll-elsn"), ("n = 5",)), (tuple(SHORT.labels), ("veno",))):
        with pytest.raises(InputError, match="expected every curve in exactly one panel, and no other names"):
            replace(SHORT, panels=panels)


def test_two_curves_with_the_same_name_are_refused() -> None:
    with pytest.raises(InputError, match="two curves have the same name"):
        replace(SHORT, curves=(*SHORT.curves, Curve("reno", "Reno again", "sack")))


def test_curves_without_a_scheme_use_the_scheme_of_the_scenario() -> None:
    curves = (Curve("1", "once", settings={ATTEMPTS: 1}), Curve("4", "four times", settings={ATTEMPTS: 4}))
    points = replace(SHORT, curves=curves, baseline="1").study("quick").points()
    assert {scheme(point.scenario)["name"] for point in points} == {"reno"}


def test_the_terminal_output_of_twelve_curves_fits_its_width() -> None:
    names = [f"scheme-{n}" for n in range(12)]
    cells = {(name, x): {0: 3.44, 1: 3.46} for x in FIG6.axis.full for name in names}
    measured = Samples("goodput_mbps", cells)
    curves = Curve.of_schemes({name: name.title() for name in names})
    many = replace(FIG6, curves=curves, baseline=names[0], also=(), panels=(), questions=(), timeline=None)
    of_many = rows(many, many.metric, measured)
    outcome = Outcome(many, "full", 1, None, measured, of_many, {}, [])  # type: ignore[arg-type]
    stream = io.StringIO()
    console = Console(width=80, file=stream)
    for table in tables(outcome, many.metric, of_many, console.width):
        console.print(table)
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert text.count("3.45 ±") == 12 * 9
    assert all(f"{name.title()}" in text for name in names)


# ---- axes of words ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def directions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    experiment = replace(
        SHORT, id="test/words", axis=WORDS, published={("reno", "uplink"): 0.9, ("reno", "downlink"): 0.8}
    )
    folder = tmp_path_factory.mktemp("words")
    (found,) = reproduce([experiment], "quick", folder)
    assert isinstance(found, Outcome)
    return found, folder


def test_a_named_value_of_an_axis_stands_for_settings(directions: tuple[Outcome, Path]) -> None:
    outcome, folder = directions
    flows = [point.scenario.to_dict()["flow"][0] for point in outcome.table.study.points()[::4]]
    assert [(flow["from"], flow["to"]) for flow in flows] == [("s1", "d1"), ("d1", "s1")]
    assert outcome.samples.xs == ["downlink", "uplink"]  # in the order of the grid
    assert along(outcome.samples, "reno", "downlink", "uplink").value > 0
    assert [row["x"] for row in outcome.to_dict()["rows"][:2]] == [
        {"direction": "downlink"},
        {"direction": "uplink"},
    ]
    (again,) = outcomes_in(folder, {outcome.experiment.id: outcome.experiment})
    assert again.to_dict() == outcome.to_dict()


def test_named_values_of_an_axis_are_categories_in_figures(directions: tuple[Outcome, Path]) -> None:
    outcome, _ = directions
    axes = goodput_figure(outcome).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["to the station", "uplink"]
    assert frame(outcome).x_limits == (-0.5, 1.5)
    assert {line.get_linestyle() for line in axes.get_lines() if len(line.get_xdata()) == 2} == {"None"}  # type: ignore[arg-type]
    stream = io.StringIO()
    print_outcome(outcome, Console(width=80, file=stream))
    assert "to the station" in stream.getvalue()


def test_named_values_and_published_numbers_appear_in_the_report(directions: tuple[Outcome, Path]) -> None:
    outcome, _ = directions
    data = chapter_data(chapter_of_outcome(outcome, trace=False))
    (dimension,) = data["dimensions"]
    assert (dimension["scale"], dimension["texts"]) == ("category", ["to the station", "uplink"])
    assert data["published"][0] == 0.8 and data["published"][4] == 0.9


# ---- metrics ---------------------------------------------------------------------------------------------


def test_additional_metrics_have_samples_rows_and_tables(outcome: Outcome) -> None:
    timeouts = outcome.samples.also["timeouts"]
    frame = outcome.table.frame()
    wanted = frame.filter((frame["scheme"] == "reno") & (frame[FIG6.axis.paths[0]] == 3e-2))["timeouts"]
    assert timeouts.values("reno", 3e-2) == wanted.to_list()
    assert timeouts.ratio("ll-elsn", "reno", 3e-2).value < 1.0
    rows = outcome.to_dict()["rows"]
    assert [row["metric"] for row in rows[::8]] == ["goodput_mbps", "timeouts", RETRIES.name]
    stream = io.StringIO()
    print_outcome(outcome, Console(width=80, file=stream))
    assert "Share sent again: mean ± 95 % half-width" in stream.getvalue()


def test_rows_csv_has_all_metrics(outcome: Outcome, tmp_path: Path) -> None:
    write_rows(outcome, tmp_path / "rows.csv")
    table = pl.read_csv(tmp_path / "rows.csv")
    assert table["scheme"].to_list() == [row.scheme for row in outcome.rows]
    assert table[f"{RETRIES.name}_mean"].to_list() == pytest.approx(
        [row.value.mean for row in outcome.also[RETRIES.name]]
    )


def test_the_reports_menu_has_computed_metrics_beside_columns(outcome: Outcome) -> None:
    chapter = chapter_of_outcome(outcome, trace=False)
    assert isinstance(chapter, Chapter)
    names = [quantity.column for quantity in chapter.quantities]
    assert names[:3] == ["goodput_mbps", "timeouts", RETRIES.name]
    assert names.count("timeouts") == 1
    mean = outcome.also[RETRIES.name][0].value.mean
    assert chapter_data(chapter)["cells"][RETRIES.name]["mean"][0] == pytest.approx(mean, rel=1e-5)


def test_an_experiment_can_measure_the_goodput_of_a_single_flow() -> None:
    one = replace(SHORT, metric=replace(FIG6.metric, name="flow.ftp1.goodput_mbps"))
    assert str(one.study("default").reps).startswith("until ± 3 % of flow.ftp1.goodput_mbps")
