"""Faults: each is a change of a trace, its scenario or its document, with the law that it breaks."""

from __future__ import annotations

from collections.abc import Callable

import planned
import polars as pl
from faults_conversations import FAULTS as OF_CONVERSATIONS
from faults_delay import FAULTS as OF_DELAYS
from faults_marks import FAULTS as OF_MARKS
from faults_video import FAULTS as OF_VIDEOS
from faults_wifi import FAULTS as OF_WIFI
from forged import Recorded, count, doubled, emptied, more, removed, shifted


def _too_early(run: Recorded) -> None:
    run.shift("packets", "time_s", run.find("packets", 200, step="arrived", place="s->r1"), -1e-6)


def _too_late(run: Recorded) -> None:
    run.shift("packets", "time_s", run.find("packets", 200, step="arrived", place="r1->bs"), 1e-6)


def _no_room(run: Recorded) -> None:
    run.scenario["wired"][0]["queue"]["packets"] = 3


def _two_fates(run: Recorded) -> None:
    frame = run.tables["packets"]
    delivered = run.find("packets", 5, step="delivered", place="d")
    run.tables["packets"] = pl.concat([frame[: delivered + 1], frame[delivered:]])


def _wrong_node(run: Recorded) -> None:
    run.set("packets", "place", run.find("packets", 50, step="offered", place="r1->bs"), "bs->d")


def _overtaken(run: Recorded) -> None:
    rows = [run.find("packets", number, step="arrived", place="r1->bs", kind="data") for number in (300, 301)]
    for column in ("packet", "seq"):
        values = [run.tables["packets"][column][row] for row in rows]
        for row, value in zip(rows, reversed(values), strict=True):
            run.set("packets", column, row, value)


def _talks_over(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 100, kind="data", **{"from": "bs"}), -3e-3)


def _too_short(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 100, kind="data", **{"from": "bs"}), 20e-6)


def _not_received(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 100, kind="data", outcome="received"), "channel")


def _false_ack(run: Recorded) -> None:
    packet = run.tables["packets"]["packet"][run.find("packets", 50, step="made", place="d", kind="ack")]
    for row in run.tables["packets"].with_row_index().filter(pl.col("packet") == packet)["index"]:
        run.set("packets", "seq", row, run.tables["packets"]["seq"][row] + 1000)


def _tail_before_its_ack(run: Recorded) -> None:
    run.shift("segments", "time_s", run.find("segments", bytes=500), -0.05)


def _two_small(run: Recorded) -> None:
    run.set("segments", "bytes", run.find("segments", bytes=500) - 1, 999)


def _gap(run: Recorded) -> None:
    row = run.find("segments", 400, cause="new")
    run.set("segments", "seq", row, run.tables["segments"]["seq"][row] + 1000)


def _beyond_the_window(run: Recorded) -> None:
    row = run.find("segments", 400, cause="new")
    run.set("segments", "cwnd", row, 1.0)
    run.set("segments", "flight", row, 9000)


def _more_than_is_out(run: Recorded) -> None:
    run.set("segments", "flight", run.find("segments", 400, cause="new"), 10_000_000)


def _goodput(run: Recorded) -> None:
    run.document["flows"][0]["goodput_mbps"] *= 1.001


def _more_airtime(run: Recorded) -> None:
    run.document["stations"][0]["airtime"] *= 1.001


def _active(run: Recorded) -> None:
    run.document["flows"][0]["active_mbps"] *= 1.001


def _uncounted(run: Recorded) -> None:
    run.document["drops"]["queue"] += 1


def _delivered_too_much(run: Recorded) -> None:
    run.set("deliveries", "bytes", 100, run.tables["deliveries"]["bytes"][100] + 1000)


def _frames_at_once(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 60, kind="data", **{"from": "bs"}), -0.02)


def _out_of_nowhere(run: Recorded) -> None:
    run.set("air", "seq", run.find("air", 30, kind="data", outcome="received", **{"from": "bs"}), 7)


def _outage_ignored(run: Recorded) -> None:
    run.scenario["wired"][0]["changes"].pop()


def _rate_ignored(run: Recorded) -> None:
    run.scenario["wired"][0]["changes"][0]["rate"] = "301 kbit/s"


def _impatient(run: Recorded) -> None:
    """Plant a backoff that is counted from the end of the previous frame, not from a DIFS after it."""
    row = run.find("air", 100, kind="data", attempt=1)
    before = max(end for end in run.tables["air"]["end_s"] if end < run.tables["air"]["start_s"][row])
    run.move(row, before + 20e-6 - run.tables["air"]["start_s"][row])


def _too_long(run: Recorded) -> None:
    run.shift("air", "end_s", run.find("air", 100, kind="ack"), 20e-6)


def _one_attempt_more(run: Recorded) -> None:
    run.wlan["attempts"] = 1


def _too_strong_for_that(run: Recorded) -> None:
    run.wlan["range"]["capture"] = "40 dB"


def _too_weak_for_that(run: Recorded) -> None:
    run.wlan["range"]["capture"] = "0 dB"


def _gives_up_early(run: Recorded) -> None:
    """Plant the standard's timeout in a cell with ns-2's, which includes the whole answer and a DIFS."""
    run.wlan["ack_timeout"] = "ns2"


def _unanswered(run: Recorded) -> None:
    run.remove("air", run.find("air", 100, kind="ack"))


def _unasked(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 100, kind="data", outcome="received"), "channel")


def _answers_late(run: Recorded) -> None:
    run.move(run.find("air", 100, kind="ack"), 5e-6)


def _unharmed(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 3, kind="data", outcome="collision"), "received")


def _met_nothing(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 100, kind="data", outcome="received"), "collision")


def _without_cts(run: Recorded) -> None:
    run.remove("air", run.find("air", 50, kind="cts"))


def _deaf_to_a_cts(run: Recorded) -> None:
    """Plant a station that decodes another station's CTS, and begins to send during the data."""
    cts = run.find("air", 40, kind="cts", outcome="received", **{"from": "n2", "to": "n1"})
    row = run.find("air", 0, kind="rts", **{"from": "n3"})
    run.move(row, run.tables["air"]["end_s"][cts] + 100e-6 - run.tables["air"]["start_s"][row])


def _deaf_to_the_ack_of_a_fragment(run: Recorded) -> None:
    """Plant a station that decodes a link ACK for another, and begins to send during the next fragment."""
    air = run.tables["air"].with_row_index()
    acks = air.filter(kind="ack", outcome="received", **{"from": "n2", "to": "n1"})
    data = set((air.filter(kind="data", **{"from": "n1", "to": "n2"})["start_s"] * 1e9).round())
    ends = [end for end in acks["end_s"] if round(end * 1e9) + 10_000 in data]
    row = run.find("air", 0, kind="data", **{"from": "n3"})
    run.move(row, ends[20] + 100e-6 - run.tables["air"]["start_s"][row])


def _no_burst(run: Recorded) -> None:
    """Plant a fragment that does not follow a SIFS after the ACK of the previous fragment."""
    run.move(run.find("air", 20, kind="data", bytes=176, attempt=1), 5e-6)


def _part_of_a_packet(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 60, kind="data", bytes=256, outcome="received"), "channel")


def _another_threshold(run: Recorded) -> None:
    run.wlan["fragmentation"] = "300 B"


def _patient(run: Recorded) -> None:
    run.wlan["attempts"] = 20


def _room_to_spare(run: Recorded) -> None:
    run.wlan["queue"]["packets"] = 60


def _too_many_wait(run: Recorded) -> None:
    run.wlan["queue"]["packets"] = 40


def _errors_on_a_clean_channel(run: Recorded) -> None:
    run.wlan["errors"] = {"kind": "clean"}


def _loses_too_seldom(run: Recorded) -> None:
    run.wlan["errors"]["fer"] = 0.6


def _manages_without_management(run: Recorded) -> None:
    run.set("drops", "cause", run.find("drops", cause="queue"), "aqm")


def _retries_on_a_wire(run: Recorded) -> None:
    run.set("drops", "cause", run.find("drops", cause="collision"), "retries")
    run.set("drops", "place", run.find("drops", cause="retries"), "s->r1")


def _the_wrong_way(run: Recorded) -> None:
    run.set(
        "packets", "place", run.find("packets", 50, step="offered", place="n1->n2", kind="data"), "n1->n0"
    )


def _round_in_circles(run: Recorded) -> None:
    run.scale("packets", "packet", 0)


def _nothing_made(run: Recorded) -> None:
    run.remove("packets", run.find("packets", 100, step="made", kind="data"))


def _made_and_not_sent(run: Recorded) -> None:
    run.remove("segments", run.find("segments", 100))


def _hears_too_early(run: Recorded) -> None:
    run.shift("acks", "time_s", run.find("acks", 100), -1e-6)


def _does_not_hear(run: Recorded) -> None:
    run.remove("acks", run.find("acks", 100))


def _handed_to_another(run: Recorded) -> None:
    run.set("packets", "place", run.find("packets", 100, step="delivered", kind="data"), "bs")


def _notice_from_nowhere(run: Recorded) -> None:
    frame = run.tables["notices"]
    run.tables["notices"] = frame.filter(frame["event"].cast(pl.String) == "received")


def _acknowledges_late(run: Recorded) -> None:
    run.flow["tcp"]["delayed_ack"]["timeout"] = "1 ms"


def _acknowledges_too_little(run: Recorded) -> None:
    run.flow["tcp"]["delayed_ack"]["segments"] = 1


def _acknowledges_no_more(run: Recorded) -> None:
    is_ack = (pl.col("kind").cast(pl.String) == "ack") & (pl.col("time_s") > 3)
    run.tables["packets"] = run.tables["packets"].filter(~is_ack)


def _twice_its_window(run: Recorded) -> None:
    for table in ("segments", "window"):
        run.scale(table, "cwnd", 0.5)


def _two_windows(run: Recorded) -> None:
    run.scale("segments", "cwnd", 1.01)


def _more_than_there_is(run: Recorded) -> None:
    run.flow["app"]["size"] = "140 kB"


def _beyond_the_receive_window(run: Recorded) -> None:
    run.flow["tcp"]["receive_window"] = "4 kB"


def _times_out_early(run: Recorded) -> None:
    run.flow["tcp"]["rto"]["min"] = "3 s"


def _counts_requests_twice(run: Recorded) -> None:
    run.document["routing"]["requests"] *= 2


def _never_done(run: Recorded) -> None:
    run.document["flows"][0]["completion_s"] = None


def _frame_too_long(run: Recorded) -> None:
    run.shift("air", "end_s", run.find("air", 60, kind="data", **{"from": "bs"}), 1e-6)


def _repeats_for_ever(run: Recorded) -> None:
    run.scenario["radio"][0]["arq"]["attempts"] = 1


def _drops_gone(run: Recorded) -> None:
    """Plant a trace in which no packet is dropped, although losses are recorded."""
    run.tables["packets"] = run.tables["packets"].filter(pl.col("step").cast(pl.String) != "dropped")


def _one_drop_gone(run: Recorded) -> None:
    run.remove("packets", run.find("packets", 5, step="dropped"))


def _dropped_later(run: Recorded) -> None:
    run.shift("packets", "time_s", run.find("packets", 5, step="dropped"), 1e-6)


def _gives_up_after_one(run: Recorded) -> None:
    """Plant a limit of three transmissions in a run that discarded packets after one."""
    run.wlan["attempts"] = 3


def _no_threshold(run: Recorded) -> None:
    run.set("window", "ssthresh", 100, 0.0)


def _threshold_for_once(run: Recorded) -> None:
    same = run.tables["window"]["ssthresh"]
    row = next(row for row in range(20, len(same)) if same[row - 1] == same[row] == same[row + 1] < 100)
    run.add("window", "ssthresh", row, 1)


def _timeout_below_the_least(run: Recorded) -> None:
    run.set("window", "rto_ms", 100, 0.0)


def _reports_too_much(run: Recorded) -> None:
    row = run.find("acks", 20, duplicate="true")
    run.add("acks", "sacked_bytes", row, 1000)


def _disordered(run: Recorded) -> None:
    frame = run.tables["queue"]
    run.tables["queue"] = pl.concat([frame[:100], frame[101:102], frame[100:101], frame[102:]])


def _later_than_late(run: Recorded) -> None:
    row = run.find("packets", 20, step="late")
    packet = run.tables["packets"]["packet"][row]
    run.shift("packets", "time_s", run.find("packets", step="arrived", place="r1->bs", packet=packet), 1e-6)


def _late_of_itself(run: Recorded) -> None:
    del run.scenario["wired"][1]["reorder"]


def _late_too_often(run: Recorded) -> None:
    run.scenario["wired"][1]["reorder"]["share"] = 0.01


def _late_the_other_way(run: Recorded) -> None:
    run.scenario["wired"][1]["reorder"]["direction"] = "bs->r1"


FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    ("wire", "last-hop", _too_early),
    ("wire", "last-hop", _too_late),
    ("wire", "last-hop", _no_room),
    ("wire", "last-hop", _overtaken),
    ("wire", "varying", _outage_ignored),
    ("wire", "varying", _rate_ignored),
    ("late", "reordered", _later_than_late),
    ("late", "reordered", _late_of_itself),
    ("late", "reordered", _late_too_often),
    ("late", "reordered", _late_the_other_way),
    ("nagle", "tail", _tail_before_its_ack),
    ("nagle", "linux-tail", _two_small),
    ("walk", "last-hop", _two_fates),
    ("walk", "last-hop", _wrong_node),
    ("air", "last-hop", _talks_over),
    ("air", "last-hop", _impatient),
    ("air", "last-hop", _too_short),
    ("air", "last-hop", _too_long),
    ("air", "chain", _one_attempt_more),
    ("air", "last-hop", _not_received),
    ("exchange", "last-hop", _unanswered),
    ("exchange", "last-hop", _unasked),
    ("exchange", "last-hop", _answers_late),
    ("exchange", "last-hop", _unharmed),
    ("exchange", "last-hop", _met_nothing),
    ("exchange", "captures", _too_strong_for_that),
    ("exchange", "locks", _too_strong_for_that),
    ("exchange", "standard", _too_weak_for_that),
    ("exchange", "chain", _too_weak_for_that),
    ("exchange", "standard", _gives_up_early),
    ("exchange", "rts-cts", _without_cts),
    ("exchange", "rts-cts", _deaf_to_a_cts),
    ("exchange", "hidden", _deaf_to_the_ack_of_a_fragment),
    ("fragment", "fragments", _no_burst),
    ("fragment", "fragments", _part_of_a_packet),
    ("fragment", "fragments", _another_threshold),
    ("fragment", "fragments", _one_attempt_more),
    ("fragment", "fragments", _patient),
    ("fragment", "fragments", more("air", "attempt", 200, kind="data")),
    ("fragment", "fragments", doubled("packets", 40, step="arrived", place="bs->d")),
    ("radio", "radio", _frames_at_once),
    ("radio", "radio", _frame_too_long),
    ("radio", "radio", _out_of_nowhere),
    ("radio", "radio", _repeats_for_ever),
    ("route", "rts-cts", _the_wrong_way),
    ("route", "last-hop", _round_in_circles),
    ("fate", "told", _room_to_spare),
    ("fate", "told", _too_many_wait),
    ("fate", "last-hop", _errors_on_a_clean_channel),
    ("fate", "told", _loses_too_seldom),
    ("fate", "told", _manages_without_management),
    ("fate", "last-hop", _retries_on_a_wire),
    ("order", "last-hop", _disordered),
    ("plan", "last-hop", planned.elsewhere),
    ("plan", "chain", planned.elsewhere),
    ("plan", "varying", planned.changes_one_way),
    ("plan", "varying", planned.changes_late),
    ("plan", "varying", planned.outages_unrecorded),
    ("plan", "radio", planned.fades_one_way),
    ("walk", "last-hop", doubled("packets", 100, step="offered")),
    ("walk", "last-hop", more("packets", "bytes", 100, step="arrived", place="s->r1")),
    ("air", "last-hop", doubled("air", 100, kind="data")),
    ("air", "last-hop", more("air", "bytes", 100, kind="data")),
    ("air", "chain", more("air", "attempt", 100, kind="data")),
    ("exchange", "last-hop", more("air", "seq", 100, kind="ack")),
    ("radio", "radio", more("air", "bytes", 30, kind="data")),
    ("loss", "last-hop", _drops_gone),
    ("loss", "last-hop", _one_drop_gone),
    ("loss", "last-hop", _dropped_later),
    ("loss", "last-hop", removed("drops", 10)),
    ("loss", "last-hop", doubled("drops", 10)),
    ("loss", "last-hop", shifted("drops", 10)),
    ("loss", "last-hop", more("drops", "bytes", 10)),
    ("loss", "radio", removed("drops", 10)),
    ("loss", "chain", shifted("drops", 100)),
    ("air", "last-hop", _gives_up_after_one),
    ("queue", "last-hop", emptied("queue")),
    ("queue", "last-hop", removed("queue", 100)),
    ("queue", "last-hop", doubled("queue", 100)),
    ("queue", "last-hop", shifted("queue", 100)),
    ("queue", "chain", shifted("queue", 100)),
    ("queue", "radio", more("queue", "packets", 100)),
    ("flight", "last-hop", more("segments", "flight", 100)),
    ("flight", "last-hop", more("window", "flight", 100)),
    ("window", "last-hop", _no_threshold),
    ("window", "last-hop", _threshold_for_once),
    ("window", "last-hop", _timeout_below_the_least),
    ("window", "last-hop", doubled("window", 100)),
    ("window", "last-hop", shifted("window", 100)),
    ("window", "last-hop", more("window", "srtt_ms", 20, 40)),
    ("sack", "linux", _reports_too_much),
    ("end", "last-hop", _nothing_made),
    ("end", "last-hop", _made_and_not_sent),
    ("end", "last-hop", _hears_too_early),
    ("end", "last-hop", _does_not_hear),
    ("end", "last-hop", _handed_to_another),
    ("end", "told", _notice_from_nowhere),
    ("receiver", "last-hop", _false_ack),
    ("receiver", "last-hop", _delivered_too_much),
    ("receiver", "delayed", _acknowledges_late),
    ("receiver", "delayed", _acknowledges_too_little),
    ("receiver", "delayed", _acknowledges_no_more),
    ("sender", "last-hop", _gap),
    ("sender", "last-hop", _beyond_the_window),
    ("sender", "last-hop", _twice_its_window),
    ("sender", "linux", _twice_its_window),
    ("sender", "last-hop", _two_windows),
    ("sender", "last-hop", _more_than_is_out),
    ("sender", "varying", _more_than_there_is),
    ("sender", "last-hop", _beyond_the_receive_window),
    ("sender", "delayed", _times_out_early),
    ("counters", "last-hop", _goodput),
    ("air", "last-hop", _more_airtime),
    ("counters", "last-hop", _active),
    ("counters", "last-hop", _uncounted),
    ("counters", "last-hop", count("drops", "channel")),
    ("counters", "last-hop", count("flows", "0", "delivered_bytes")),
    ("counters", "last-hop", count("flows", "0", "sent_segments")),
    ("counters", "last-hop", count("flows", "0", "retransmissions")),
    ("counters", "last-hop", count("flows", "0", "fast_recoveries")),
    ("counters", "delayed", count("flows", "0", "timeouts")),
    ("counters", "last-hop", count("flows", "0", "srtt_ms")),
    ("counters", "told", count("flows", "0", "notices", "eln")),
    ("counters", "chain", count("drops", "route")),
    ("counters", "chain", _counts_requests_twice),
    ("counters", "varying", _never_done),
    *OF_CONVERSATIONS,
    *OF_DELAYS,
    *OF_MARKS,
    *OF_VIDEOS,
    *OF_WIFI,
]
