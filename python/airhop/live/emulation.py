"""Emulation: programs of this machine run at nodes of a scenario, in real time."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from airhop import _core
from airhop.boundary.arguments import check_keys, checked
from airhop.errors import InputError, PrivilegeError
from airhop.files import is_folder
from airhop.live.controls import Control, chosen
from airhop.live.hosts import Hosts, hosts_of
from airhop.live.privileges import RESTART, missing
from airhop.live.validity import LIMIT_PERCENT, Effect, check_limit, effect_of, told
from airhop.plugins import load_all, origin
from airhop.progress import SILENT, Reporter
from airhop.results import Result
from airhop.scenario import SCHEME, Scenario
from airhop.services import served
from airhop.study.quantity import read_quantity

Notices = Literal["listeners", "always"]
"""Recipients of ELN and ERSN: senders that listen for these notices, or all senders."""


class Emulation(Result):
    """Result of an emulation, with the lateness of packets and the effect of lateness on the result."""

    def __init__(self, document: str) -> None:
        super().__init__(document)
        self.notes = tuple(self.live["notes"])

    @property
    def live(self) -> dict[str, Any]:
        """Lateness of packets, turnaround of hosts, and outcomes of the commands.

        * `lateness_us` (`p50`, `p99`, `max`): microseconds from the due time of a packet until it was
          written.
        * `turnaround_us` by node (`p50`, `p90`): microseconds from the arrival of data until the host's ACK.
        * `goodput_shift` and `delay_shift`: changes in the twin (a simulation of the same traffic) by
          lateness and turnaround. The delay is the median round-trip time, or the median one-way delay of
          UDP. Each has the `quantity`, the change in `percent`, the 95 % interval from `low` to `high`, the
          `limit`, the number of `pairs` of runs of `length_s`, and the flows `compared`.
        * `valid`: true if the emulation is valid; otherwise `why` has the reasons.
        * `commands`: `node`, `command`, `exit` (128 plus the signal number if a signal ended the command),
          `ended_by_airhop` (true if the time was over) and `stdout` (the first and the last MiB, with a line
          that states the omitted amount).
        * `congestion_control` by TCP flow: as the sender's kernel reports (TCP_INFO), or otherwise the
          control of new sockets of the node (`net.ipv4.tcp_congestion_control`).
        * `stalls`: pauses that the machine imposed on the emulator, with `at_s` and `length_ms`.
        * `entered` and `left`: `packets` and `bytes`.
        * `ignored`: number of datagrams without a destination, such as broadcasts.
        * `lost_to_emulator`: number of datagrams lost because a buffer was full.
        * `notices`: numbers of notices `sent` to real senders by kind, including ACKs with the ELN bit. If
          senders have a BPF object with counters, also the numbers of notices `heard` and of window
          reductions `spared`.
        * `real_time`: true if the emulator had real-time priority.
        """
        live: dict[str, Any] = self.document["live"]
        return live

    @property
    def valid(self) -> bool:
        """True if the emulator lost no packet, and lateness changes the results within the limit."""
        return bool(self.live["valid"])

    @property
    def why(self) -> list[str]:
        """Reasons why the emulation is not valid, one sentence each; empty if the emulation is valid."""
        return list(self.live["why"])

    @property
    def failures(self) -> list[str]:
        """Sentences on failed commands. A command that ran until the end of the emulation has not failed."""
        return [
            f"{one['node']}: `{one['command']}` {_failure_text(one['exit'])}"
            for one in self.live["commands"]
            if one["exit"] != 0 and not one["ended_by_airhop"]
        ]


def _failure_text(code: int) -> str:
    return f"was ended by signal {code - 128}" if code > 128 else f"ended with {code}"


@checked
def emulate(
    scenario: Scenario,
    on: Mapping[str, str | Sequence[str]],
    at: Mapping[str, str] | None = None,
    *,
    ready: Mapping[str, int | str | Sequence[int | str]] | None = None,
    scheme: str | None = None,
    with_: str | Path | Sequence[str | Path] = (),
    services: str | None = None,
    notices: Notices = "listeners",
    seed: int = 1,
    rep: int = 0,
    log: str | Path | None = None,
    headers_only: bool = False,
    spin: str | None = None,
    tolerance: float = LIMIT_PERCENT,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
) -> Emulation:
    """Let programs of this machine send over a scenario's links, in real time.

    Each node of `on` becomes a network namespace. The emulation ends when all commands have ended, or after
    the scenario's `duration`, and leaves nothing behind.

    Parameters
    ----------
    scenario
        Network. Real traffic replaces the flows between nodes with real hosts; all other flows are simulated.
    on
        One or several commands by node, executed by `sh -c`. The name of a node in braces, `{name}`, is
        replaced by the node's IPv4 address. Commands start in this order. Each starts when a socket of the
        previous command listens, when the previous command has ended, or after 300 ms.
    at
        Existing interface of this machine by node. Requires root.
    ready
        Readiness condition by node, or several conditions: a port on which the node listens, or a command
        that ends with 0 when the node is ready. The next command of another node then waits for the
        condition, at most 30 s, instead of 300 ms.
    scheme
        Scheme of every simulated TCP flow, instead of the scheme in the scenario. Real senders also use the
        scheme, in the kernel's version, if it is `reno`, `cubic` or `bbr`, or a control in a BPF object of
        `with_`.
    with_
        User-defined schemes, as `airhop.plugins.load` accepts them. A BPF object among them is loaded into
        the kernel during the emulation, and controls the real senders.
    services
        Services of the network for every TCP flow: a service, or a scheme such as `ll-elsn`, which stands for
        the services that it needs.
    notices
        "always": send ELN and ERSN to every real sender. A notice has the form of an ACK (Yun 2009 §3.1). A
        kernel without a listener therefore processes the notice as an ACK of the lost data, and the
        connection may stall for ever.
    seed, rep
        Seed of every random stream, and number of the replication, both from 0 to 2**63 - 1. A simulated run
        with equal values has the same channel errors.
    log
        Regular file for a log of the entering datagrams with their times, for `replay`. Each emulation needs
        a file of its own. The log contains the payload, which may be private, and the files that the
        scenario names. For user-defined schemes, the log contains names and digests, but no code.
    headers_only
        Omit the payload from `log`.
    spin
        Busy-waiting time before a packet is due, as in "200 us". Busy waiting reduces lateness, and occupies
        a core. By default the emulator sleeps.
    tolerance
        Maximum change of goodput and delays by lateness in a valid emulation, in per cent. The changes are
        measured in the twin, a simulation of the same traffic.
    on_progress
        Callback. This thread calls it about ten times per second with current values: `t_s`; `in` and
        `out`, each with `packets` and `bytes`; `lateness_p99_us`; `lost_to_emulator`. An exception in the
        callback ends the emulation.

    Returns
    -------
    Emulation
        Run document, and the measured lateness as `live`, also if a command fails.

    Raises
    ------
    InputError
        When a node does not exist, or an option is out of range.
    ScenarioError
        When a part of the scenario cannot act on real packets.
    PrivilegeError
        When this user lacks a privilege on this machine. The message names the privilege.
    OSError
        When the system rejects a step: a namespace, a device, a command, the log; or when a node is not ready
        in time.
    RunError
        When the run fails.
    KeyboardInterrupt
        On Ctrl-C; only the log up to this time remains.
    """
    sources = [with_] if isinstance(with_, str | Path) else list(with_)
    load_all(sources)
    if scheme is not None:
        scenario = scenario.with_({SCHEME: scheme})
    scenario = served(scenario, services)
    namespaces = [
        (f'on["{node}"]', node, [lines] if isinstance(lines, str) else lines) for node, lines in on.items()
    ]
    devices = [(f'at["{node}"]', node, device) for node, device in (at or {}).items()]
    signs = [
        (f'ready["{node}"]', node, sign)
        for node, asked in (ready or {}).items()
        for sign in ([asked] if isinstance(asked, int | str) else asked)
    ]
    hosts = hosts_of(scenario, namespaces, devices, signs)
    scenario, controls = chosen(scenario, hosts, scheme, sources)
    if needs_restart(hosts):
        words = shlex.join(RESTART)
        raise PrivilegeError(
            f"this process has no right to create network namespaces: start Python by\n  {words} python …"
        )
    return emulate_hosts(
        scenario,
        hosts,
        controls=controls,
        notices=notices,
        seed=seed,
        rep=rep,
        log=log,
        headers_only=headers_only,
        spin=spin,
        tolerance=tolerance,
        on_progress=on_progress,
    )


def needs_restart(hosts: Hosts) -> bool:
    """Return whether this process must be restarted with `RESTART`, to create namespaces for these hosts.

    Raises PrivilegeError, with the line of `airhop doctor`, if a restart would not provide the privileges.
    """
    unprivileged = _core.needs_user_namespace()
    if unprivileged and hosts.devices:
        raise PrivilegeError(
            f"{hosts.devices[0]}: only root may use interfaces of this machine; run the command as root"
        )
    if hosts.has_namespace and (lacking := missing()):
        raise PrivilegeError("\n".join(one.line for one in lacking))
    return unprivileged


def emulate_hosts(
    scenario: Scenario,
    hosts: Hosts,
    *,
    controls: Sequence[Control],
    notices: Notices,
    seed: int,
    rep: int,
    log: str | Path | None,
    headers_only: bool,
    spin: str | None,
    tolerance: float,
    on_progress: Callable[[dict[str, Any]], None] | None,
    reporter: Reporter = SILENT,
) -> Emulation:
    """Emulate in this process, which has the privileges, with already checked hosts; see `emulate`."""
    check_keys(seed, rep)
    check_limit(tolerance)
    if headers_only and log is None:
        raise InputError("headers_only needs the argument `log`")
    if log is not None:
        _check_log(Path(log))
    text, emulated = _core.emulate(
        scenario.core,
        hosts.doors,
        notices == "always",
        [(one.node, one.name, one.object) for one in controls],
        hosts.commands,
        hosts.ready,
        seed,
        rep,
        None if log is None else str(log),
        headers_only,
        [(origin(one.source), one.name, one.digest) for one in scenario.added_schemes()],
        0 if spin is None else _microseconds(spin),
        on_progress or (lambda _told: None),
    )
    document = json.loads(text)
    judge(document["live"], effect_of(document, emulated, limit_percent=tolerance, reporter=reporter))
    return Emulation(json.dumps(document))


def judge(live: dict[str, Any], effect: Effect) -> None:
    """Record in `live` how much lateness changed goodput and delays, and whether the emulation is valid.

    Each change above the limit adds a reason to `why`. An emulation with a reason is not valid.
    """
    live["goodput_shift"] = effect.to_dict(effect.goodput)
    live["delay_shift"] = effect.to_dict(effect.delay)
    live["why"] += [
        f"lateness and turnaround change the {shift.quantity} of the twin by {told(effect.to_dict(shift))},"
        f" and the limit is {effect.limit_percent:g} %"
        for shift in effect.too_large
    ]
    live["valid"] = not live["why"]


def _check_log(path: Path) -> None:
    if is_folder(path):
        raise InputError(f"cannot write the log {path}: it is a folder")
    if not is_folder(path.parent):
        raise InputError(f"cannot write the log {path}: there is no folder {path.parent}")


def _microseconds(spin: str) -> int:
    """Convert the busy-waiting time to microseconds; raise InputError above a second."""
    quantity = read_quantity(spin)
    if quantity is None or quantity.dimension != "time" or not 0 <= quantity.to("s") <= 1:
        raise InputError(f"spin is `{spin}`; expected a time from 0 s to 1 s, as in 200 us")
    return round(quantity.to("us"))
