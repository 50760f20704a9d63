"""Settings of Figures 13, 14, 18 and 19 of Yun 2009, and their claims on synthetic numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import synthetic
from airhop.experiments import Experiment
from airhop.experiments.experiment import X
from airhop.experiments.reproduced import check_claims
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import fig14_hol as hol
from airhop.experiments.yun2009 import fig19
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.experiments.yun2009.fig11 import RECOVERIES
from airhop.experiments.yun2009.fig13 import EXPERIMENT as FIG13
from airhop.experiments.yun2009.fig13 import SENDERS, background
from airhop.experiments.yun2009.fig14 import EXPERIMENT as FIG14
from airhop.experiments.yun2009.fig14 import FERS, at
from airhop.experiments.yun2009.fig18 import EXPERIMENT as FIG18
from airhop.experiments.yun2009.fig18 import LOST, ROUND_TRIP, SCHEMES, with_arq
from synthetic import Means

Decisions = dict[str, bool | None]


def decisions(experiment: Experiment, means: Means, also: Mapping[str, Means] | None = None) -> Decisions:
    """Check synthetic means of the metric and of further metrics: decisions by claim."""
    measured = synthetic.samples(means)
    measured.also = {name: synthetic.samples(others) for name, others in (also or {}).items()}
    return {found.claim.id: found.result.holds for found in check_claims(experiment.claims, measured)}


def put(means: Means, x: float, curve: str, value: float) -> Means:
    """Return the means with one changed value."""
    return {**means, x: {**means[x], curve: value}}


def document(experiment: Experiment, curve: str, x: X) -> dict[str, Any]:
    """Return the scenario of a curve at x."""
    place = experiment.axis.full.index(x) * len(experiment.labels) + list(experiment.labels).index(curve)
    return experiment.study("full").points()[place].scenario.to_dict()


# ---- settings -----------------------------------------------------------------------------------------


def test_figures_with_arq_have_50_runs_and_figures_without_arq_20() -> None:
    # Yun 2009 §5.1: "we average over 20 runs without LL-ARQ and 50 runs with LL-ARQ"; 200 s.
    reps = {figure.id: figure.replications.full for figure in (FIG13, FIG14, hol.EXPERIMENT, FIG18)}
    assert reps.pop(FIG13.id) == 20
    assert {*reps.values(), fig19.EXPERIMENT.replications.full} == {50}
    for figure in (FIG13, FIG14, hol.EXPERIMENT, FIG18, fig19.EXPERIMENT):
        assert figure.study("full").points()[0].scenario.to_dict()["duration"] == "200 s"


def test_senders_of_figure_13_have_equal_notices_and_background_traffic() -> None:
    # §5.3: "4 different TCP modifications, TCP HACK, HACK-fixed, …" under LL-ELSN.
    assert list(SENDERS.values()) == ["HACK", "HACK-fixed", "LHP", "ESACK"]
    for sender in SENDERS:
        alone, beside = (document(FIG13, name, 1e-2) for name in (sender, background(sender)))
        assert [flow["services"] for flow in (alone["flow"][0], beside["flow"][0])] == [["elsn"], ["elsn"]]
        assert [flow["app"]["kind"] for flow in (alone["flow"][1], beside["flow"][1])] == [
            "cbr",
            "pareto-on-off",
        ]


def test_retry_limits_count_the_first_transmission() -> None:
    # §5.2: with a retry limit of one LL-ARQ is excluded.
    assert [document(FIG14, at("reno", 0.1), x)["wlan"][0]["attempts"] for x in (1, 7)] == [1, 7]
    alone, with_link = (document(FIG18, name, 0.5)["wlan"][0] for name in ("sack", with_arq("sack")))
    assert (alone.pop("attempts"), with_link.pop("attempts")) == (1, 4)
    assert alone == with_link


def test_figure_14_shares_two_points_with_figure_6() -> None:
    shared = {point.scenario.digest for point in FIG6.study("full").points()}
    assert len(shared & {point.scenario.digest for point in FIG14.study("full").points()}) == 2


def test_the_bursty_channel_of_figure_18_has_the_papers_probabilities() -> None:
    # §5.4: p_gb = 0.01, p_bb from 0.1 to 0.5.
    assert (FIG18.axis.full[0], FIG18.axis.full[-1]) == (0.1, 0.5)
    errors = document(FIG18, "reno", 0.5)["wlan"][0]["errors"]
    assert (errors["kind"], errors["p_gb"], errors["p_bb"]) == ("gilbert-elliott", 0.01, 0.5)


def test_two_of_five_stations_have_a_bad_channel_in_the_blocking_experiment() -> None:
    wlan = document(hol.EXPERIMENT, "reno", 7)["wlan"][0]
    assert len(wlan["stations"]) == 6
    # §5.4: "a few connections in the bad state".
    ways = [f"bs->d{station}" for station in (1, 2)] + [f"d{station}->bs" for station in (1, 2)]
    assert {model["direction"]: model["fer"] for model in wlan["errors"]} == dict.fromkeys(ways, 0.5)
    assert document(hol.EXPERIMENT, hol.none_bad("reno"), 7)["wlan"][0]["errors"] == {"kind": "clean"}


def test_both_curves_of_figure_19_differ_only_in_the_reaction_to_ersns() -> None:
    eln, both = (document(fig19.EXPERIMENT, name, 80) for name in (fig19.ELN, fig19.BOTH))
    assert eln["wlan"][0]["retry_delay"] == "80 ms"
    assert [run["flow"][0]["scheme"].pop("ersn") for run in (eln, both)] == ["ignored", "heeded"]
    assert eln == both


# ---- claims ----------------------------------------------------------------------------------------------

ALONE = {"hack": 0.9, "hack-fixed": 2.4, "lhp": 3.5, "ll-elsn": 3.7}
BESIDE = {background(sender): value for sender, value in zip(ALONE, (0.2, 0.5, 0.6, 1.0), strict=True)}
FIGURE13: Means = dict.fromkeys((0.001, 0.01), ALONE | BESIDE)
RECOVERED: Means = {x: dict.fromkeys(ALONE | BESIDE, 10.0) | {background("ll-elsn"): 3.0} for x in FIGURE13}


def senders(means: Means = FIGURE13, recovered: Means = RECOVERED) -> Decisions:
    """Check Figure 13 on goodputs, and fast recoveries in a thousand segments."""
    return decisions(FIG13, means, {RECOVERIES.name: recovered})


def test_the_claims_of_figure_13_hold_on_supporting_numbers() -> None:
    assert set(senders().values()) == {True}


@pytest.mark.parametrize(
    ("claim", "means", "recovered"),
    [
        ("yun-13-best", put(FIGURE13, 1e-2, "lhp", 3.8), RECOVERED),
        ("yun-13-best-background", put(FIGURE13, 1e-2, background("hack-fixed"), 1.1), RECOVERED),
        ("yun-13-lhp", put(FIGURE13, 1e-3, background("lhp"), 1.1), RECOVERED),
        ("yun-13-lhp-strict", put(FIGURE13, 1e-3, background("lhp"), 0.85), RECOVERED),
        ("yun-13-recoveries", FIGURE13, put(RECOVERED, 1e-3, background("ll-elsn"), 18.0)),
        ("yun-13-recoveries-strict", FIGURE13, put(RECOVERED, 1e-3, background("ll-elsn"), 11.0)),
    ],
)
def test_a_claim_of_figure_13_fails_on_contrary_numbers(claim: str, means: Means, recovered: Means) -> None:
    assert senders(means, recovered)[claim] is False


# At each FER LL-ELSN with one retransmission is the best; Reno starves without retransmissions.
FIGURE14: Means = {
    x: {at(scheme, fer): value for fer in FERS for scheme, value in (("reno", reno), ("ll-elsn", elsn))}
    for x, reno, elsn in ((1, 0.0, 3.0), (2, 1.0, 3.6), (4, 3.2, 3.5), (7, 3.3, 3.4))
}


def test_a_consistently_good_scheme_is_near_the_best_at_each_error_rate() -> None:
    def with_one_and_with_each(means: Means) -> tuple[bool | None, ...]:
        found = decisions(FIG14, means)
        return found.pop("yun-2-uniform"), found.pop("yun-2-uniform-strict")

    assert with_one_and_with_each(FIGURE14) == (True, True)
    # LL-ELSN is not good with four transmissions at 30 %.
    four = put(FIGURE14, 4, at("ll-elsn", 0.3), 3.2)
    assert with_one_and_with_each(four) == (True, False)
    # It is also not good with two transmissions at 10 %: one limit must be good at each error rate.
    assert with_one_and_with_each(put(four, 2, at("ll-elsn", 0.1), 3.1)) == (False, False)
    # It is not good if Reno is far better with seven transmissions.
    assert with_one_and_with_each(put(FIGURE14, 7, at("reno", 0.1), 4.2)) == (False, False)
    # The claim is not about one or seven transmissions.
    assert with_one_and_with_each(put(FIGURE14, 7, at("ll-elsn", 0.3), 1.0)) == (True, True)


GOOD_ONES: Means = {
    x: {"reno": bad, "ll-elsn": bad, hol.none_bad("reno"): 2.9, hol.none_bad("ll-elsn"): 3.0}
    for x, bad in ((1, 2.4), (2, 3.2), (7, 1.2))
}


def test_the_blocking_claim_needs_a_loss_caused_by_the_bad_station() -> None:
    assert set(decisions(hol.EXPERIMENT, GOOD_ONES).values()) == {True}
    kept = decisions(hol.EXPERIMENT, put(GOOD_ONES, 7, "ll-elsn", 3.3))
    assert kept == {"yun-11-hol": False, "yun-11-hol-bad": False}
    # If the goodput falls equally without bad stations, the cause is the limit, not the bad stations.
    alike = put(put(GOOD_ONES, 7, hol.none_bad("reno"), 1.0), 7, hol.none_bad("ll-elsn"), 1.0)
    assert decisions(hol.EXPERIMENT, alike) == {"yun-11-hol": True, "yun-11-hol-bad": False}
    # "cannot be served": a station with two thirds of its goodput without bad stations is served.
    served = put(GOOD_ONES, 7, "reno", 2.0)
    assert decisions(hol.EXPERIMENT, served) == {"yun-11-hol": True, "yun-11-hol-bad": False}
    # The loss with seven transmissions is not larger than with two.
    before = put(put(GOOD_ONES, 2, "reno", 1.25), 7, hol.none_bad("reno"), 2.7)
    assert decisions(hol.EXPERIMENT, before) == {"yun-11-hol": True, "yun-11-hol-bad": False}


def bursty(p_bb: float) -> dict[str, float]:
    """Return means in which LL-ARQ reduces the goodput of every scheme, more so with burstier errors."""
    plain = {"reno": 1.0, "sack": 1.2, "snoop": 1.4, "ll-elsn": 1.5}
    kept = {0.1: 0.98, 0.3: 0.9, 0.5: 0.5}[p_bb]
    arq = {with_arq(scheme): kept * value for scheme, value in plain.items()}
    return plain | arq | {with_arq("ll-elsn"): 1.5 - p_bb / 5}


FIGURE18: Means = {x: bursty(x) for x in (0.1, 0.3, 0.5)}
TRIPS: Means = {
    x: {curve: 50.0 + (100.0 * x if curve.endswith("LL-ARQ") else 0.0) for curve in row}
    for x, row in FIGURE18.items()
}
LOSSES: Means = {
    x: {curve: 0.1 if curve.endswith("LL-ARQ") else 20.0 for curve in row} for x, row in FIGURE18.items()
}


@pytest.mark.parametrize(
    ("broken", "means"),
    [
        ([], FIGURE18),
        (["yun-2-bursty"], put(FIGURE18, 0.3, "snoop", 1.7)),
        (
            ["yun-11-not-always", "yun-11-sensitive", "yun-11-sensitive-strict"],
            {x: row | dict.fromkeys(SCHEMES, 0.2) for x, row in FIGURE18.items()},
        ),
        # Goodput is higher at the end than at the beginning, or higher at the end than in the middle.
        (
            ["yun-11-burstier", "yun-11-burstier-ends", "yun-11-share"],
            put(FIGURE18, 0.5, with_arq("reno"), 0.99),
        ),
        (["yun-11-burstier"], put(FIGURE18, 0.5, with_arq("reno"), 0.95)),
        # LL-ARQ increases the goodput on one channel; without LL-ARQ a scheme also falls.
        (["yun-11-sensitive-strict"], put(FIGURE18, 0.3, "sack", 1.0)),
        (["yun-11-sensitive", "yun-11-sensitive-strict", "yun-11-share"], put(FIGURE18, 0.5, "sack", 0.2)),
    ],
)
def test_claims_of_figure_18_fail_on_contrary_numbers(broken: list[str], means: Means) -> None:
    found = decisions(FIG18, means, {ROUND_TRIP.name: TRIPS, LOST.name: LOSSES})
    assert sorted(claim for claim, holds in found.items() if not holds) == broken


def test_the_sensitivity_claim_needs_longer_round_trips_and_fewer_losses() -> None:
    """§5.4: "sensitive to RTT increase rather than PER decrease", "as the burstiness gets higher"."""

    def outweigh(trips: Means, losses: Means = LOSSES) -> bool | None:
        return decisions(FIG18, FIGURE18, {ROUND_TRIP.name: trips, LOST.name: losses})["yun-11-sensitive"]

    for scheme in SCHEMES:
        assert outweigh(put(TRIPS, 0.5, with_arq(scheme), 40.0)) is False
        assert outweigh(TRIPS, put(LOSSES, 0.5, with_arq(scheme), 40.0)) is False
    # The sentence is not about less bursty channels.
    assert outweigh(put(TRIPS, 0.1, with_arq("reno"), 40.0)) is True


def test_the_benefit_of_ersn_is_checked_at_long_delays_only() -> None:
    goodput: Means = {0: {fig19.ELN: 3.6, fig19.BOTH: 3.5}, 80: {fig19.ELN: 1.0, fig19.BOTH: 1.1}}
    spurious: Means = {0: {fig19.ELN: 1.0, fig19.BOTH: 2.0}, 80: {fig19.ELN: 9.0, fig19.BOTH: 0.5}}

    def found(goodput: Means, spurious: Means) -> Decisions:
        return decisions(fig19.EXPERIMENT, goodput, {fig19.SPURIOUS.name: spurious})

    assert found(goodput, spurious) == {"yun-16-spurious": True, "yun-16-goodput": True}
    assert found(put(goodput, 80, fig19.BOTH, 0.9), spurious)["yun-16-goodput"] is False
    # "to prevent spurious timeouts": a few remaining timeouts refute the claim. If there are none without
    # ERSN, the claim is open.
    assert found(goodput, put(spurious, 80, fig19.BOTH, 2.0))["yun-16-spurious"] is False
    assert found(goodput, put(spurious, 80, fig19.ELN, 0.4))["yun-16-spurious"] is False


@pytest.mark.parametrize("figure", [FIG14, hol.EXPERIMENT, FIG18], ids=lambda figure: figure.id)
def test_a_single_replication_decides_no_claim_of_figures_13_to_19(figure: Experiment) -> None:
    means = {FIG14.id: FIGURE14, hol.EXPERIMENT.id: GOOD_ONES, FIG18.id: FIGURE18}[figure.id]
    measured: Samples = synthetic.samples(means, reps=1)
    measured.also[ROUND_TRIP.name] = synthetic.samples(TRIPS, reps=1)
    measured.also[LOST.name] = synthetic.samples(LOSSES, reps=1)
    assert {found.result.holds for found in check_claims(figure.claims, measured)} == {None}
