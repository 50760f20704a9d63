"""Table of losses by cause and repair: each lost segment is counted once, under its true cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import airhop
import synthetic
from airhop.report import TracedRun
from airhop.report.causes import confusion, lost_segments

WLAN = {
    "wlan": [{"name": "cell", "stations": {"bs": [0, 0], "d": [30, 0]}, "attempts": 1, "access": "basic"}]
}
Drop = tuple[float, str, str, int]
"""Time in s, place, cause, sequence number of a data packet."""
Sent = tuple[float, int, str]
"""Time in s, sequence number and cause of a retransmission."""


def run(
    drops: Sequence[Drop],
    sent: Sequence[Sent] = (),
    acks: Sequence[tuple[float, int]] = (),
    attempts: int = 1,
) -> TracedRun:
    """Make a trace of one flow."""
    network: dict[str, Any] = {"wlan": [WLAN["wlan"][0] | {"attempts": attempts}]}
    flow = pl.lit("ftp").alias("flow")
    tables = {
        "drops": pl.DataFrame(
            [(t, place, cause, "data", seq) for t, place, cause, seq in drops],
            schema={
                "time_s": pl.Float64,
                "place": pl.String,
                "cause": pl.String,
                "kind": pl.String,
                "seq": pl.UInt64,
            },
            orient="row",
        ),
        "segments": pl.DataFrame(
            [(t, seq, True, cause) for t, seq, cause in sent],
            schema={"time_s": pl.Float64, "seq": pl.UInt64, "retransmission": pl.Boolean, "cause": pl.String},
            orient="row",
        ),
        "acks": pl.DataFrame(acks, schema={"time_s": pl.Float64, "ack": pl.UInt64}, orient="row"),
    }
    tables = {name: table.with_columns(flow) for name, table in tables.items()}
    return TracedRun("reno", "Reno", synthetic.run_document("reno", 1.0), tables, "", network=network)


def counts(*arguments: Any, **options: Any) -> dict[tuple[str, str], int]:
    return dict(confusion(run(*arguments, **options)).counts)


def test_each_loss_is_counted_by_cause_and_cause_of_its_retransmission() -> None:
    drops = [
        (1.0, "bs->d", "channel", 1001), (1.0, "bs->d", "retries", 1001),
        (1.1, "bs->d", "collision", 2001), (1.1, "bs->d", "retries", 2001),
        (1.2, "r1->bs", "queue", 3001),
    ]  # fmt: skip
    sent = [(1.5, 1001, "notice"), (1.6, 2001, "fast"), (1.7, 3001, "timeout")]
    assert counts(drops, sent) == {
        ("channel", "notice"): 1,
        ("collision", "fast"): 1,
        ("queue", "timeout"): 1,
    }


def test_a_frame_that_the_link_retransmits_is_not_counted_as_lost() -> None:
    assert counts([(1.0, "bs->d", "channel", 1001)], attempts=4) == {}


def test_a_packet_is_lost_if_every_attempt_of_the_link_failed() -> None:
    # Three of four attempts are lost; one arrived, and only its link ACK was lost.
    attempts = [(1.0 + 0.001 * n, "bs->d", "channel", 1001) for n in range(3)]
    given_up = (1.01, "bs->d", "retries", 1001)
    assert lost_segments(run([*attempts, given_up], attempts=4))["cause"].to_list() == ["arrived"]
    all_lost = [*attempts, (1.005, "bs->d", "collision", 1001), given_up]
    assert lost_segments(run(all_lost, attempts=4))["cause"].to_list() == ["collision"]


def test_an_mpdu_whose_lifetime_ends_is_lost_even_if_it_was_never_sent() -> None:
    """IEEE 802.11-2020 §10.25: under Block Ack an MPDU has a lifetime, and no limit of attempts."""
    drops = [
        (1.0, "bs->d", "channel", 1001), (1.1, "bs->x", "collision", 9001),
        (1.5, "bs->d", "retries", 1001), (1.5, "bs->d", "retries", 2001),
        (1.6, "d->bs", "channel", 5001), (1.7, "bs->d", "retries", 3001),
    ]  # fmt: skip
    made = run(drops)
    lifetime: dict[str, Any] = {key: value for key, value in WLAN["wlan"][0].items() if key != "attempts"}
    stations = lifetime["stations"] | {"x": [0, 30]}
    made = replace(made, network={"wlan": [lifetime | {"lifetime": "500 ms", "stations": stations}]})
    found = dict(lost_segments(made).select("seq", "cause").iter_rows())
    assert found == {1001: "channel", 2001: "collision", 3001: "collision"}


def test_losses_on_a_wire_count_without_a_retry_limit() -> None:
    # The links of this network do not retransmit, and never give up.
    assert lost_segments(run([(1.0, "r1->bs", "channel", 1001)]))["cause"].to_list() == ["channel"]


def test_a_lost_retransmission_is_counted_as_another_loss() -> None:
    drops = [(t, "r1->bs", "queue", 1001) for t in (1.0, 2.0)]
    assert counts(drops, [(1.5, 1001, "fast"), (3.0, 1001, "timeout")]) == {
        ("queue", "fast"): 1,
        ("queue", "timeout"): 1,
    }


def test_losses_repaired_by_an_agent_are_not_repaired_by_the_sender() -> None:
    # The ACK passes the loss at 1.2 s; the timeout that follows repaired nothing.
    drops = [(1.0, "bs->d", "channel", 1001), (1.0, "bs->d", "retries", 1001)]
    assert counts(drops, [(1.5, 1001, "timeout")], [(1.2, 2001)]) == {
        ("channel", "elsewhere"): 1,
        ("none", "timeout"): 1,
    }


def test_a_loss_at_the_end_is_unrepaired_and_a_spurious_retransmission_has_no_cause() -> None:
    assert counts([(9.9, "r1->bs", "queue", 5001)], [(2.0, 1001, "timeout")]) == {
        ("queue", "open"): 1,
        ("none", "timeout"): 1,
    }


@pytest.mark.parametrize("scheme", ["reno", "sack", "snoop", "ll-elsn"])
def test_losses_and_retransmissions_of_a_simulated_run_are_all_counted(scheme: str) -> None:
    scenario = airhop.Scenario.load("last-hop").with_(
        {"duration": "10 s", "scheme": scheme, "wlan.cell.errors.fer": 0.03}
    )
    result = airhop.run(scenario, trace=True)
    traced = TracedRun(scheme, scheme, result.to_dict(), result.tables, "", network=scenario.to_dict())
    judged = confusion(traced)
    drops = traced.table("drops")
    data = drops.filter(pl.col("kind") == "data")
    given_up = data.filter(pl.col("cause").is_in(["retries", "queue", "agent"])).height
    losses = sum(count for (cause, _), count in judged.counts.items() if cause != "none")
    assert losses == given_up
    # Two successive losses of a segment share a retransmission, so sums over repairs may exceed the number of
    # retransmissions.
    by_sender = sum(
        count for (_, repair), count in judged.counts.items() if repair not in ("elsewhere", "open")
    )
    assert by_sender >= traced.flow["retransmissions"]
    if scheme == "ll-elsn":
        # In LL-ELSN channel errors and collisions are repaired on notices.
        share = [judged.share(cause, "notice") for cause in ("channel", "collision")]
        assert min(share) > 0.9
