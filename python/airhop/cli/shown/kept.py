"""Output options of `airhop run` and `airhop replay`: files, figures and checks of a run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli.common.output import say
from airhop.cli.shown.figures import OF_A_FLOW, check_figure, draw_figure
from airhop.errors import InputError
from airhop.files import filling
from airhop.progress import reporter_for_stderr
from airhop.results import Result
from airhop.scenario import Scenario

Trace = Annotated[Path | None, Parameter(help="Folder for the trace: TABLE.parquet for every table.")]
Air = Annotated[
    Path | None, Parameter(help="FILE.pdf, .svg or .png for the space-time diagram of frames on the air.")
]
Sequence = Annotated[
    Path | None,
    Parameter(help="FILE.pdf, .svg or .png for arrivals over the receiver's air interface, by segment."),
]
RoundTrips = Annotated[
    Path | None,
    Parameter(
        help="FILE.pdf, .svg or .png for the round-trip times, the sender's SRTT and RTO, and the notices."
    ),
]
Verify = Annotated[
    bool,
    Parameter(negative="", help="Check the trace of the run for violations of physics and protocols."),
]
Between = Annotated[
    tuple[float, float] | None,
    Parameter(
        negative="",
        help="Start and end of the figures of --air, --sequence and --round-trips, in seconds; by default"
        " the whole run, or for --air the time around the first collision.",
    ),
]


FlowName = Annotated[
    str | None,
    Parameter(
        help="TCP flow of --sequence and --round-trips; by default the flow with the most delivered bytes."
    ),
]


@dataclass(frozen=True)
class Kept:
    """Requested files and figures. The constructor raises InputError for a figure that cannot be written."""

    trace: Path | None
    pcap: Path | None
    figures: dict[str, Path | None]
    """File of each figure (`air`, `sequence`, `round_trips`) in the order of drawing; None if not requested.
    """
    between: tuple[float, float] | None
    verify: bool
    flow: str | None = None

    def __post_init__(self) -> None:
        if self.flow is not None and not self._drawn.keys() & OF_A_FLOW.keys():
            raise InputError("--flow needs --sequence or --round-trips")
        for path in self._drawn.values():
            check_figure(path)

    @property
    def _drawn(self) -> dict[str, Path]:
        return {name: path for name, path in self.figures.items() if path is not None}

    def run(self, title: str, once: Callable[[bool], Result]) -> Result:
        """Run with a progress display, and with a trace if an option needs a trace.

        The requested trace tables are written.
        """
        with (
            nullcontext() if self.trace is None else filling(self.trace) as tables,
            reporter_for_stderr().task(title, 1) as task,
        ):
            result = once(self.trace is not None or self.verify or bool(self._drawn))
            task.advance()
            if tables is not None:
                result.write_tables(tables)
        return result

    def show(self, scenario: Scenario, result: Result) -> None:
        """Draw the figures, and print the path of each file."""
        if self.trace is not None:
            say(f"trace: {', '.join(f'{table}.parquet' for table in result.tables)} in {self.trace}")
        if self.pcap is not None:
            say(f"packet captures in {self.pcap}")
        for name, path in self._drawn.items():
            draw_figure(name, path, result, scenario, self.between, self.flow)

    def verified(self, scenario: Scenario, result: Result) -> int:
        """Check the trace against the laws, if requested; print violations and return 1 for any violation."""
        if not self.verify:
            return 0
        from airhop.verify import LAWS, verify

        with reporter_for_stderr().task("verifying", 1) as task:
            findings = verify(scenario, result)
            task.advance()
        for finding in findings:
            say(str(finding))
        steps = f"{result.tables['packets'].height:,} steps of packets"
        if not findings:
            say(f"verified: {steps} contradict none of {len(LAWS)} laws ({', '.join(LAWS)})")
        return 1 if findings else 0
