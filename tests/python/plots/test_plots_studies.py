"""Printed figures of studies and runs draw the measured values at the requested fixed values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import matplotlib as mpl
import pytest

import airhop
import synthetic_study
from airhop import plots
from airhop.analysis.loss_classifications import LossClassifications
from airhop.errors import InputError
from airhop.plots import studies, traces
from airhop.plots.paper import PRINT_STYLE, folded
from airhop.plots.quantities import dimensions, label, measured
from airhop.plots.slices import cut

FER = synthetic_study.FER
PLANE = synthetic_study.study("plane", wlan__cell__errors__fer=(0.001, 0.01, 0.1), copies=(1, 2, 5, 10))


def figure(draw: Callable[..., Any], *arguments: Any, **choices: Any) -> Any:
    """Draw a figure without writing its files, and return the figure."""
    module = traces if draw in (plots.draw_sequence, plots.draw_window, plots.draw_queue) else studies
    with patch.object(module, "write") as write:
        draw(*arguments, "stem", **choices)
    return write.call_args[0][0]


def line(axes: Any, label: str) -> tuple[list[float], list[float]]:
    """Return the points of a curve."""
    bars = next(bars for bars in axes.containers if bars.get_label() == label)
    return list(bars[0].get_xdata()), list(bars[0].get_ydata())


def test_means_are_drawn_at_the_values_of_their_axis() -> None:
    table = synthetic_study.study()
    axes = figure(plots.draw_means, table).axes[0]
    assert axes.get_xscale() == "log"
    cells = [cell for cell in table.cells() if cell.point.scheme == "snoop"]
    assert line(axes, "snoop") == ([0.0001, 0.001, 0.01, 0.1], [cell.value.mean for cell in cells])
    low, high = axes.containers[2][2][0].get_segments()[1]
    assert (high[1] - low[1]) / 2 == pytest.approx(cells[1].value.half_width)


def test_no_line_of_a_caption_is_wider_than_its_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airhop.plots import confusion

    kept: list[Any] = []
    monkeypatch.setattr(confusion, "write", lambda figure, *_: kept.append(figure))
    with mpl.rc_context(PRINT_STYLE):
        plots.draw_confusion(PLANE, tmp_path / "x")  # type: ignore[arg-type]
        kept[0].draw_without_rendering()  # arranges the labels of the axes
        told = kept[0]._supxlabel.get_window_extent()
    assert "\n" in kept[0].get_supxlabel()
    assert told.x0 >= 0.0
    assert told.y0 >= 0.0
    named = [axes.xaxis.label for axes in kept[0].axes if axes.get_xlabel()]
    assert told.y1 <= min(label.get_window_extent().y0 for label in named)
    # a number and its unit stay on one line
    assert folded("at 1 % of all", 0.4).splitlines() == ["at 1 %", "of all"]


def test_no_text_of_loss_classifications_covers_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three schemes that classify every loss as congestion: two lines of matrices with a single row each."""
    from airhop.plots import confusion

    counts = {("congestion", "queue"): 3, ("congestion", "none"): 1}
    sample = {"reno": counts, "sack": counts, "snoop": counts}
    found = {scheme: [LossClassifications(of)] for scheme, of in sample.items()}
    kept: list[Any] = []
    monkeypatch.setattr(confusion, "_samples", lambda *_: found)
    monkeypatch.setattr(confusion, "write", lambda figure, *_: kept.append(figure))
    with mpl.rc_context(PRINT_STYLE):
        plots.draw_confusion(PLANE, tmp_path / "x")  # type: ignore[arg-type]
        kept[0].draw_without_rendering()
    texts = [text for text in kept[0].findobj(mpl.text.Text) if text.get_text() and text.get_visible()]
    upright = [text for text in texts if text.get_rotation() in (0.0, 90.0)]
    boxes = [(text.get_text(), text.get_window_extent()) for text in upright]
    assert sum(name == "classified as" for name, _ in boxes) == 1
    assert all(box.x0 >= 0.0 for _, box in boxes)
    for number, (name, box) in enumerate(boxes):
        others = [other for other, its in boxes[number + 1 :] if its.overlaps(box)]
        assert not others, (name, others)


def test_any_metric_is_drawn_along_any_axis_at_fixed_values_of_other_axes() -> None:
    drawn = figure(plots.draw_means, PLANE, metric="srtt_ms", along="copies", at={FER: 0.1})
    cells = [
        cell
        for cell in PLANE.cells("srtt_ms")
        if cell.point.scheme == "sack" and cell.point.values[FER] == 0.1
    ]
    assert line(drawn.axes[0], "sack") == ([1, 2, 5, 10], [cell.value.mean for cell in cells])
    assert drawn.axes[0].get_ylabel() == "Smoothed round-trip time (ms)"
    # The figure states the fixed values.
    assert drawn.get_supxlabel() == "frame error rate of cell = 10 %; each frame sent once (attempts = 1)"


def test_two_points_and_categories_are_not_joined_by_lines() -> None:
    scenario = synthetic_study.study().study.scenario
    for values, joined in (([1, 4], False), ([1, 2, 4], True)):
        table = airhop.sweep(
            scenario.with_({"duration": "1 s"}), {"scheme": ["reno"], "wlan.cell.attempts": values}, reps=1
        )
        axes = figure(plots.draw_means, table).axes[0]
        assert [line.get_linestyle() != "None" for line in axes.lines[:1]] == [joined]
        assert axes.get_ylim()[0] == 0.0
        assert axes.get_xlabel() == "attempts per frame of cell"


def test_drawn_differences_are_paired_differences() -> None:
    table = synthetic_study.study()
    axes = figure(plots.draw_differences, table).axes[0]
    cells = [cell for cell in table.cells() if cell.point.scheme == "ll-elsn"]
    assert line(axes, "ll-elsn")[1] == [cell.difference.mean for cell in cells if cell.difference]
    assert "reno" not in [bars.get_label() for bars in axes.containers]
    assert axes.get_ylabel() == "Goodput less that of reno (Mbit/s)"


def test_a_drawn_distribution_contains_all_replications() -> None:
    table = synthetic_study.study(reps=4)
    axes = figure(plots.draw_distribution, table, at={FER: 0.01}).axes[0]
    point = next(p for p in table.study.points() if p.scheme == "sack" and p.values[FER] == 0.01)
    steps = next(steps for steps in axes.lines if steps.get_label() == "sack")
    values = sorted(table.values(point).values())
    assert list(steps.get_xdata()) == [values[0], *values]
    assert list(steps.get_ydata()) == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_a_map_has_the_mean_of_each_cell_in_its_row_and_column() -> None:
    axes = figure(plots.draw_map, PLANE, scheme="sack").axes[0]
    values = axes.images[0].get_array()
    assert values.shape == (4, 3)  # copies upwards, errors across
    for cell in (cell for cell in PLANE.cells() if cell.point.scheme == "sack"):
        row = (1, 2, 5, 10).index(cell.point.values["copies"])
        column = (0.001, 0.01, 0.1).index(cell.point.values[FER])
        assert values[row, column] == cell.value.mean


def test_the_axis_of_a_fairness_index_does_not_begin_at_zero() -> None:
    # The axis does not begin at 0, so that indices between 0.9 and 1 are distinguishable.
    assert figure(plots.draw_fairness, synthetic_study.study()).axes[0].get_ylim()[0] > 0.8


def test_axes_that_vary_together_belong_to_the_same_group() -> None:
    table = synthetic_study.study("zip", delay=(10, 20, 30), copies=(1, 2))
    # As in a study with `zip`, each value of `delay` has one value of `rate`.
    for point in table.study.points():
        point.values["rate"] = {10: 5, 20: 6, 30: 7}[point.values["delay"]]  # type: ignore[index]
    delay, rate, copies = (dimensions([p.values for p in table.study.points()])[i] for i in (0, 1, 2))
    assert (delay.column, rate.column, copies.column) == ("delay", "rate", "copies")
    assert delay.group == rate.group != copies.group
    assert cut(table, "goodput_mbps", ("rate",)).held == {"copies": 2}  # type: ignore[arg-type]
    held = cut(table, "goodput_mbps", ("copies",), {"rate": 7}).held  # type: ignore[arg-type]
    assert held == {"delay": 30, "rate": 7}


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((1e-4, 1e-3, 1e-2), "log"),
        ((1, 2, 5, 10, 100), "log"),
        ((0, 1, 10, 100), "linear"),  # zero has no logarithm
        ((1, 2, 3, 4), "linear"),
        ((10, 20, 30), "linear"),
        (("basic", "rts-cts"), "category"),
        ((True, False), "category"),
    ],
)
def test_the_scale_of_an_axis_follows_from_its_values(values: tuple[object, ...], scale: str) -> None:
    (found,) = dimensions([{"scheme": "reno", "x": value} for value in values])
    assert found.scale == scale
    assert [found.rank(value) for value in values] == list(range(len(values)))


def test_columns_have_readable_labels_with_units() -> None:
    assert label("wired.w1.delay_ms") == "delay of w1 (ms)"
    assert label("wlan.cell.errors.fer") == "frame error rate of cell"
    assert label("duration_s") == "duration (s)"
    assert label("copies") == "copies"
    assert label("wired.w1.queue.packets") == "queue length of w1 (packets)"
    assert label("flow.ftp.tcp.receive_window_kbytes") == "receive window of ftp (kB)"
    assert label("wired.w1.queue.mean_packet") == "queue mean packet of w1"


def test_error_rates_are_labelled_in_per_cent() -> None:
    (found,) = dimensions(
        [{"scheme": "reno", FER: value} for value in (1e-4, 0.0031622776, 0.03162277660168)]
    )
    assert found.texts == ("0.01 %", "0.316 %", "3.16 %")
    (near,) = dimensions([{"scheme": "reno", FER: value} for value in (0.10001, 0.10002)])
    assert near.texts == ("10.001 %", "10.002 %")


def test_metrics_with_equal_values_in_every_run_are_not_offered() -> None:
    columns = [found.column for found in measured(synthetic_study.study().frame())]
    assert columns[0] == "goodput_mbps"
    assert "timeouts" in columns
    assert "drops_queue" not in columns  # 0 everywhere


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"along": "copied"}, "Did you mean `copies`"),
        ({"at": {FER: 0.5}}, f"no point with {FER} = 0.5; it has 0.001, 0.01, 0.1"),
    ],
)
def test_a_column_that_does_not_vary_is_refused_with_the_varying_columns(
    choices: dict[str, Any], says: str
) -> None:
    if "at" in choices:
        choices = {"along": "copies", **choices}
    with pytest.raises(InputError, match=says):
        plots.draw_means(PLANE, "never", **choices)  # type: ignore[arg-type]


def test_a_map_needs_two_axes_and_a_difference_a_baseline() -> None:
    with pytest.raises(InputError, match="two axes"):
        plots.draw_map(synthetic_study.study(), "never", scheme="reno")  # type: ignore[arg-type]
    alone = synthetic_study.study(schemes=("sack",))
    object.__setattr__(alone.study, "baseline", None)
    with pytest.raises(InputError, match="no baseline"):
        plots.draw_differences(alone, "never")  # type: ignore[arg-type]


def test_a_study_is_drawn_completely_and_identically_when_repeated(tmp_path: Path) -> None:
    table = synthetic_study.study("small", schemes=("reno", "sack"), delay=(1, 2), copies=(1, 2))
    first, again = (plots.draw_study(table, tmp_path / name) for name in ("a", "b"))  # type: ignore[arg-type]
    stems = ("goodput", "distribution", "difference", "fairness", "confusion", "map-reno", "map-sack")
    assert {path.name for path in first} == {
        f"{stem}.{kind}" for stem in stems for kind in ("pdf", "svg", "png")
    }
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


@pytest.fixture(scope="module")
def traced() -> airhop.Result:
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "3 s", "scheme": "sack"})
    return airhop.run(scenario, trace=True)


def test_a_time_sequence_graph_shows_every_segment(traced: airhop.Result) -> None:
    axes = figure(plots.draw_sequence, traced).axes[0]
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    segments = traced.tables["segments"]
    assert drawn["sent"] == segments.filter(~segments["retransmission"]).height
    assert drawn["sent again"] == segments["retransmission"].sum()


def test_cwnd_is_drawn_between_two_times(traced: airhop.Result) -> None:
    axes = figure(plots.draw_window, traced, between=(1.0, 2.0)).axes[0]
    assert axes.get_xlim() == (1.0, 2.0)
    window = traced.tables["window"]
    inside = window.filter(window["time_s"].is_between(1.0, 2.0))
    assert list(axes.lines[0].get_ydata()) == inside["cwnd"].to_list()


def test_a_figure_of_a_run_without_a_trace_is_refused_with_a_remedy() -> None:
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "1 s"})
    with pytest.raises(InputError, match="trace=True"):
        plots.draw_window(airhop.run(scenario), "never")


def test_a_figure_of_an_unknown_flow_is_refused(traced: airhop.Result) -> None:
    with pytest.raises(InputError, match="Did you mean `ftp`"):
        plots.draw_sequence(traced, "never", flow="ftb")
