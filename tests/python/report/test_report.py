"""The HTML report: complete, offline, and equal to the data."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

import airhop.report.pack as pack_module
import synthetic
import synthetic_study
from airhop.experiments import CheckedClaim, ClaimResult, Outcome
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.report import Chapter, TracedRun, chapter_of_outcome
from airhop.report.chapter import headline, leader
from airhop.report.data import chapter_data, runs_data
from airhop.report.pack import pack
from airhop.report.packets.traced import trace_schemes
from airhop.report.page import _bokeh, render


class Page(HTMLParser):
    """Parser of a page, with the parts that tests read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the element."""
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        """Close the element, and its children without an end tag."""
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Record text outside of scripts and styles."""
        if "script" in self._open or "style" in self._open:
            return
        self.text.append(data)
        if "td" in self._open:
            self.cells[-1] += data

    def all(self, tag: str) -> Iterator[dict[str, str | None]]:
        """List the attributes of every element of a kind."""
        return (attributes for name, attributes in self.elements if name == tag)


def chapter_of(outcome: Outcome, *runs: TracedRun) -> Chapter:
    return replace(chapter_of_outcome(outcome, trace=False), runs=runs)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return synthetic.outcome(FIG6)


@pytest.fixture(scope="module")
def html(outcome: Outcome) -> str:
    return render([chapter_of(outcome, synthetic.traced_run("reno", "Reno"), synthetic.traced_run())])


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def unpacked(html: str, id_: str) -> Any:
    found = re.search(rf'<script type="text/plain" id="{id_}">(.*?)</script>', html, re.DOTALL)
    assert found is not None, id_
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_a_report_references_no_external_resource(html: str, page: Page) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith("#"), attributes
    style = "".join(re.findall(r"<style>(.*?)</style>", html, re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


def test_panel_adds_no_script_to_a_page() -> None:
    """Panel registers models whose scripts every page of Bokeh would load from a server of Panel."""
    import panel as pn

    assert pn.__version__
    _bokeh.cache_clear()
    assert not re.search(r"<script[^>]*\bsrc=", _bokeh())


def test_the_browser_refuses_requests(page: Page) -> None:
    policy = next(
        meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    assert "http" not in policy


def test_no_script_runs_but_those_of_the_report(html: str, page: Page) -> None:
    """The browser does not execute scripts in markup that reaches the page (W3C CSP 3 §6.7.2)."""
    policy = next(
        meta["content"] or ""
        for meta in page.all("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    allowed = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe-inline" not in allowed
    scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', html, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert digests
    assert allowed.split()[1:] == [*(f"'sha256-{digest}'" for digest in digests), "'unsafe-eval'"]


def test_the_table_contains_the_measured_numbers(outcome: Outcome, page: Page) -> None:
    cells = iter(
        text
        for attributes, text in zip(page.all("td"), page.cells, strict=True)
        if "data-cell" not in attributes  # text of the matrices of loss classifications
    )
    for x in outcome.samples.xs:
        for scheme in FIG6.labels:
            row = next(row for row in outcome.rows if (row.scheme, row.x) == (scheme, x))
            assert next(cells) == f"{row.value.mean:.3f}"
            assert next(cells) == f"± {row.value.half_width:.3f}"
            if row.ratio is not None:
                assert next(cells) == f"{row.ratio.value:.2f} ×"
    # Cells of the following parts are empty or numbers.
    assert all(re.fullmatch(r"\d*", cell) for cell in cells)


def test_the_best_value_of_each_row_is_highlighted(outcome: Outcome, page: Page) -> None:
    cells = zip(page.all("td"), page.cells, strict=True)
    best = [text for attributes, text in cells if attributes.get("class") == "mean best"]
    assert best == [f"{outcome.samples.estimate('ll-elsn', x).mean:.3f}" for x in outcome.samples.xs]


def test_a_report_has_headline_claims_and_method(outcome: Outcome, page: Page) -> None:
    text = words(page)
    assert outcome.headline in text
    held = sum(checked.result.holds is True for checked in outcome.claims)
    assert 0 < held < len(FIG6.claims), "some curves lack a value to print"
    assert f"{held} of {len(FIG6.claims)} claims hold" in text
    for checked in outcome.claims:
        assert checked.claim.text in text
        assert checked.result.measured in text
    for method in (
        FIG6.source,
        "airhop reproduce yun2009/fig6 --quick",
        "Fieller",
        "last delivery",
        'name = "cell"',
    ):
        assert method in text


def words(page: Page) -> str:
    return re.sub(r"\s+", " ", "".join(page.text))


def test_failed_and_open_claims_are_marked_as_failed_and_open(outcome: Outcome) -> None:
    chapter = chapter_of(outcome)
    assert chapter.paper is not None
    first, second, *others = chapter.paper.claims
    why = replace(first.claim, reason="Its ACKs were lost.")
    claims = (
        CheckedClaim(why, ClaimResult(False, "0.5 ×")),
        CheckedClaim(second.claim, ClaimResult(None, "1.0 ×")),
        *(CheckedClaim(replace(one.claim, reason="untold"), ClaimResult(True, "2.0 ×")) for one in others),
    )
    text = words(Page(render([replace(chapter, paper=replace(chapter.paper, claims=claims))])))
    assert f"{len(others)} of {len(claims)} claims hold, 1 open" in text
    assert f"✗ fails: {first.claim.text}" in text
    assert f"? open: {second.claim.text}" in text
    assert "Its ACKs were lost." in text
    assert "untold" not in text  # a claim that holds needs no reason


def test_markup_in_names_is_escaped_in_the_report(outcome: Outcome) -> None:
    evil = "</script><script>alert(1)</script>"
    study = synthetic_study.study(evil, schemes=("reno", evil))
    chapters = [
        chapter_of(outcome, synthetic.traced_run("reno", evil)),
        Chapter.of_table(study, trace=False),  # type: ignore[arg-type]
    ]
    assert "<script>alert" not in render(chapters)


def test_every_button_and_figure_has_a_name(page: Page) -> None:
    ids = {attributes.get("id") for _, attributes in page.elements}
    for tab in (a for _, a in page.elements if a.get("role") == "tab"):
        assert tab["aria-controls"] in ids
    for figure in page.all("figure"):
        assert figure.get("aria-label") or figure.get("aria-labelledby") in ids


def test_ids_of_elements_are_unique_over_all_chapters(outcome: Outcome) -> None:
    chapters = [
        chapter_of(outcome, synthetic.traced_run()),
        replace(chapter_of(outcome), name="yun2009/other"),
    ]
    ids = [a["id"] for _, a in Page(render(chapters)).elements if a.get("id")]
    assert len(ids) == len(set(ids))


def test_similar_names_have_different_ids(outcome: Outcome) -> None:
    names = ("a/b", "a-b", "a b", "a.b", "summary", "theme")
    ids = [replace(chapter_of(outcome), name=name).id for name in names]
    assert len({*ids, "summary", "theme"}) == len(names) + 2


def test_chapters_of_a_report_share_templates_of_figures(outcome: Outcome) -> None:
    # Bokeh's figures take most of a page's bytes and writing time, so chapters must share them.
    one = render([chapter_of(outcome)])
    two = render([chapter_of(outcome), replace(chapter_of(outcome), name="yun2009/other")])
    assert len(re.findall('id="template-', one)) == len(re.findall('id="template-', two))


def test_pages_of_a_process_share_templates_of_figures(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A template takes a second to build, and a reproduction writes fifty pages."""
    first = Page(render([chapter_of(outcome)]))

    def build(*_: object) -> dict[str, Any]:
        raise AssertionError("built once more")

    monkeypatch.setattr(pack_module, "template", build)
    second = Page(render([chapter_of(outcome)]))
    assert [one["id"] for one in second.all("script") if "id" in one] == [
        one["id"] for one in first.all("script") if "id" in one
    ]


def test_equal_data_yield_identical_reports(outcome: Outcome) -> None:
    def data(html: str) -> list[str]:
        return re.findall(r'id="study-yun2009-fig6-(?:data|runs|run-0)">(.*?)</script>', html, re.DOTALL)

    made = [data(render([chapter_of(outcome, synthetic.traced_run())])) for _ in range(2)]
    assert len(made[0]) == 3
    assert made[0] == made[1]


def test_nan_is_refused_in_the_data_of_a_report() -> None:
    with pytest.raises(ValueError, match="JSON"):
        pack({"x": math.nan})


def test_the_data_of_the_script_contain_every_cell_and_run(outcome: Outcome, html: str) -> None:
    data, runs = unpacked(html, "study-yun2009-fig6-data"), unpacked(html, "study-yun2009-fig6-runs")
    cells = outcome.table.cells("goodput_mbps")
    assert data["cells"]["goodput_mbps"]["mean"] == pytest.approx([c.value.mean for c in cells], rel=1e-5)
    assert data["cells"]["goodput_mbps"]["correlation"] == [
        None if c.difference is None or c.difference.correlation is None
        else pytest.approx(c.difference.correlation, rel=1e-5)
        for c in cells
    ]  # fmt: skip
    assert data["schemes"][data["baseline"]]["name"] == "reno"
    frame = outcome.table.frame()
    assert runs["rep"] == frame["rep"].to_list()
    assert runs["metrics"]["goodput_mbps"] == pytest.approx(frame["goodput_mbps"].to_list(), rel=1e-5)
    # Every run belongs to its own point.
    names = [data["schemes"][data["points"]["scheme"][point]]["name"] for point in runs["point"]]
    assert names == frame["scheme"].to_list()
    fer = [data["dimensions"][0]["values"][data["points"]["places"][0][point]] for point in runs["point"]]
    assert fer == frame["wlan.cell.errors.fer"].to_list()


def test_every_point_has_the_command_that_repeats_its_run(outcome: Outcome, html: str) -> None:
    data = unpacked(html, "study-yun2009-fig6-data")
    commands = [outcome.table.command(cell.point, 0) for cell in outcome.table.cells()]
    assert data["points"]["command"] == commands
    # The page changes only this word for commands of other replications.
    assert all(len(re.findall(r"--rep \d+", command)) == 1 for command in commands)


def test_the_report_of_an_incomplete_study_states_that_runs_are_missing() -> None:
    table = synthetic_study.study()
    table.complete = False
    text = words(Page(render([Chapter.of_table(table, trace=False)])))  # type: ignore[arg-type]
    assert "Some runs of this study are still missing." in text


def test_points_without_runs_are_left_out() -> None:
    table = synthetic_study.study()
    table.missing = {3}
    chapter = Chapter.of_table(table, trace=False)  # type: ignore[arg-type]
    data, runs = chapter_data(chapter), runs_data(chapter)
    assert len(data["points"]["scheme"]) == 15
    assert sorted(set(runs["point"])) == list(range(15))
    assert render([chapter])


def test_a_report_has_only_figures_with_data() -> None:
    def views(table: Any) -> set[str]:
        html = render([Chapter.of_table(table, trace=False)])
        return {a["data-view"] for a in Page(html).all("figure") if a.get("data-view")}  # type: ignore[misc]

    alone = synthetic_study.study(schemes=("reno",), law=lambda *_: {"goodput_mbps": 1.0, "jain": 1.0})
    assert views(alone) == {"means", "distribution"}
    assert views(synthetic_study.study()) == {"means", "differences", "distribution", "fairness"}
    plane = synthetic_study.study(wlan__cell__errors__fer=(0.01, 0.1), copies=(1, 2))
    assert views(plane) == {"means", "differences", "distribution", "fairness", "map"}


def test_the_headline_of_a_study_is_the_ratio_with_the_highest_lower_bound() -> None:
    # The leader has the ratio with the highest lower end of the interval, not the largest ratio.
    def law(scheme: str, values: Any, rep: int) -> dict[str, float]:
        noise = (rep % 2) * (0.9 if values[synthetic_study.FER] == 0.1 else 0.001)
        lead = {0.1: 1.6, 0.01: 1.5}[values[synthetic_study.FER]] if scheme == "sack" else 1.0
        return {"goodput_mbps": lead * (1 + (noise if scheme == "sack" else 0.0)), "jain": 1.0}

    table = synthetic_study.study(schemes=("reno", "sack"), law=law, wlan__cell__errors__fer=(0.01, 0.1))
    chapter = Chapter.of_table(table, trace=False)  # type: ignore[arg-type]
    assert chapter.headline.endswith("times the goodput of reno, where frame error rate of cell = 1 %.")
    led = leader(table)  # type: ignore[arg-type]
    assert led is not None
    assert chapter.opens_on == led.point.scheme == "sack"
    runs = trace_schemes(table, led.point.index)  # type: ignore[arg-type]
    points = table.study.points()
    assert {points[run.point or 0].values[synthetic_study.FER] for run in runs} == {0.01}
    assert replace(chapter, runs=runs).opening_run == 1


def test_findings_count_the_settings_that_the_intervals_decide() -> None:
    # Ahead at 0.01, behind at 0.1, and undecided at 0.3.
    leads = {0.01: 1.5, 0.1: 0.5, 0.3: 1.0}

    def law(scheme: str, values: Any, rep: int) -> dict[str, float]:
        swing = 0.2 if scheme == "sack" and values[synthetic_study.FER] == 0.3 else 0.001
        lead = leads[values[synthetic_study.FER]] if scheme == "sack" else 1.0
        return {"goodput_mbps": lead + swing * math.sin(5 * rep), "jain": 1.0}

    table = synthetic_study.study(schemes=("reno", "sack"), law=law, wlan__cell__errors__fer=tuple(leads))
    (found,) = Chapter.of_table(table, trace=False).findings  # type: ignore[arg-type]
    assert found == (
        "sack: ahead of reno at 1, behind reno at 1, no significant difference from reno at 1 of 3 settings;"
        " ahead most by 1.50 (1.50–1.50) times, where frame error rate of cell = 1 %."
    )


def test_findings_exclude_undecided_settings() -> None:
    def law(scheme: str, _values: Any, rep: int) -> dict[str, float]:
        return {"goodput_mbps": (1.5 if scheme == "sack" else 1.0) + 0.001 * math.sin(5 * rep), "jain": 1.0}

    table = synthetic_study.study(schemes=("reno", "sack"), law=law, wlan__cell__errors__fer=(0.01, 0.1))
    (found,) = Chapter.of_table(table, trace=False).findings  # type: ignore[arg-type]
    assert found.startswith("sack: ahead of reno at all 2 settings; ahead most by 1.50")


def test_a_tab_names_the_flow_of_its_goodput() -> None:
    flow = {"transport": "tcp", "goodput_mbps": 1.04, "name": "ftp1"}
    one, two = (
        TracedRun("cubic", "CUBIC", {"flows": [flow, *more], "duration_s": 20.0}, {}, "")
        for more in ([], [flow | {"name": "ftp2", "goodput_mbps": 21.0}])
    )
    assert one.goodput == "1.04 Mbit/s"
    assert two.goodput == "ftp1: 1.04 Mbit/s"
    assert "flow ftp1 alone, in 20 s of replication 0" in two.about_goodput


def test_a_headline_claims_no_difference_that_chance_explains() -> None:
    def law(scheme: str, _values: Any, rep: int) -> dict[str, float]:
        return {"goodput_mbps": 1.0 + (0.5 * math.sin(5 * rep) if scheme == "sack" else 0.0), "jain": 1.0}

    table = synthetic_study.study(schemes=("reno", "sack"), law=law)
    assert headline(table, ()) == "No scheme is ahead of reno in goodput by more than chance."  # type: ignore[arg-type]
