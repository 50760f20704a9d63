"""The simulator: compiled from crates/py."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypedDict, final

class _Declaration(Protocol):
    """Registration of `airhop.scheme`, and the class."""

    @property
    def name(self) -> str: ...
    @property
    def cls(self) -> type: ...

__version__: str

class ScenarioError(ValueError):
    """Problems of a scenario: file, line, key, expected value. A paragraph per problem."""

class RunError(RuntimeError):
    """A run failed: a mistake in Airhop. The text names scenario, seed and replication."""

    job: int | None
    """Index of the job that failed, where one did."""

class SchemeError(RunError):
    """A scheme written in Python raised an exception, the cause of this one, or asked for the impossible.

    The text names scheme, method, simulated time, scenario, seed and replication.
    """

class Window:
    """The congestion window in segments, as the papers write it. A scheme changes it."""

    def __init__(self, cwnd: float, ssthresh: float = ...) -> None: ...
    @property
    def cwnd(self) -> float:
        """Congestion window. Less than one segment becomes one; NaN, below 0, the absurd: ValueError."""
    @cwnd.setter
    def cwnd(self, segments: float) -> None: ...
    @property
    def ssthresh(self) -> float:
        """Slow-start threshold. Less than one segment becomes one; infinity is none."""
    @ssthresh.setter
    def ssthresh(self, segments: float) -> None: ...
    @property
    def in_slow_start(self) -> bool:
        """True below the threshold (RFC 5681 §3.1)."""

class Ack:
    """An acknowledgement of new data, outside loss recovery."""

    def __init__(self, now: float, acked: int, rtt: float | None = None) -> None: ...
    @property
    def now(self) -> float:
        """Time of arrival, simulated seconds."""
    @property
    def acked(self) -> int:
        """Bytes that it acknowledges for the first time."""
    @property
    def rtt(self) -> float | None:
        """Round-trip sample in seconds, if it gave a valid one (Karn's rule applied)."""

class Loss:
    """A loss, to be judged, or the echo of a router's mark."""

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

        "echo": nothing was lost; a router's mark came back with an ACK (RFC 3168).
        """
    @property
    def half(self) -> float:
        """Half of what the scenario halves (flight or window), segments, at least 2 (RFC 5681 §3.1 (4))."""
    @property
    def window(self) -> float:
        """The window that halving leaves, segments: `half`; ns-2 keeps only ssthresh above 2."""

class Notice:
    """A notice about a segment that is missing."""

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
        """First byte of the segment that it is about."""
    @property
    def end(self) -> int:
        """First byte after that segment."""
    @property
    def delay(self) -> float:
        """An extra delay to expect, seconds; only RTTN carries one."""

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
        """Data sent and not acknowledged, in segments."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time in seconds, once there was a sample."""

class Scenario:
    """A scenario, checked to the last key. Immutable."""

    @staticmethod
    def parse(
        text: str,
        source: str,
        folder: str | None,
        sets: list[tuple[str, str]],
        scheme: str | None,
        files: list[tuple[str, str]] = ...,
    ) -> Scenario:
        """Read TOML; `source` names it in messages, and files that it names are relative to `folder`.

        Without a folder it may name those of `files` alone, by digest and content. `sets` are pairs of a
        path and a TOML literal or bare text; so is `scheme`, for every TCP flow.
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
        """Read the same model given as JSON."""

    @property
    def name(self) -> str:
        """The scenario's own name."""

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""

    def toml(self) -> str:
        """Write the effective scenario, every default included."""

    def json(self) -> str:
        """Write the same as canonical JSON: equal scenarios give equal text."""

    def identity(self) -> str:
        """Write what results depend on: the same JSON, with files by their digests alone."""

    def fades(self, seed: int, rep: int, until: str | None) -> list[tuple[str, str]]:
        """List links with the CSV text of their fades in one replication, up to `until` or the run's end."""

    def hints(self) -> list[tuple[str, list[str], str, str | None]]:
        """List the traps that it is in: the name, what is in it, a sentence, and what to set."""

    def bases(self) -> list[tuple[str, list[str]]]:
        """List what its TCP senders run on, each base with its flows."""

    def tcp_flows(self) -> list[str]:
        """Names of the TCP flows in file order."""

    def nodes(self) -> list[str]:
        """Names of the nodes, in the order of their addresses: the first is 10.0.0.1 and fd00:a1b0::1."""

class Outcome:
    """Results of a run."""

    def json(self) -> str:
        """Write the run document."""

    def tables(self) -> dict[str, list[tuple[str, str, bytes, list[str] | None]]]:
        """Trace columns by table: (name, dtype, little-endian bytes, dictionary); empty untraced."""

class Schedule:
    """Operations of a run on its event queue for a while, to be repeated on a queue alone."""

    @staticmethod
    def of(scenario: Scenario, seed: int, rep: int, events: int) -> Schedule:
        """Record the operations of `events` events of a run, from the middle of its simulated time on."""

    def __len__(self) -> int:
        """Count the events."""

    @property
    def mean_waiting(self) -> float:
        """Mean number of waiting events."""

    def replay(self) -> None:
        """Put the same events into a queue of the same kind and take them out; nothing else is done."""

def build_info() -> dict[str, str]:
    """Describe how the simulator was built.

    version, profile ("release" or "debug"), target, model (16 digits of the sources), commit (empty if it
    was not built from git) and rustc.
    """

@final
class Emulated:
    """An emulation as its twin needs it: what real hosts sent, and how late packets and answers were."""

    def twin(
        self, length_s: float
    ) -> tuple[Scenario, Scenario, list[tuple[str, float, str | None, tuple[str, str | None] | None]]]:
        """Return the scenario of the twin, the same with the measured lateness, and the flows to compare.

        Of each flow: name, start in seconds, scheme, and name and congestion control of the real one.
        """

def run(scenario: Scenario, seed: int, rep: int, trace: bool = False, pcap_dir: str | None = None) -> Outcome:
    """Run once; with `pcap_dir`, write a NODE.pcapng for every node there."""

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
    """Run in real time with real hosts at some nodes; return the document with `live`, and the twin's needs.

    `doors` are what messages call one, its node, and its interface (None: a namespace); senders get
    notices that look like ACKs if they listen, or all (`always_told`); `controls` a node, the congestion
    control of its senders, and file and bytes of its BPF object; `commands` a node and what `sh -c` is given;
    `ready` a node with a port, or with what `sh -c` is given; `code` file, name and digest of the schemes
    that the log names.
    `on_progress` gets `t_s`, `in` and `out` (`packets`, `bytes` so far), `lateness_p99_us`,
    `lost_to_emulator` and `drops` by cause, ten times a second.
    Ctrl-C ends it with KeyboardInterrupt; OSError says what the system refuses.
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
) -> str:
    """Emulate with hosts of Airhop's own TCP on a clock that costs no time; return the run document.

    `connections` are the number of a flow that makes room, a start in ms and bytes; `noise` counts other
    datagrams.
    """

def replay(
    scenario: Scenario, path: str, trace: bool, pcap_dir: str | None
) -> tuple[Outcome, bool, dict[str, str]]:
    """Run once more what a log says entered; tell whether it has its end, and controls of real senders.

    OSError says where it is no log, or damaged.
    """

def log_header(path: str) -> tuple[int, str]:
    """Read the version of a log's format, and its head as JSON. Raises OSError.

    The head has airhop, scenario, files, with, seed, rep, doors and headers_only; `files` and `with` are new
    in format 2.
    """

def privileges() -> list[tuple[str, bool, str]]:
    """List what this process may do here: name, whether, and how it is there or what is missing."""

def needs_user_namespace() -> bool:
    """Return whether this process has to restart in a user namespace to create network namespaces."""

def packetdrill(path: str, text: str, kernel: bool) -> str:
    """Run Airhop's TCP, or this machine's kernel, against a packetdrill script; the result is JSON.

    The document has verdict ("pass", "fail", "not-applicable" or "unreadable"), line, column, reason,
    expected, seen, checks and skipped, as far as the verdict has them.
    """

def threads_at_work() -> int:
    """Count the threads at work in runs; one that is left behind is in code of a scheme."""

def run_many(
    jobs: list[tuple[Scenario, int, int]], threads: int, on_done: Callable[[int, str], None]
) -> None:
    """Run (scenario, seed, rep) jobs with the GIL released; `on_done(index, run document)` as each finishes.

    It is called in the calling thread. An exception of it, or Ctrl-C, stops every worker within 0.2 s.
    """

@final
class BpfObject:
    """A BPF object with congestion controls of Linux, read and checked."""

    def __new__(cls, file: str, data: bytes) -> BpfObject:
        """Read the bytes of `file`; ValueError says what is wrong, and where."""

    @property
    def names(self) -> list[str]:
        """Names of its congestion controls, as the kernel would know them."""

    def needs_ecn(self, name: str) -> bool:
        """Return whether both ends of a connection must have it (TCP_CONG_NEEDS_ECN)."""

    def add(self, name: str) -> None:
        """Add one to the catalogue, in place of one added before under its name; ValueError says why not."""

class _Kernel(TypedDict):
    members: list[tuple[str, str, bool, str]]
    callbacks: list[str]
    kfuncs: list[str]
    helpers: list[str]

def simulated_kernel() -> _Kernel:
    """Return the kernel interface of BPF objects: the names of its members, callbacks and functions."""

def add_scheme(declaration: _Declaration) -> None:
    """Add a scheme to the catalogue; ValueError says what is wrong with it.

    It replaces one added before under its name, but for the scenarios that were read with that.
    """

def catalogue() -> str:
    """List the schemes as JSON."""

def services() -> str:
    """List what the network can do for a flow as JSON: name, about, on_real and why.

    `on_real` is what it does for real packets: "acts", "to listeners" or "cannot", and then `why` says why
    not.
    """

def measures() -> str:
    """List the measures of flows and of runs as JSON, a column each, with the keys of `Measure`.

    `over_flows` is how flows make a run: "sum", "mean", "first" (the same in all), "apart" (a run has none).
    """

def schema() -> str:
    """Return the JSON schema of scenario files."""

def reference() -> str:
    """Return the page of Markdown that lists every key of a scenario file."""

def places(text: str, source: str, seed: int, rep: int) -> list[tuple[str, list[float]]]:
    """Return names and places (x and y, metres) of the stations of a layout.

    `text` is a JSON object: `layout`, `wlan`, the name of the wlan whose draw it is, and perhaps `receive`,
    the range within which they are connected. `source` is what messages call it. Raises ScenarioError.
    """

def packet_list(
    steps: list[int | tuple[int, int]], dupthresh: int = 3
) -> list[tuple[list[tuple[int, int]], list[int]]]:
    """Return LHP's packet list after each ACK of `steps`: sent segments, as pairs (expected, trigger).

    For each ACK: the entries as (segment, duplicate ACKs) in sending order, and the segments that are lost.
    """

def answers(
    scheme: str, window: float, acks: list[tuple[int, int, list[int]]]
) -> list[tuple[list[int], int, int, float]]:
    """Return the reaction of a greedy sender to ACKs (milliseconds, expected, arrived above it).

    For each ACK: the segments that it sends, fast recoveries and window cuts so far, and its congestion
    window in segments, `window` at first. Raises ValueError for an unknown scheme.
    """
