"""`airhop view` in use: a server process, with requests over raw sockets and from a real browser."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from airhop import run_many
from airhop.cli import main
from airhop.plots.style import styles
from airhop.view.state import State
from browser import NARROW, Tab, eventually, settled
from patience import PATIENCE_S

RAISES = '''
import airhop

@airhop.scheme("raises")
class Raises:
    """Raises on its first ACK."""

    def on_ack(self, window, ack, flow):
        raise ZeroDivisionError("on purpose")

    def on_loss(self, window, loss, flow):
        pass
'''


SCHEMES = ("reno", "sack", "snoop", "ll-elsn")
STATE = f"""
scenario = "last-hop"
reps = 1
[set]
duration = "20 s"
[vary]
scheme = {list(SCHEMES)}
"""
OPENED = State.from_toml(STATE, "state.toml")


@dataclass(frozen=True)
class Server:
    """A running `airhop view`."""

    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0


@contextmanager
def serving(*words: str) -> Iterator[Server]:
    """Start `airhop view`, and end it in any case."""
    program = str(Path(sys.executable).with_name("airhop"))
    command = [program, "view", *words, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            address = process.stdout.readline().strip()
            assert address, process.stderr.read()
            yield Server(process, address)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("state")
    plugin, state = folder / "raises.py", folder / "state.toml"
    plugin.write_text(RAISES, encoding="utf-8")
    state.write_text(STATE, encoding="utf-8")
    with serving(str(state), "--with", str(plugin)) as running:
        yield running


# --- accepted requests ----------------------------------------------------------------------------------


def status(server: Server, path: str, headers: dict[str, str]) -> int:
    """Send a request with exactly these headers; {port} is the server's port."""
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    with socket.create_connection(
        (urlsplit(server.address).hostname, server.port), timeout=PATIENCE_S
    ) as connection:
        connection.sendall("\r\n".join(lines).format(port=server.port).encode())
        answer = connection.makefile("rb").readline().decode()
    return int(answer.split()[1])


HOST = {"Host": "127.0.0.1:{port}"}
UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "bokeh, token",
}
OWN_ORIGIN = {"Origin": "http://127.0.0.1:{port}"}
OURS = [HOST, {"Host": "localhost:{port}"}, {**HOST, **OWN_ORIGIN}, {**HOST, "Sec-Fetch-Site": "same-origin"}]
A_LINK_ELSEWHERE = {**HOST, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
FOREIGN = {
    "a name that was made to resolve to 127.0.0.1": {"Host": "evil.example:{port}"},
    "another port": {"Host": "127.0.0.1:1"},
    "a name that begins as ours": {"Host": "127.0.0.1:{port}.evil.example"},
    "an address of this machine that is not loopback's": {"Host": "0.0.0.0:{port}"},
    "a page elsewhere": {**HOST, "Origin": "http://evil.example"},
    "a page of another local server": {**HOST, "Origin": "http://127.0.0.1:1"},
    "a page without an origin": {**HOST, "Origin": "null"},
    "an image on a page elsewhere": {**HOST, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"},
    "a browser that writes in capitals": {**HOST, "Sec-Fetch-Site": "Cross-Site", "Sec-Fetch-Dest": "image"},
    "a frame on a page elsewhere": {**HOST, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "iframe"},
}


@pytest.mark.parametrize("path", ["/", "/static/js/bokeh.min.js", "/nowhere"])
@pytest.mark.parametrize("who", FOREIGN)
def test_requests_with_a_foreign_host_or_origin_are_refused(server: Server, who: str, path: str) -> None:
    assert status(server, path, FOREIGN[who]) == 403


@pytest.mark.parametrize("who", [*FOREIGN, "nobody"])
def test_websockets_with_a_foreign_host_or_origin_are_refused(server: Server, who: str) -> None:
    # A browser always sends the Origin of a WebSocket (RFC 6455 section 10.2); other clients are rejected.
    assert status(server, "/ws", {**UPGRADE, **FOREIGN.get(who, HOST)}) == 403


@pytest.mark.parametrize("headers", [*OURS, A_LINK_ELSEWHERE])
def test_requests_to_the_own_address_are_answered(server: Server, headers: dict[str, str]) -> None:
    assert status(server, "/favicon.ico", headers) == 200


@pytest.mark.parametrize("path", ["/static/%00", "/static/js/%00.js", "/%00"])
def test_a_request_path_that_no_file_system_accepts_is_not_found(server: Server, path: str) -> None:
    assert status(server, path, HOST) == 404


def test_a_websocket_from_the_own_page_is_opened(server: Server) -> None:
    assert status(server, "/ws", {**UPGRADE, **HOST, **OWN_ORIGIN}) == 101


def test_the_server_listens_on_the_loopback_address_only(server: Server) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE_S)


# --- the command ----------------------------------------------------------------------------------


def failing(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run the command, which must fail; return its message."""
    with pytest.raises(SystemExit) as end:
        main(["view", *words])
    assert end.value.code == 2
    return capsys.readouterr().err


def test_ctrl_c_ends_the_view_without_a_traceback() -> None:
    with serving("last-hop") as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        running.process.send_signal(signal.SIGINT)
        rest, said = running.process.communicate(timeout=PATIENCE_S)
    assert (running.process.returncode, rest, said) == (0, "", "Ctrl-C ends it.\n")


def test_a_port_in_use_is_reported(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    said = failing(capsys, "last-hop", "--port", str(server.port))
    assert said == f"airhop: port {server.port} is in use; --port 0 selects a free port\n"


def test_unknown_arguments_of_view_are_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "Did you mean `last-hop`?" in failing(capsys, "last-hpo")
    assert "port is 99999" in failing(capsys, "--port", "99999")
    broken = tmp_path / "state.toml"
    broken.write_text("scenario = 'last-hop'\n[set]\nduraton = '1 s'\n", encoding="utf-8")
    assert "duration" in failing(capsys, str(broken))


def test_view_without_panel_names_the_package_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.startswith("airhop.view.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "panel", None)
    assert failing(capsys) == f"airhop: airhop view needs panel: {sys.executable} -m pip install panel\n"


# --- the page ----------------------------------------------------------------------------------

MODEL = """
    (name) => [...(window.Bokeh?.documents[0]?.all_models ?? [])].find((m) => m.name === name && m.data)?.data
"""
"""Return the data of a figure, once they exist."""


@pytest.fixture
def page(tab: Tab, server: Server) -> Iterator[Page]:
    """Open the page, and check that it has no errors and sends no requests to other hosts."""
    tab.page.goto(server.address)
    expect(tab.page.get_by_role("status")).to_contain_text("4 runs of 20 s")
    yield tab.page
    assert tab.errors == []
    assert tab.hosts == {"127.0.0.1"}
    assert any(address.startswith("ws://") for address in tab.requests)


def bars(page: Page) -> dict[str, float]:
    """Return the goodput by scheme from the bars."""
    data = page.evaluate(f"(() => {{ const d = ({MODEL})('bars'); return [d.scheme, [...d.mean]]; }})()")
    return dict(zip(*data, strict=True))


def wait_for_bars(page: Page, expected: dict[str, float]) -> None:
    """Wait until the bars are these, schemes in order."""
    wanted = [list(expected), list(expected.values())]
    page.wait_for_function(
        f"(wanted) => {{ const d = ({MODEL})('bars');"
        " return d && JSON.stringify([d.scheme, [...d.mean]]) === JSON.stringify(wanted); }",
        arg=wanted,
    )


def simulated(state: State) -> dict[str, float]:
    """Run a state of one replication without the page, and return the goodput by scheme."""
    results = run_many(list(state.jobs().values()))
    return {scheme: result.goodput_mbps for (scheme, _), result in zip(state.jobs(), results, strict=True)}


def slider(page: Page, label: str) -> Locator:
    return page.get_by_role("slider").nth(
        ["Frame error rate", "One-way delay", "Attempts", "Simulated time"].index(label)
    )


def flow_choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Flow or class")


def command(page: Page) -> str:
    return page.locator(".command code").inner_text()


def test_moving_sliders_shows_the_runs_at_the_new_values(page: Page) -> None:
    assert bars(page) == simulated(OPENED)
    slider(page, "Frame error rate").press("ArrowRight")
    there = OPENED.with_sets({"wlan.cell.errors.fer": 0.015})
    wait_for_bars(page, simulated(there))
    # After a burst of moves the page shows the last position, although earlier requests were dropped.
    for _ in range(6):
        slider(page, "One-way delay").press("ArrowLeft")
    for _ in range(2):
        slider(page, "Attempts").press("ArrowRight")
    there = there.with_sets({"wired.all.delay": "1 ms", "wlan.cell.attempts": 3})
    wait_for_bars(page, simulated(there))
    assert command(page).startswith(there.command())
    assert re.search(r"--with \S+raises\.py$", command(page)), (
        "the command in a terminal also loads the schemes in Python"
    )


def test_graphs_are_redrawn_when_a_slider_moves(page: Page) -> None:
    last = f"() => Math.max(...({MODEL})('window-lines').xs[0])"
    page.wait_for_function(f"({MODEL})('window-lines').xs.length === 4")
    assert page.evaluate(last) <= 20.0
    slider(page, "Simulated time").press("ArrowRight")
    page.wait_for_function(f"({last})() > 40")
    time = "[...Bokeh.documents[0].all_models].find((model) => model.name === 'time')"
    assert page.evaluate(f"[{time}.start, {time}.end]") == [0, 50]
    # A narrow window shows the whole page, without a horizontal scroll bar, and first the bars.
    page.set_viewport_size({"width": 360, "height": 700})
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    assert settled(page, lambda: bottom(page.locator(".bk-Figure").first)) < 700
    expect(slider(page, "Simulated time")).to_be_hidden()
    page.locator("summary").press("Enter")
    expect(slider(page, "Simulated time")).to_be_visible()


def bottom(part: Locator) -> float:
    """Return the distance of the lower end of a part from the top of the window, px."""
    box = part.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


WEB = """
name = "pages"
duration = "4 s"
wired = [{ name = "w", ends = ["server", "user"], rate = "10 Mbit/s", delay = "20 ms" }]
[[flow]]
name = "bulk"
from = "server"
to = "user"
scheme = "cubic"
app = { kind = "bulk" }
[[flow]]
name = "more"
from = "server"
to = "user"
scheme = "cubic"
app = { kind = "bulk" }
[[flow]]
name = "pages"
from = "server"
to = "user"
scheme = "cubic"
app = { kind = "web", page = "news", think = "1 s" }
"""


def test_the_page_shows_the_selected_flow_connection_or_class(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "pages.toml"
    file.write_text(WEB, encoding="utf-8")
    choice = flow_choice(page)
    expect(choice).to_be_hidden()
    page.locator("input[type=file]").set_input_files(file)
    of, table = page.locator(".legend .mark").last, page.locator(".grid caption").last
    expect(of).to_have_text("flow bulk")
    expect(page.locator(".grid").first).to_contain_text("±")  # a file opens with several replications
    assert command(page).startswith("airhop compare pages.toml cubic --reps 10")
    choice.press("ArrowDown")
    expect(of).to_have_text("flow more")
    choice.select_option("flow pages")
    expect(of).to_have_text("flow pages#1")
    expect(page.locator(".grid").last).to_contain_text("round-trip time, p99, ms")
    connection = page.get_by_label(re.compile("Connection"))
    connection.fill("2")
    connection.press("Enter")
    expect(of).to_have_text("flow pages#2")
    choice.select_option("class bulk, 2 flows")
    expect(of).to_have_text("class bulk")
    expect(table).to_contain_text("class bulk: percentiles within a run")
    expect(connection).to_be_hidden()


def test_selecting_schemes_changes_the_bars(page: Page) -> None:
    page.get_by_role("button", name="tahoe").click()
    page.get_by_role("button", name="snoop").click()
    chosen = ("reno", "sack", "ll-elsn", "tahoe")
    wait_for_bars(page, simulated(replace(OPENED, schemes=chosen)))
    colors = page.evaluate(f"({MODEL})('bars').color")
    assert colors == [styles([name])[name].color for name in chosen], "each tab has its own page"
    *others, last = chosen
    for name in others:
        page.get_by_role("button", name=name, exact=True).click()
    wait_for_bars(page, simulated(replace(OPENED, schemes=(last,))))
    page.get_by_role("button", name=last, exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Choose at least one scheme.")
    page.get_by_role("button", name="sack").click()
    wait_for_bars(page, {"sack": simulated(OPENED)["sack"]})
    expect(page.get_by_role("alert")).to_have_count(0)


def test_replications_have_intervals_and_a_command(page: Page) -> None:
    expect(page.locator(".grid").first).not_to_contain_text("±")
    page.get_by_role("button", name="5", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("20 runs")
    for table in page.locator(".grid").all():
        expect(table).to_contain_text("±")
    assert "--reps 5" in command(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == command(page)


def test_an_exception_of_a_scheme_is_shown_and_the_page_stays_usable(page: Page) -> None:
    page.get_by_role("button", name="raises").click()
    expect(page.get_by_role("alert")).to_contain_text("ZeroDivisionError: on purpose")
    expect(page.get_by_role("alert")).to_contain_text("raises.py", use_inner_text=True)
    page.get_by_role("button", name="raises").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    wait_for_bars(page, simulated(OPENED))


def test_a_state_can_be_saved_and_reopened(page: Page, tmp_path: Path) -> None:
    slider(page, "Frame error rate").press("ArrowLeft")
    page.get_by_role("button", name="reno", exact=True).click()
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Seed").press("Enter")
    there = OPENED.with_sets({"wlan.cell.errors.fer": 0.007})
    there = replace(there, schemes=("sack", "snoop", "ll-elsn"), seed=3)
    wait_for_bars(page, simulated(there))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save state").click()
    file = tmp_path / "state.toml"
    download.value.save_as(file)
    assert list(State.of(str(file)).jobs().values()) == list(there.jobs().values())
    page.reload()
    wait_for_bars(page, simulated(OPENED))
    page.locator("input[type=file]").set_input_files(file)
    wait_for_bars(page, simulated(there))
    assert command(page).startswith(there.command())
    # A file that is no state causes a message, and the page stays unchanged.
    file.write_text("scenario = 3\n", encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("must be a packaged name")
    assert bars(page) == simulated(there)


def test_another_scenario_has_its_own_sliders(page: Page) -> None:
    page.get_by_label("Scenario").select_option("yun2009-downlink")
    expect(page.locator("body")).to_contain_text("Connections")
    there = replace(State.of("yun2009-downlink"), schemes=SCHEMES, reps=1)
    wait_for_bars(page, simulated(there))
    assert command(page).startswith("airhop compare yun2009-downlink reno sack snoop ll-elsn")
    expect(flow_choice(page)).to_be_hidden()
    page.get_by_role("slider").nth(3).press("ArrowRight")
    expect(flow_choice(page)).to_be_visible()
    wait_for_bars(page, simulated(there.with_sets({"copies": 2})))


def test_titles_of_tables_and_labels_of_fields_fit_a_narrow_window(page: Page) -> None:
    page.get_by_label("Scenario").select_option("home")
    expect(page.locator("caption", has_text="UDP flows: rates are sums")).to_be_visible()
    page.set_viewport_size(NARROW)
    titles = page.locator("caption")
    expect(titles.last).to_contain_text("percentiles")
    fields = [page.locator("label", has_text=name) for name in ("Connection, 1 to", "Replication, 0 to")]
    inside = "(element) => element.scrollWidth <= element.clientWidth"

    def fit() -> bool:
        boxes = [part.bounding_box() for part in (*titles.all(), *fields)]
        ends = [box["x"] + box["width"] for box in boxes if box is not None]
        return max(ends) <= NARROW["width"] and all(field.evaluate(inside) for field in fields)

    eventually(page, fit)
