"""Downloads over 802.11n, ac and ax: settings, answers to questions, and the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wifi_page
from airhop.errors import InputError
from airhop.experiments import Calculation, Experiment, lookup, registry
from airhop.experiments.samples import Samples
from airhop.experiments.wifi import DISCARDED, FEW, LOSS, LOST, SENDERS, TODAY, TOLD, delay
from airhop.experiments.wifi.ac import EXPERIMENT as AC
from airhop.experiments.wifi.download import Kind, hides_losses
from airhop.simulate import Job, run_many
from airhop.stats import estimate

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "wifi-notices.md").read_text(encoding="utf-8")
ALL = lookup(["airhop/wifi"], registry())
STUDIES = [one for one in ALL if isinstance(one, Experiment)]


def test_the_group_airhop_wifi_contains_all_its_experiments() -> None:
    names = ["n", "ac", "ax", "n-fq-codel", "ac-fq-codel", "ax-fq-codel", "ac-once", "delay"]
    assert sorted(one.id for one in ALL) == sorted(f"airhop/wifi/{name}" for name in names)
    assert [one.id for one in ALL if isinstance(one, Calculation)] == ["airhop/wifi/delay"]


def test_schemes_with_link_services_are_compared_with_current_senders() -> None:
    assert {curve.name for curve in SENDERS} == {"reno", *TODAY, *TOLD}
    assert {"snoop", "eln", "ll-elsn", "tcp-cl", "ebsn"} <= set(TOLD)
    assert LOSS.full == (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
    assert set(FEW.full) < set(LOSS.full)


@pytest.mark.parametrize("experiment", STUDIES, ids=lambda one: one.id)
def test_cells_have_their_standard_queue_and_losses(experiment: Experiment) -> None:
    name = experiment.id.rpartition("/")[2]
    points = experiment.study("full").points()
    assert len(points) == len(experiment.axis.full) * len(SENDERS)
    for place in (0, len(points) - 1):
        made = points[place].scenario.to_dict()
        (cell,), (wire,), (flow,) = made["wlan"], made["wired"], made["flow"]
        assert cell["standard"] == f"802.11{name.partition('-')[0]}"
        assert cell["queue"]["kind"] == ("fq-codel" if "fq-codel" in name else "drop-tail")
        assert cell.get("attempts") == (1 if name.endswith("once") else None)
        loss = experiment.axis.full[place // len(SENDERS)]
        assert (cell["errors"]["kind"], cell["errors"]["loss"]) == ("bernoulli", loss)
        assert (wire["delay"], flow["tcp"]["preset"]) == ("20 ms", "linux")


def test_questions_are_named_after_their_experiment() -> None:
    assert Kind("ac", "fq-codel").name == "ac-fq-codel"
    for experiment in STUDIES:
        name = experiment.id.rpartition("/")[2]
        assert all(claim.id.startswith(f"{name}-") for claim in experiment.claims)
        assert any(claim.id == f"{name}-hidden" for claim in experiment.claims) != name.endswith("once")


def test_losses_are_hidden_if_at_most_one_in_a_thousand_is_discarded() -> None:
    def found(discarded: float) -> bool | None:
        counts = {LOST.name: 1000.0, DISCARDED.name: discarded}
        also = {name: Samples(name, {("reno", 0.1): {0: count}}) for name, count in counts.items()}
        return hides_losses(Samples("goodput_mbps", {}, also=also), 1e-3).holds

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
    said = re.findall(r"`([a-z0-9-]+)`: (yes|no|open)\b", PAGE)
    assert len(said) >= 12
    assert [(question, word) for question, word in said if answered[question] != word] == []


def test_numbers_on_the_page_equal_numbers_of_a_run() -> None:
    place = AC.axis.full.index(0.5) * len(SENDERS) + [one.name for one in SENDERS].index("cubic")
    scenario = AC.study("full").points()[place].scenario
    runs = run_many([Job(scenario, 1, rep) for rep in range(AC.replications.full)])
    found = estimate([run.goodput_mbps for run in runs])
    head, *rows = block("ac")
    (line,) = (row for row in rows if row[0] == "CUBIC")
    assert line[head.index("50 %")].startswith(f"{found.mean:.1f} ")


def test_a_folder_without_a_full_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no full run of airhop/wifi/n, "):
        wifi_page.found_in(tmp_path)
