"""Airtime of the access point among five stations; the access point sends three of the five connections.

The airtime of a station is the share of time taken by the frame exchanges that the station began. The access
point sends the downloads. Two stations upload, and the others send TCP ACKs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, TextTable, Value, Values
from airhop.experiments.claims import above, below, every
from airhop.experiments.experiment import Claim, ClaimResult, Mode
from airhop.experiments.traced import estimated, mean_and_half, paired, traced_runs
from airhop.experiments.wifi import GROUP, SENDERS, SOURCE, STANDARDS, five
from airhop.experiments.wifi.five import TENTH
from airhop.progress import Reporter
from airhop.simulate import run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airhop.scenario import Scenario

AIRTIME, ADDED = "airtime", "airtime added"
REPLICATIONS: dict[Mode, int] = {"quick": 2, "default": 3, "full": 3}
SIMILAR = 0.05
"""Maximum difference of two airtimes that count as similar."""
CELLS = {one.id.rpartition("/")[2]: one for one in five.EXPERIMENTS}
"""Experiments among five stations, by the last part of the experiment id."""
LABELS = {one.name: one.label for one in SENDERS}


def scenarios(cell: str) -> dict[str, Scenario]:
    """Return one scenario per sender, for an experiment among five stations at 10 % loss."""
    experiment = CELLS[cell]
    first = experiment.axis.full.index(TENTH) * len(SENDERS)
    points = experiment.study("full").points()[first:]
    return {sender.name: point.scenario for sender, point in zip(SENDERS, points, strict=False)}


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Simulate every sender in every cell."""
    planned = {cell: scenarios(cell) for cell in CELLS}

    def measure(cell: str, sender: str, seed: int, rep: int) -> float:
        document = run(planned[cell][sender], seed=seed, rep=rep).document
        (share,) = (one["airtime"] for one in document["stations"] if one["name"] == "ap")
        return float(share)

    grid = [(cell, sender) for cell in CELLS for sender in LABELS]
    runs = traced_runs(measure, grid, REPLICATIONS[mode], seed, reporter)
    values = []
    for (cell, sender), found in runs.items():
        values.append(estimated(sender, {"cell": cell}, AIRTIME, found))
        values.append(paired(sender, {"cell": cell}, ADDED, found, runs[cell, "cubic"]))
    return values


@worded(
    "in every cell, the share of airtime of the access point with {senders} differs by less than {most} from "
    "that with CUBIC",
    LABELS,
)
def similar(values: Values, senders: Sequence[str], most: float) -> ClaimResult:
    """Check whether the access point's airtime is similar for all senders, in every cell."""
    found = {(cell, one): values.at(one, ADDED, cell=cell).value for cell in CELLS for one in senders}
    decisions = [decision for more in found.values() for decision in (above(more, -most), below(more, most))]
    told = ", ".join(f"{cell} {one} {mean_and_half(more, 3, '+')}" for (cell, one), more in found.items())
    return ClaimResult(every(decisions), f"airtime more, paired: {told}")


def _share(values: Values, sender: str, cell: str) -> str:
    return mean_and_half(values.at(sender, AIRTIME, cell=cell).value)


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "airtime-notices",
        "Notices cost the stations no airtime: the airtime of the access point with LL-ELSN and with "
        "ELN-CUBIC differs by less than 0.05 from that with CUBIC.",
        Asked(similar, ("ll-elsn", "eln-cubic"), SIMILAR),
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the airtime of the access point with CUBIC in every cell of 802.11ac."""
    told = ", ".join(f"{_share(values, 'cubic', cell)} ({cell})" for cell in CELLS if cell.startswith("ac"))
    return f"The access point has, of the time, {told} with CUBIC at {TENTH}."


def tables(values: Values) -> list[TextTable]:
    """List the airtimes: a row per sender, a column per cell."""
    return [
        TextTable(
            "Airtime of the access point",
            ("", *CELLS),
            tuple((label, *(_share(values, name, cell) for cell in CELLS)) for name, label in LABELS.items()),
            f"Mean ± 95 % half-width of {values.reps} runs.",
        )
    ]


def figure(values: Values) -> Figure:
    """Draw the airtime with drop-tail queues for every sender, with a mark per standard."""
    from airhop.plots.paper import curve, legend, page
    from airhop.plots.style import styles

    drawing, axes = page()
    look = styles(STANDARDS)
    places = [float(place) for place in range(len(LABELS))]
    for name in STANDARDS:
        found = [values.at(sender, AIRTIME, cell=f"{name}-five").value for sender in LABELS]
        means, halves = [one.mean for one in found], [one.half_width for one in found]
        curve(axes, places, means, halves, label=f"802.11{name}", style=look[name], joined=False)
    axes.set_xticks(places, list(LABELS.values()), rotation=45, ha="right")
    axes.set_ylabel("Airtime of the access point")
    axes.set_ylim(0.0, 1.0)
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id=f"{GROUP}/airtime",
    title="Airtime of the access point among five stations",
    source=SOURCE,
    method=(
        "The values come from run documents of the downloads among five stations at 10 % loss. The airtime "
        "of the access point is the share of time in which its exchanges were on the air. Senders are "
        "compared replication by replication."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
