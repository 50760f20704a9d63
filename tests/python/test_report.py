"""The HTML report: complete, offline, and equal to the data."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from bokeh.models import GlyphRenderer

import synthetic
from airhop.experiments import Outcome, registry
from airhop.report import TracedRun, write_report
from airhop.report.page import render
from airhop.report.symbols import PATHS
from airhop.report.timeline import Timeline, shared_time, timeline

FIG6 = registry()["yun2009/fig6"]


class Page(HTMLParser):
    """The parts of a page that tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        """Close the element, and those in it that have no end tag."""
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Note the text of what is not script or style."""
        if "script" in self._open or "style" in self._open:
            return
        self.text.append(data)
        if "td" in self._open:
            self.cells[-1] += data

    def all(self, tag: str) -> Iterator[dict[str, str | None]]:
        """List the attributes of every element of a kind."""
        return (attributes for name, attributes in self.elements if name == tag)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return synthetic.outcome(FIG6)


@pytest.fixture(scope="module")
def html(outcome: Outcome) -> str:
    return render(outcome, [synthetic.traced_run("reno", "Reno"), synthetic.traced_run()])


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


@pytest.fixture(scope="module")
def shown() -> Timeline:
    return timeline(synthetic.traced_run(), shared_time(20.0, 2.0))


def test_nothing_is_loaded_from_anywhere(html: str, page: Page) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith("#"), attributes
    style = "".join(re.findall(r"<style>(.*?)</style>", html, re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


def test_the_browser_is_told_to_refuse_requests(page: Page) -> None:
    policy = next(
        meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    assert "http" not in policy


def test_the_table_holds_the_measured_numbers(outcome: Outcome, page: Page) -> None:
    cells = iter(page.cells)
    for x in outcome.samples.xs:
        for scheme in FIG6.schemes:
            row = next(row for row in outcome.rows if (row.scheme, row.x) == (scheme, x))
            assert next(cells) == f"{row.value.mean:.3f}"
            assert next(cells) == f"± {row.value.half_width:.3f}"
            if row.ratio is not None:
                assert next(cells) == f"{row.ratio.value:.2f} ×"
    assert list(cells) == []


def test_the_best_of_each_row_stands_out(outcome: Outcome, page: Page) -> None:
    cells = zip(page.all("td"), page.cells, strict=True)
    best = [text for attributes, text in cells if attributes.get("class") == "mean best"]
    assert best == [f"{outcome.samples.estimate('ll-elsn', x).mean:.3f}" for x in outcome.samples.xs]


def test_headline_claims_and_method_are_there(outcome: Outcome, page: Page) -> None:
    text = re.sub(r"\s+", " ", "".join(page.text))
    assert outcome.headline in text
    assert "5 of 5 claims hold" in text
    for claim in FIG6.claims:
        assert claim.text in text
        assert outcome.claims[claim.id].measured in text
    for method in (FIG6.source, "airhop reproduce yun2009/fig6 --quick --seed 1", "Fieller", 'name = "cell"'):
        assert method in text


def test_a_failing_claim_is_shown_as_such() -> None:
    means = {x: row | {"ll-elsn": 0.1} for x, row in synthetic.FIGURE6.items()}
    text = "".join(Page(render(synthetic.outcome(FIG6, synthetic.samples(means)), [])).text)
    # What concerns Snoop alone, and that it falls, stays true.
    assert "2 of 5 claims hold" in text
    assert "✗" in text


def test_text_of_a_third_party_cannot_break_out(outcome: Outcome) -> None:
    evil = "</script><script>alert(1)</script>"
    traced = synthetic.traced_run("reno", evil)
    assert "<script>alert" not in render(outcome, [traced])


def test_every_button_and_figure_has_a_name(page: Page) -> None:
    ids = {attributes.get("id") for _, attributes in page.elements}
    for tab in (a for _, a in page.elements if a.get("role") == "tab"):
        assert tab["aria-controls"] in ids
    for figure in page.all("figure"):
        assert figure.get("aria-label") or figure.get("aria-labelledby") in ids


def groups(shown: Timeline) -> dict[str, GlyphRenderer]:
    return {renderer.name: renderer for renderer in shown.sequence.renderers}


def test_every_event_of_the_trace_is_drawn_once(shown: Timeline) -> None:
    drawn = {
        name.removeprefix("group:"): len(renderer.data_source.data["x"])
        for name, renderer in groups(shown).items()
    }
    assert drawn == {
        "ack": 1,
        "dupack": 3,
        "new": 13,
        "fast": 1,
        "recovery": 1,
        "timeout": 1,
        "notice": 1,
        "channel": 1,
        "collision": 1,
        "queue": 1,
        "retries": 2,
        "ack-held-back": 1,
        "ack-lost": 1,
        "notice-lost": 1,
        "control-lost": 1,
        "eln-sent": 1,
        "eln-received": 1,
        "ersn-sent": 1,
        "ersn-received": 1,
    }


def test_a_mark_stands_at_its_time_and_sequence_number(shown: Timeline) -> None:
    lost = groups(shown)["group:channel"].data_source.data
    # The first data byte is 1, so sequence number 2001 is byte 2000.
    assert (lost["x"][0], lost["y"][0]) == (0.050, 2.0)
    assert lost["place"] == ["bs->d"]


def test_a_lost_link_ack_stands_on_the_ack_line(shown: Timeline) -> None:
    # It bears no TCP sequence number: at 62.5 ms the cumulative ACK is 2001, whatever its row says.
    lost = groups(shown)["group:control-lost"].data_source.data
    assert (lost["x"][0], lost["y"][0]) == (0.0625, 2.0)


def test_legends_name_what_is_drawn(shown: Timeline) -> None:
    legend = shown.legends["sequence"]
    assert {f"group:{entry.group}" for entry in legend} == set(groups(shown))
    for entry in [entry for entries in shown.legends.values() for entry in entries]:
        assert entry.symbol.removesuffix("-open") in PATHS
    for entry in legend:
        assert groups(shown)[f"group:{entry.group}"].visible is entry.shown


def test_figures_of_a_run_share_one_time_axis(shown: Timeline) -> None:
    time = shown.sequence.x_range
    assert shown.window.x_range is time
    assert shown.timer.x_range is time
    # Opened where slow start and the first losses can be told apart, with the whole run within reach.
    assert (time.start, time.end, time.bounds) == (0.0, 2.0, (0.0, 20.0))


def test_what_must_not_stretch_the_axis_is_marked(shown: Timeline) -> None:
    # ssthresh starts far above any window; the unnamed line only carries the hover card.
    unfitted = [renderer.name for renderer in shown.window.renderers if "unfitted" in renderer.tags]
    assert unfitted == ["group:ssthresh", None]


def test_losses_are_listed_once(shown: Timeline) -> None:
    # The link gives a packet up because its frame was lost: one loss, not two.
    assert shown.losses == [0.050, 0.052, 0.053]


def test_an_empty_trace_is_drawn(outcome: Outcome) -> None:
    full = synthetic.traced_run()
    empty = TracedRun(
        full.scheme, full.label, full.document, {k: t.clear() for k, t in full.tables.items()}, "x"
    )
    assert "panel-ll-elsn" in render(outcome, [empty])


def test_chromium_runs_the_page_without_complaint(outcome: Outcome, tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium here: the report was not opened in a browser")
    report = write_report(
        outcome, [synthetic.traced_run("reno", "Reno"), synthetic.traced_run()], tmp_path / "r.html"
    )
    quiet = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
    ]
    seen = subprocess.run(
        [
            chromium,
            *quiet,
            "--disable-quic",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--virtual-time-budget=10000",
            "--dump-dom",
            report.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    # The page's script ran to its end: it tells the time window last, once the figures are there.
    assert ">0.000 s to 2.000 s</output>" in seen.stdout
    console = [line for line in seen.stderr.splitlines() if "CONSOLE" in line]
    assert not [line for line in console if re.search(r"Uncaught|Refused|rror", line)]
