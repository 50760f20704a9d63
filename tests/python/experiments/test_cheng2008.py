"""Settings of the tables and figures of Cheng and Lin 2008, and their claims on synthetic numbers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

import synthetic
from airhop.experiments import Experiment
from airhop.experiments.calculation import Calculation, Value, Values
from airhop.experiments.cheng2008 import COLLISIONS, NAKS
from airhop.experiments.cheng2008.chains import HOPS, static_curve
from airhop.experiments.cheng2008.fig_cwnd import BETWEEN, METRICS, scenario
from airhop.experiments.cheng2008.fig_cwnd import EXPERIMENT as CWND
from airhop.experiments.cheng2008.fig_udp import EXPERIMENT as UDP
from airhop.experiments.cheng2008.fig_udp_ge import EXPERIMENT as UDP_GE
from airhop.experiments.cheng2008.table2 import EXPERIMENT as TABLE2
from airhop.experiments.cheng2008.table3 import EXPERIMENT as TABLE3
from airhop.experiments.cheng2008.table4 import EXPERIMENT as TABLE4
from airhop.experiments.cheng2008.table4 import every_segment
from airhop.experiments.cheng2008.table5 import EXPERIMENT as TABLE5
from airhop.experiments.cheng2008.table6 import EXPERIMENT as TABLE6
from airhop.experiments.cheng2008.table7 import EXPERIMENT as TABLE7
from airhop.experiments.reading import readings
from airhop.experiments.reproduced import check_claims
from airhop.experiments.samples import Samples
from airhop.stats import Estimate
from synthetic import Means, changed

Decisions = dict[str, bool | None]
CHAINS = (TABLE2, TABLE3, TABLE4)
NETWORKS = (TABLE5, TABLE6, TABLE7)
BESIDE = {TABLE3.id: TABLE2, TABLE4.id: TABLE3}


def as_printed(experiment: Experiment) -> Means:
    """Return the printed numbers as means.

    Reno over static routes has 1.5 times the number from three hops on.
    """
    found: Means = {}
    for (curve, x), number in (experiment.published or {}).items():
        found.setdefault(float(x), {})[curve] = number
    if experiment is TABLE2:
        for hops, row in found.items():
            row["reno, static routes"] = row["reno"] * (1.5 if hops >= 3 else 1.0)
            row["tcp-cl, static routes"] = row["tcp-cl"] * (1.2 if hops >= 3 else 1.0)
    if experiment is TABLE4:
        for row in found.values():
            for scheme in ("reno", "tcp-cl"):
                row[static_curve(scheme)] = row[every_segment(scheme)] = row[scheme]
    return found


def decisions(experiment: Experiment, means: Means | None = None) -> Decisions:
    """Check an experiment's claims on these means, by default the printed numbers.

    Companions have the printed numbers.
    """
    measured = with_counts(samples(means or as_printed(experiment)), 50.0)
    if beside := BESIDE.get(experiment.id):
        measured.put_beside(with_counts(samples(as_printed(beside)), 100.0))
    return {found.claim.id: found.result.holds for found in check_claims(experiment.claims, measured)}


def with_counts(measured: Samples, collisions: float) -> Samples:
    """Add counts of collisions (doubled for curves with an ACK per segment) and, all 0, of NAKs."""
    for metric, mean in ((COLLISIONS, collisions), (NAKS, 0.0)):
        counts = {
            (curve, x): dict.fromkeys(values, mean * (2.0 if "an ACK for every segment" in curve else 1.0))
            for (curve, x), values in measured.cells.items()
        }
        measured.also[metric.name] = Samples(metric.name, counts)
    return measured


@pytest.fixture(autouse=True)
def scatter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the scatter of single runs to a fifth of each printed number, and to 3 % of each ratio."""
    published = {one.id: one.published or {} for one in (*CHAINS, *NETWORKS)}

    def spread(experiment: str, curve: str, x: float, other: str = "") -> float:
        return 0.03 if other else 0.2 * published[experiment][curve, x]

    monkeypatch.setattr("airhop.experiments.printed.run_half_width", spread)


def samples(means: Means) -> Samples:
    """Return samples with little scatter, because neighbouring numbers of the paper are close together."""
    return synthetic.samples(means, common=0.005, own=0.001)


def told(found: Decisions) -> Decisions:
    """Omit the claims on gains of columns, which stay open with a scatter of a fifth."""
    untold = tuple(f"cheng-t{table}-{end}" for table in range(2, 8) for end in ("last", "ratios"))
    assert not [claim for claim in untold if found.get(claim)]
    return {claim: holds for claim, holds in found.items() if claim not in untold}


def broken(experiment: Experiment, means: Means) -> set[str]:
    """Return the claims that fail, without their common prefix."""
    failed = {claim for claim, holds in decisions(experiment, means).items() if holds is False}
    return {claim.split("-", 2)[2] for claim in failed}


def test_the_self_collision_claim_of_table_4_is_checked_over_static_routes() -> None:
    """More collisions per segment with delayed ACKs, at any number of hops, refute the claim."""

    def found(**collided: float) -> bool | None:
        measured = with_counts(samples(as_printed(TABLE4)), 50.0)
        counts = measured.also[COLLISIONS.name].cells
        for curve, more in collided.items():
            cell = counts[static_curve(curve.replace("_", "-")), 3.0]
            cell.update(dict.fromkeys(cell, more))
        (claim,) = [one for one in TABLE4.claims if one.id == "cheng-t4-self-collision"]
        return claim.check(measured).holds

    assert found() is True
    assert found(reno=110.0) is False
    assert found(tcp_cl=110.0) is False


def test_table_4_has_a_curve_without_delayed_acks_over_static_routes_only() -> None:
    two, one = ({"segments": 2, "timeout": "100 ms"}, False)
    for curve, acks, kind in (
        ("reno", two, "aodv"),
        (static_curve("tcp-cl"), two, "static"),
        (every_segment("tcp-cl"), one, "static"),
    ):
        found = document(TABLE4, 3, curve)
        assert found["flow"][0]["tcp"]["delayed_ack"] == acks, curve
        assert found["wlan"][0]["routing"]["kind"] == kind, curve


# ---- printed numbers -------------------------------------------------------------------------------------


def test_gains_of_tcp_cl_in_the_tables_equal_the_printed_gains() -> None:
    # Derived from the slides' numbers: +57.1 % at eight hops, +111 % with errors, +110.6 % with delayed ACKs.
    for experiment, gain in ((TABLE2, 1.571), (TABLE3, 2.110), (TABLE4, 2.106)):
        row = as_printed(experiment)[8.0]
        assert row["tcp-cl"] / row["reno"] == pytest.approx(gain, abs=0.001)


def test_every_column_of_every_table_has_a_printed_value_per_row() -> None:
    for experiment in (*CHAINS, *NETWORKS):
        columns = ("reno", "tcp-cl") if experiment is TABLE2 else ("reno", "tcp-cc", "tcp-w", "tcp-cl")
        assert set(experiment.published or {}) == {(c, x) for c in columns for x in experiment.axis.full}


# ---- settings -----------------------------------------------------------------------------------------


def document(experiment: Experiment, x: float, curve: str = "tcp-cl") -> dict[str, Any]:
    """Return the scenario of a curve at x."""
    points = experiment.study("full").points()
    place = experiment.axis.full.index(x) * len(experiment.labels)
    (point,) = [p for p in points[place : place + len(experiment.labels)] if p.scheme == curve]
    return point.scenario.to_dict()


def test_a_chain_of_h_hops_has_its_receiver_at_the_far_end() -> None:
    assert HOPS.full == (1, 2, 3, 4, 5, 6, 7, 8)
    for hops in (1, 8):
        found = document(TABLE3, hops)
        assert found["wlan"][0]["layout"]["nodes"] == hops + 1
        assert (found["flow"][0]["from"], found["flow"][0]["to"]) == ("n0", f"n{hops}")


def test_spacing_ranges_and_retry_limit_of_the_chain_equal_the_printed_values() -> None:
    # Slides: nodes 30 m apart, ranges of 40 and 85 m, retry threshold 7 with basic access.
    found = document(TABLE2, 8)["wlan"][0]
    assert (found["layout"]["kind"], found["layout"]["spacing"]) == ("chain", "30 m")
    assert (found["range"]["receive"], found["range"]["sense"]) == ("40 m", "85 m")
    assert (found["access"], found["attempts"]) == ("basic", 7)


def test_table_2_has_both_kinds_of_routing() -> None:
    kinds = {curve: document(TABLE2, 8, curve)["wlan"][0]["routing"]["kind"] for curve in TABLE2.labels}
    assert kinds == {
        "reno": "aodv",
        "tcp-cl": "aodv",
        "reno, static routes": "static",
        "tcp-cl, static routes": "static",
    }


def test_error_parameters_and_delayed_acks_equal_the_printed_values() -> None:
    # P_G = 0.0155, P_B = 0.25, P_GB = 0.06, P_BG = 0.15; n = 2, t = 0.1 s.
    printed = {"kind": "gilbert-elliott", "loss_good": 0.0155, "loss_bad": 0.25, "p_gb": 0.06, "p_bg": 0.15}
    for experiment in (TABLE3, TABLE4):
        assert document(experiment, 5)["wlan"][0]["errors"].items() >= printed.items()
    assert document(TABLE4, 5)["flow"][0]["tcp"]["delayed_ack"] == {"segments": 2, "timeout": "100 ms"}
    assert document(TABLE3, 5)["flow"][0]["tcp"]["delayed_ack"] is False
    # P_B is the axis; P_G = 0.015, P_GB = 0.1, P_BG = 0.15; UDP at 1 Mbit/s.
    varied = {"loss_good": 0.015, "loss_bad": 0.4, "p_gb": 0.1, "p_bg": 0.15}
    found = document(UDP_GE, 0.4)
    assert found["wlan"][0]["errors"].items() >= varied.items()
    assert found["flow"][1]["app"]["rate"] == "1 Mbit/s"


@pytest.mark.parametrize(("experiment", "hops"), [(TABLE5, 2), (TABLE6, 3), (TABLE7, None)])
def test_nodes_and_connections_of_random_networks_are_drawn(experiment: Experiment, hops: int | None) -> None:
    # 20 nodes in 100 m × 100 m, two to nine connections; 20 topologies.
    assert experiment.axis.full == (2, 3, 4, 5, 6, 7, 8, 9)
    assert experiment.replications.full == 20
    found = document(experiment, 9)
    layout = found["wlan"][0]["layout"]
    assert (layout["kind"], layout["nodes"], layout["width"], layout["height"]) == (
        "random",
        20,
        "100 m",
        "100 m",
    )
    assert len(found["flow"]) == 9
    # "randomly selected": ends may be any pair; the metric counts only connections with the caption's number
    # of hops.
    assert {flow["between"].get("hops") for flow in found["flow"]} == {None}
    assert experiment.metric.name == (f"hops.{hops}.goodput_mbps" if hops else "goodput_mbps")


@pytest.mark.parametrize(("experiment", "hops"), [(TABLE5, 2), (TABLE6, 3)])
def test_the_other_reading_draws_only_pairs_at_the_hop_distance_of_the_caption(
    experiment: Experiment, hops: int
) -> None:
    only = experiment.under(readings(experiment.questions)[0])
    assert {flow["between"].get("hops") for flow in document(only, 9)["flow"]} == {hops}
    assert only.metric.name == "goodput_mbps"


def test_errors_of_unicast_frames_only_do_not_change_the_clean_companion_chain() -> None:
    spare = next(r for r in readings(TABLE3.questions) if r.name == "unicast-frames")
    read = TABLE3.under(spare)
    assert document(read, 5)["wlan"][0]["errors"]["strikes"] == "unicast"
    assert read.beside is TABLE2
    delayed = TABLE4.under(spare).beside
    assert delayed is not None
    assert document(delayed, 5)["wlan"][0]["errors"]["strikes"] == "unicast"


@pytest.mark.parametrize(
    "experiment", [*CHAINS, UDP, UDP_GE, *NETWORKS], ids=lambda experiment: experiment.id
)
def test_every_reading_of_the_experiment_has_runnable_scenarios(experiment: Experiment) -> None:
    for reading in readings(experiment.questions):
        assert experiment.under(reading).study("quick").points()


@pytest.mark.parametrize("experiment", [*CHAINS, CWND, UDP, UDP_GE, *NETWORKS], ids=lambda e: e.id)
def test_every_claim_has_a_quote_or_is_airhops_own(experiment: Experiment | Calculation) -> None:
    assert all(bool(claim.quote) != claim.own for claim in experiment.claims)


def test_rows_of_table_3_are_quoted_as_printed() -> None:
    (claim,) = [claim for claim in TABLE3.claims if claim.id == "cheng-t3-short"]
    assert claim.quote == "1 12.70 12.74 13.02 12.87 […] 2 6.32 6.26 6.33 6.32"


def test_the_udp_experiment_has_four_hops_and_the_printed_rates() -> None:
    assert UDP.axis.full == (1, 2, 3, 4, 5)
    found = document(UDP, 3)
    assert found["flow"][1]["app"]["rate"] == "3 Mbit/s"
    assert (found["flow"][0]["from"], found["flow"][0]["to"]) == ("n0", "n4")


def test_the_window_experiment_uses_the_scenario_of_table_2_at_eight_hops() -> None:
    found = scenario("tcp-cl").to_dict()
    assert found == document(TABLE2, 8)
    literal = next(r for r in readings(CWND.questions) if r.name == "never-broken")
    assert scenario("tcp-cl", literal).to_dict()["flow"][0]["scheme"]["reported"] == "never"
    assert scenario("reno", literal).to_dict() == document(TABLE2, 8, "reno")


# ---- claims ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", [*CHAINS, *NETWORKS], ids=lambda experiment: experiment.id)
def test_every_claim_of_a_table_holds_on_the_printed_numbers(experiment: Experiment) -> None:
    assert set(told(decisions(experiment)).values()) == {True}


@pytest.mark.parametrize("experiment", [*CHAINS, *NETWORKS], ids=lambda experiment: experiment.id)
def test_quick_mode_decides_every_claim_as_full_mode_does(experiment: Experiment) -> None:
    coarse = {x: row for x, row in as_printed(experiment).items() if x in experiment.axis.coarse}
    assert set(told(decisions(experiment, coarse)).values()) == {True}


@pytest.mark.parametrize(
    ("experiment", "x", "numbers", "failing"),
    [
        (TABLE2, 1.0, {"tcp_cl": 13.6}, {"short"}),  # 2.6 % less than Reno
        (TABLE2, 1.0, {"tcp_cl": 14.3}, {"short"}),  # 2.4 % more
        (TABLE2, 3.0, {"tcp_cl": 3.4}, {"long", "ratios-paired"}),
        (TABLE2, 8.0, {"tcp_cl": 1.75}, {"ratios-paired"}),  # +32 %, 16 % below the printed number
        (TABLE2, 8.0, {"tcp_cl": 2.4}, {"ratios-paired"}),  # +80 %: a larger gain also misses 57 %
        (TABLE2, 8.0, {"tcp_cl": 1.5}, {"grows", "cl", "ratios-paired"}),
        (
            TABLE2,
            5.0,
            {"reno": 1.5},
            {"reno", "ratios-paired"},
        ),  # -25 %, and the mean of the column stays below 20 %
        (TABLE3, 8.0, {"tcp_cl": 1.13}, {"cl", "ratios-paired"}),  # +55 %
        (TABLE3, 6.0, {"tcp_cc": 2.0}, {"others", "guesses"}),
        # a deviation of a guessed scheme has no effect on other claims
        (TABLE3, 4.0, {"tcp_w": 2.1}, {"guesses"}),
        (TABLE3, 1.0, {"reno": 12.0, "tcp_cl": 12.0}, {"repaired"}),
        (TABLE4, 7.0, {"tcp_cl": 1.6}, {"relief", "ratios-paired"}),
        (TABLE5, 4.0, {"tcp_w": 3.3}, {"ahead", "falls"}),  # more than with three connections
        (TABLE6, 9.0, {"reno": 2.95}, {"ahead", "falls", "reno", "ratios", "ratios-paired"}),
        (TABLE7, 2.0, {"tcp_cl": 13.0}, {"reuse", "ratios-paired"}),
    ],
)
def test_a_claim_of_cheng_and_lin_fails_on_contrary_numbers(
    experiment: Experiment, x: float, numbers: dict[str, float], failing: set[str]
) -> None:
    assert broken(experiment, changed(as_printed(experiment), x, **numbers)) == failing


@pytest.mark.parametrize(("curve", "hops"), [("reno", 1.0), ("tcp-cl", 8.0), ("tcp-w", 3.0)])
def test_delayed_acks_must_reduce_collisions_of_every_scheme_on_every_chain(curve: str, hops: float) -> None:
    # "The delayed ACK scheme alleviates the TCP self-collision problem": the sentence names no scheme and no
    # chain.
    measured = with_counts(samples(as_printed(TABLE4)), 50.0)
    measured.put_beside(with_counts(samples(as_printed(TABLE3)), 100.0))
    cell = measured.also[COLLISIONS.name].cells[curve, hops]
    cell.update(dict.fromkeys(cell, 110.0))
    failed = [one.claim.id for one in check_claims(TABLE4.claims, measured) if one.result.holds is False]
    assert failed == ["cheng-t4-collisions"]


@pytest.mark.parametrize("hops", TABLE2.axis.full)
def test_a_single_nak_on_any_chain_without_errors_refutes_the_claim(hops: float) -> None:
    measured = with_counts(samples(as_printed(TABLE2)), 50.0)
    cell = measured.also[NAKS.name].cells["tcp-cl", float(hops)]
    cell[0] = 1.0  # one, in one run
    failed = [one.claim.id for one in check_claims(TABLE2.claims, measured) if one.result.holds is False]
    assert failed == ["cheng-t2-nak"]


def test_a_column_with_30_percent_error_fails_its_mean_and_its_numbers() -> None:
    means = {
        x: {curve: value * (1.3 if curve != "reno, static routes" else 1.0) for curve, value in row.items()}
        for x, row in as_printed(TABLE2).items()
    }
    assert broken(TABLE2, means) == {"column", "reno", "cl"}


def test_numbers_that_fit_static_routes_better_refute_on_demand_routing() -> None:
    means = {
        x: {
            **row,
            "reno, static routes": row["reno"],
            "reno": 1.05 * row["reno"],
            "tcp-cl": 1.05 * row["tcp-cl"],
        }
        for x, row in as_printed(TABLE2).items()
    }
    assert broken(TABLE2, means) == {"routing"}


RIVALS = {"reno": 1.0, "tcp-cc": 1.05, "tcp-w": 1.02, "tcp-cl": 1.3}
BESIDE_UDP: Means = {float(x): {k: v * (1.2 - 0.2 * x) for k, v in RIVALS.items()} for x in (1, 3, 5)}
BY_ERRORS: Means = {
    x: {k: v * (1.2 - x) for k, v in (RIVALS | {"tcp-cl": 1.3 + x}).items()} for x in (0.1, 0.3, 0.5)
}


@pytest.mark.parametrize(
    ("experiment", "means", "failing"),
    [
        (UDP, BESIDE_UDP, set()),
        (UDP, changed(BESIDE_UDP, 3.0, tcp_cc=1.0), {"ahead-strict"}),
        (UDP, changed(BESIDE_UDP, 3.0, reno=1.0), {"ahead", "ahead-strict", "falls"}),
        (UDP, changed(BESIDE_UDP, 5.0, tcp_w=1.1, tcp_cl=1.2), {"falls"}),
        (UDP_GE, BY_ERRORS, set()),
        (UDP_GE, changed(BY_ERRORS, 0.3, tcp_cc=1.6), {"ahead-strict", "falls"}),
        (
            UDP_GE,
            changed(BY_ERRORS, 0.5, reno=1.35),
            {"ahead", "ahead-strict", "falls", "frequent", "more", "grows"},
        ),
        # "more efficient" means more than Reno with frequent losses, not more than with rare losses.
        (UDP_GE, changed(BY_ERRORS, 0.5, reno=1.2, tcp_cl=1.25), {"falls", "more", "grows"}),
        (UDP_GE, changed(BY_ERRORS, 0.5, tcp_cl=0.9), {"more", "grows"}),
        (UDP_GE, changed(BY_ERRORS, 0.3, tcp_cl=1.2), {"falls", "grows"}),
    ],
)
def test_claims_about_udp_fail_on_contrary_numbers(
    experiment: Experiment, means: Means, failing: set[str]
) -> None:
    found = decisions(experiment, means)
    prefix = "cheng-udp-ge-" if experiment is UDP_GE else "cheng-udp-"
    assert {claim.removeprefix(prefix) for claim, holds in found.items() if not holds} == failing


def windows(less: Mapping[str, float] = MappingProxyType({}), n: int = 10) -> Values:
    """Return synthetic values in which TCP-CL has larger windows, fewer reductions and fewer timeouts."""
    found = {"mean_cwnd": 4.0, "at_one": -10.0, "timeouts": -20.0, "window_cuts": -30.0} | dict(less)
    half = None if n == 1 else 1.0
    made = [Value("reno", {}, metric, Estimate(40.0, half, n)) for metric in METRICS]
    made += [Value("tcp-cl", {}, metric, Estimate(40.0 + found[metric], half, n)) for metric in METRICS]
    made += [Value(BETWEEN, {}, metric, Estimate(found[metric], half, n)) for metric in METRICS]
    return Values(made)


@pytest.mark.parametrize(
    ("less", "decision"),
    [
        ({}, {"larger": True, "cuts": True, "timeouts": True}),
        ({"mean_cwnd": -2.0}, {"larger": False, "cuts": True, "timeouts": True}),
        ({"window_cuts": 0.5}, {"larger": True, "cuts": None, "timeouts": True}),
        ({"timeouts": 3.0}, {"larger": True, "cuts": True, "timeouts": False}),
    ],
)
def test_window_claims_compare_each_pair_of_schemes(less: dict[str, float], decision: Decisions) -> None:
    found = check_claims(CWND.claims, windows(less))
    assert {one.claim.id.rsplit("-", 1)[1]: one.result.holds for one in found} == decision


def test_a_single_run_decides_no_claim_about_windows() -> None:
    assert {one.result.holds for one in check_claims(CWND.claims, windows(n=1))} == {None}
