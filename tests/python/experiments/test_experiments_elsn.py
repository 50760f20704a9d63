"""Figure 1 of Yun 2009, its ELN filter, ESACK and handoffs: settings, traces and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import synthetic
from airhop.experiments import Calculation, Value, Values, exact, registry
from airhop.experiments.reproduced import check_claims
from airhop.experiments.yun2009 import esack, fig1, handoff
from airhop.experiments.yun2009 import filter as eln_filter
from airhop.progress import SILENT
from airhop.stats import Estimate
from synthetic import Means

Decisions = dict[str, bool | None]


def decisions(calculation: Calculation, values: Values) -> Decisions:
    """Check synthetic values: decisions by claim."""
    return {found.claim.id: found.result.holds for found in check_claims(calculation.claims, values)}


def changed(values: Values, curve: str, metric: str, mean: float, **x: Any) -> Values:
    """Replace numbers of a curve: at x, or all numbers of the metric."""
    return Values(
        replace(value, value=Estimate(mean, 0.0, 5))
        if (value.curve, value.metric) == (curve, metric) and x.items() <= dict(value.x).items()
        else value
        for value in values
    )


def frame(rows: Sequence[tuple[Any, ...]], *columns: str) -> pl.DataFrame:
    """Make a table of a trace."""
    return pl.DataFrame(rows, schema=list(columns), orient="row")


def test_all_four_elsn_experiments_are_registered() -> None:
    known = registry()
    for module in (fig1, eln_filter, esack, handoff):
        assert known[module.EXPERIMENT.id] is module.EXPERIMENT


@pytest.mark.parametrize("module", [fig1, eln_filter, esack, handoff])
def test_a_claim_has_either_a_quote_or_is_airhops_own(module: Any) -> None:
    for claim in module.EXPERIMENT.claims:
        assert bool(claim.quote) != claim.own


# ---- Figure 1 --------------------------------------------------------------------------------------------


def traced_loss(**at: float) -> dict[str, pl.DataFrame]:
    """Make the trace of a segment of which four attempts fail, each step at its time in seconds."""
    t = {
        "sent": 0.0, "ersn": 1.2, "ersn_heard": 2.0, "retry": 1.5, "discarded": 5.0, "eln": 5.0,
        "eln_heard": 6.0, "again": 6.0, "cwnd": 4.0,
    } | at  # fmt: skip
    starts = [1.0, t["retry"], 3.0, 4.0]
    flow = ("time_s", "seq", "kind", "event")
    return {
        "segments": frame(
            [(t["sent"], 1, False, "new", 4.0), (t["again"], 1, True, "notice", t["cwnd"])],
            "time_s", "seq", "retransmission", "cause", "cwnd",
        ),
        "drops": frame([(t["discarded"], 1, "retries", "data")], "time_s", "seq", "cause", "kind"),
        "notices": frame(
            [
                (t[name], 1, kind, event)
                for kind in ("ersn", "eln")
                for name, event in ((kind, "sent"), (f"{kind}_heard", "received"))
            ],
            *flow,
        ),
        "air": frame(
            [(start, start + 0.1, "data", "data", 1, place) for place, start in enumerate(starts, 1)],
            "start_s", "end_s", "kind", "packet", "seq", "attempt",
        ),
        "window": frame([(0.5, 4.0)], "time_s", "cwnd"),
        "acks": pl.DataFrame(schema={"time_s": pl.Float64, "ack": pl.Int64}),
    }  # fmt: skip


def test_the_steps_of_figure_1_are_detected_in_a_trace() -> None:
    seen = fig1.seen_in(traced_loss())
    assert seen.losses == 1
    # Downlink: a notice needs time on the wire.
    assert {name: share for name, share in seen.shares.items() if share != 1.0} == {"no_delay": 0.0}
    assert seen.example["sent"] == -1000.0
    assert seen.example["eln_heard"] == pytest.approx(5000.0)


@pytest.mark.parametrize(
    ("wrong", "shares"),
    [
        ({"ersn": 1.6}, {"in_order", "ersn_once"}),  # after the first retry began
        ({"eln": 4.9}, {"in_order", "eln_at_discard"}),
        ({"ersn_heard": 6.5}, {"in_order"}),  # behind the ELN
        ({"again": 6.2}, {"at_once"}),
        ({"cwnd": 3.9}, {"untouched"}),
    ],
)
def test_steps_that_differ_from_figure_1_are_detected(wrong: dict[str, float], shares: set[str]) -> None:
    seen = fig1.seen_in(traced_loss(**wrong))
    assert {name for name, share in seen.shares.items() if share == 0.0} - {"no_delay"} == shares


def test_a_packet_repaired_by_a_link_retry_also_needs_an_ersn() -> None:
    # Yun 2009 §3.1: an ERSN follows if a packet "fails in the first transmission attempt", also if the retry
    # succeeds.
    told = traced_loss()
    repaired = frame(
        [(11.0, 11.1, "data", "data", 2, 1), (11.5, 11.6, "data", "data", 2, 2)],
        "start_s", "end_s", "kind", "packet", "seq", "attempt",
    )  # fmt: skip
    told["air"] = pl.concat([told["air"], repaired])
    seen = fig1.seen_in(told)
    assert (seen.losses, seen.retried, seen.shares["ersn_once"]) == (1, 2, 0.5)
    # With an ERSN the share is 1; an ERSN without a retry is one too many.
    ersn = frame([(11.2, 2, "ersn", "sent")], "time_s", "seq", "kind", "event")
    told["notices"] = pl.concat([told["notices"], ersn])
    assert fig1.seen_in(told).shares["ersn_once"] == 1.0
    told["notices"] = pl.concat([told["notices"], ersn.with_columns(time_s=pl.lit(20.0))])
    assert fig1.seen_in(told).shares["ersn_once"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("again", "cwnd", "held"), [(12.5, 4.0, 1.0), (11.8, 4.0, 0.5), (12.5, 3.0, 0.5)])
def test_the_sender_waits_for_the_ack_of_a_packet_that_a_retry_repairs(
    again: float, cwnd: float, held: float
) -> None:
    # Yun 2009 §3.1: "neither invokes congestion control due to the packet 1 nor retransmits it".
    told = traced_loss()
    ersn = frame([(11.5, 2, "ersn", "received")], "time_s", "seq", "kind", "event")
    told["notices"] = pl.concat([told["notices"], ersn])
    told["acks"] = pl.DataFrame({"time_s": [12.0], "ack": [1002]})
    resent = frame([(again, 2, True, "timeout", 4.0)], "time_s", "seq", "retransmission", "cause", "cwnd")
    told["segments"] = pl.concat([told["segments"], resent])
    told["window"] = frame([(0.5, 4.0), (11.7, cwnd)], "time_s", "cwnd")
    assert fig1.held_after_ersn(told) == held


def test_a_loss_without_an_eln_differs_from_figure_1() -> None:
    told, untold = traced_loss(), traced_loss()
    untold["notices"] = untold["notices"].filter(pl.col("kind") == "ersn")
    later = {
        name: table.with_columns(pl.col("seq") + 1000, pl.selectors.ends_with("_s") + 10.0)
        for name, table in untold.items()
        if name not in ("window", "acks")
    }
    both = {name: pl.concat([table, later[name]]) if name in later else table for name, table in told.items()}
    assert fig1.seen_in(both).shares["in_order"] == 0.5


def test_losses_that_contradict_figure_1_are_counted_in_the_sample() -> None:
    # §3.1: neither congestion control nor a retransmission upon the ERSN; sent again upon the ELN.
    early = fig1.seen_in(traced_loss(again=4.0))
    assert (early.losses, early.shares["in_order"], early.shares["held"]) == (1, 0.0, 0.0)
    shrunk = traced_loss()
    shrunk["window"] = frame([(0.5, 4.0), (2.5, 3.0)], "time_s", "cwnd")
    assert fig1.seen_in(shrunk).shares["held"] == 0.0
    never = traced_loss()
    never["segments"] = never["segments"].filter(~pl.col("retransmission"))
    assert fig1.steps_of(never)["again"].to_list() == [None]
    # Losses in the last second are excluded, because their retransmission may follow the end of the run.
    late = traced_loss(discarded=fig1.SECONDS - 0.5, eln=fig1.SECONDS - 0.5)
    assert fig1.steps_of(late).is_empty()


def test_simulated_losses_follow_the_steps_of_figure_1() -> None:
    found = Values(fig1.compute("quick", 2, SILENT))
    assert set(decisions(fig1.EXPERIMENT, found).values()) == {True}
    # T_wrd: three wired links of 10 ms, and 40 bytes at 10 Mbit/s on each.
    for notice in ("ersn", "eln"):
        made, heard = (
            found.at("downlink", fig1.TIME, step=step).value.mean for step in (notice, f"{notice}_heard")
        )
        assert heard - made == pytest.approx(3 * (10.0 + 40 * 8 / 10_000), abs=0.5)
    for share in fig1.SHARES:
        decided = decisions(fig1.EXPERIMENT, changed(found, "uplink", share, 0.99))
        assert list(decided.values()).count(False) == 1
    assert len(fig1.figure(found).axes) == 2


# ---- the ELN filter --------------------------------------------------------------------------------------


def test_only_retransmissions_sent_during_the_disconnection_count_as_wasted() -> None:
    times = [(9.9, True), (10.0, True), (10.05, False), (10.25, True), (11.9, True), (12.0, True)]
    wasted, steps = eln_filter.wasted_in({"segments": frame(times, "time_s", "retransmission")}, 10.0, 2.0)
    assert wasted == 3
    assert steps == (1, 1, *([0] * 7), 1)


def test_the_filter_example_has_the_papers_n_and_a_permanent_disconnection() -> None:
    # §4.2: N = 2 at r = 1; "permanent disconnection".
    document = eln_filter.scenario(eln_filter.EXAMPLE, 20).to_dict()
    assert document["flow"][0]["scheme"] == {"name": "ll-elsn", "n": 2, "ersn": "heeded"}
    assert (document["duration"], document["wlan"][0]["attempts"]) == ("40 s", 1)
    assert document["wlan"][0]["errors"]["fer_bad"] == 1.0


def filtered() -> Values:
    """Return values for which every claim about the filter holds."""
    found = []
    for name in eln_filter.FILTERS:
        for length in eln_filter.LENGTHS:
            wasted = 600.0 * length if name == eln_filter.UNFILTERED else 50.0 + length
            for metric, mean in (
                (eln_filter.WASTED, wasted),
                (eln_filter.SAVED, 600.0 * length - wasted),
                (eln_filter.GOODPUT, 3.0),
                (eln_filter.EXTRA, 0.15),
            ):
                found.append(Value(name, {"length_s": length}, metric, Estimate(mean, 0.1, 5)))
        for step in range(eln_filter.STEPS):
            found.append(Value(name, {"step": step}, eln_filter.PER_STEP, Estimate(40.0 / 4**step, 0.1, 5)))
            if step:
                found.append(Value(name, {"step": step}, eln_filter.LESS, Estimate(30.0 / 4**step, 0.1, 5)))
    return Values(found)


@pytest.mark.parametrize(
    ("claim", "curve", "metric", "mean", "x"),
    [
        ("yun-filter-waste", eln_filter.UNFILTERED, eln_filter.WASTED, 5000.0, {"length_s": 20}),
        ("yun-filter", eln_filter.EXAMPLE, eln_filter.SAVED, -1.0, {"length_s": 20}),
        ("yun-filter-gradually", eln_filter.EXAMPLE, eln_filter.PER_STEP, 0.0, {"step": 0}),
        ("yun-filter-gradually", eln_filter.EXAMPLE, eln_filter.LESS, -1.0, {"step": 2}),
        ("yun-filter-everywhere", "N = 5", eln_filter.SAVED, -1.0, {"length_s": 0.5}),
        ("yun-filter-temporary", eln_filter.EXAMPLE, eln_filter.EXTRA, -0.1, {"length_s": 2}),
    ],
)
def test_a_claim_about_the_filter_fails_on_contrary_numbers(
    claim: str, curve: str, metric: str, mean: float, x: dict[str, float]
) -> None:
    assert set(decisions(eln_filter.EXPERIMENT, filtered()).values()) == {True}
    found = decisions(eln_filter.EXPERIMENT, changed(filtered(), curve, metric, mean, **x))
    assert found[claim] is False


def test_the_filter_reduces_the_cost_of_a_simulated_disconnection() -> None:
    with_it, without = (
        eln_filter.measure(name, 1, 1, 0) for name in (eln_filter.EXAMPLE, eln_filter.UNFILTERED)
    )
    # Without the filter, each lost frame causes an ELN and another copy, one in 1.6 ms.
    assert without.wasted > 500
    assert with_it.wasted < 100
    # §4.2: with the filter the sender answers "every other ELN", of some seventy in the first 0.2 s.
    assert 0.3 < with_it.per_step[0] / without.per_step[0] < 0.5


# ---- ESACK -----------------------------------------------------------------------------------------------


def like_sack(**off: float) -> Decisions:
    """Check the claims for an ESACK that equals SACK except for a factor of one metric."""
    rows: dict[str, Means] = {}
    for name, level in (("goodput_mbps", 3.6), ("fast_recoveries", 100.0), ("timeouts", 20.0)):
        rows[name] = {
            x: {
                curve.name: level * (off.get(name, 1.0) if curve.name == "esack" else 1.0)
                for curve in esack.CURVES
            }
            for x in (5.0, 20.0, 50.0)
        }
    measured = synthetic.samples(rows["goodput_mbps"], own=0.002)
    measured.also = {name: synthetic.samples(means, own=0.002) for name, means in rows.items()}
    return {found.claim.id: found.result.holds for found in check_claims(esack.EXPERIMENT.claims, measured)}


def test_esack_equals_sack_within_the_resolution_of_the_papers_curves() -> None:
    assert like_sack() == {"yun-esack": True, "yun-esack-deaf": True}
    assert like_sack(goodput_mbps=0.97, fast_recoveries=1.03)["yun-esack"] is True
    for off in ({"goodput_mbps": 0.93}, {"fast_recoveries": 1.07}, {"timeouts": 1.2}):
        assert like_sack(**off) == {"yun-esack": False, "yun-esack-deaf": True}
    # The interval exceeds the tolerance.
    assert like_sack(goodput_mbps=0.953)["yun-esack"] is None


def test_the_comparison_of_esack_with_sack_has_queue_losses_only() -> None:
    for point in esack.EXPERIMENT.study("quick").points():
        (cell,) = point.scenario.to_dict()["wlan"]
        assert (cell["attempts"], cell["errors"]["kind"]) == (7, "clean")
    assert {curve.settings["copies"] for curve in esack.CURVES} == {1, 5}


# ---- handoffs --------------------------------------------------------------------------------------------


def test_losses_of_a_handoff_are_distinguished_from_other_losses() -> None:
    seqs = [1, 1001, 2001, 3001]
    tables = {
        "segments": frame(
            [(0.0, seq, False) for seq in seqs] + [(9.0, seq, True) for seq in seqs],
            "time_s", "seq", "retransmission",
        ),
        # In the handoff: the first segment, with a notice, and a segment without a notice in time.
        "drops": frame(
            [(time, seq, "retries", "data") for time, seq in zip((5.1, 5.2, 5.3, 6.0), seqs, strict=True)],
            "time_s", "seq", "cause", "kind",
        ),
        "notices": frame(
            [(5.1, 1, "eln", "sent"), (5.2, 1, "eln", "received"), (9.5, 1001, "eln", "sent")],
            "time_s", "seq", "kind", "event",
        ),
        # A part of the third was sent before the handoff.
        "air": frame(
            [(start, seq, "data", "data") for start, seq in zip((5.0, 5.1, 4.9, 5.9), seqs, strict=True)],
            "start_s", "seq", "kind", "packet",
        ),
    }  # fmt: skip
    assert handoff.undetected(tables, [(5.0, 5.5)]) == 0.5
    assert handoff.undetected(tables, [(7.0, 7.5)]) is None


def test_the_state_of_a_base_station_covers_unacknowledged_arrivals() -> None:
    rows = [(0.1 * k, "arrived", "r2->bs", "data", 1 + 1000 * k) for k in range(5)]
    rows += [(0.15, "offered", "r2->bs", "data", 9001), (0.35, "arrived", "d1->bs", "ack", 2001)]
    tables = {"packets": frame(rows, "time_s", "step", "place", "kind", "seq")}
    assert handoff.unacknowledged(tables, 0.31) == 4
    assert handoff.unacknowledged(tables, 0.35) == 2  # 2001 and 3001
    assert handoff.unacknowledged(tables, 0.41) == 3


def handed_over() -> Values:
    """Return values for which every claim about handoffs holds."""
    found = []
    for scheme in handoff.SCHEMES:
        own = scheme == handoff.OWN
        missed = {"hack": 1.0, "lhp": 1.0, "eln": 0.5}.get(scheme, 0.0)
        for gap in handoff.GAPS_MS:
            held = 400.0 if scheme in handoff.REMEMBERED else 0.0
            for metric, mean, half in (
                (handoff.UNDETECTED, missed, 0.001),
                (handoff.STATE, held, held / 10),
                (handoff.GOODPUT, 3.0, 0.1),
                (handoff.SILENCE, 50.0, 1.0),
                (handoff.MORE, 0.0 if own else 0.3, 0.1),
                (handoff.LATER, 0.0 if own else 20.0, 1.0),
            ):
                found.append(Value(scheme, {"gap_ms": gap}, metric, Estimate(mean, half, 5)))
    return Values(found)


@pytest.mark.parametrize(
    ("claim", "scheme", "metric", "mean"),
    [
        ("yun-handoff-receivers", "lhp", handoff.UNDETECTED, 0.999),
        ("yun-handoff-detected", "ll-elsn", handoff.UNDETECTED, 0.02),
        ("yun-handoff-state", "snoop", handoff.STATE, -1.0),
        ("yun-handoff-soonest", "snoop", handoff.LATER, -1.0),
        ("yun-handoff-most", "sack", handoff.MORE, -0.1),
    ],
)
def test_a_claim_about_handoffs_fails_on_contrary_numbers(
    claim: str, scheme: str, metric: str, mean: float
) -> None:
    whole = decisions(handoff.EXPERIMENT, handed_over())
    # No measurement decides on a property that holds by construction.
    assert [whole.pop(built) for built in ("yun-handoff-memory", "yun-handoff-receivers")] == [None, None]
    assert set(whole.values()) == {True}
    found = decisions(handoff.EXPERIMENT, changed(handed_over(), scheme, metric, mean))
    assert [name for name, holds in found.items() if holds is False] == [claim]


def test_the_two_readings_run_handoffs_with_retry_limits_1_and_4() -> None:
    (question,) = handoff.EXPERIMENT.questions
    limits = [
        handoff.scenario("lhp", 200, reading).to_dict()["wlan"][0]["attempts"]
        for reading in (question.default, *question.others)
    ]
    assert limits == [1, 4]


def test_in_a_simulated_handoff_the_link_layer_sends_notices_and_the_receiver_none() -> None:
    question = handoff.EXPERIMENT.questions[0]
    hack, own = (handoff.measure(question.default, scheme, 200, 1, 0) for scheme in ("hack", "ll-elsn"))
    assert own.undetected == 0.0
    assert hack.undetected == 1.0
    assert own.state_bytes == 0.0
    assert exact(own.goodput_mbps).mean > 2.0
