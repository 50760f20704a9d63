"""Downloads over 802.11n, ac and ax: settings, answers to questions, and the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import wifi_page
from airhop.errors import InputError
from airhop.experiments import Experiment, lookup, registry
from airhop.experiments.samples import Samples
from airhop.experiments.wifi import (
    DISCARDED,
    FEW,
    GROUP,
    LOSS,
    LOST,
    SENDERS,
    STANDARDS,
    TODAY,
    TOLD,
    airtime,
    delay,
    discards,
    download,
    five,
    snr,
)
from airhop.experiments.wifi.claims import hides_losses
from airhop.simulate import Job, run, run_many
from airhop.stats import estimate

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "wifi-notices.md").read_text(encoding="utf-8")
ALL = lookup([GROUP], registry())
STUDIES = [one for one in ALL if isinstance(one, Experiment)]
BY_NAME = {one.id.removeprefix(f"{GROUP}/"): one for one in STUDIES}


def document(name: str, place: int) -> dict[str, Any]:
    """Return the scenario of a point of the full grid of an experiment."""
    return BY_NAME[name].study("full").points()[place].scenario.to_dict()


def test_the_group_contains_every_standard_queue_place_and_limit() -> None:
    names = [f"{name}{queue}" for name in STANDARDS for queue in ("", "-fq-codel")]
    names += [f"{name}-five{queue}" for name in STANDARDS for queue in ("", "-fq-codel")]
    names += [f"{name}-snr" for name in STANDARDS]
    assert sorted(BY_NAME) == sorted([*names, "ac-once", "ac-attempts", "ac-lifetime"])
    assert {one.id for one in ALL} - {one.id for one in STUDIES} == {f"{GROUP}/delay", f"{GROUP}/airtime"}


def test_schemes_with_link_services_are_compared_with_current_senders() -> None:
    assert {curve.name for curve in SENDERS} == {"reno", *TODAY, *TOLD}
    assert {"snoop", "eln", "ll-elsn", "tcp-cl", "ebsn"} <= set(TOLD)
    assert LOSS.full == (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
    assert set(FEW.full) < set(LOSS.full)


@pytest.mark.parametrize("experiment", STUDIES, ids=lambda one: one.id)
def test_cells_have_their_standard_queue_and_stack(experiment: Experiment) -> None:
    name = experiment.id.rpartition("/")[2]
    points = experiment.study("full").points()
    assert len(points) == len(experiment.axis.full) * len(SENDERS)
    for place in (0, len(points) - 1):
        made = points[place].scenario.to_dict()
        (cell,), (wire,) = made["wlan"], made["wired"]
        assert cell["standard"] == f"802.11{name.partition('-')[0]}"
        assert cell["queue"]["kind"] == ("fq-codel" if "fq-codel" in name else "drop-tail")
        assert wire["delay"] == "20 ms"
        assert {flow["tcp"]["preset"] for flow in made["flow"]} == {"linux"}


@pytest.mark.parametrize("experiment", download.EXPERIMENTS, ids=lambda one: one.id)
def test_losses_of_a_lone_station_are_independent(experiment: Experiment) -> None:
    for place, point in enumerate(experiment.study("full").points()):
        (cell,) = point.scenario.to_dict()["wlan"]
        loss = experiment.axis.full[place // len(SENDERS)]
        assert (cell["errors"]["kind"], cell["errors"]["loss"]) == ("bernoulli", loss)


@pytest.mark.parametrize("standard", STANDARDS)
def test_distances_lose_none_a_tenth_half_and_nearly_all_mpdus(standard: str) -> None:
    shares = []
    for distance in snr.PLACES[standard]:
        made = delay.scenario(standard, 0.0).with_(
            {
                "flow.download.app.rate": "1 Mbit/s",
                "wlan.cell.errors": snr.BY_SNR,
                "wlan.cell.stations.sta": [distance, 0.0],
            }
        )
        result = run(made, seed=1)
        lost, arrived = result.document["drops"]["channel"], result.flows["goodput_mbps"][0] * 4e6 / 8 / 1448
        shares.append(lost / (lost + arrived))
    near, tenth, half, beyond = shares
    assert near == 0.0
    assert 0.06 < tenth < 0.14
    assert 0.44 < half < 0.56
    assert beyond > 0.9


@pytest.mark.parametrize("standard", STANDARDS)
def test_five_stations_have_the_cell_of_the_lone_station(standard: str) -> None:
    alone, among = document(standard, 0)["wlan"][0], document(f"{standard}-five", 0)["wlan"][0]
    assert len(among.pop("stations")) == 1 + 5
    del alone["stations"]
    assert among == alone


def test_only_the_download_changes_its_sender_among_five_stations() -> None:
    last = document("ac-five", -1)["flow"]
    assert [flow["scheme"]["name"] for flow in last] == [SENDERS[-1].name, *["cubic"] * 4]
    ends = [(flow["from"], flow["to"]) for flow in last]
    assert [one for one, _ in ends].count("server") == 3
    assert [other for _, other in ends].count("server") == 2


def test_the_station_of_the_download_stands_at_the_edge_alone() -> None:
    (cell,) = document("ax-five", -1)["wlan"]
    away = {name: (x * x + y * y) ** 0.5 for name, (x, y) in cell["stations"].items()}
    assert cell["errors"]["kind"] == "snr"
    assert away.pop("sta") == snr.PLACES["ax"][2]
    assert set(away.values()) == {0.0, 5.0}


def test_discarding_cells_limit_attempts_or_lifetime() -> None:
    grids = {one.axis.key: one.axis.full for one in discards.EXPERIMENTS}
    first = {name: document(name, 0)["wlan"][0] for name in ("ac-once", "ac-attempts", "ac-lifetime")}
    assert (first["ac-once"]["attempts"], first["ac-attempts"]["attempts"]) == (1, grids["attempts"][0])
    assert first["ac-lifetime"]["lifetime"] == f"{grids['lifetime_ms'][0]} ms"


def test_the_airtime_of_a_sender_is_measured_in_its_scenario_at_ten_per_cent_loss() -> None:
    made = airtime.scenarios("n-five")
    assert list(made) == [one.name for one in SENDERS]
    for name, one in made.items():
        told = one.to_dict()
        scheme = told["flow"][0]["scheme"]
        assert (scheme if isinstance(scheme, str) else scheme["name"]) == name
        assert told["wlan"][0]["errors"]["loss"] == 0.1


def test_questions_are_named_after_their_experiment() -> None:
    discarding = {one.id for one in discards.EXPERIMENTS}
    for experiment in STUDIES:
        name = experiment.id.rpartition("/")[2]
        assert all(claim.id.startswith(f"{name}-") for claim in experiment.claims)
        asked = any(claim.id == f"{name}-hidden" for claim in experiment.claims)
        assert asked != (experiment.id in discarding)


def test_senders_among_five_are_compared_by_the_goodput_of_the_others_and_by_delay() -> None:
    named = {one.name for one in five.MEASURES}
    assert {"class.others.goodput_mbps", "flow.download.delay_p95_ms", "jain", "airtime_jain"} <= named


def test_losses_are_hidden_if_at_most_one_in_a_thousand_is_discarded() -> None:
    def found(discarded: float) -> bool | None:
        counts = {LOST.name: 1000.0, DISCARDED.name: discarded}
        also = {
            name: Samples(
                name, {("reno", 0.1): {0: count}, ("reno", 0.0): {0: 0.0}, ("reno", 0.9): {0: 500.0}}
            )
            for name, count in counts.items()
        }
        return hides_losses(Samples("goodput_mbps", {}, also=also), 1e-3, (0.0, 0.1)).holds

    assert (found(0.0), found(1.0), found(2.0)) == (True, True, False)


def test_mean_and_tail_delay_grow_with_the_loss_of_mpdus() -> None:
    few, many = (delay.measure("n", loss, 1, 0) for loss in (0.0, 0.5))
    assert few[delay.MEAN] < 20.5 < many[delay.MEAN] < 25.0
    assert few[delay.TAIL] < many[delay.TAIL]


# ---- the page --------------------------------------------------------------------------------------------


def block(name: str) -> list[list[str]]:
    """Read a table of the page: its cells, heading first, without bold marks."""
    text = PAGE.split(f"<!-- wifi: {name} -->\n")[1].split("<!-- end -->")[0].replace("**", "")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return [rows[0], *rows[2:]]


@pytest.mark.parametrize("name", wifi_page.BLOCKS)
def test_the_wifi_page_has_every_generated_block(name: str) -> None:
    assert len(block(name)) > 1


def test_every_question_is_listed_on_the_page_with_its_answer() -> None:
    asked = [(f"`{claim.id}`", claim.text) for one in ALL for claim in one.claims]
    assert [(row[0], row[1]) for row in block("questions")[1:]] == asked
    assert {row[2] for row in block("questions")[1:]} <= {"yes", "no", "open"}


def test_answers_in_the_prose_agree_with_the_table_of_questions() -> None:
    answered = {row[0].strip("`"): row[2] for row in block("questions")[1:]}
    words = {"confirmed": "yes", "contradicted": "no", "undecided": "open"}
    said = [(name, words[word]) for name, word in re.findall(rf"`([a-z0-9-]+)` ({'|'.join(words)})\b", PAGE)]
    assert len(said) >= 12
    assert [(question, word) for question, word in said if answered[question] != word] == []


def test_numbers_on_the_page_equal_numbers_of_a_run() -> None:
    ac = BY_NAME["ac"]
    place = ac.axis.full.index(0.5) * len(SENDERS) + [one.name for one in SENDERS].index("cubic")
    scenario = ac.study("full").points()[place].scenario
    runs = run_many([Job(scenario, 1, rep) for rep in range(ac.replications.full)])
    found = estimate([run.goodput_mbps for run in runs])
    head, *rows = block("ac")
    (line,) = (row for row in rows if row[0] == "CUBIC")
    assert line[head.index("50 %")].startswith(f"{found.mean:.1f} ")


def test_a_folder_without_a_full_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no full run of airhop/wifi-last-hop/n, "):
        wifi_page.found_in(tmp_path)
