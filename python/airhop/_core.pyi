"""The simulator: compiled from crates/py."""

from collections.abc import Callable

__version__: str

class ScenarioError(ValueError):
    """Something in a scenario is wrong: file, line, key, what was expected. A paragraph a problem."""

class RunError(RuntimeError):
    """A run failed: a mistake in Airhop. The text names scenario, seed and replication."""

class Scenario:
    """A scenario, checked to the last key. Immutable."""

    @staticmethod
    def parse(text: str, source: str, sets: list[tuple[str, str]], scheme: str | None) -> Scenario:
        """Read TOML; `source` names it in messages.

        `sets` are pairs of a path and a TOML literal or bare text; so is `scheme`, for every TCP flow.
        """

    @staticmethod
    def from_json(text: str, source: str, sets: list[tuple[str, str]], scheme: str | None) -> Scenario:
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

    def tcp_flows(self) -> list[str]:
        """Names of the TCP flows in file order."""

class Outcome:
    """What one run gave."""

    def json(self) -> str:
        """Write the run document."""

    def tables(self) -> dict[str, list[tuple[str, str, bytes, list[str] | None]]]:
        """Trace columns by table: (name, dtype, little-endian bytes, dictionary); empty untraced."""

def build_info() -> dict[str, str]:
    """Version, profile ("release" or "debug") and target of this build."""

def run(scenario: Scenario, seed: int, rep: int, trace: bool = False, pcap_dir: str | None = None) -> Outcome:
    """Run once; with `pcap_dir`, write a NODE.pcapng for every node there."""

def run_many(
    jobs: list[tuple[Scenario, int, int]], threads: int, on_done: Callable[[int, str], None]
) -> None:
    """Run (scenario, seed, rep) jobs with the GIL released; `on_done(index, run document)` as each finishes.

    It is called in the calling thread. An exception of it, or Ctrl-C, stops every worker within 0.2 s.
    """

def catalogue() -> str:
    """List the schemes as JSON."""

def schema() -> str:
    """Give the JSON schema of scenario files."""

def reference() -> str:
    """Give the page of Markdown that lists every key of a scenario file."""
