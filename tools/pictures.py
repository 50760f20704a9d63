"""Draw the pictures of docs/pictures from real runs.

`python tools/pictures.py` draws missing pictures and those whose runs have changed, as `make docs` does.
`--slow` also draws the pictures that take more than seconds: a whole published figure, and the pages of a
report, of an emulation (which needs root and iperf3) and of `airhop view` in the system's Chromium. For each
picture, drawn.json contains a digest of its source: the fingerprints of its runs, or the numbers of a table.
Stale pictures are thus found with any version of matplotlib.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import airhop
from airhop import Comparison, plots
from airhop.results import Result
from airhop.study import Table

DOCS = Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "pictures"
DRAWN = FOLDER / "drawn.json"
WINS = DOCS / "what-wins-where.md"
NOTICES = DOCS / "wifi-notices.md"
READINGS = DOCS / "experiments" / "readings.md"
SLOW = ("fig6.svg", "report.png", "twin.png", "view.png")
"""Pictures that are not compared, because their runs take too long."""

TWIN = (
    *("emulate", "last-hop", "--scheme", "cubic", "--set", "duration=30 s"),
    *("--set", "flow.ftp.tcp.preset=linux"),
    *("--set", 'flow.ftp.tcp.delayed_ack={ segments = 2, timeout = "40 ms" }'),
    *("--on", "d", "iperf3 -s -1", "--on", "s", "iperf3 -c {d} -t 20 -C cubic"),
)
"""Arguments of the emulation whose report is a picture."""
VIEW = """
scenario = "last-hop"
[set]
duration = "20 s"
[vary]
scheme = ["reno", "sack", "cubic", "bbr", "snoop", "ll-elsn"]
"""
"""State of the page of `airhop view` in its picture."""


@dataclass(frozen=True)
class Picture:
    """Picture: source and drawing function."""

    source: Callable[[], str]
    """Function that returns a text that identifies the picture's contents."""
    draw: Callable[[Path], object]
    """Function that writes the picture to a path."""


# ---- runs ------------------------------------------------------------------------------------------------


@cache
def study(name: str) -> Table:
    """Run a study of pictures by its name, with seed 1."""
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "20 s"})
    fer = [0.0001, 0.001, 0.01, 0.03, 0.09]
    senders = ["reno", "sack", "snoop", "cubic", "bbr", "ll-elsn"]
    retries: dict[str, list[Any]] = {"scheme": ["reno", "ll-elsn"], "wlan.cell.attempts": [1, 2, 3, 4, 7]}
    grids: dict[str, dict[str, list[Any]]] = {"senders": {"scheme": senders}, "attempts": retries}
    vary = grids[name] | {"wlan.cell.errors.fer": fer}
    return airhop.sweep(scenario, vary, reps=5, baseline="reno")


@cache
def traced(name: str) -> tuple[airhop.Scenario, Result]:
    """Run one of the scenarios of the packet figures."""
    last_hop = airhop.Scenario.load("last-hop").with_({"duration": "20 s", "wlan.cell.errors.fer": 0.02})
    fixed = airhop.Scenario.load("kounavis1996-fixed-mobile").with_({"duration": "60 s"})
    chain = airhop.Scenario.load("cheng2008-chain").with_({"duration": "1 s"})
    scenario = {
        "reno": last_hop.with_({"scheme": "reno"}),
        "ll-elsn": last_hop.with_({"scheme": "ll-elsn"}),
        "fades": fixed.with_({"scheme": "ebsn"}),
        "chain": chain,
        "wait": airhop.Scenario.load("outage").with_({"duration": "60 s"}),
    }[name]
    return scenario, airhop.run(scenario, trace=True)


@cache
def compared() -> Comparison:
    """Compare the schemes of the notebooks."""
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "20 s"})
    return airhop.compare(scenario, ["reno", "sack", "snoop", "ll-elsn"], reps=5)


def draw_compared(path: Path) -> None:
    """Draw the goodput of the compared schemes."""
    import matplotlib as mpl

    from airhop.plots.paper import PRINT_STYLE, write

    with mpl.rc_context(PRINT_STYLE):
        write(compared().plot(), path, "Goodput of four schemes")


def table_of(name: str) -> Callable[[], str]:
    """Return a function that returns a text identifying the runs of a study."""
    return lambda: " ".join(sorted(study(name).frame()["fingerprint"].to_list()))


def run_of(name: str) -> Callable[[], str]:
    """Return a function that returns a text identifying a traced run."""
    return lambda: traced(name)[1].fingerprint


def wins() -> str:
    """Return the table of goodput of the page about what wins where, whose numbers a full run wrote."""
    page = WINS.read_text(encoding="utf-8")
    found = re.search(r"<!-- wins: goodput -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert found is not None
    return found[1]


def draw_wins(path: Path) -> None:
    """Draw the table of goodput against frame errors: frames sent once above, link ARQ below."""
    import matplotlib as mpl

    from airhop.plots.paper import PRINT_STYLE, curve, legend, panels, write
    from airhop.plots.style import styles

    head, _, *rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in wins().splitlines()]
    xs = [float(cell.split()[0]) for cell in head[1:]]
    ids = {"Reno": "reno", "CUBIC": "cubic", "BBR": "bbr", "BBRv3": "bbr3", "Copa": "copa"}
    ids["LL-ELSN"] = "ll-elsn"
    with_arq = [name for name in ids if name != "Reno"]
    ways = {"frames sent once": (list(ids), ""), "over link ARQ": (with_arq, ", ARQ")}
    looks = styles(ids.values())
    found = {row[0]: [float(cell.strip("* ").split()[0]) for cell in row[1:]] for row in rows}
    with mpl.rc_context(PRINT_STYLE):
        figure, axes = panels(2, 2.1)
        for one, (way, (names, suffix)) in zip(axes, ways.items(), strict=True):
            for name in names:
                label = f"_{name}" if suffix else name  # no second entry in the legend
                curve(one, xs, found[name + suffix], [None] * len(xs), label=label, style=looks[ids[name]])
            one.set(xscale="log", ylim=(0, 4.6), ylabel=f"Mbit/s, {way}")
        axes[-1].set_xlabel("Frame error rate (%)")
        legend(figure)
        write(figure, path, "Goodput against frame errors")


def notices() -> str:
    """Return the goodputs of the page about notices under Block Ack: by attempts, then by MPDU loss."""
    page = NOTICES.read_text(encoding="utf-8")
    found = [
        re.search(rf"<!-- wifi: {name} -->\n(.*?)<!-- end -->", page, re.DOTALL)
        for name in ("ac-attempts", "ac")
    ]
    return "\n\n".join(one[1].strip() for one in found if one is not None)


def draw_notices(path: Path) -> None:
    """Draw goodput against the attempts of a link layer, and against MPDU losses under Block Ack."""
    import matplotlib as mpl

    from airhop.plots.paper import COLUMN_WIDTH_IN, PRINT_STYLE, curve, legend, new_figure, write
    from airhop.plots.style import styles

    ids = {"CUBIC": "cubic", "BBR": "bbr", "BBRv3": "bbr3", "Copa": "copa", "Snoop": "snoop"}
    ids |= {"LL-ELSN": "ll-elsn", "ELN-CUBIC": "eln-cubic"}
    looks = styles(ids.values())
    labels = ("Attempts at 10 % MPDU loss", "MPDU loss (%) under Block Ack")
    with mpl.rc_context(PRINT_STYLE):
        figure = new_figure(COLUMN_WIDTH_IN, 4.4)
        for place, (axes, text) in enumerate(
            zip(figure.subplots(2, 1), notices().split("\n\n"), strict=True)
        ):
            head, _, *rows = [
                [cell.strip("* ") for cell in line.strip("| ").split("|")] for line in text.splitlines()
            ]
            xs = [float(cell.split()[0]) for cell in head[1:]]
            for name, *cells in rows:
                if name in ids:
                    means = [float(cell.split()[0]) for cell in cells]
                    label = f"_{name}" if place else name  # no second entry in the legend
                    curve(axes, xs, means, [None] * len(xs), label=label, style=looks[ids[name]])
            axes.set(xlabel=labels[place], ylabel="Goodput (Mbit/s)", ylim=(0, 300), xticks=xs)
            axes.grid(visible=True, linewidth=0.3, color="0.85")
        axes.set_xticks([0, 10, 20, 30, 40, 50])
        legend(figure)
        write(figure, path, "Goodput over 802.11ac with few attempts and under Block Ack")


def headlines() -> str:
    """Return the table of headlines of docs/experiments/readings.md, which tools/readings.py writes."""
    found = re.search(
        r"<!-- readings: headlines -->\n(.*?)<!-- end -->", READINGS.read_text("utf-8"), re.DOTALL
    )
    assert found is not None
    return found[1]


def draw_headlines(path: Path) -> None:
    """Draw the table of headlines: a row per answer, a panel per paper, a line at the printed value."""
    import matplotlib as mpl

    from airhop.plots.paper import PRINT_STYLE, new_figure, write

    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in headlines().splitlines()[2:]]
    papers = {name: [row for row in rows if row[0] == name] for name in dict.fromkeys(row[0] for row in rows)}
    with mpl.rc_context(PRINT_STYLE | {"font.size": 7}):
        figure = new_figure(7.0, 3.6)
        for axes, (name, found) in zip(figure.subplots(1, len(papers)), papers.items(), strict=True):
            numbers = [[float(part) for part in re.findall(r"[0-9.]+", row[4])] for row in found]
            for place, (mean, *ends) in enumerate(numbers):
                axes.plot(ends, [place] * len(ends), color="black", linewidth=0.8)
                # an open marker if the few runs leave the interval unbounded
                filled = "black" if ends else "white"
                axes.plot([mean], [place], "o", color="black", markerfacecolor=filled, markersize=3)
            axes.axvline(float(found[0][2]), color="0.4", linestyle="--", linewidth=0.8)
            axes.set_yticks(range(len(found)), [row[3] for row in found])
            axes.set(ylim=(len(found) - 0.5, -0.5), xlabel=f"{name}\n{found[0][1]}")
            axes.grid(visible=True, axis="x", linewidth=0.3, color="0.85")
        write(figure, path, "The papers' headlines under every reading")


PICTURES: dict[str, Picture] = {
    "arms.svg": Picture(lambda: compared().frame().write_json(), draw_compared),
    "senders.svg": Picture(table_of("senders"), lambda path: plots.draw_means(study("senders"), path)),
    "causes.svg": Picture(
        table_of("senders"),
        lambda path: plots.draw_confusion(study("senders"), path, at={"wlan.cell.errors.fer": 0.01}),
    ),
    "attempts.svg": Picture(
        table_of("attempts"), lambda path: plots.draw_map(study("attempts"), path, scheme="reno")
    ),
    "differences.svg": Picture(
        table_of("senders"), lambda path: plots.draw_differences(study("senders"), path)
    ),
    "window-reno.svg": Picture(run_of("reno"), lambda path: plots.draw_window(traced("reno")[1], path)),
    "window-ll-elsn.svg": Picture(
        run_of("ll-elsn"), lambda path: plots.draw_window(traced("ll-elsn")[1], path)
    ),
    "sequence.svg": Picture(
        run_of("reno"), lambda path: plots.draw_sequence(traced("reno")[1], path, between=(0, 4))
    ),
    "fades.png": Picture(
        run_of("fades"), lambda path: plots.draw_arrivals(traced("fades")[1], path, between=(0, 60))
    ),
    "round-trips.png": Picture(
        run_of("fades"), lambda path: plots.draw_round_trips(traced("fades")[1], path, between=(0, 60))
    ),
    "outage.svg": Picture(
        run_of("wait"), lambda path: plots.draw_sequence(traced("wait")[1], path, between=(14.8, 17.6))
    ),
    "chain.svg": Picture(
        run_of("chain"), lambda path: plots.draw_topology(traced("chain")[0], path, around=["n3"])
    ),
    "network.svg": Picture(run_of("fades"), lambda path: plots.draw_topology(traced("fades")[0], path)),
    "hidden.png": Picture(
        run_of("chain"), lambda path: plots.draw_space_time(traced("chain")[1], traced("chain")[0], path)
    ),
    "wins.svg": Picture(wins, draw_wins),
    "wifi-notices.svg": Picture(notices, draw_notices),
    "readings.svg": Picture(headlines, draw_headlines),
}


# ---- marks -----------------------------------------------------------------------------------------------


def digest(text: str) -> str:
    """Return the digest of a text, 16 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stale() -> list[str]:
    """List the missing pictures, and the pictures of outdated runs."""
    drawn = {}
    with suppress(FileNotFoundError):
        drawn = json.loads(DRAWN.read_text(encoding="utf-8"))
    return [
        name
        for name, picture in PICTURES.items()
        if not (FOLDER / name).is_file() or drawn.get(name) != digest(picture.source())
    ] + [name for name in drawn if name not in PICTURES]


def draw() -> list[str]:
    """Draw the stale pictures, and print their names."""
    names = stale()
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        (FOLDER / name).unlink(missing_ok=True)
        if name in PICTURES:
            PICTURES[name].draw(FOLDER / name)
    if names:
        sources = {name: digest(picture.source()) for name, picture in sorted(PICTURES.items())}
        DRAWN.write_text(json.dumps(sources, indent=2) + "\n", encoding="utf-8")
    return names


# ---- slow pictures ---------------------------------------------------------------------------------


def draw_slow_pictures() -> None:
    """Draw a published figure, and take pictures of a report and of `airhop view` in a browser."""
    command = str(Path(sys.executable).with_name("airhop"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([command, "reproduce", "yun2009/fig6", "--quick", "--out", name], check=False)
        shutil.copy(folder / "yun2009" / "fig6" / "figure.svg", FOLDER / "fig6.svg")
        screenshot(f"file://{folder}/yun2009/fig6/report.html", "report.png")
        subprocess.run([command, *TWIN, "--report", str(folder / "twin.html")], check=True)
        screenshot(f"file://{folder}/twin.html", "twin.png")
        draw_view(command, folder)


def draw_view(command: str, folder: Path) -> None:
    """Take a picture of `airhop view`, whose state is written into a folder."""
    state = folder / "view.toml"
    state.write_text(VIEW, encoding="utf-8")
    server = subprocess.Popen(
        [command, "view", str(state), "--no-browser", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        screenshot(address, "view.png", wait_ms=15_000)
    finally:
        server.terminate()
        server.wait()


def screenshot(address: str, name: str, *, wait_ms: int = 3_000) -> None:
    """Take a picture of a page, as high as a screen."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.wait_for_timeout(wait_ms)
        page.screenshot(path=FOLDER / name)
        chromium.close()


if __name__ == "__main__":
    for changed in draw():
        print(f"docs/pictures/{changed}")
    if "--slow" in sys.argv[1:]:
        draw_slow_pictures()
