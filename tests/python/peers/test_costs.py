"""Page about the costs of a run: its points can be run, and file, figures and sentences agree.

Times are not tested.
"""

from itertools import pairwise
from pathlib import Path

import pytest

import costs
import costs_page
from airhop import Scenario, run
from costs import DOCS, FILE, PICTURES, Cost, Point

MEASURED = costs.read(DOCS / FILE)


@pytest.mark.parametrize("point", costs.points(), ids=lambda point: f"{point.curve} {point.x:g}")
def test_every_point_of_the_costs_can_be_run_and_has_a_measured_row(point: Point) -> None:
    duration = {"duration": f"{point.simulated_s:g} s"}
    scenario = Scenario.load(point.scenario).with_({**point.changes, **duration})
    (row,) = [row for row in MEASURED[point.curve] if row.x == point.x]
    assert scenario.duration_s == row.simulated_s
    # Each received segment was sent.
    assert 0 < row.delivered <= row.sent <= row.events


def test_every_measured_row_belongs_to_a_point() -> None:
    rows = [(row.curve, row.x) for rows in MEASURED.values() for row in rows]
    assert sorted(rows) == sorted((point.curve, point.x) for point in costs.points())


def test_events_and_segments_of_a_cost_point_equal_those_of_the_run() -> None:
    point = costs.shortened(next(iter(costs.hops())))
    cost = costs.measure(point)
    changes = {**point.changes, "duration": f"{point.simulated_s:g} s"}
    result = run(Scenario.load(point.scenario).with_(changes))
    (flow,) = result.tcp_flows
    assert (cost.events, cost.sent) == (result.document["events"], flow["sent_segments"])
    assert cost.delivered * 1000 * 8 / 1e6 == pytest.approx(result.goodput_mbps * point.simulated_s)


def test_the_cost_of_a_point_is_that_of_its_fastest_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class InTurn:
        """Fake pool in which every round takes half of the time of the previous round."""

        def __init__(self) -> None:
            self.cpu_s = 8.0

        def __enter__(self) -> "InTurn":
            return self

        def __exit__(self, *_: object) -> None: ...

        def imap(self, _measure: object, wanted: list[Point]) -> list[Cost]:
            self.cpu_s /= 2
            return [a_cost(point.curve, point.x, self.cpu_s) for point in wanted]

    monkeypatch.setattr("multiprocessing.get_context", lambda _kind: Context(InTurn()))
    wanted = costs.points()[:2]
    assert costs.measure_all(wanted, 3) == [a_cost(point.curve, point.x, 1.0) for point in wanted]


class Context:
    """Fake multiprocessing context."""

    def __init__(self, pool: object) -> None:
        self.pool = pool

    def Pool(self, processes: int, maxtasksperchild: int) -> object:  # noqa: N802
        assert (processes, maxtasksperchild) == (1, 1), "one run at a time, each in a new process"
        return self.pool


def a_cost(curve: str, x: float, cpu_s: float) -> Cost:
    return Cost(
        curve, x, simulated_s=2.5, delivered=1000, sent=1100, events=12_000, cpu_s=cpu_s, peak_mb=20.5
    )


def test_ratios_are_per_delivered_segment_and_per_event() -> None:
    cost = a_cost("hops", 1, 0.006)
    assert (cost.us_per_segment, cost.ns_per_event) == pytest.approx((6.0, 500.0))
    assert (cost.events_per_segment, cost.sent_per_segment) == (12.0, 1.1)


def test_the_file_of_costs_reads_back_as_written(tmp_path: Path) -> None:
    written = [a_cost("hops", 1, 0.25), a_cost("loss, one attempt", 0.1, 0.5)]
    costs.write(written, tmp_path / FILE)
    assert costs.read(tmp_path / FILE) == {"hops": written[:1], "loss, one attempt": written[1:]}


@pytest.mark.parametrize("key", PICTURES)
def test_figures_of_costs_are_drawn_from_the_current_file_and_are_on_the_page(key: str) -> None:
    figure = costs.figure_name(key)
    assert f"{FILE} {costs.digest(DOCS / FILE)}" in (DOCS / figure).read_text(encoding="utf-8")
    assert f"]({figure})" in costs_page.page()


def test_a_figure_of_costs_has_every_curve(tmp_path: Path) -> None:
    rows = [a_cost(curve, x, 0.1) for curve in MEASURED for x in (1, 10)]
    costs.write(rows, tmp_path / FILE)
    costs.draw(tmp_path)
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert drawn == sorted(map(costs.figure_name, PICTURES))
    assert {curve.partition(",")[0] for curve in MEASURED} == set(PICTURES)


# ---- statements of the page about events, which are equal on every machine
# -------------------------------------


def test_each_additional_hop_costs_an_equal_number_of_events() -> None:
    rows = [row for row in MEASURED["hops"] if row.x >= 4]
    steps = [(b.events_per_segment - a.events_per_segment) / (b.x - a.x) for a, b in pairwise(rows)]
    assert max(steps) < 1.25 * min(steps)
    one, two = MEASURED["hops"][:2]
    assert two.events_per_segment - one.events_per_segment < min(steps), "no station is hidden with two hops"


def test_events_hardly_depend_on_the_number_of_listening_stations() -> None:
    for curve in ("stations, one density", "stations, one cell"):
        events = [row.events_per_segment for row in MEASURED[curve]]
        assert max(events) < 1.5 * min(events), curve


def test_losses_increase_the_cost_by_their_retransmissions() -> None:
    first, *_, last = MEASURED["loss, one attempt"]
    per_sent = [row.events_per_segment / row.sent_per_segment for row in (first, last)]
    assert per_sent[1] == pytest.approx(per_sent[0], rel=0.1)


def test_a_single_flow_sends_hardly_any_segment_twice_and_10000_flows_many() -> None:
    waste = {row.x: row.sent_per_segment - 1 for row in MEASURED["flows"]}
    assert waste[1] < 0.02 < waste[10_000]
