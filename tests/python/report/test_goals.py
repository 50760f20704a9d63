"""Goals (throughput, delay and so on) in a report: headline, table, graph of the trade-off, and verdicts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from airhop import Scenario, Table, compare, sweep
from airhop.analysis.goals import Goal
from airhop.analysis.verdict import verdict
from airhop.plots.quantities import FAIRNESS
from airhop.plots.studies import draw_study
from airhop.report.chapter import Chapter
from airhop.report.goals import goal_rows, headline, marks, picture
from airhop.report.layout import Layout
from airhop.study.verdicts import Outcome, outcomes
from command_line import Cli

SCHEMES = ["reno", "ll-elsn", "vegas"]


def workload() -> Scenario:
    """Return a scenario with a download, and transfers of 20 kB, over the last hop for 5 s."""
    scenario = Scenario.load("last-hop").to_dict() | {"duration": "5 s"}
    flow = {"from": "s", "to": "d", "scheme": "reno"}
    web = {"class": "web", "app": {"kind": "transfer", "size": "20 kB"}}
    scenario["flow"] = [
        flow | {"name": "bulk"},
        *(flow | web | {"name": f"w{i}", "start": f"{i} s"} for i in (1, 2)),
    ]
    return Scenario.load(scenario)


@pytest.fixture(scope="module")
def table() -> Table:
    return sweep(workload(), {"scheme": SCHEMES}, reps=4)


def test_a_study_and_a_comparison_have_the_same_verdict(table: Table) -> None:
    """Verdicts from the rows of a store and from run documents are equal, because the values are equal."""
    (found,) = outcomes(table)
    compared = compare(workload(), SCHEMES, reps=4).verdict
    assert found.verdict.to_dict() == compared.to_dict()
    kinds = [(standing.goal.kind, standing.goal.of) for standing in compared.standings]
    assert ("completion", "web") in kinds and ("throughput", None) in kinds


def test_videos_do_not_starve_in_a_study_as_in_a_comparison() -> None:
    """A video limits its rate, and its flow of requests sends little."""
    scenario = workload().to_dict()
    ladder = {"kind": "video", "ladder": ["200 kbit/s", "400 kbit/s"], "segment": "1 s"}
    scenario["flow"].append(scenario["flow"][0] | {"name": "tv", "class": "tv", "app": ladder})
    shared = Scenario.load(scenario)
    (found,) = outcomes(sweep(shared, {"scheme": SCHEMES}, reps=2))
    assert not any(found.verdict.starved.values())
    assert found.verdict.to_dict() == compare(shared, SCHEMES, reps=2).verdict.to_dict()


def test_in_a_mix_fairness_is_that_of_a_class_whose_flows_compete(tmp_path: Path) -> None:
    """The index over downloads and transfers would compare flows of different demands."""
    scenario = workload().to_dict()
    scenario["flow"].append(scenario["flow"][0] | {"name": "second"})
    mixed = sweep(Scenario.load(scenario), {"scheme": SCHEMES}, reps=2)
    chapter = Chapter.of_table(mixed, trace=False)
    assert chapter.fairness is not None and chapter.fairness.column == "class.bulk down.jain"
    assert "fairness" in Layout(chapter).views
    assert chapter.fairness.title == "Jain's index of bulk down"
    assert (tmp_path / "fairness.pdf") in draw_study(mixed, tmp_path)
    # One download competes with nobody of its class, and two downloads alone are a run with one class.
    alone = sweep(workload(), {"scheme": SCHEMES[:1]}, reps=2)
    assert Chapter.of_table(alone, trace=False).fairness is None
    scenario["flow"] = [flow for flow in scenario["flow"] if flow["app"]["kind"] == "bulk"]
    plain = sweep(Scenario.load(scenario), {"scheme": SCHEMES[:1]}, reps=2)
    assert Chapter.of_table(plain, trace=False).fairness is FAIRNESS


def test_the_headline_of_a_single_setting_is_its_verdict(table: Table) -> None:
    chapter = Chapter.of_table(table, trace=False)
    (found,) = outcomes(table)
    assert chapter.headline == found.verdict.headline
    assert chapter.findings == tuple(found.verdict.evidence)
    assert "highest throughput" in chapter.headline


def test_the_headline_of_several_settings_counts_those_at_which_a_scheme_is_best() -> None:
    table = sweep(workload(), {"scheme": SCHEMES[:2], "wlan.cell.errors.fer": [0.01, 0.02]}, reps=4)
    chapter = Chapter.of_table(table, trace=False)
    assert chapter.headline.startswith(("ll-elsn delivers", "No scheme is ahead"))
    wins = re.findall(
        r"has the \w+ (?:completion time|delay)[\w ]* at (?:1 of|all) 2 settings", chapter.headline
    )
    assert len(wins) == len(
        {kind for setting in chapter.settings for kind in setting.verdict.leading} - {"throughput"}
    )


def test_the_headline_names_the_schemes_with_starved_flows_once_per_number_of_settings() -> None:
    samples = {
        Goal("throughput", "goodput_mbps"): {scheme: {0: 1.0, 1: 1.1} for scheme in SCHEMES},
        Goal("delay", "delay_p95_ms", "bulk"): {scheme: {0: 5.0, 1: 5.5} for scheme in SCHEMES},
    }

    def setting(*starving: str) -> Outcome:
        flows = {scheme: {"bulk": ["one"]} if scheme in starving else {} for scheme in SCHEMES}
        return Outcome([], verdict(samples, {}, flows), samples)

    told = headline([setting("reno", "ll-elsn", "vegas"), setting("reno", "vegas")], "Equal goodput.")
    assert told == (
        "Equal goodput. Flows starve with reno and vegas at all 2 settings, with ll-elsn at 1 of 2 settings."
    )


def test_the_picture_has_a_mark_with_its_intervals_for_each_scheme(table: Table) -> None:
    chapter = Chapter.of_table(table, trace=False)
    assert chapter.opening is not None
    found = marks(chapter.opening)
    assert found is not None
    goal, shown = found
    assert goal.kind == "delay" and [mark.scheme for mark in shown] == SCHEMES
    drawing = str(picture(chapter.opening, chapter.scheme_styles, chapter.labels))
    assert drawing.count('class="name"') == 3
    assert [drawing.count(f'stroke="{style.color}"') for style in chapter.scheme_styles.values()] == [3, 3, 3]
    # The low delay is on the right, and the high throughput on top.
    places = [tuple(map(float, at)) for at in re.findall(r'translate\(([\d.]+) ([\d.]+)\)" d=', drawing)]
    by_delay = sorted(range(3), key=lambda place: shown[place].delay.mean)
    by_goodput = sorted(range(3), key=lambda place: shown[place].throughput.mean)
    assert by_delay == sorted(range(3), key=lambda place: -places[place][0])
    assert by_goodput == sorted(range(3), key=lambda place: -places[place][1])


def test_the_table_has_a_row_for_each_goal(table: Table) -> None:
    (found,) = outcomes(table)
    rows = goal_rows(found)
    assert [row.label for row in rows][:2] == ["throughput, Mbit/s", "completion time of web, mean, ms"]
    assert all(set(row.cells) == set(SCHEMES) for row in rows)
    assert all(set(row.best) < set(SCHEMES) for row in rows)


def test_sweep_prints_the_goals_of_each_class(cli: Cli, tmp_path: Path) -> None:
    scenario, study = tmp_path / "workload.toml", tmp_path / "study.toml"
    scenario.write_text(workload().toml())
    study.write_text('scenario = "workload.toml"\nreps = 3\n[vary]\nscheme = ["reno", "ll-elsn"]\n')
    shown = cli("sweep", str(study), "--out", str(tmp_path / "out"))
    assert shown.code == 0
    assert "goals by class of flows" in shown.out and "completion time" in shown.out
    document = json.loads(cli("sweep", str(study), "--out", str(tmp_path / "out"), "--json").out)
    (verdict,) = document["verdicts"]
    means = {(one["goal"], one["class"]): one["schemes"] for one in verdict["estimates"]}
    assert set(means["completion", "web"]) == {"reno", "ll-elsn"}
    goodput = {point["scheme"]: point["goodput_mbps"]["mean"] for point in document["points"]}
    assert {scheme: one["mean"] for scheme, one in means["throughput", None].items()} == pytest.approx(
        goodput
    )
