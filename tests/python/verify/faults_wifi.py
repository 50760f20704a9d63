"""Faults in cells of 802.11n, ac and ax: A-MPDUs, Block Ack, and the slots of EDCA."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from forged import Recorded


def _delivers_twice(run: Recorded) -> None:
    run.double("packets", run.find("packets", 50, step="arrived", place="b->ap", kind="data"))


def _releases_out_of_order(run: Recorded) -> None:
    """Plant two packets that one A-MPDU releases, in the wrong order."""
    arrived = run.tables["packets"].with_row_index().filter(step="arrived", place="b->ap")
    together = arrived.filter(pl.col("time_s") == pl.col("time_s").shift(-1))
    row = int(together["index"][20])
    following = int(arrived.filter(pl.col("index") > row)["index"][0])
    packets = [run.tables["packets"]["packet"][one] for one in (row, following)]
    for one, packet in zip((row, following), reversed(packets), strict=True):
        run.set("packets", "packet", one, packet)


def _holds_back_too_long(run: Recorded) -> None:
    run.set("mpdus", "outcome", run.find("mpdus", 30, outcome="channel"), "received")


def _sends_beyond_the_window(run: Recorded) -> None:
    run.wlan["aggregation"]["frames"] = 8


def _longer_than_allowed(run: Recorded) -> None:
    run.wlan["aggregation"]["bytes"] = 8191


def _leaves_out_padding(run: Recorded) -> None:
    run.add("air", "bytes", run.find("air", 30, kind="a-mpdu"), -2)


def _block_ack_too_late(run: Recorded) -> None:
    run.move(run.find("air", 20, kind="block-ack"), 5e-6)


def _no_block_ack(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 20, kind="a-mpdu", outcome="received"), "channel")


def _one_symbol_short(run: Recorded) -> None:
    run.shift("air", "end_s", run.find("air", 20, kind="a-mpdu"), -4e-6)


def _block_ack_at_12_mbps(run: Recorded) -> None:
    run.shift("air", "end_s", run.find("air", 20, kind="block-ack"), 12e-6)


def _sends_once_too_often(run: Recorded) -> None:
    del run.wlan["lifetime"]
    run.wlan["attempts"] = 1


def _outlives_its_lifetime(run: Recorded) -> None:
    run.wlan["lifetime"] = "1 ms"


def _asks_without_reason(run: Recorded) -> None:
    run.wlan["lost_block_ack"] = "resend"


def _asks_from_another_number(run: Recorded) -> None:
    run.add("air", "seq", run.find("air", 2, kind="block-ack-req"), 1)


def _sends_before_it_asks(run: Recorded) -> None:
    run.wlan["lost_block_ack"] = "request"


def _passes_one_over(run: Recorded) -> None:
    """Plant a first transmission whose number is one too high."""
    run.add("mpdus", "sequence", run.find("mpdus", -1), 1)


def _skips_an_attempt(run: Recorded) -> None:
    run.add("mpdus", "attempt", run.find("mpdus", 20, attempt=2), 1)


def _one_slot_early(run: Recorded) -> None:
    """Plant an access one slot before the end of AIFS."""
    row = _access_at(run, 43e-6)
    run.move(row, -9e-6)


def _between_slots(run: Recorded) -> None:
    run.move(_access_at(run, 52e-6), 1e-6)


def _access_at(run: Recorded, gap: float) -> int:
    """Find a frame that begins this time after the previous frame."""
    air = run.tables["air"].with_row_index()
    ends = air["end_s"].shift(1)
    near = air.filter(((air["start_s"] - ends) - gap).abs() < 1e-8, kind="a-mpdu")
    return int(near["index"][3])


def _longer_amsdu_than_allowed(run: Recorded) -> None:
    run.wlan["aggregation"]["amsdu"] = 3000


def _leaves_out_padding_of_a_subframe(run: Recorded) -> None:
    """Plant an MPDU of three packets that is 2 bytes too short, which the padding of its subframe hides."""
    row = run.find("mpdus", 20, msdu=2, bytes=3256)
    for one in (row - 2, row - 1, row):
        run.add("mpdus", "bytes", one, -2)


def _receives_one_packet_of_an_amsdu(run: Recorded) -> None:
    run.set("mpdus", "outcome", run.find("mpdus", 5, msdu=1, outcome="channel"), "received")


def _delivers_one_packet_of_an_amsdu_later(run: Recorded) -> None:
    """Plant the second of two packets that arrive together 1 µs later."""
    arrived = run.tables["packets"].with_row_index().filter(step="arrived", place="ap->a", kind="data")
    together = arrived.filter(pl.col("time_s") == pl.col("time_s").shift(1))
    run.shift("packets", "time_s", int(together["index"][20]), 1e-6)


def _timer_expires_late(run: Recorded) -> None:
    """Plant a release by a receiver's timer 1 µs later: an arrival at which no frame ends."""
    arrived = run.tables["packets"].with_row_index().filter(step="arrived")
    by_timer = arrived.filter(~pl.col("time_s").is_in(run.tables["air"]["end_s"].implode()))
    run.shift("packets", "time_s", int(by_timer["index"][3]), 1e-6)


def _has_another_power(run: Recorded) -> None:
    """Plant a link budget that is 1 dB better than that of the run."""
    run.wlan["errors"]["power"] = "-26.5 dBm"


def _another_category(run: Recorded) -> None:
    run.set("air", "category", run.find("air", 5, kind="a-mpdu", flow="best"), "VI")


def _answers_in_another_category(run: Recorded) -> None:
    run.set("air", "category", run.find("air", 3, kind="block-ack", flow="best"), "VI")


def _flow_of_another_category(run: Recorded) -> None:
    """Plant accesses of background at the boundaries and within the window of best effort."""
    run.flow["access_category"] = "BK"
    run.tables["air"] = run.tables["air"].with_columns(
        pl.when(pl.col("category") == "BE").then(pl.lit("BK")).otherwise("category").alias("category")
    )


def _waits_in_another_queue(run: Recorded) -> None:
    queues = run.tables["queue"]
    names = {"ap->* VI": "ap->*", "ap->*": "ap->* VI"}
    swapped = queues["place"].cast(str).replace(names).cast(queues["place"].dtype)
    run.tables["queue"] = queues.with_columns(swapped.alias("place"))


def _exceeds_its_txop_limit(run: Recorded) -> None:
    run.wlan["txop"]["VI"] = "1.5 ms"


def _protects_a_receiver_twice(run: Recorded) -> None:
    """Plant an RTS in place of the first frame of a TXOP's second exchange."""
    air = run.tables["air"].with_row_index()
    ends = air["end_s"].shift(1)
    follows = air.filter(((air["start_s"] - ends) - 16e-6).abs() < 1e-8, kind="a-mpdu", flow="video")
    before = dict(zip(air["index"], air["kind"], strict=True))
    row = next(row for row in follows["index"] if before[row - 1] == "block-ack")
    run.set("air", "kind", int(row), "rts")


def _reserves_no_limit(run: Recorded) -> None:
    run.wlan["nav"] = "response"


def _leaves_out_a_cf_end(run: Recorded) -> None:
    row = run.find("air", 5, kind="cf-end")
    run.tables["air"] = pl.concat([run.tables["air"][:row], run.tables["air"][row + 1 :]])
    ppdus = run.tables["mpdus"]["ppdu"]
    run.tables["mpdus"] = run.tables["mpdus"].with_columns(ppdu=ppdus - (ppdus > row).cast(ppdus.dtype))


def _ends_too_late_for_a_cf_end(run: Recorded) -> None:
    run.wlan["txop"] |= {"VI": "300 us", "VO": "300 us"}


def _reserves_the_limit(run: Recorded) -> None:
    run.wlan["nav"] = "limit"


FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    ("fate", "by-snr", _has_another_power),
    ("release", "block-ack", _delivers_twice),
    ("release", "block-ack", _releases_out_of_order),
    ("release", "block-ack", _holds_back_too_long),
    ("block-ack", "block-ack", _sends_beyond_the_window),
    ("mpdu", "block-ack", _longer_than_allowed),
    ("mpdu", "block-ack", _leaves_out_padding),
    ("exchange", "block-ack", _block_ack_too_late),
    ("exchange", "block-ack", _no_block_ack),
    ("air", "block-ack", _one_symbol_short),
    ("air", "block-ack", _block_ack_at_12_mbps),
    ("block-ack", "block-ack", _sends_once_too_often),
    ("block-ack", "block-ack", _outlives_its_lifetime),
    ("block-ack", "block-ack", _asks_without_reason),
    ("block-ack", "block-ack", _asks_from_another_number),
    ("block-ack", "resends", _sends_before_it_asks),
    ("block-ack", "block-ack", _passes_one_over),
    ("block-ack", "block-ack", _skips_an_attempt),
    ("mpdu", "amsdu", _longer_amsdu_than_allowed),
    ("mpdu", "amsdu", _leaves_out_padding_of_a_subframe),
    ("mpdu", "amsdu", _receives_one_packet_of_an_amsdu),
    ("release", "amsdu", _delivers_one_packet_of_an_amsdu_later),
    ("release", "given-up", _timer_expires_late),
    ("slot", "block-ack", _one_slot_early),
    ("slot", "block-ack", _between_slots),
    ("txop", "txop", _exceeds_its_txop_limit),
    ("txop", "txop", _protects_a_receiver_twice),
    ("txop", "txop", _reserves_the_limit),
    ("txop", "nav", _reserves_no_limit),
    ("txop", "nav", _leaves_out_a_cf_end),
    ("txop", "nav", _ends_too_late_for_a_cf_end),
    ("category", "categories", _another_category),
    ("exchange", "categories", _answers_in_another_category),
    ("slot", "block-ack", _flow_of_another_category),
    ("queue", "categories", _waits_in_another_queue),
]
