"""The simulator: compiled from crates/py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, final

class _Declaration(Protocol):
    """Arguments of `airhop.scheme`, and the decorated class."""

    @property
    def name(self) -> str: ...
    @property
    def cls(self) -> type: ...

__version__: str

class ScenarioError(ValueError):
    """Problems of a scenario, one paragraph each: file, line, key, expected value."""

class RunError(RuntimeError):
    """Failure of a run by a fault in Airhop, or by the fault that a subclass describes.

    The message names scenario, seed and replication.
    """

    job: int | None
    """Index of the failed job, if known."""

class SchemeError(RunError):
    """Failure of a scheme in Python: an exception, which is the `__cause__`, or an invalid returned value.

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
    """Loss that the scheme classifies, or echo of an ECN mark."""

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

        "echo" stands for an ACK with the echo of an ECN mark (RFC 3168) instead of a loss.
        """
    @property
    def half(self) -> float:
        """Half of the flight or cwnd (key `halve_from`), segments, at least 2 (RFC 5681 §3.1 (4))."""
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
        """Bytes that this ACK newly reports as arrived, cumulatively or by SACK."""
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
        """Value of `total` when the segment of the rate sample was sent, bytes; None without a sample.

        A new round trip begins at the first ACK whose `prior` is at least the `total` at the begin of the
        previous round trip.
        """
    @property
    def limited(self) -> bool:
        """True if the application, and not the path, limited the rate of the sample."""
    @property
    def rtt(self) -> float | None:
        """Round-trip time of the newest segment that was sent only once, seconds; None without one."""
    @property
    def lost(self) -> int:
        """Bytes that loss detection newly marked as lost at this ACK."""
    @property
    def in_flight(self) -> int:
        """Bytes in flight after the ACK is processed, before the sender sends new segments."""
    @property
    def in_recovery(self) -> bool:
        """True during loss recovery."""

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
        """Sequence number of the first byte of the segment that the notice concerns."""
    @property
    def end(self) -> int:
        """Sequence number of the first byte after that segment."""
    @property
    def delay(self) -> float:
        """Expected additional delay, seconds; only notices of kind "rttn" contain it."""

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
        """Read TOML.

        `source` names the text in messages, and paths of files in the text are relative to `folder`.

        Without a folder the text may name only entries of `files`, pairs of digest and content. `sets` are
        pairs of a path and a value, a TOML literal or bare text. `scheme`, a value for every TCP flow, has
        the same form.
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
        """Read a scenario from JSON, with the parameters of `parse`."""

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
        """Format everything that determines results: the canonical JSON, with digests in place of files."""

    def fades(self, seed: int, rep: int, until: str | None) -> list[tuple[str, str]]:
        """List each link with the CSV text of its fades in one replication, up to `until` or the end."""

    def classes(self, seed: int, rep: int) -> list[tuple[str, str]]:
        """List the flows with their classes in one replication, in file order."""

    def hints(self) -> list[tuple[str, list[str], str, str | None]]:
        """List the scenario's traps, settings that easily mislead.

        Each has a name, the concerned parts, a sentence, and the setting that avoids it.
        """

    def bases(self) -> list[tuple[str, list[str]]]:
        """List the stacks of the TCP senders (preset and changed parameters), each with its flows."""

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
    """Recorded operations of a run on its event queue, for measurements of the queue alone."""

    @staticmethod
    def of(scenario: Scenario, seed: int, rep: int, events: int) -> Schedule:
        """Record the queue operations of `events` events of a run, from the middle of its simulated time."""

    def __len__(self) -> int:
        """Return the number of recorded events."""

    @property
    def mean_waiting(self) -> float:
        """Mean number of waiting events."""

    def replay(self) -> None:
        """Execute the recorded pushes and pops on an event queue of the same kind."""

def build_info() -> dict[str, str]:
    """Describe how the simulator was built.

    Keys: version, profile ("release" or "debug"), target, model (digest of the sources, 16 digits), commit
    (empty if the sources were no git repository) and rustc.
    """

@final
class Emulated:
    """Data of an emulation from which `twin` makes the simulation of the same traffic."""

    def twin(
        self, length_s: float
    ) -> tuple[Scenario, Scenario, list[tuple[str, float, str | None, tuple[str, str | None] | None]]]:
        """Return two scenarios of the twin, without and with the measured lateness of packets, and the flows.

        The twin simulates the traffic of the emulation. Each flow has its name, start in seconds and scheme,
        and name and congestion control of the real flow.
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
    """Run in real time with real hosts at nodes; return the run document with `live`, and data for the twin.

    `doors` contains for each host the name in messages, the node, and the interface (None: a namespace).
    Notices in the form of ACKs go to senders that listen, or, if `always_told`, to all senders. `controls`
    contains node, congestion control of the node's senders, and file and bytes of the BPF object. `commands`
    contains node and argument of `sh -c`. `ready` contains node and port, or node and argument of `sh -c`.
    `code` contains file, name and digest of the schemes, for the log.

    Ten times per second, `on_progress` receives `t_s`, `in` and `out` (`packets`, `bytes` so far),
    `lateness_p99_us`, `lost_to_emulator` and `drops` by cause. Ctrl-C ends the emulation with
    KeyboardInterrupt. OSError names the request that the system refused.
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
    """Emulate in virtual time, with Airhop's TCP as hosts; return the run document, and data for the twin.

    Each of `connections` has the number of the replaced flow, a start in ms and a number of bytes. `noise` is
    the number of random datagrams beside the connections. Each sleep of the emulator lasts `oversleep_us` too
    long, so that packets are late.
    """

def replay(
    scenario: Scenario, path: str, trace: bool, pcap_dir: str | None
) -> tuple[Outcome, bool, dict[str, str]]:
    """Replay a log. Return the run, True if the log is complete, and the congestion controls of real senders.

    Raises OSError for a damaged log, with the place of the damage, or for a file that is no log.
    """

def log_header(path: str) -> tuple[int, str]:
    """Read the format version of a log, and its head as JSON. Raises OSError.

    Keys of the head: airhop, scenario, files, with, seed, rep, doors and headers_only. Format 1 lacks `files`
    and `with`.
    """

def privileges() -> list[tuple[str, bool, str]]:
    """List the privileges of live commands: name, True if this process has it, and a sentence."""

def needs_user_namespace() -> bool:
    """Return whether this process has to restart in a user namespace to create network namespaces."""

def packetdrill(path: str, text: str, kernel: bool) -> str:
    """Execute a packetdrill script with Airhop's TCP or this machine's kernel; return JSON.

    Keys: verdict ("pass", "fail", "not-applicable" or "unreadable"), and, depending on the verdict, line,
    column, reason, expected, seen, checks and skipped.
    """

def threads_at_work() -> int:
    """Return the number of threads that simulate.

    After an interruption, a remaining thread still executes a scheme's Python code.
    """

def run_many(
    jobs: list[tuple[Scenario, int, int]], threads: int, on_done: Callable[[int, str], None]
) -> None:
    """Run jobs (scenario, seed, rep) without the GIL; call `on_done(index, run document)` after each.

    The calling thread calls `on_done`. An exception of `on_done`, or Ctrl-C, stops every worker within 0.2 s.
    """

@final
class BpfObject:
    """Checked BPF object with congestion controls of Linux."""

    def __new__(cls, file: str, data: bytes) -> BpfObject:
        """Read the bytes of `file`; raises ValueError with the fault and its place in the object."""

    @property
    def names(self) -> list[str]:
        """Names of the object's congestion controls in the kernel."""

    def needs_ecn(self, name: str) -> bool:
        """Return whether the control requires ECN at both ends of a connection (TCP_CONG_NEEDS_ECN)."""

    def add(self, name: str) -> None:
        """Add a control to the catalogue, or replace the added scheme of its name; raises ValueError."""

@final
class LinkEvents:
    """Converter from events of a real link layer to notices for TCP senders."""

    def __new__(cls) -> LinkEvents: ...
    def hear(self, line: str) -> list[tuple[str, str, str, int, int, bytes]]:
        """Return the notices that an event causes; raises ValueError for an invalid line.

        Each notice has its kind, source (address and port) and destination of the segment, the segment's
        first sequence number and length in bytes, and the datagram of the notice.
        """

class KernelObject:
    """BPF object that a kernel can load."""

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
        """Names of the programs that process arriving packets (listeners)."""

    def is_unrestricted(self, name: str) -> bool:
        """Return whether any network namespace may use the control as its default."""

    def deploy(self, name: str, folder: Path, device: int) -> None:
        """Register a control, attach its listeners to a device, and pin all in `folder`.

        `device` is the index of the device, 0 for none. Raises OSError.
        """

    def dry_run(self, name: str) -> list[tuple[str, bool, list[str]]]:
        """Load all programs without a registration.

        Return name, acceptance by the kernel, and lines of its log for each program. Raises OSError.
        """

def deployed_map(link: Path) -> int:
    """Return the kernel's id of the map that a pinned link has registered; raises OSError."""

def deployed_device(link: Path) -> int:
    """Return the index of a pinned listener's device, 0 if the device no longer exists; raises OSError."""

def map_references(number: int) -> int | None:
    """Return the number of references to the control in a map.

    None if the map no longer exists. Raises OSError.
    """

def default_control(namespace: Path, control: str | None) -> str:
    """Return the default congestion control of a network namespace.

    If `control` is not None, set it first. Raises OSError.
    """

class _Kernel(TypedDict):
    members: list[tuple[str, str, bool, str]]
    callbacks: list[str]
    kfuncs: list[str]
    helpers: list[str]

def simulated_kernel() -> _Kernel:
    """Return the kernel interface of BPF objects: the names of its members, callbacks and functions."""

def add_scheme(declaration: _Declaration) -> None:
    """Add a scheme to the catalogue; raises ValueError, with the reason, for an invalid scheme.

    The scheme replaces an added scheme of the same name. Scenarios that were read before keep the replaced
    scheme.
    """

def catalogue() -> str:
    """List the schemes as JSON."""

def services() -> str:
    """List the services of the network as JSON: name, about, on_real and why.

    `on_real` is the effect on packets of real hosts: "acts", "to listeners" (notices only for senders that
    listen) or "cannot", with the reason in `why`.
    """

def measures() -> str:
    """List the measures of flows and of runs as JSON, each with the keys of `Measure`.

    `over_flows` is the aggregation of the flows of a run: "sum", "mean", "first" (all flows have the same
    value), or "apart" (no aggregation).
    """

def schema() -> str:
    """Return the JSON schema of scenario files."""

def reference() -> str:
    """Return a Markdown page with every key of a scenario file."""

def places(text: str, source: str, seed: int, rep: int) -> list[tuple[str, list[float]]]:
    """Return names and positions (x and y, metres) of the stations of a layout.

    `text` is a JSON object with the keys `layout`, `wlan` (name of the wlan) and optionally `receive` (range
    that decides whether a random draw is connected). `source` names the text in messages. Raises
    ScenarioError.
    """

def packet_list(
    steps: list[int | tuple[int, int]], dupthresh: int = 3
) -> list[tuple[list[tuple[int, int]], list[int]]]:
    """Return the packet list of the scheme LHP after each ACK.

    A step is a sent segment, or an ACK as a pair (expected, trigger). The result has for each ACK the entries
    (segment, duplicate ACKs) in sending order, and the lost segments.
    """

def answers(
    scheme: str, window: float, acks: list[tuple[int, int, list[int]]]
) -> list[tuple[list[int], int, int, float]]:
    """Return the reaction of a greedy sender to ACKs.

    An ACK is its time in milliseconds, the next expected segment, and the segments that arrived above it. The
    result has for each ACK the sent segments, the numbers of fast recoveries and window reductions so far,
    and the congestion window in segments, initially `window`. Raises ValueError for an unknown scheme.
    """
