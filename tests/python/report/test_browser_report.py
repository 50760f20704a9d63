"""Report in a real browser: a reader's actions have their effects, and cause no errors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import synthetic
import synthetic_radio
import synthetic_study
from airhop.analysis.loss_classifications import LossClassifications
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.report import Chapter, chapter_of_outcome, write_report
from airhop.report.matrices import matrices
from browser import NARROW, WIDE, Tab, eventually, settled

EXPERIMENT, PLANE = "study-yun2009-fig6", "study-plane"
VISIBLE = """([chapter, view, scheme]) =>
  [...chapters.find(({ id }) => id === chapter).drawn.get(view).document.all_models]
    .filter(({ name }) => name === `scheme:${scheme}`).map(({ visible }) => visible)"""
DRAWN = """([chapter, view]) =>
  chapters.find(({ id }) => id === chapter)?.drawn.get(view)?.sources.get('data:0').data.x.length"""
ROWS = """(list) => [...document.querySelectorAll(`${list} .list-body .list-row`)]
  .map((row) => [...row.children].map((cell) => cell.textContent))"""
SPAN = """() => {
  const { x_range } = chapters[0].drawn.get('means').plot;
  return x_range.end / x_range.start;
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outcome = synthetic.four_schemes(FIG6)
    plane = synthetic_study.study("plane", wlan__cell__errors__fer=(0.001, 0.01, 0.1), copies=(1, 2, 5, 10))
    chapters = [chapter_of_outcome(outcome), Chapter.of_table(plane)]  # type: ignore[arg-type]
    return write_report(chapters, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def opened(tab: Tab, report: Path) -> Tab:
    return show(tab, report)


def show(tab: Tab, report: Path) -> Tab:
    """Open the report and wait for its script."""
    tab.page.goto(report.as_uri())
    tab.page.wait_for_selector("html[data-ready]", state="attached")
    return tab


def figure(tab: Tab, view: str, chapter: str = EXPERIMENT) -> Any:
    """Scroll a figure into view and wait until it is drawn."""
    place = tab.page.locator(f"#{chapter} [data-view={view}]")
    place.scroll_into_view_if_needed()
    tab.page.wait_for_function(DRAWN, arg=[chapter, view])
    return place


def click_point(tab: Tab, view: str, scheme: int, index: int, chapter: str = EXPERIMENT) -> None:
    """Click on a drawn point of a figure."""
    figure(tab, view, chapter)
    at = """([chapter, view, scheme, index]) => {
      const { plot, sources } = chapters.find(({ id }) => id === chapter).drawn.get(view);
      const { x, y } = sources.get(`data:${scheme}`).data;
      const { frame, el } = Bokeh.index.get_by_id(plot.id);
      const box = el.getBoundingClientRect();
      return [box.left + frame.x_scale.compute(x[index]), box.top + frame.y_scale.compute(y[index])];
    }"""
    x, y = settled(tab.page, lambda: tab.page.evaluate(at, [chapter, view, scheme, index]))
    tab.page.mouse.click(x, y)


def card(tab: Tab, name: str, chapter: str = EXPERIMENT) -> str:
    """Read the card of the selected point."""
    return tab.page.locator(f"#{chapter} [data-card={name}]").first.inner_text()


def test_the_report_loads_no_other_resource_and_logs_no_error(opened: Tab, report: Path) -> None:
    for chapter, views in ((EXPERIMENT, ("means", "distribution")), (PLANE, ("means", "fairness", "map"))):
        for view in views:
            figure(opened, view, chapter)
    opened.page.locator(f"#{EXPERIMENT}-timeline").scroll_into_view_if_needed()
    opened.page.wait_for_selector(f"#{EXPERIMENT}-timeline output:has-text('s to')")
    assert opened.requests == [report.as_uri()]
    assert opened.errors == []


def test_the_summary_links_to_every_chapter(opened: Tab) -> None:
    opened.page.click(f".overview a[href='#{PLANE}']")
    assert opened.page.locator(f"#{PLANE}").bounding_box()["y"] < 100  # type: ignore[index]


def test_hiding_a_scheme_hides_its_curve_in_every_figure_of_the_chapter(opened: Tab) -> None:
    figure(opened, "means")
    figure(opened, "distribution")
    button = opened.page.locator(f"#{EXPERIMENT} .schemes button", has_text="Snoop")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    for view in ("means", "distribution"):
        assert not any(opened.page.evaluate(VISIBLE, [EXPERIMENT, view, 2]))
        assert all(opened.page.evaluate(VISIBLE, [EXPERIMENT, view, 3]))
    button.click()
    assert all(opened.page.evaluate(VISIBLE, [EXPERIMENT, "means", 2]))


def test_clicking_a_point_shows_its_numbers_and_its_command(opened: Tab) -> None:
    click_point(opened, "means", 3, 2)
    opened.page.wait_for_selector(f"#{EXPERIMENT} .card.filled")
    assert card(opened, "point") == "LL-ELSN"
    assert card(opened, "where").endswith("= 1 %")
    assert card(opened, "value").startswith("3.40")
    command = card(opened, "command")
    assert "--scheme ll-elsn" in command or "scheme=ll-elsn" in command
    assert command.endswith("--seed 1 --rep 0")


def test_replications_of_a_point_have_commands_of_their_own(opened: Tab) -> None:
    click_point(opened, "means", 0, 0)
    opened.page.click(f"#{EXPERIMENT} [data-step='1']")
    assert card(opened, "rep") == "1"
    assert card(opened, "command").endswith("--rep 1")
    opened.page.click(f"#{EXPERIMENT} [data-step='-1']")
    opened.page.click(f"#{EXPERIMENT} [data-step='-1']")
    assert card(opened, "command").endswith("--rep 4")


def test_a_click_copies_the_command_of_a_run(opened: Tab) -> None:
    click_point(opened, "means", 1, 1)
    opened.page.click(f"#{EXPERIMENT} .card .copy")
    opened.page.wait_for_selector(f"#{EXPERIMENT} .card .copy:has-text('Copied')")
    assert opened.page.evaluate("navigator.clipboard.readText()") == card(opened, "command")


def test_without_a_clipboard_a_click_selects_the_command(opened: Tab) -> None:
    opened.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    click_point(opened, "means", 1, 1)
    opened.page.click(f"#{EXPERIMENT} .card .copy")
    assert opened.page.evaluate("getSelection().toString()") == card(opened, "command")
    assert opened.errors == []


def test_a_point_links_to_the_packets_of_its_run(opened: Tab) -> None:
    # The page opens on the setting of the headline, LL-ELSN's largest lead over Reno, the last value of the
    # grid.
    assert opened.page.locator(f"#{EXPERIMENT} [data-opens]").get_attribute("data-opens") == "3"
    click_point(opened, "means", 1, 4)
    opened.page.click(f"#{EXPERIMENT} .trace-link")
    assert opened.page.locator(f"#{EXPERIMENT}-tab-1").get_attribute("aria-selected") == "true"
    assert opened.page.locator(f"#{EXPERIMENT}-panel-1").is_visible()
    click_point(opened, "means", 1, 0)
    assert opened.page.locator(f"#{EXPERIMENT} .trace-link").is_hidden()


def test_selecting_another_metric_redraws_the_figures_with_its_values(opened: Tab) -> None:
    figure(opened, "means", PLANE)
    opened.page.select_option(f"#{PLANE} [data-choose=metric]", label="Smoothed round-trip time")
    label, low = opened.page.evaluate(
        "(() => { const { plot, sources } = chapters[1].drawn.get('means');"
        " return [plot.left[0].axis_label, Math.min(...sources.get('data:0').data.y)]; })()"
    )
    assert label == "Smoothed round-trip time (ms)"
    assert low > 50


def test_selecting_another_axis_draws_the_same_cells_along_that_axis(opened: Tab) -> None:
    figure(opened, "means", PLANE)
    opened.page.select_option(f"#{PLANE} [data-choose=axis]", label="copies")
    opened.page.wait_for_function("chapters[1].drawn.get('means').plot.below[0].axis_label === 'copies'")
    assert opened.page.evaluate("[...chapters[1].drawn.get('means').sources.get('data:0').data.x]") == [
        1,
        2,
        5,
        10,
    ]
    # Fixed values can be selected, and the figure states them.
    opened.page.select_option(f"#{PLANE} [data-choose^=slice]", label="10 %")
    said = opened.page.locator(f"#{PLANE} [data-say=means]").inner_text()
    assert said == "Goodput (Mbit/s) against copies; frame error rate of cell = 10 %"


def test_lines_join_neighbouring_values_of_an_axis(opened: Tab) -> None:
    figure(opened, "means", PLANE)
    joined = "[...chapters[1].drawn.get('means').sources.get('data:0').data.joined].every(Number.isFinite)"
    assert opened.page.evaluate(joined)


def test_the_map_can_show_ratios(opened: Tab) -> None:
    figure(opened, "map", PLANE)
    opened.page.select_option(f"#{PLANE} [data-map=what]", "ratio")
    z = opened.page.evaluate("chapters[1].drawn.get('map').sources.get('data:0').data.z")
    assert len(z) == 12
    assert all(1.0 < ratio < 5.0 for ratio in z)


def rows(tab: Tab, list_: str) -> list[list[str]]:
    """Read the rows of a table that are in the page, from top to bottom."""
    found: list[list[str]] = tab.page.evaluate(ROWS, list_)
    return found


def test_tables_sort_by_any_column(opened: Tab) -> None:
    table = f"#{EXPERIMENT}-points"
    opened.page.locator(f"{table}").locator("xpath=..").locator("summary").click()
    opened.page.wait_for_selector(f"{table} .list-row[data-row='0']")
    head = opened.page.locator(f"{table} [role=columnheader]", has_text="mean")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    column = [
        title.strip() for title in opened.page.locator(f"{table} [role=columnheader]").all_inner_texts()
    ].index("mean")
    values = [float(row[column]) for row in rows(opened, table)]
    assert values == sorted(values, reverse=True)
    head.locator("button").click()
    assert [float(row[column]) for row in rows(opened, table)] == sorted(values)


def test_rows_points_and_time_window_can_be_selected_by_keyboard(opened: Tab) -> None:
    page = opened.page
    table = f"#{EXPERIMENT}-points"
    page.locator(table).locator("xpath=..").locator("summary").press("Enter")
    page.wait_for_selector(f"{table} .list-row[data-row='0']")
    page.focus(table)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(f"{table} [aria-selected=true]").get_attribute("data-row") == "1"
    assert card(opened, "point") == "SACK"
    # Zoom into a figure, and back.
    figure(opened, "means").focus()
    before = page.evaluate(SPAN)
    page.keyboard.press("+")
    assert page.evaluate(SPAN) == pytest.approx(before**0.5)
    page.keyboard.press("0")
    assert page.evaluate(SPAN) == pytest.approx(before)
    # Step from loss to loss.
    page.locator(f"#{EXPERIMENT}-timeline").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{EXPERIMENT}-timeline output:has-text('s to')")
    page.locator(f"#{EXPERIMENT}-panel-3 figure.time").first.focus()
    page.keyboard.press("n")
    page.wait_for_selector(f"#{EXPERIMENT}-timeline output:has-text('loss at')")


def test_changing_a_tab_keeps_the_time_window(opened: Tab) -> None:
    page, timeline = opened.page, f"#{EXPERIMENT}-timeline"
    page.locator(timeline).scroll_into_view_if_needed()
    page.wait_for_selector(f"{timeline} output:has-text('0.000 s to 2.000 s')")
    page.click(f"{timeline} [data-go=in]")
    page.wait_for_selector(f"{timeline} output:has-text('0.500 s to 1.500 s')")
    page.focus(f"#{EXPERIMENT}-tab-3")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"#{EXPERIMENT}-panel-2 canvas", state="attached")
    assert page.locator(f"{timeline} output").first.inner_text().startswith("0.500 s to 1.500 s")


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_a_report_fits_browser_windows_of_any_width(tab: Tab, report: Path, width: int) -> None:
    tab.page.set_viewport_size({"width": width, "height": 800})
    show(tab, report)
    click_point(tab, "means", 3, 2)
    figure(tab, "map", PLANE)
    tab.page.locator(f"#{EXPERIMENT}-timeline").scroll_into_view_if_needed()
    tab.page.wait_for_selector(f"#{EXPERIMENT}-timeline output:has-text('s to')")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width


def test_titles_of_tables_fit_a_narrow_window(tab: Tab, report: Path) -> None:
    tab.page.set_viewport_size(NARROW)
    show(tab, report)
    caption = tab.page.locator(f"#{EXPERIMENT} .causes caption >> visible=true").first
    caption.scroll_into_view_if_needed()
    box = caption.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= NARROW["width"]


def test_words_below_an_axis_are_broken_or_turned_where_they_would_touch(tab: Tab, tmp_path: Path) -> None:
    queues = tuple(f"drop-tail(packets={packets})" for packets in (100, 300, 1000))
    few = synthetic_study.study("few", wlan__cell__queue=queues)
    many = synthetic_study.study("many", wlan__cell__queue=tuple(f"discipline-{i}" for i in range(12)))
    chapters = [Chapter.of_table(study, trace=False) for study in (few, many)]  # type: ignore[arg-type]
    path = write_report(chapters, tmp_path / "words.html")
    axis = """(chapter) => {
      const { below, inner_width } = chapters[chapter].drawn.get("means").plot;
      return [[...below[0].major_label_overrides.values()], below[0].major_label_orientation, inner_width];
    }"""
    tab.page.set_viewport_size(NARROW)
    show(tab, path)
    figure(tab, "means", "study-few")
    tab.page.wait_for_function(f"({axis})(0)[0].some((text) => text.includes('\\n'))")
    texts, orientation, width = tab.page.evaluate(axis, 0)
    assert texts == [queue.replace("(", "\n(").replace("=", "=\n") for queue in queues]
    assert orientation == "horizontal" and 200 < width < 400
    figure(tab, "means", "study-many")
    tab.page.wait_for_function(f"({axis})(1)[1] === 'vertical'")
    assert tab.page.evaluate(axis, 1)[0][0] == "discipline-0"
    tab.page.set_viewport_size(WIDE)
    tab.page.wait_for_function(f"({axis})(0)[0][0] === '{queues[0]}'")
    assert tab.errors == []


def test_figures_have_the_colours_of_the_theme(opened: Tab) -> None:
    figure(opened, "means")
    color = "chapters[0].drawn.get('means').plot.below[0].major_label_text_color"
    light = opened.page.evaluate(color)
    opened.page.emulate_media(color_scheme="dark")
    opened.page.wait_for_selector("html[data-theme=dark]", state="attached")
    assert opened.page.evaluate(color) != light
    # A figure that is created later also has the theme.
    opened.page.evaluate("chapters[1].make('means')")
    figure(opened, "means", PLANE)
    assert opened.page.evaluate(color.replace("[0].drawn", "[1].drawn")) == opened.page.evaluate(color)
    opened.page.click("#theme")
    assert opened.page.evaluate(color) == light


def test_a_table_of_a_hundred_thousand_runs_can_be_scrolled(tab: Tab, tmp_path: Path) -> None:
    grid: dict[str, Any] = {"copies": tuple(range(1, 26))}
    many = synthetic_study.study("many", schemes=("reno", "sack"), reps=2000, **grid)
    path = write_report([Chapter.of_table(many, trace=False)], tmp_path / "many.html")  # type: ignore[arg-type]
    show(tab, path)
    tab.page.click("text=All 100,000 runs")
    tab.page.wait_for_selector("#study-many-runs-list .list-row[data-row='0']")
    assert tab.page.locator("#study-many-runs-list .list-body .list-row").count() < 100
    tab.page.focus("#study-many-runs-list")
    tab.page.keyboard.press("End")
    tab.page.wait_for_selector("#study-many-runs-list .list-row[data-row='99999']")
    last = rows(tab, "#study-many-runs-list")[-1]
    assert last[:3] == ["sack", "25", "1999"]
    tab.page.locator("#study-many-runs-list [role=columnheader]", has_text=re.compile("^Goodput")).locator(
        "button"
    ).click()

    shown = [float(row[3]) for row in rows(tab, "#study-many-runs-list")]
    assert shown == sorted(shown, reverse=True)
    assert tab.errors == []


def test_studies_with_any_number_and_type_of_axes_are_drawn(tab: Tab, tmp_path: Path) -> None:
    shapes: dict[str, dict[str, Any]] = {
        "alone": {"alone": True},
        "words": {"access": ("basic", "rts-cts")},
        "few": {"attempts": (1, 2, 4)},
        "one": {"attempts": (3,)},
    }
    tables = [synthetic_study.study(name, **grid) for name, grid in shapes.items()]
    chapters = [Chapter.of_table(table, trace=False) for table in tables]  # type: ignore[arg-type]
    show(tab, write_report(chapters, tmp_path / "shapes.html"))
    ticks = "chapters.map(({ drawn }) => [...drawn.get('means').plot.below[0].ticker.ticks])"
    for name in shapes:
        figure(tab, "means", f"study-{name}")
    assert tab.page.evaluate(ticks) == [[0], [0, 1], [1, 2, 4], [3]]
    click_point(tab, "means", 3, 0, "study-alone")
    assert card(tab, "where", "study-alone") == "the one setting"
    assert tab.errors == []


MATRIX = """([chapter, scheme]) => {
  const table = document.querySelector(`#${chapter} [data-matrix="${scheme}"]`);
  const cells = [...table.querySelectorAll("[data-cell]")]
    .map((cell) => [cell.dataset.cell, cell.textContent, cell.title]);
  return { hidden: table.hidden, count: table.querySelector(".count").textContent, cells };
}"""


def test_confusion_matrices_follow_the_selected_point_and_the_legend(tab: Tab, tmp_path: Path) -> None:
    schemes = ("reno", "ll-elsn")
    study = synthetic_study.study("judged", schemes=schemes, delay=(1, 2, 3))
    # No packet is lost at the last setting.
    still = {point.index for point in study.study.points() if point.setting == (3,)}
    found = study.judgements()
    study.judgements = lambda: {  # type: ignore[method-assign]
        point: {rep: LossClassifications({}) if point in still else judged for rep, judged in sample.items()}
        for point, sample in found.items()
    }
    chapter = Chapter.of_table(study, trace=False)  # type: ignore[arg-type]
    show(tab, write_report([chapter], tmp_path / "report.html"))

    def matrix(scheme: int) -> Any:
        return tab.page.evaluate(MATRIX, ["study-judged", scheme])

    served = matrices(chapter)
    assert served is not None
    for place, expected in enumerate(served.shown):
        drawn = matrix(place)
        assert drawn["count"] == expected.summary, "the script writes the served file"
        for cell, text, title in drawn["cells"]:
            written = expected.cell(*cell.split(":"))
            assert (text, title) == (written["text"], written["title"])
    tab.page.evaluate("chapters[0].select(2)")
    assert matrix(0)["count"] == matrix(1)["count"] == "no loss detected"
    assert all(text == "" for _, text, _ in matrix(1)["cells"])
    tab.page.locator(".schemes button").first.click()
    assert [matrix(place)["hidden"] for place in (0, 1)] == [True, False]
    assert tab.errors == []


# ---- a run over a radio link -----------------------------------------------------------------------------

RANGES = """async () => {
  const { plots } = await chapters[0].timeline.drawn[0];
  return Object.fromEntries(plots.map(({ name, y_range }) => [name, [y_range.start, y_range.end]]));
}"""
SHOWN = """async ([plot, group]) => {
  const { plots } = await chapters[0].timeline.drawn[0];
  return plots.find(({ name }) => name === plot).renderers.filter(({ name }) => name === group)
    .map(({ visible, data_source }) => [visible, data_source.get_length()]);
}"""


@pytest.fixture(scope="module")
def radio_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chapter = chapter_of_outcome(synthetic.four_schemes(FIG6), trace=False)
    run = replace(synthetic_radio.traced_run(), point=chapter.table.study.points()[0].index)
    return write_report([replace(chapter, runs=(run,))], tmp_path_factory.mktemp("radio") / "report.html")


@pytest.fixture
def radio(tab: Tab, radio_report: Path) -> Tab:
    show(tab, radio_report)
    tab.page.locator("figure[data-plot=arrivals]").scroll_into_view_if_needed()
    tab.page.wait_for_selector(".timeline output:has-text('0.000 s to 4.000 s')")
    tab.page.wait_for_selector("figure[data-plot=arrivals] canvas", state="attached")
    return tab


def test_a_run_over_a_radio_link_has_network_sequence_graph_and_round_trips(radio: Tab) -> None:
    page = radio.page
    assert page.locator(".network rect").count() == 3
    assert "go-back-n" in page.locator(".topology li").nth(1).inner_text()
    for plot, group, count in (
        ("arrivals", "arrived", 6),
        ("arrivals", "arrival-lost", 3),
        ("arrivals", "hop-fades", 1),
        ("arrivals", "hop-timeouts", 1),
        ("timer", "trip-again", 2),
        ("timer", "notice-late", 1),
    ):
        assert page.evaluate(SHOWN, [plot, group]) == [[True, count]]
    # No frames collide on a link of one sender in each direction.
    assert page.locator("[data-go=collision-after]").count() == 0
    assert radio.errors == []


def test_the_legend_of_the_sequence_graph_hides_fades_in_that_figure_only(radio: Tab) -> None:
    radio.page.click("figure[data-plot=arrivals] [data-group=hop-fades]")
    assert radio.page.evaluate(SHOWN, ["arrivals", "hop-fades"]) == [[False, 1]]
    assert radio.page.evaluate(SHOWN, ["timer", "fades"]) == [[True, 1]]


def test_zooming_keeps_the_axis_of_segment_numbers_and_the_row_of_notices(radio: Tab) -> None:
    page = radio.page
    before = page.evaluate(RANGES)
    assert before["arrivals"] == pytest.approx([-3.6, 95.4])
    page.locator("figure[data-plot=arrivals]").focus()
    page.keyboard.press("+")
    page.wait_for_selector(".timeline output:has-text('1.000 s to 3.000 s')")
    page.wait_for_timeout(100)
    assert page.evaluate(RANGES)["arrivals"] == before["arrivals"]
    # 120 to 600 ms are visible; without notices below, the round trips fill the axis.
    low, high = before["timer"]
    assert high == pytest.approx(600 * 5**0.04 * 1.02)
    assert low == pytest.approx(120 / (5**0.04 * 1.02) / 5**0.16)
    page.keyboard.press("0")
    for group in ("notice-in-time", "notice-late"):
        page.click(f"figure[data-plot=timer] [data-group={group}]")
    eventually(page, lambda: page.evaluate(RANGES)["timer"][0] == pytest.approx(120 / (5**0.04 * 1.02)))


def test_a_frame_has_the_number_of_its_source_transmission(radio: Tab) -> None:
    page = radio.page
    at = """async () => {
      const { plots } = await chapters[0].timeline.drawn[0];
      const plot = plots.find(({ name }) => name === "arrivals");
      const { frame, el } = Bokeh.index.get_by_id(plot.id);
      const box = el.getBoundingClientRect();
      return [box.left + frame.x_scale.compute(2.3), box.top + frame.y_scale.compute(4)];
    }"""
    x, y = settled(page, lambda: page.evaluate(at))
    page.mouse.move(x, y)
    hover = page.locator(".bk-Tooltip")
    for told in ("sent again by the source: delivered", "sending 2 of the source", "attempt 1", "0.400 kB"):
        hover.get_by_text(told).wait_for()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_report_of_a_radio_link_fits_browser_windows_of_any_width(
    tab: Tab, radio_report: Path, width: int
) -> None:
    tab.page.set_viewport_size({"width": width, "height": 800})
    show(tab, radio_report)
    tab.page.locator("figure[data-plot=arrivals]").scroll_into_view_if_needed()
    tab.page.wait_for_selector(".timeline output:has-text('0.000 s to')")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
