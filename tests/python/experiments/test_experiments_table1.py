"""Table 1 of Yun 2009: its formulas, measurements from traces, and their comparison."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from airhop.experiments import Calculated, Value, Values, registry
from airhop.experiments.reproduced import check_claims
from airhop.experiments.yun2009 import table1
from airhop.experiments.yun2009.notices import NoticeStatistics, first_losses, followed, unhindered
from airhop.experiments.yun2009.table1 import (
    COLLIDED,
    COLLIDED_DETECTED,
    DELAY,
    EXPERIMENT,
    FAILURE,
    FORMULA,
    LOADS,
    UNDETECTED,
    UNTOLD,
    UNTOLD_DELIVERED,
    WAYS,
    measure,
    scenario,
)
from airhop.experiments.yun2009.table1_formulas import FER, ROWS, fragment_lost
from airhop.progress import SILENT
from airhop.reproduction import print_outcome
from airhop.stats import Estimate

# ---- measurements from traces
# ----------------------------------------------------------------------------------


def _tables(
    segments: Sequence[tuple[float, int, bool]],
    drops: Sequence[tuple[float, int, str, str]],
    notices: Sequence[tuple[float, int, str, str]],
) -> dict[str, pl.DataFrame]:
    """Make the tables of a trace: rows of segments (again or not), drops and notices."""
    rows: dict[str, tuple[Sequence[tuple[Any, ...]], list[str]]] = {
        "segments": (segments, ["time_s", "seq", "retransmission"]),
        "drops": (drops, ["time_s", "seq", "cause", "kind"]),
        "notices": (notices, ["time_s", "seq", "kind", "event"]),
    }
    return {name: pl.DataFrame(of, schema=columns, orient="row") for name, (of, columns) in rows.items()}


RETRIES = ("retries", "data")
SENT, RECEIVED = ("eln", "sent"), ("eln", "received")
FIRST, AGAIN = False, True


def test_a_notice_counts_if_it_arrives_before_the_segment_is_retransmitted() -> None:
    # In this order: notified at once, notified after 30 ms, never detected, detected but not notified,
    # notified too late.
    segments = [(float(i), 1 + 1000 * i, FIRST) for i in range(5)]
    again = [
        (0.01, 1, AGAIN),
        (1.04, 1001, AGAIN),
        (2.5, 2001, AGAIN),
        (3.5, 3001, AGAIN),
        (4.5, 4001, AGAIN),
    ]
    drops = [(i + 0.01, 1 + 1000 * i, *RETRIES) for i in range(5)]
    notices = [(0.01, 1, *SENT), (0.01, 1, *RECEIVED), (1.0, 1001, *SENT), (1.04, 1001, *RECEIVED)]
    notices += [(3.1, 3001, *SENT), (4.6, 4001, *SENT), (4.7, 4001, *RECEIVED)]
    losses = first_losses(_tables([*segments, *again], drops, notices))
    assert losses["seq"].to_list() == [1, 1001, 2001, 3001, 4001]
    told = NoticeStatistics.of(losses)
    assert told.losses == 5
    assert [told.undetected, told.untold] == pytest.approx([2 / 5, 3 / 5])
    assert told.delay_ms == pytest.approx((0.0 + 30.0) / 2)


def test_only_losses_of_first_transmissions_on_the_link_are_counted() -> None:
    segments = [
        (0.0, 1, FIRST),
        (0.0, 1001, FIRST),
        (0.0, 2001, FIRST),
        (0.0, 3001, FIRST),
        (0.0, 4001, FIRST),
    ]
    # Losses that are excluded: a lost retransmission, a full queue, a retransmitted frame, a lost ACK, the
    # end of the run.
    drops = [(0.3, 1, *RETRIES), (0.1, 1001, "queue", "data"), (0.1, 2001, "channel", "data")]
    drops += [(0.1, 3001, "retries", "ack"), (0.1, 4001, *RETRIES)]
    again = [(0.2, seq, AGAIN) for seq in (1, 1001, 2001, 3001)]
    assert first_losses(_tables([*segments, *again], drops, [(0.15, 4001, *SENT)])).is_empty()
    # The outcome of the last loss is known after its notice, or after its retransmission.
    known = first_losses(_tables(segments, drops[-1:], [(0.15, 4001, *SENT), (0.16, 4001, *RECEIVED)]))
    told = NoticeStatistics.of(known)
    assert (told.losses, told.undetected, told.untold) == (1, 0.0, 0.0)
    assert told.delay_ms == pytest.approx(60.0)


def test_only_an_eln_counts_as_a_notice_of_a_loss() -> None:
    segments = [(0.0, 1, FIRST), (0.9, 1, AGAIN), (0.0, 1001, FIRST), (0.9, 1001, AGAIN)]
    drops = [(0.1, 1, *RETRIES), (0.1, 1001, *RETRIES)]
    notices = [(0.1, 1, "ersn", "sent"), (0.2, 1, "ersn", "received")]
    notices += [(0.1, 1001, *SENT), (0.2, 1001, *RECEIVED)]
    assert NoticeStatistics.of(first_losses(_tables(segments, drops, notices))).untold == 0.5
    with pytest.raises(ValueError, match="2 losses and no notice"):
        NoticeStatistics.of(first_losses(_tables(segments, drops, notices[:2])))


def test_a_loss_counts_as_followed_if_the_next_segment_was_sent_with_it() -> None:
    segments = [(0.0, 1, FIRST), (0.0, 1001, FIRST), (0.1, 2001, FIRST)]
    again = [(0.5, seq, AGAIN) for seq in (1, 1001, 2001)]
    drops = [(0.1, seq, *RETRIES) for seq in (1, 1001, 2001)]
    losses = first_losses(_tables([*segments, *again], drops, [(0.2, 1, *SENT)]))
    assert followed(losses)["seq"].to_list() == [1]


def test_a_loss_counts_as_isolated_if_no_other_packet_is_lost_until_its_repair() -> None:
    segments = [(float(i), 1 + 1000 * i, FIRST) for i in range(4)]
    again = [(i + 0.5, 1 + 1000 * i, AGAIN) for i in range(4)]
    drops = [(i + 0.1, 1 + 1000 * i, *RETRIES) for i in range(4)]
    # Other discards: an ACK during the second repair; for the third, a retransmitted frame, and an ACK after
    # the repair.
    drops += [(1.3, 1, "retries", "ack"), (2.3, 1, "channel", "data"), (2.6, 1, "retries", "ack")]
    tables = _tables([*segments, *again], drops, [(0.2, 1, *SENT)])
    assert unhindered(tables, first_losses(tables))["seq"].to_list() == [1, 2001, 3001]


# ---- the formulas ----------------------------------------------------------------------------------------

MS = {"data": 0.05 + 0.31 + 0.192 + 1076 * 8 / 11_000, "ack": 0.05 + 0.31 + 0.192 + 76 * 8 / 11_000}
"""Durations at 11 Mbit/s, ms: DIFS, 15.5 slots, preamble and frame of 802.11b, without the retransmissions of
(1).
"""
WIRE = {"data": 30 + 3 * 1040 * 8 / 10_000, "ack": 30 + 3 * 40 * 8 / 10_000}


@pytest.mark.parametrize(
    ("scheme", "air", "option", "down_only"),
    [
        ("eln", MS["data"] / 0.99 + MS["ack"], 0, False),
        ("hack", MS["ack"], 8, False),
        ("ewln", MS["ack"], 8, False),
        ("tcp-eln", MS["ack"], 8, False),
        ("lhp", MS["ack"], 8, False),
        ("ll-elsn", 0.0, 0, True),
    ],
)
def test_formula_delays_equal_table_1(scheme: str, air: float, option: int, down_only: bool) -> None:
    # T_data + T_ack + T_wrd; T_ack + T_wrd; T_wrd. Uplink one T_wrd more, and nothing for LL-ELSN. Options
    # make 5 % of T_ack and 10 us a link; (1) repeats 0.07 % of ACKs.
    down, up = (ROWS[scheme].delay_ms(way) for way in WAYS)
    assert down[0] == pytest.approx(air + WIRE["ack"] + 3 * option * 8e-4, abs=0.01)
    assert down[1] == pytest.approx(WIRE["ack"] + 3 * option * 8e-4)
    assert up[0] == pytest.approx(0.0 if down_only else down[0] + WIRE["data"], abs=0.01)


def test_formula_failure_probabilities_equal_table_1() -> None:
    # In one of fourteen damaged frames the 76 bytes of headers are damaged; a little more often with an
    # option.
    failure = {scheme: row.failure(row) for scheme, row in ROWS.items()}
    assert failure["ewln"] == pytest.approx((1 - 0.99 ** (76 / 1076)) / 0.01)
    assert 1.04 < failure["hack"] / failure["ewln"] < 80 / 76
    assert failure["hack"] == failure["tcp-eln"]
    assert failure["eln"] == failure["ll-elsn"] == 0.0
    # The first fragment, 136 bytes, is lost five times, given a loss among the 1220 bytes of all fragments.
    assert (
        failure["lhp"]
        == fragment_lost(ROWS["lhp"])
        == pytest.approx((0.01 * 136 / 1076) ** 5 / 0.0113, rel=0.05)
    )


def test_the_simulated_path_has_the_parameters_of_the_formulas() -> None:
    for scheme, way, load in product(ROWS, WAYS, LOADS):
        document = scenario(scheme, way, load).to_dict()
        assert [(link["rate"], link["delay"]) for link in document["wired"]] == [("10 Mbit/s", "10 ms")] * 3
        (cell,), (flow,) = document["wlan"], document["flow"]
        assert (cell["standard"], cell["rate"], cell["control_rate"]) == ("802.11b", "11 Mbit/s", "11 Mbit/s")
        assert (cell["attempts"], cell["errors"]["fer"], cell["overhead"]) == (1, FER, "36 B")
        assert (flow["segment"], flow["tcp"]["timestamps"]) == ("1000 B", False)
        window = {"bulk": "unlimited", "light": "2000 B" if scheme == "eln" else "1000 B"}[load]
        assert flow["tcp"]["receive_window"] == window


# ---- formulas and traces ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "way", "beside"),
    [
        # The ACK waits for the link ACK of its data packet: SIFS and 14 bytes.
        ("eln", "downlink", 0.010 + 0.202),
        ("eln", "uplink", 0.0),
        # The notice is made at the end of the frame, 0.232 ms before the discard; downlink it waits an EIFS,
        # not a DIFS.
        ("hack", "downlink", 0.364 - 0.050 - 0.232),
        ("hack", "uplink", -0.232),
        ("ll-elsn", "downlink", 0.0),
        ("ll-elsn", "uplink", 0.0),
    ],
)
def test_delays_in_a_trace_differ_from_the_formula_by_interframe_spaces(
    scheme: str, way: str, beside: float
) -> None:
    told = measure(scheme, way, "light", seed=1, rep=0).told
    # About 150 losses: the standard error of the mean backoff is 0.016 ms, and 0.023 ms for two backoffs.
    assert told.losses > 100
    off = told.delay_ms - ROWS[scheme].delay_ms(way)[0]
    assert off == pytest.approx(beside, abs=1e-6 if scheme == "ll-elsn" else 0.08)


def test_collisions_prevent_loss_detection_by_hack_only() -> None:
    failing = {
        s: measure(s, "downlink", "bulk", seed=1, rep=0).told.undetected for s in ("hack", "lhp", "ll-elsn")
    }
    assert failing["hack"] > 0.4
    assert failing["lhp"] == failing["ll-elsn"] == 0.0


# ---- the comparison --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ideal() -> Values:
    """Return synthetic measurements: the formulas under light load, longer and less reliable under bulk.

    LL-ELSN detects every loss, in every run.
    """
    found = list(table1._formulas())
    of = Values(found)
    for scheme, way, load in product(ROWS, WAYS, LOADS):
        late = 5.0 if load == "bulk" and scheme != "ll-elsn" else 0.0
        delay = of.at(scheme, FORMULA, way=way).value.mean + late
        failure = of.at(scheme, FAILURE, way=way).value.mean
        failure += 0.3 if scheme == "hack" and load == "bulk" else 0.0
        x = {"way": way, "load": load}
        unsure = 0.0 if scheme in ("eln", "ll-elsn") else 0.01
        hidden = load == "bulk"
        for metric, mean, half in (
            (DELAY, delay, 0.0 if delay == 0.0 else 0.01),
            (UNDETECTED, failure, unsure),
            (UNTOLD, failure, unsure),
            (COLLIDED, 50.0 if hidden else 0.0, 0.0),
            (COLLIDED_DETECTED, 50.0 if hidden and scheme in ("lhp", "ll-elsn") else 0.0, 0.0),
        ):
            found.append(Value(scheme, x, metric, Estimate(mean, half, 10)))
        if load == "light":
            found.append(Value(scheme, x, UNTOLD_DELIVERED, Estimate(failure, unsure, 10)))
    return Values(found)


def _changed(values: Values, scheme: str, metric: str, by: float, **x: str) -> Values:
    return Values(
        replace(value, value=replace(value.value, mean=value.value.mean + by))
        if (value.curve, value.metric) == (scheme, metric) and x.items() <= dict(value.x).items()
        else value
        for value in values
    )


def _decisions(values: Values) -> dict[str, bool | None]:
    return {found.claim.id: found.result.holds for found in check_claims(EXPERIMENT.claims, values)}


def test_every_claim_holds_on_the_values_of_the_formulas(ideal: Values) -> None:
    found = _decisions(ideal)
    # P_f_frag is 3e-13: no measurement distinguishes it from zero; no header survives a collision in Airhop.
    untold = ("yun-12-lhp", "yun-12-contention")
    assert [found.pop(claim) for claim in untold] == [None, None]
    assert found == {claim.id: True for claim in EXPERIMENT.claims if claim.id not in untold}
    assert len(EXPERIMENT.claims) == 7


@pytest.mark.parametrize("way", WAYS)
def test_a_detected_collision_of_a_whole_frame_refutes_the_claim_about_hack(ideal: Values, way: str) -> None:
    # Yun 2009, §2.1: "channel contention may result in the loss of the whole packet".
    where = {"way": way, "load": "bulk"}
    assert _decisions(_changed(ideal, "hack", COLLIDED_DETECTED, 0.1, **where))["yun-12-contention"] is False


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scheme", ROWS)
def test_each_row_of_the_table_is_checked_by_delay_and_failure(ideal: Values, scheme: str, way: str) -> None:
    of_row = "yun-12-hack" if scheme in ("ewln", "tcp-eln") else f"yun-12-{scheme}"
    held = None if scheme == "lhp" else True
    # Half of an ACK's 0.61 ms is less than an EIFS of 0.36 ms.
    untold = UNTOLD_DELIVERED if scheme == "eln" else UNTOLD
    for metric, less, more in ((DELAY, 0.28, 0.40), (untold, 0.009, 0.031)):
        for by, word in ((less, held), (more, False), (-less, held), (-more, False)):
            moved = _changed(ideal, scheme, metric, by, way=way, load="light")
            decisions = _decisions(moved)
            # A printed zero must be exactly zero, so that 0.5 % refutes the claim.
            zero = (metric, scheme) in ((UNTOLD_DELIVERED, "eln"), (UNTOLD, "ll-elsn"))
            zero |= (metric, scheme, way) == (DELAY, "ll-elsn", "uplink")
            assert decisions.pop(of_row) is (False if zero else word), (metric, by)
            decisions.pop("yun-12")
            for undecided in ("yun-12-lhp", "yun-12-contention"):
                decisions.pop(undecided, None)
            assert all(decisions.values()), (metric, by)


@pytest.mark.parametrize("way", WAYS)
def test_the_eln_claim_is_checked_with_and_without_losses_after_a_loss(ideal: Values, way: str) -> None:
    # §3.2: T_wls is the time "to transmit a TCP data and an ACK packet successfully".
    found = _decisions(_changed(ideal, "eln", UNTOLD, 0.005, way=way, load="light"))
    assert (found["yun-12-eln"], found["yun-12-eln-once"]) == (True, False)


def test_ll_elsn_must_have_the_shortest_delay_and_most_notices_in_every_case(ideal: Values) -> None:
    for way, load in product(WAYS, LOADS):
        where = {"way": way, "load": load}
        assert _decisions(_changed(ideal, "ll-elsn", DELAY, 100.0, **where))["yun-12"] is False
        assert _decisions(_changed(ideal, "ll-elsn", UNTOLD, 0.05, **where))["yun-12"] is False
        # §3.2: "the TCP sender does not have any notification", whether or not one was made.
        assert _decisions(_changed(ideal, "ll-elsn", UNDETECTED, 0.05, **where))["yun-12"] is True
    # LL-ELSN may be as reliable as Balakrishnan's scheme, but not as slow as the next scheme.
    level = _changed(ideal, "ll-elsn", DELAY, ROWS["lhp"].delay_ms("uplink")[0], way="uplink", load="light")
    assert _decisions(level)["yun-12"] is None


def test_equal_seeds_yield_equal_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table1, "SECONDS", {"light": 60, "bulk": 12})
    monkeypatch.setitem(table1.REPLICATIONS, "quick", 2)
    one, other, third = (EXPERIMENT.compute("quick", seed, SILENT) for seed in (1, 1, 2))
    assert one == other != third


def test_tables_of_notice_delays_fit_into_80_columns(ideal: Values) -> None:
    assert registry()["yun2009/table1"] is EXPERIMENT
    stream = io.StringIO()
    found = Calculated(EXPERIMENT, "quick", 1, ideal, check_claims(EXPERIMENT.claims, ideal))
    print_outcome(found, Console(width=80, file=stream))
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text.replace("[…]", "")  # except omissions of a quotation
    assert "Balakrishnan" in text and "32.05" in text and "✓ holds" in text


def test_the_figure_shows_the_delay_beyond_that_of_the_wire(ideal: Values) -> None:
    left, right = EXPERIMENT.figure(ideal).axes
    assert [text.get_text() for text in left.get_yticklabels()] == [row.label for row in ROWS.values()]
    assert left.get_xlim()[1] < 3.0, "shorter than the delay of the wire"
    assert 7.0 < right.get_xlim()[1] < 20.0
