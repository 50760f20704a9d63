"""Printed results of an emulation: progress, lateness of packets, and output of its commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console

from airhop.cli.common.output import print_table
from airhop.errors import harmless
from airhop.live import Emulation
from airhop.live.validity import told
from airhop.progress import Clock
from airhop.terminal import number

RATES_OVER_S = 1.0
"""Averaging interval of the packet rates in seconds."""


class ProgressLine:
    """Progress line of an emulation: rates, lateness, losses."""

    def __init__(self, clock: Clock, say: Callable[[str], None] = lambda _line: None) -> None:
        self._clock = clock
        self._say = say
        self._entrances: set[str] = set()
        self._told: Mapping[str, Any] | None = None
        self._before: Mapping[str, Any] | None = None
        self._rates = ""

    def on_progress(self, told: Mapping[str, Any]) -> None:
        """Store the report that the core sends ten times per second."""
        self._told = told
        for node, thread in told.get("threads", {}).items():
            if node not in self._entrances:
                self._entrances.add(node)
                self._say(f"into node {node}: nsenter --target {thread} --net ss -ti")
        self._before = self._before or told
        if told["t_s"] - self._before["t_s"] >= RATES_OVER_S:
            ways = (f"{way} {self._mbps(told, way)}" for way in ("in", "out"))
            self._rates = f"{', '.join(ways)} Mbit/s"
            self._before = told
        self._clock.advance(int(told["t_s"]) - self._clock.done)

    def words(self) -> str:
        """Return the rates, the lateness and the losses of packets, as one line."""
        if self._told is None:
            return ""
        late = self._told["lateness_p99_us"]
        drops = self._told.get("drops", {}) | {"emulator": self._told["lost_to_emulator"]}
        lost = [f"{cause} {count:,}" for cause, count in drops.items() if count]
        words = [self._rates, f"{number(late)} µs late (p99)", f"lost: {', '.join(lost)}" if lost else ""]
        return ", ".join(filter(None, words))

    def _mbps(self, told: Mapping[str, Any], way: str) -> str:
        before = self._before or told
        bits = 8 * (told[way]["bytes"] - before[way]["bytes"])
        return number(bits / (told["t_s"] - before["t_s"]) / 1e6)


def print_live(out: Console, emulation: Emulation) -> None:
    """Print the lateness of packets, the turnaround of hosts, and the output of commands."""
    live = emulation.live
    late = live["lateness_us"]
    print_table(
        out,
        list(late),
        [[number(value) for value in late.values()]],
        title="lateness of the emulator, µs",
        left=0,
    )
    if live["turnaround_us"]:
        rows = [[node, number(of["p50"]), number(of["p90"])] for node, of in live["turnaround_us"].items()]
        print_table(out, ["node", "p50", "p90"], rows, title="from data to its ACK in the host, µs")
    goodput, delay = live["goodput_shift"], live["delay_shift"]
    out.print(
        f"lateness and turnaround change the {goodput['quantity']} of the twin by {told(goodput)}, its"
        f" {delay['quantity']} by {told(delay)}, limit {goodput['limit']:g} %; {goodput['pairs']} pairs of"
        f" runs of {goodput['length_s']:.3g} s; compared: {goodput['compared']}",
        soft_wrap=True,
    )
    if sent := {kind: count for kind, count in live["notices"]["sent"].items() if count}:
        heard, spared = live["notices"].get("heard"), live["notices"].get("spared")
        hearing = "" if heard is None else f"; received {heard:,}, avoided window reductions {spared:,}"
        out.print(f"notices to real senders: {_counts(sent)}{hearing}", soft_wrap=True)
    for one in live["commands"]:
        out.print(harmless(f"{one['node']}$ {one['command']}{_ending(one)}"), style="bold")
        out.print(_printed(one["stdout"]), soft_wrap=True)


def _counts(of: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind.upper()}" for kind, count in of.items())


def _printed(stdout: str) -> str:
    """Return a command's output without control characters, except tabs and line ends."""
    lines = stdout.rstrip("\r\n").replace("\r\n", "\n")
    return re.sub(r"[^\t\n]+", lambda found: harmless(found[0]), lines)


def _ending(command: Mapping[str, Any]) -> str:
    if command["ended_by_airhop"]:
        return "  (ended by Airhop at the end of the run)"
    return "" if command["exit"] == 0 else f"  (exit {command['exit']})"
