"""Law of Nagle's algorithm: a small segment waits for acknowledgements (RFC 9293 §3.7.4)."""

from __future__ import annotations

from collections.abc import Iterator

from airhop.verify.trace import Finding, Trace, quantity

_LONE = ("probe", "notice")
"""Causes of segments that Nagle's algorithm does not delay (RFC 8985 §7.3)."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare each small segment of new data with the outstanding data.

    With preset linux, the previous small segment must be acknowledged (Minshall). With other presets, all
    data must be acknowledged.
    """
    for name, flow in trace.flows.items():
        if flow["transport"] != "tcp" or not flow["tcp"]["nagle"] or name in trace.real:
            continue
        full = quantity(flow["segment"])
        is_minshall = flow["tcp"]["preset"] == "linux"
        acknowledged = top = 1
        awaited = 0  # end of the data whose ACK a small segment awaits
        acks = [(time, 0, ack, 0, "", False) for time, ack in trace.rows_of(name, "acks", "ack")]
        sent = [
            (time, 1, seq, size, cause, fin)
            for time, seq, size, cause, fin in trace.rows_of(name, "segments", "seq", "bytes", "cause", "fin")
        ]
        # The order of events at one instant is not recorded; an ACK may release the following segment.
        for time, is_sent, seq, size, cause, fin in sorted([*acks, *sent], key=lambda event: event[:2]):
            if not is_sent:
                acknowledged = max(acknowledged, seq)
                continue
            # the last data before a FIN does not wait (RFC 9293 §3.6)
            is_small = size < full and seq >= top and not fin
            if is_small and acknowledged < awaited and cause not in _LONE:
                text = f"{size} bytes from {seq} on leave as {awaited - acknowledged} are outstanding"
                yield Finding("nagle", time / 1e9, name, text)
            top = max(top, seq + size + fin)
            if is_small or not is_minshall:
                awaited = top
