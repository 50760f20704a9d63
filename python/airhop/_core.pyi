"""The simulator: compiled from crates/py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, final

class _Declaration(Protocol):
    """Registration of `airhop.scheme`, and the class."""

    @property
    def name(self) -> str: ...
    @property
    def cls(self) -> type: ...

__version__: str

class ScenarioError(ValueError):
    """Problems of a scenario, one paragraph each: file, line, key, expected value."""

class RunError(RuntimeError):
    """A run failed by a fault in Airhop, or by the fault that a subclass describes.

    The message names scenario, seed and replication.
    """

    job: int | None
    """Index of the failed job, if known."""

class SchemeError(RunError):
    """A scheme in Python raised an exception, the `__cause__` of this one, or returned an invalid value.

    The message names scheme, method, simulated time, scenario, seed and replication.
    """

class Window:
    """Congestion window and threshold in segments, which a scheme changes."""

    def __init__(self, cwnd: float, ssthresh: float = ...) -> None: ...
    @property
    def cwnd(self) -> float:
        """Congestion window, at least one segment; NaN, negative and excessive values raise ValueError."""
    @cwnd.setter
    def cwnd(self, segments: float) -> None: ...
    @property
    def ssthresh(self) -> float:
        """Slow-start threshold, at least one segment; infinity: no threshold."""
    @ssthresh.setter
    def ssthresh(self, segments: float) -> None: ...
    @property
    def in_slow_start(self) -> bool:
        """True below the threshold (RFC 5681 §3.1)."""

class Ack:
    """Acknowledgement of new data, outside loss recovery."""

    def __init__(self, now: float, acked: int, rtt: float | None = None) -> None: ...
    @property
    def now(self) -> float:
        """Time of arrival, simulated seconds."""
    @property
    def acked(self) -> int:
        """Newly acknowledged bytes."""
    @property
    def rtt(self) -> float | None:
        """Round-trip sample, seconds; None without a valid sample (Karn's rule)."""

class Loss:
    """Loss to be classified, or echo of an ECN mark."""

    def __init__(
        self,
        now: float,
        signal: Literal["duplicates", "timeout", "echo"],
        half: float,
        window: float | None = None,
    ) -> None: ...
    @property
    def now(self) -> float:
        """Time of detection, simulated seconds."""
    @property
    def signal(self) -> Literal["duplicates", "timeout", "echo"]:
        """Signal of the loss: duplicate ACKs (or SACK blocks above a hole) or the retransmission timer.

        "echo": no loss, but an ACK with the echo of an ECN mark (RFC 3168).
        """
    @property
    def half(self) -> float:
        """Half of the scenario's `halve_from` quantity, segments, at least 2 (RFC 5681 §3.1 (4))."""
    @property
    def window(self) -> float:
        """New window, segments: `half`; with preset ns2 it may be below 2."""

class Delivery:
    """Delivery report of an ACK of new data or of a duplicate ACK, also during loss recovery."""

    def __init__(
        self,
        now: float,
        delivered: int,
        total: int,
        rate: float | None = None,
        prior: int | None = None,
        *,
        limited: bool = False,
        rtt: float | None = None,
        lost: int = 0,
        in_flight: int = 0,
        in_recovery: bool = False,
    ) -> None: ...
    @property
    def now(self) -> float:
        """Time of arrival of the ACK, simulated seconds."""
    @property
    def delivered(self) -> int:
        """Bytes newly reported as arrived, cumulatively or by SACK."""
    @property
    def total(self) -> int:
        """Bytes known to have arrived so far."""
    @property
    def rate(self) -> float | None:
        """Delivery rate, bytes per second; None without a valid sample.

        The sample is defined in draft-cheng-iccrg-delivery-rate-estimation.
        """
    @property
    def prior(self) -> int | None:
        """Value of `total` when the sampled segment was sent; None without a sample.

        A round trip begins when `prior` reaches the `total` of the beginning of the previous round trip.
        """
    @property
    def limited(self) -> bool:
        """True if the application had less to send than the path could carry, and so limited the rate."""
    @property
    def rtt(self) -> float | None:
        """Round trip of the newest segment that was sent only once, seconds; None without such a segment."""
    @property
    def lost(self) -> int:
        """Bytes newly marked lost."""
    @property
    def in_flight(self) -> int:
        """Bytes in flight after the ACK, before it releases segments."""
    @property
    def in_recovery(self) -> bool:
        """True while lost segments are repaired."""

class Notice:
    """Notice about a missing segment or a wireless link."""

    def __init__(
        self, now: float, kind: str, start: int = 1, end: int = 1001, delay: float = 0.0
    ) -> None: ...
    @property
    def now(self) -> float:
        """Time of arrival, simulated seconds."""
    @property
    def kind(self) -> str:
        """Kind of the notice: "eln", "ersn", "ebsn", "rttn" or "nak"."""
    @property
    def start(self) -> int:
        """First byte of the segment of the notice."""
    @property
    def end(self) -> int:
        """First byte after that segment."""
    @property
    def delay(self) -> float:
        """Expected additional delay, seconds; only RTTN has one."""

class Flow:
    """State of a flow."""

    def __init__(
        self, segment: int = 1000, acked: int = 0, flight: float = 0.0, srtt: float | None = None
    ) -> None: ...
    @property
    def segment(self) -> int:
        """Payload of a full segment, bytes."""
    @property
    def acked(self) -> int:
        """Bytes acknowledged so far."""
    @property
    def flight(self) -> float:
        """Data sent and not acknowledged, segments."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time, seconds; None before the first sample."""

class Scenario:
    """Fully checked, immutable scenario."""

    @staticmethod
    def parse(
        text: str,
        source: str,
        folder: str | None,
        sets: list[tuple[str, str]],
        scheme: str | None,
        files: list[tuple[str, str]] = ...,
    ) -> Scenario:
        """Read TOML; `source` is its name in messages, and files in it are relative to `folder`.

        Without a folder it may name only `files`, by digest and content. `sets` are pairs of a path and a
        TOML literal or bare text; `scheme`, for every TCP flow, is such a literal or text, too.
        """

    @staticmethod
    def from_json(
        text: str,
        source: str,
        folder: str | None,
        sets: list[tuple[str, str]],
        scheme: str | None,
        files: list[tuple[str, str]] = ...,
    ) -> Scenario:
        """Read a scenario from JSON."""

    @property
    def name(self) -> str:
        """Name of the scenario."""

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""

    def toml(self) -> str:
        """Format the effective scenario, with all defaults, as TOML."""

    def json(self) -> str:
        """Format the effective scenario as canonical JSON: equal scenarios have equal text."""

    def identity(self) -> str:
        """Format the inputs of results: the canonical JSON, with digests in place of files."""

    def fades(self, seed: int, rep: int, until: str | None) -> list[tuple[str, str]]:
        """List the CSV texts of fades in one replication by link, up to `until` or the end of the run."""

    def classes(self, seed: int, rep: int) -> list[tuple[str, str]]:
        """List the flows with their classes in one replication, in file order."""

    def hints(self) -> list[tuple[str, list[str], str, str | None]]:
        """List the traps of the scenario: name, concerned parts, a sentence, and the avoiding setting."""

    def bases(self) -> list[tuple[str, list[str]]]:
        """List the bases of the TCP senders, each with its flows."""

    def tcp_flows(self) -> list[str]:
        """Names of the TCP flows in file order."""

    def nodes(self) -> list[str]:
        """Names of the nodes, in the order of their addresses: the first is 10.0.0.1 and fd00:a1b0::1."""

class Outcome:
    """Results of a run."""

    def json(self) -> str:
        """Format the run document."""

    def tables(self) -> dict[str, list[tuple[str, str, bytes, list[str] | None]]]:
        """Trace columns by table: (name, dtype, little-endian bytes, dictionary); empty without a trace."""

class Schedule:
    """Recorded operations of a run on its event queue, for replay on a queue alone."""

    @staticmethod
    def of(scenario: Scenario, seed: int, rep: int, events: int) -> Schedule:
        """Record the queue operations of `events` events of a run, from the middle of its simulated time."""

    def __len__(self) -> int:
        """Return the number of recorded events."""

    @property
    def mean_waiting(self) -> float:
        """Mean number of waiting events."""

    def replay(self) -> None:
        """Replay the pushes and pops on an equal queue, without any other work."""

def build_info() -> dict[str, str]:
    """Describe how the simulator was built.

    version, profile ("release" or "debug"), target, model (16 digits of the sources), commit (empty if it
    was not built from git) and rustc.
    """

@final
class Emulated:
    """Data of an emulation for its twin: traffic of real hosts, lateness of packets, turnaround of hosts."""

    def twin(
        self, length_s: float
    ) -> tuple[Scenario, Scenario, list[tuple[str, float, str | None, tuple[str, str | None] | None]]]:
        """Return the twin's scenario without and with the measured lateness, and the compared flows.

        Each flow has name, start in seconds, scheme, and name and congestion control of the real flow.
        """

def run(scenario: Scenario, seed: int, rep: int, trace: bool = False, pcap_dir: str | None = None) -> Outcome:
    """Run once; with `pcap_dir`, write captures of the nodes and 802.11 cells into that folder."""

def emulate(
    scenario: Scenario,
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
) -> tuple[str, Emulated]:
    """Run in real time with real hosts at nodes; return the document with `live`, and data for the twin.

    `doors` has for each host the name in messages, the node, and the interface (None: a namespace). Notices
    in the form of ACKs go to senders that listen, or to all senders (`always_told`). `controls` has node,
    congestion control of the node's senders, and file and bytes of the BPF object; `commands` node and
    argument of `sh -c`; `ready` node and port, or node and argument of `sh -c`; `code` file, name and digest
    of the schemes in the log. `on_progress` receives `t_s`, `in` and `out` (`packets`, `bytes` so far),
    `lateness_p99_us`, `lost_to_emulator` and `drops` by cause, ten times a second. Ctrl-C ends the emulation
    with KeyboardInterrupt; OSError names the request that the system refused.
    """

def rehearse(
    scenario: Scenario,
    doors: list[tuple[str, str, str | None]],
    seed: int,
    rep: int,
    log: str,
    headers_only: bool,
    code: list[tuple[str, str, str]],
    connections: list[tuple[int, int, int]],
    noise: int,
    oversleep_us: int = 0,
) -> tuple[str, Emulated]:
    """Emulate in virtual time with hosts of Airhop's own TCP; return the run document, and data for the twin.

    `connections` have the number of the replaced flow, a start in ms and a number of bytes; `noise` is the
    number of other datagrams. Each sleep of the emulator lasts `oversleep_us` longer, so that packets are
    late.
    """

def replay(
    scenario: Scenario, path: str, trace: bool, pcap_dir: str | None
) -> tuple[Outcome, bool, dict[str, str]]:
    """Replay a log; return the run, whether the log is complete, and the congestion controls of real senders.

    Raises OSError for a damaged log, with the place of the damage, or for another file.
    """

def log_header(path: str) -> tuple[int, str]:
    """Read the format version of a log, and its head as JSON. Raises OSError.

    The head has airhop, scenario, files, with, seed, rep, doors and headers_only; `files` and `with` are new
    in format 2.
    """

def privileges() -> list[tuple[str, bool, str]]:
    """List the privileges of this process: name, presence, and reason."""

def needs_user_namespace() -> bool:
    """Return whether this process has to restart in a user namespace to create network namespaces."""

def packetdrill(path: str, text: str, kernel: bool) -> str:
    """Run Airhop's TCP, or this machine's kernel, against a packetdrill script; the result is JSON.

    The document has verdict ("pass", "fail", "not-applicable" or "unreadable"), line, column, reason,
    expected, seen, checks and skipped, as far as the verdict has them.
    """

def threads_at_work() -> int:
    """Return the number of threads in runs; a remaining thread runs code of a scheme."""

def run_many(
    jobs: list[tuple[Scenario, int, int]], threads: int, on_done: Callable[[int, str], None]
) -> None:
    """Run (scenario, seed, rep) jobs with the GIL released; `on_done(index, run document)` as each finishes.

    The calling thread calls `on_done`. An exception of `on_done`, or Ctrl-C, stops every worker within 0.2 s.
    """

@final
class BpfObject:
    """Checked BPF object with congestion controls of Linux."""

    def __new__(cls, file: str, data: bytes) -> BpfObject:
        """Read the bytes of `file`; raises ValueError with fault and place."""

    @property
    def names(self) -> list[str]:
        """Names of the object's congestion controls in the kernel."""

    def needs_ecn(self, name: str) -> bool:
        """Return whether both ends of a connection must use ECN (TCP_CONG_NEEDS_ECN)."""

    def add(self, name: str) -> None:
        """Add a control to the catalogue, replacing an added one of its name; raises ValueError."""

@final
class LinkEvents:
    """Events of a real link layer, and the notices to senders that follow from them."""

    def __new__(cls) -> LinkEvents: ...
    def hear(self, line: str) -> list[tuple[str, str, str, int, int, bytes]]:
        """Return the notices that follow from an event; raises ValueError.

        Kind, source (address and port) and destination of the segment, its first sequence number, its
        length in bytes, and the datagram.
        """

class KernelObject:
    """BPF object, read for a kernel."""

    def __new__(cls, file: str, data: bytes) -> KernelObject:
        """Read the bytes of `file`; raises ValueError."""

    @property
    def names(self) -> list[str]:
        """Names of the congestion controls."""

    @property
    def callbacks(self) -> list[str]:
        """Names of the callbacks."""

    @property
    def listeners(self) -> list[str]:
        """Names of the programs that process packets."""

    def is_unrestricted(self, name: str) -> bool:
        """Return whether every network namespace may have the control as its default."""

    def deploy(self, name: str, folder: Path, device: int) -> None:
        """Register a control, attach the listeners to a device (0: to none), and pin all; raises OSError."""

    def dry_run(self, name: str) -> list[tuple[str, bool, list[str]]]:
        """Load all programs without a registration: program, acceptance, lines; raises OSError."""

def deployed_map(link: Path) -> int:
    """Return the number of the map that a pinned link has registered; raises OSError."""

def deployed_device(link: Path) -> int:
    """Return the index of the device of a pinned listener, 0 if the device is gone; raises OSError."""

def map_references(number: int) -> int | None:
    """Return the number of references to the control in a map, None if the map is gone; raises OSError."""

def default_control(namespace: Path, control: str | None) -> str:
    """Return a namespace's default control; set it unless `control` is None; raises OSError."""

class _Kernel(TypedDict):
    members: list[tuple[str, str, bool, str]]
    callbacks: list[str]
    kfuncs: list[str]
    helpers: list[str]

def simulated_kernel() -> _Kernel:
    """Return the kernel interface of BPF objects: the names of its members, callbacks and functions."""

def add_scheme(declaration: _Declaration) -> None:
    """Add a scheme to the catalogue; raises ValueError, with the reason, for an invalid scheme.

    The scheme replaces an earlier added one of the same name, except in scenarios that were read before.
    """

def catalogue() -> str:
    """List the schemes as JSON."""

def services() -> str:
    """List the services of the network as JSON: name, about, on_real and why.

    `on_real` is the effect on real packets: "acts", "to listeners" or "cannot", with the reason in `why`.
    """

def measures() -> str:
    """List the measures of flows and of runs as JSON, one column each, with the keys of `Measure`.

    `over_flows` is the aggregation of flows into a run: "sum", "mean", "first" (equal in all flows), "apart"
    (none).
    """

def schema() -> str:
    """Return the JSON schema of scenario files."""

def reference() -> str:
    """Return the page of Markdown that lists every key of a scenario file."""

def places(text: str, source: str, seed: int, rep: int) -> list[tuple[str, list[float]]]:
    """Return names and positions (x and y, metres) of the stations of a layout.

    `text` is a JSON object: `layout`; `wlan`, the name of the wlan; and optionally `receive`, the range for
    connected draws. `source` is the name in messages. Raises ScenarioError.
    """

def packet_list(
    steps: list[int | tuple[int, int]], dupthresh: int = 3
) -> list[tuple[list[tuple[int, int]], list[int]]]:
    """Return LHP's packet list after each ACK.

    `steps` are sent segments, and ACKs as pairs (expected, trigger). For each ACK: the entries as (segment,
    duplicate ACKs) in sending order, and the lost segments.
    """

def answers(
    scheme: str, window: float, acks: list[tuple[int, int, list[int]]]
) -> list[tuple[list[int], int, int, float]]:
    """Return the reaction of a greedy sender to ACKs (milliseconds, expected, arrived above it).

    For each ACK: sent segments, fast recoveries and window reductions so far, and the congestion window in
    segments, initially `window`. Raises ValueError for an unknown scheme.
    """
