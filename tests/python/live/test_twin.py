"""`--report`: comparison of a real connection, from the log of an emulation, with its simulated twin.

download-headers.log has the headers of a real download: 120 kB by HTTP from s to d over `last-hop` (cubic,
preset = linux, delayed ACKs), as `airhop emulate --seed 3 --log FILE --headers-only` wrote it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airhop
from airhop import InputError, _core
from airhop.live import Log
from airhop.report.beside import Pair, paired, twin_of
from airhop.report.twin import Side
from airhop.report.twin_figures import curves, losses, window
from browser import Tab
from command_line import Cli
from fake_core import FakeCore, FakeEmulated

LOG = Path(__file__).with_name("download-headers.log")
PAGE_BYTES = 120_000
CORE = {name: getattr(_core, name) for name in ("replay", "log_header")}

SHOWN = """() => Bokeh.documents.flatMap((made) => made.roots()).flatMap((plot) => plot.renderers)
  .filter(({ tags, visible }) => visible && tags.includes("twin")).length"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a replay."""
    from airhop.report.beside import write_twin

    path = tmp_path_factory.mktemp("twin") / "twin.html"
    write_twin(Log(LOG), path, command="airhop replay curl.log --report twin.html")
    return path


@pytest.fixture(scope="module")
def side() -> Side:
    """Return the side of the real connection."""
    log = Log(LOG)
    real = log.replay(trace=True)
    return Side.of("kernel", "kernel", real, paired(log, real).real)


# ---- the compared flows
# --------------------------------------------------------------------------------------


def test_the_twin_is_compared_with_the_connection_in_its_direction() -> None:
    # The request went from d to s, the page from s to d, in the direction of flow ftp.
    log = Log(LOG)
    real = log.replay()
    pair = paired(log, real)
    assert pair == Pair("tcp 10.0.0.1:8000 > 10.0.0.4:41780", "ftp")
    (flow,) = (flow for flow in real.tcp_flows if flow["name"] == pair.real)
    assert flow["delivered_bytes"] >= PAGE_BYTES


def test_bytes_in_the_reverse_direction_do_not_affect_the_pairing() -> None:
    # With a flow from d to s the request is compared, although the page has a thousand times its bytes.
    log = Log(LOG)
    real = log.replay()
    log.scenario = log.scenario.with_({"flow.ftp.from": "d", "flow.ftp.to": "s"})
    assert paired(log, real).real == "tcp 10.0.0.4:41780 > 10.0.0.1:8000"


def test_the_twin_is_a_simulated_run_of_the_same_duration() -> None:
    log = Log(LOG)
    real = log.replay()
    twin = airhop.run(twin_of(log.scenario, real), seed=log.head["seed"], rep=log.head["rep"])
    assert twin.document["duration_s"] == pytest.approx(real.document["duration_s"], abs=1e-8)
    assert (twin.document["seed"], twin.document["flows"][0]["scheme"]) == (3, "cubic")


def test_a_log_without_data_in_the_flows_direction_is_refused() -> None:
    log = Log(LOG)
    log.head["doors"] = [{"node": "s", "device": None}]
    with pytest.raises(InputError, match="TCP data went d to s and s to d"):
        paired(log, log.replay())


def test_losses_in_the_comparison_equal_losses_of_the_run(side: Side) -> None:
    # With a single connection, the losses of its two flows are all losses of the network.
    document = Log(LOG).replay().document
    frames = sum(document["drops"][cause] for cause in ("channel", "collision"))
    assert side.lost["channel"] + side.lost["collision"] + side.lost["ack"] <= frames
    assert 0 < side.lost["retries"] <= document["drops"]["retries"]
    placed = losses(side.rows("drops"), side.rows("deliveries"))
    assert placed.height == sum(count for cause, count in side.lost.items() if cause != "ack")
    assert placed["y"].is_between(0, side.flow["delivered_bytes"] / 1e6).all()


def test_goodput_is_measured_from_the_first_to_the_last_data(side: Side) -> None:
    # The commands ran for two seconds, the transfer shorter: a mean over the whole run would mislead.
    begin, end = side.span_s
    assert 0 < begin < end < Log(LOG).replay().document["duration_s"]
    assert side.goodput_mbps == pytest.approx(8e-6 * side.flow["delivered_bytes"] / (end - begin))


def test_data_never_arrive_before_the_propagation_delay_of_the_wires(side: Side) -> None:
    # Two wires of 10 ms each.
    median, most = side.delay_ms
    assert median is not None and most is not None
    assert 20 < median <= most


@pytest.mark.parametrize(
    ("duration_s", "expected"), [(0.7, 0.02), (2.5, 0.1), (20.0, 0.5), (20.4, 0.5), (200.0, 5.0)]
)
def test_goodput_windows_have_round_durations(duration_s: float, expected: float) -> None:
    assert window(duration_s) == pytest.approx(expected)


def test_goodput_windows_contain_every_delivered_byte() -> None:
    # Steps of 1 MB at 0.05, 0.15, … s: 80 Mbit/s in every window of 0.1 s.
    times = [0.05 + 0.1 * i for i in range(25)]
    rows = pl.DataFrame({"time_s": times, "bytes": [1_000_000 * (i + 1) for i in range(25)]})
    found = curves(rows, 2.5)
    assert found.goodput["y"].to_list() == pytest.approx([80.0] * 26)
    assert found.delivered["y"].max() == 25.0


def test_long_curves_are_thinned_and_keep_their_last_value() -> None:
    rows = pl.DataFrame({"time_s": [i / 1e4 for i in range(100_000)], "bytes": list(range(100_000))})
    delivered = curves(rows, 10.0).delivered
    assert delivered.height < 5_000
    assert delivered["y"].max() == pytest.approx(0.099999)


# ---- the page ----------------------------------------------------------------------------------------------


def test_replay_writes_a_report(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "new" / "twin.html"
    ended = cli("replay", str(LOG), "--report", str(path), "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["scenario"] == "last-hop"
    assert f"open {path.as_uri()} in a browser" in ended.err
    text = path.read_text(encoding="utf-8")
    assert "Airhop’s cubic" in text and "The emulator</h2>" not in text
    assert "<td>0.120</td>" in text, "MB delivered to curl"


def emulating(monkeypatch: pytest.MonkeyPatch, fake: FakeCore) -> None:
    """Replace the emulation by a function that writes the recorded log."""

    def emulate(*asked: Any) -> tuple[str, FakeEmulated]:
        shutil.copy(LOG, asked[8])
        return fake.emulate(*asked)

    monkeypatch.setattr(_core, "emulate", emulate)
    for name, real in CORE.items():
        monkeypatch.setattr(_core, name, real)


EMULATE = ("emulate", "last-hop", "--set", "duration=2 s", "--on", "s", "serve", "--on", "d", "ask {s}")


def test_emulate_writes_a_report_and_leaves_no_log(
    cli: Cli, fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    emulating(monkeypatch, fake_core)
    fake_core.live = {"valid": False, "why": ["it stood still for 30 ms at 1.5 s"]}
    path = tmp_path / "twin.html"
    ended = cli(*EMULATE, "--seed", "3", "--report", str(path))
    assert ended.code == 1, "an invalid emulation is also invalid with a report"
    assert fake_core.asked["headers_only"], "the payload was not requested"
    assert not Path(fake_core.asked["log"]).exists()
    text = path.read_text(encoding="utf-8")
    assert "it stood still for 30 ms at 1.5 s" in text
    assert "<dt>lateness, p99</dt><dd>200 µs</dd>" in text
    assert "<dt>change of goodput by lateness</dt><dd>0.0 % (0.0 to 0.0), limit 3 %</dd>" in text
    assert "<dt>turnaround of d, p90</dt><dd>1,200 µs</dd>" in text
    assert "--on s serve --on d &#39;ask {s}&#39; --seed 3 --rep 0" in text


def test_emulate_keeps_a_requested_log(
    cli: Cli, fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    emulating(monkeypatch, fake_core)
    log = tmp_path / "a.log"
    assert cli(*EMULATE, "--log", str(log), "--report", str(tmp_path / "twin.html")).code == 0
    assert not fake_core.asked["headers_only"]
    assert log.exists()


@pytest.mark.parametrize(
    ("file", "told"), [("/", "cannot write /: it is a folder"), ("/dev/null/a.html", "cannot write")]
)
def test_an_unwritable_report_path_is_refused_before_the_emulation(
    cli: Cli, fake_core: FakeCore, file: str, told: str
) -> None:
    for words in (EMULATE, ("replay", str(LOG))):
        ended = cli(*words, "--report", file)
        assert (ended.code, ended.out) == (2, "")
        assert told in ended.err
    assert fake_core.asked == {}


def test_the_comparison_page_draws_curves_and_its_legend_hides_them(tab: Tab, page: Path) -> None:
    tab.page.goto(page.as_uri())
    tab.page.wait_for_selector(".twin[data-drawn]", state="attached")
    assert tab.page.evaluate(SHOWN) > 0
    tab.page.locator(".legend button", has_text="twin: cubic").click()
    assert tab.page.evaluate(SHOWN) == 0
    assert tab.requests == [page.as_uri()]
    assert tab.errors == []
