"""Replacement of `airhop._core`'s functions for real packets, which needs no privileges and records calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from airhop import _core
from airhop.analysis.measures import OF_FLOWS

REAL_FLOW = {measure.path[0]: None for measure in OF_FLOWS if not measure.of_real}
"""Measures that only a real sender's kernel knows, all null."""
ALLOWED = [
    ("namespaces", True, "network namespaces: as root"),
    ("tun", True, "TUN devices: /dev/net/tun opens"),
    ("real-time", True, "real-time priority: SCHED_FIFO is allowed"),
    ("struct_ops", True, "BPF struct_ops: Linux 6 with BTF"),
    ("tcp_info", True, "TCP_INFO of connections: sock_diag answers"),
]
HEAD: dict[str, Any] = {
    "airhop": _core.__version__,
    "seed": 3,
    "rep": 0,
    "doors": [{"node": "s", "device": None}, {"node": "d", "device": None}],
    "headers_only": False,
    "files": {},
    "with": [],
}


@dataclass(frozen=True)
class FakeEmulated:
    """Emulation whose twin is its scenario, with lateness and without."""

    punctual: _core.Scenario
    late: _core.Scenario

    def twin(
        self, _length_s: float
    ) -> tuple[_core.Scenario, _core.Scenario, list[tuple[str, float, str | None, None]]]:
        return self.punctual, self.late, [(self.punctual.tcp_flows()[0], 0.0, "reno", None)]


@dataclass
class FakeCore:
    """Core whose emulations and replays are simulations of the scenario."""

    live: dict[str, Any] = field(default_factory=dict)
    """Changes of `live` in the document of a valid emulation."""
    exits: dict[str, int] = field(default_factory=dict)
    """Exit code of the commands, by node."""
    is_real: bool = False
    """True if flows have no scheme, as flows of kernels."""
    is_whole: bool = True
    """True if the log of a replay is complete."""
    head: dict[str, Any] = field(default_factory=lambda: dict(HEAD))
    privileges: list[tuple[str, bool, str]] = field(default_factory=lambda: list(ALLOWED))
    raised: BaseException | None = None
    """Exception that each call raises; None for none."""
    asked: dict[str, Any] = field(default_factory=dict)
    """Arguments of the last emulation or replay."""

    def emulate(
        self,
        scenario: _core.Scenario,
        doors: list[tuple[str, str, str | None]],
        always_told: bool,
        controls: list[tuple[str, str, tuple[str, bytes] | None]],
        commands: list[tuple[str, str]],
        ready: list[tuple[str, int | None, str]],
        seed: int,
        rep: int,
        log: str | None,
        headers_only: bool,
        code: list[tuple[str, str, str]],
        spin_us: int,
        on_progress: Callable[[dict[str, Any]], None],
    ) -> tuple[str, FakeEmulated]:
        self.asked = {
            "doors": doors,
            "always_told": always_told,
            "controls": controls,
            "commands": commands,
            "ready": ready,
            "seed": seed,
            "log": log,
            "headers_only": headers_only,
            "code": code,
            "spin_us": spin_us,
        }
        on_progress(progress(0.1, 1_000))
        on_progress(progress(2.1, 251_000))
        if self.raised is not None:
            raise self.raised
        document = json.loads(_core.run(scenario, seed, rep).json())
        real = REAL_FLOW | ({"scheme": None} if self.is_real else {})
        document["flows"] = [flow | real for flow in document["flows"]]
        ended = [command(node, line, self.exits.get(node, 0)) for node, line in commands]
        document["live"] = {
            "lateness_us": {"p50": 50.5, "p99": 200.0, "max": 900.0},
            "turnaround_us": {"d": {"p50": 106.0, "p90": 1200.0}},
            "valid": True,
            "why": [],
            "commands": ended,
            "notices": {"sent": {"eln": 0, "ersn": 0}},
            "notes": [],
        } | self.live
        return json.dumps(document), FakeEmulated(scenario, scenario)

    def replay(
        self, scenario: _core.Scenario, path: str, trace: bool, pcap_dir: str | None
    ) -> tuple[_core.Outcome, bool, dict[str, str]]:
        self.asked = {"path": path}
        if self.raised is not None:
            raise self.raised
        return _core.run(scenario, self.head["seed"], 0, trace, pcap_dir), self.is_whole, {}

    def log_header(self, _path: str) -> tuple[int, str]:
        if self.raised is not None:
            raise self.raised
        return 2, json.dumps(self.head)


def command(node: str, line: str, code: int, *, in_time: bool = True) -> dict[str, Any]:
    """Return the record of an ended command; `in_time` is false if the emulation's end ended it."""
    said = f"{line} was here\n"
    return {"node": node, "command": line, "exit": code, "ended_by_airhop": not in_time, "stdout": said}


def progress(t_s: float, entered: int) -> dict[str, Any]:
    """Return a progress report of an emulation."""
    return {
        "t_s": t_s,
        "in": {"packets": entered // 1000, "bytes": entered},
        "out": {"packets": entered // 1000, "bytes": entered // 2},
        "lateness_p99_us": 120.0,
        "lost_to_emulator": 2,
        "drops": {"queue": 0, "channel": 3},
    }


@pytest.fixture
def fake_core(monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    """Replace the core, in a process that has all privileges."""
    fake = FakeCore()
    for name in ("emulate", "replay", "log_header"):
        monkeypatch.setattr(_core, name, getattr(fake, name))
    monkeypatch.setattr(_core, "privileges", lambda: fake.privileges)
    monkeypatch.setattr(_core, "needs_user_namespace", lambda: False)
    return fake
