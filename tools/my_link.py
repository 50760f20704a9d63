"""Write the tables of docs/which-for-my-link.md from five packaged studies.

    for study in home-queues cafe-queues office-queues train-queues office-calls; do
      airhop sweep $study --out DIR
    done
    python tools/my_link.py DIR

The program replaces the blocks between `<!-- link: NAME -->` and `<!-- end -->`, and keeps the prose around
them. It simulates nothing: DIR must contain rows of the current simulator.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from airhop.analysis.goals import Goal
from airhop.analysis.verdict import Standing, verdict
from airhop.errors import InputError
from airhop.numerals import half_width_text
from airhop.stats import Estimate, estimate
from airhop.study import Table
from airhop.study.study import Point
from blocks import fill, table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "which-for-my-link.md"
NETWORKS = {"home": "Home", "cafe": "Café", "office": "Office", "train": "Train"}
"""Packaged scenarios with the study NAME-queues, and their names on the page."""
CALLS = "office-calls"
"""Study of the calls of the office."""
QUEUES = ("short drop-tail", "long drop-tail", "FQ-CoDel")
"""Names of the settings of a study NAME-queues, in its order."""
LONG, FAIR = 1, 2
"""Indices in `QUEUES` of the long drop-tail queue and of FQ-CoDel."""
SCHEMES = {"reno": "Reno", "cubic": "CUBIC", "bbr": "BBR", "bbr3": "BBRv3", "copa": "Copa"}
USUAL = "cubic"
"""Default congestion control of Linux."""
ALIKE = 0.05
"""Maximum relative difference of arms that count as equally good; Airhop's choice."""

Found = Mapping[str, Table]
"""Complete studies by name."""


class Shown(NamedTuple):
    """Measure of a class of flows on the page."""

    heading: str
    of: str
    """Class of flows."""
    column: str
    digits: int = 1
    """Decimals of the mean."""
    factor: float = 1.0
    """Factor from the unit of the column to the unit of the heading."""

    @property
    def metric(self) -> str:
        """Name in formulas of a study."""
        return f"class.{self.of}.{self.column}"


PAGES = Shown("pages, completion p95 (s)", "pages", "completion_p95_ms", 2, 1e-3)
UNFINISHED = Shown("pages, unfinished", "pages", "completion_unfinished")
REQUESTS = Shown("requests, completion p95 (s)", "request-response down", "completion_p95_ms", 2, 1e-3)
RATING = Shown("calls, R", "call", "call_r")
LOWEST = Shown("calls, lowest R", "call", "call_r_min")
VOICE = Shown("calls, delay p95 (ms)", "call", "delay_p95_ms", 0)
LATE = Shown("calls, late packets (%)", "call", "call_late_pct")
LOST = Shown("calls, lost packets (%)", "call", "call_lost_pct", 2)
GAME = Shown("game, late packets (%)", "game", "game_late_pct")
BITRATE = Shown("video, bitrate (Mbit/s)", "video down", "video_bitrate_mbps", 2)
STALLED = Shown("video, time in stalls (%)", "video down", "video_stalled_pct")
DOWN = Shown("downloads (Mbit/s)", "bulk down", "goodput_mbps")
DOWN_DELAY = Shown("downloads, delay p95 (ms)", "bulk down", "delay_p95_ms", 0)
UP = Shown("uploads (Mbit/s)", "bulk up", "goodput_mbps")
UP_DELAY = Shown("uploads, delay p95 (ms)", "bulk up", "delay_p95_ms", 0)

FELT = (RATING, VOICE, GAME, PAGES, UNFINISHED, REQUESTS, BITRATE, STALLED)
BULK = (DOWN, DOWN_DELAY, UP, UP_DELAY)
"""Columns of the table of bulk transfers; columns of classes that a network lacks are omitted."""


class Aim(NamedTuple):
    """Goal of a reader of the page: a measure, and its better direction."""

    words: str
    measure: Shown
    is_higher_better: bool


AIMS = (
    Aim("calls first", LOWEST, True),
    Aim("game first", GAME, False),
    Aim("pages first", PAGES, False),
    Aim("video first", BITRATE, True),
    Aim("downloads first", DOWN, True),
    Aim("uploads first", UP, True),
)


def found_in(folder: Path) -> dict[str, Table]:
    """Read the studies of a folder. Raises InputError if a study is missing or incomplete."""
    wanted = [*(f"{name}-queues" for name in NETWORKS), CALLS]
    there = {one.study.name: one for one in Table.load(folder) if one.complete}
    if missing := [name for name in wanted if name not in there]:
        raise InputError(
            f"{folder} has no complete study {', '.join(missing)} by this simulator; "
            f"`airhop sweep {missing[0]} --out {folder}` makes one"
        )
    return {name: there[name] for name in wanted}


# ---- numbers ---------------------------------------------------------------------------------------------


def measured(of: Table, measure: Shown, point: Point) -> Estimate | None:
    """Return the mean of a measure at a point, in the unit of its heading; None without values."""
    values = of.values(point, measure.metric)
    return estimate([measure.factor * value for value in values.values()]) if values else None


def known(of: Table, measures: Sequence[Shown]) -> list[Shown]:
    """Select the measures of the classes that a study has."""
    classes = set(of.study.scenario.classes().values())
    return [measure for measure in measures if measure.of in classes]


def cell(found: Estimate | None, digits: int) -> str:
    """Format a mean with its half-width, or with both ends if the half-width exceeds the mean."""
    if found is None or found.ends is None:
        return "–"
    if 0 < found.mean < (found.half_width or 0):
        return f"{found.mean:.{digits}f} ({found.ends.low:.{digits}f}–{found.ends.high:.{digits}f})"
    return f"{found.mean:.{digits}f} {half_width_text(found, digits)}"


def cells(of: Table, shown: Sequence[Shown], point: Point) -> list[str]:
    """Return the formatted measures at a point."""
    return [cell(measured(of, one, point), one.digits) for one in shown]


def numbers(name: str, measures: Sequence[Shown], found: Found) -> str:
    """Return the table of a network with a row per queue and scheme."""
    of = found[f"{name}-queues"]
    shown = known(of, measures)
    rows = [
        (queue, SCHEMES[point.scheme], *cells(of, shown, point))
        for queue, setting in zip(QUEUES, of.study.settings, strict=True)
        for point in setting
    ]
    return table(("queue", "scheme", *(one.heading for one in shown)), rows, left=2)


def calls(found: Found) -> str:
    """Return the table of the office with a row per access category, queue and scheme."""
    of = found[CALLS]
    shown = (LOWEST, VOICE, LATE, LOST, PAGES, DOWN, UP)
    rows = [
        (category(point), queue_of(point), SCHEMES[point.scheme], *cells(of, shown, point))
        for setting in of.study.settings
        for point in setting
    ]
    head = ("category of calls", "queue", "scheme", *(one.heading for one in shown))
    return table(head, rows, left=3)


def category(point: Point) -> str:
    """Return the access category of the calls at a point."""
    return str(point.values["flow.call*.access_category"])


def queue_of(point: Point) -> str:
    """Return the queue at a point, in words."""
    (cell,) = point.scenario.to_dict()["wlan"]
    queue = cell["queue"]
    return f"{queue['packets']} packets" if queue["kind"] == "drop-tail" else "FQ-CoDel"


# ---- recommendations -------------------------------------------------------------------------------------


def ranked(of: Table, aim: Aim, arms: Mapping[str, Point]) -> Standing | None:
    """Rank arms by an aim, as the verdict of `airhop compare`; None without values of two arms."""
    goal = Goal("throughput" if aim.is_higher_better else "delay", aim.measure.column, aim.measure.of)
    samples = {arm: of.values(point, aim.measure.metric) for arm, point in arms.items()}
    standings = verdict({goal: samples}, {}, {}).standings
    return standings[0] if standings else None


def told(aim: Aim, standing: Standing | None) -> str:
    """Return a text with the best arm and its mean, the arms that are as good, and the undecided arms.

    An arm is as good if its mean differs by at most `ALIKE`. Another arm is undecided if its difference is
    not significant. If all other arms are undecided, the whole answer is open.
    """
    if standing is None:
        return "–"
    means = {arm: mean.mean for arm, mean in standing.means.items() if mean is not None}
    first, *_ = means
    close = [arm for arm, mean in means.items() if abs(mean - means[first]) <= ALIKE * abs(means[first])]
    if len(close) == len(standing.means):
        return "all alike"
    if not standing.decides:
        return "open"
    undecided = [arm for arm in standing.best if arm not in close]
    parts = [f"**{first}** {aim.measure.factor * means[first]:.3g}"]
    for words, arms in (("as good", close[1:]), ("open", undecided)):
        parts += [f"{words}: {', '.join(arms)}"] if arms else []
    return "; ".join(parts)


def by_queue(of: Table) -> dict[str, Point]:
    """Return the points of Linux' default scheme, by queue."""
    return {
        queue: point
        for queue, setting in zip(QUEUES, of.study.settings, strict=True)
        for point in setting
        if point.scheme == USUAL
    }


def by_scheme(of: Table, place: int) -> dict[str, Point]:
    """Return the points of one queue, by scheme."""
    return {SCHEMES[point.scheme]: point for point in of.study.settings[place]}


def advice(name: str, found: Found) -> str:
    """Return a table by goal: best queue with CUBIC, best schemes over a long queue and over FQ-CoDel."""
    of = found[f"{name}-queues"]
    aims = [aim for aim in AIMS if known(of, [aim.measure])]
    rows = [
        (
            f"{aim.words}: {aim.measure.heading}",
            told(aim, ranked(of, aim, by_queue(of))),
            told(aim, ranked(of, aim, by_scheme(of, LONG))),
            told(aim, ranked(of, aim, by_scheme(of, FAIR))),
        )
        for aim in aims
    ]
    head = ("goal", "queue, with CUBIC", "scheme, long drop-tail", "scheme, FQ-CoDel")
    return table(head, rows, left=4)


def advice_calls(found: Found) -> str:
    """Return a table of the office by goal: best queue and scheme for each access category of the calls."""
    of = found[CALLS]
    points = [point for setting in of.study.settings for point in setting]
    categories = list(dict.fromkeys(map(category, points)))
    arms = {
        one: {f"{SCHEMES[p.scheme]} over {queue_of(p)}": p for p in points if category(p) == one}
        for one in categories
    }
    rows = [
        (
            f"{aim.words}: {aim.measure.heading}",
            *(told(aim, ranked(of, aim, arms[one])) for one in categories),
        )
        for aim in AIMS
        if known(of, [aim.measure])
    ]
    return table(("goal", *(f"scheme and queue, calls in {one}" for one in categories)), rows, left=3)


def gain(found: Found) -> str:
    """Return a table of every network's goals with CUBIC: values over a long queue and over FQ-CoDel."""
    rows = []
    for name, words in NETWORKS.items():
        of = found[f"{name}-queues"]
        queues = by_queue(of)
        long, fair = queues[QUEUES[LONG]], queues[QUEUES[FAIR]]
        pairs = [[measured(of, aim.measure, point) for point in (long, fair)] for aim in AIMS]
        rows.append((words, *(" → ".join(f"{one.mean:.3g}" for one in pair if one) or "–" for pair in pairs)))
    return table(("network", *(aim.measure.heading for aim in AIMS)), rows)


BLOCKS: Mapping[str, Callable[[Found], str]] = {
    "gain": gain,
    **{f"advice-{name}": partial(advice, name) for name in NETWORKS},
    **{f"felt-{name}": partial(numbers, name, FELT) for name in NETWORKS},
    **{f"bulk-{name}": partial(numbers, name, BULK) for name in NETWORKS},
    "advice-calls": advice_calls,
    "calls": calls,
}
"""Blocks of the page by name."""


def filled(page: str, found: Found) -> str:
    """Write every block of a page anew."""
    return fill(page, "link", {name: block(found) for name, block in BLOCKS.items()})


def main() -> int:
    """Fill the page from the folder of the studies."""
    try:
        page = filled(PAGE.read_text(encoding="utf-8"), found_in(Path(sys.argv[1])))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
