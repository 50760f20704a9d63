"""Kounavis 1996: local recovery, EBSN and RTTN over an air interface that fades for seconds.

Common parts of the experiments. Printed: both topologies, 56 and 19.2 kbit/s, packets of 128 bytes, good and
bad times with means of 10 and 4 s and bit error rates of 10E-6 and 10E-2, Go-Back-3 down and selective
retransmission up, and an estimator with one gain. Each result is a graph of one run, with a sentence or two
about the graph. The graphs are lost. Inferred: all other values (`airhop show kounavis1996-fixed-mobile`;
`readings` has the values on which results depend). The duration of the paper's runs is unknown. The duration
is therefore the axis of the six experiments, and claims are checked at 100 s.

An additional curve is a sender without timeouts. If the link loses no packets, this curve is an upper bound
for schemes whose notices prevent timeouts.

RTTN is a reconstruction, because the paper's listing is lost. The text states that base stations measure the
length of fades and announce the expected length to senders. The method is not stated.

Meaning of the paper's words: "unacceptable" is less than half of the same sender's goodput from a fixed host
to a mobile. EBSN "fails to improve" if its goodput does not exceed that of local recovery alone. Timeouts are
prevented if fewer than one in 100 s remains, and "cannot be avoided" otherwise. "In most cases" means more
than half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from airhop.experiments.experiment import (
    Claim,
    Curve,
    Experiment,
    Metric,
    Picture,
    PlottedAxis,
    Replications,
    TimelineChoice,
)
from airhop.experiments.kounavis1996.networks import Network
from airhop.experiments.kounavis1996.readings import questions
from airhop.experiments.reading import Question
from airhop.experiments.samples import Samples

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airhop.results import Result

PAPER = "M. E. Kounavis, A study on Transport Layer Protocols over Wireless Links, Columbia University, 1996"

# ---- curves ----------------------------------------------------------------------------------------------

TIMER = {"flow.ftp.tcp.rto.min": "200 ms", "flow.ftp.tcp.rto.max": "64 s"}
NO_TIMEOUTS = dict.fromkeys(TIMER, "1000 s")
"""Settings of a retransmission timer that never expires within a run."""
LOCAL = Curve("local", "Local recovery", "tahoe")
EBSN = Curve("ebsn", "EBSN", {"name": "ebsn", "base": "tahoe"})
RTTN = Curve("rttn", "RTTN (reconstruction)", {"name": "rttn", "base": "tahoe"})
PATIENT = Curve("patient", "No timeouts", "tahoe", NO_TIMEOUTS)


def unmodified(network: Network, name: str = "basic", label: str = "Basic TCP") -> Curve:
    """Return the curve of TCP without ARQ on the radio links and without notices."""
    return Curve(name, label, "tahoe", network.plain)


# ---- measurements ----------------------------------------------------------------------------------------


def _count(column: str, label: str, ticks: tuple[float, ...] = (0.0, 10.0, 20.0)) -> Metric:
    return Metric(f"flow.ftp.{column}", label, "", ticks, digits=1, printed=False)


GOODPUT = Metric("1000 * flow.ftp.goodput_mbps", "Goodput", "kbit/s", (0.0, 3.0, 6.0, 9.0), printed=False)
TIMEOUTS = _count("timeouts", "Timeouts")
SPURIOUS = _count("spurious_timeouts", "Spurious timeouts")
RESENT = _count("retransmissions", "Retransmitted segments")
DUPLICATES = _count("duplicates", "Duplicate segments at the receiver")
NOTICES = Metric(
    "flow.ftp.notices_ebsn + flow.ftp.notices_rttn + flow.ftp.notices_ersn",
    "Notices",
    "",
    (0.0, 50.0, 100.0),
    digits=1,
    printed=False,
)
GIVEN_UP = Metric("drops_retries", "Packets discarded by a link", "", (0.0, 1.0), digits=1, printed=False)
TIMED = _count("lateness_notices", "Notices with a running timer")
LATE = _count("lateness_late", "Notices after the timeout that they should have prevented")
LATENESS = Metric(
    "flow.ftp.lateness_mean_ms", "Lateness of notices", "ms", (-2000.0, 0.0, 2000.0), digits=0, printed=False
)
WARNED = _count("timeouts_warned_late", "Timeouts with a notice in flight")
ALSO = (TIMEOUTS, SPURIOUS, WARNED, RESENT, DUPLICATES, GIVEN_UP, NOTICES, TIMED, LATE, LATENESS)
"""Further metrics that explain the goodput."""

# ---- the experiments of the paper ------------------------------------------------------------------------

SECONDS = 100
LENGTH = PlottedAxis(
    key="duration_s",
    name="run",
    paths=("duration",),
    label="Run length (s)",
    full=(SECONDS, 300, 1000),
    coarse=(SECONDS,),
    unit="s",
    ticks=(0.0, 100.0, 300.0, 1000.0),
    limits=(0.0, 1050.0),
)
REPLICATIONS = Replications(quick=10, full=200)


def experiment(
    id_: str,
    title: str,
    result: str,
    network: Network,
    curves: Sequence[Curve],
    claims: Sequence[Claim[Samples]],
    headline: Callable[[Samples], str],
    *,
    axis: PlottedAxis = LENGTH,
    at: float = SECONDS,
    shown: str = "",
    settings: Mapping[str, object] | None = None,
    beside: Experiment | None = None,
    asked: Sequence[Question] = (),
) -> Experiment:
    """Return an experiment with the common parts of all experiments of the paper.

    `at` is the paper's setting. The report shows packets of a run there. The printed figure shows the same
    run of the curve `shown`, as in the paper. `asked` are open questions in addition to those of all
    experiments.
    """
    return Experiment(
        id=f"kounavis1996/{id_}",
        title=f"{title}, {network.name}",
        source=f"{PAPER}, {result}",
        scenario=network.scenario,
        settings={**network.recovery, **TIMER, **(settings or {})},
        curves=tuple(curves),
        baseline=curves[0].name,
        axis=axis,
        metric=GOODPUT,
        also=ALSO,
        replications=REPLICATIONS,
        claims=tuple(claims),
        headline=headline,
        timeline=TimelineChoice(shown or "ebsn", at, duration_s=SECONDS, opening_s=SECONDS),
        beside=beside,
        questions=(*questions(network, curves), *asked),
        pictures=(
            Picture("sequence", shown, at, _sequence),
            Picture("round-trips", shown, at, _round_trips),
        )
        if shown
        else (),
    )


def _sequence(result: Result) -> Figure:
    from airhop.plots.sequence import sequence_graph

    return sequence_graph(result.tables, "ftp", until=SECONDS)


def _round_trips(result: Result) -> Figure:
    from airhop.plots.round_trip import round_trip_graph

    return round_trip_graph(result.tables, "ftp", until=SECONDS)
