"""Law of the TCP handshake: order of its packets, and negotiation of ECN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from airhop.catalogue import flagged_schemes
from airhop.verify.trace import Finding, Step, Trace

_ANSWERS = {"split"}
"""Services with an agent that answers a SYN in place of the receiver, and sends a SYN of its own."""


def uses_ecn(flow: Mapping[str, Any]) -> bool:
    """Return whether both ends of a flow use ECN, by configuration or because the scheme needs marks."""
    schemes = flagged_schemes("echoes-each-byte") | flagged_schemes("echoes-each-mark")
    return bool(flow["tcp"]["ecn"]) or flow["scheme"] in schemes


@dataclass
class _Handshake:
    """State of a flow's handshake."""

    flow: Mapping[str, Any]
    asked: bool = False
    """True if a SYN has reached the receiver."""
    answered: bool = False
    """True if a SYN-ACK has reached the sender."""

    def on_step(self, step: Step) -> str | None:
        """Process a step of a TCP packet; return the error, or None."""
        is_answered = bool(_ANSWERS & set(self.flow["services"]))
        if "S" not in step.flags:
            at_sender = step.step == "made" and step.place == self.flow["from"]
            too_early = at_sender and self.flow["tcp"]["handshake"] and not self.answered
            return "a segment is sent, and no SYN-ACK has come" if too_early else None
        if not self.flow["tcp"]["handshake"]:
            return "a SYN, and the connection begins without"
        if step.step == "delivered":
            self.asked |= "." not in step.flags and step.place == self.flow["to"]
            self.answered |= "." in step.flags and step.place == self.flow["from"]
        if step.step != "made":
            return None
        return self._made(step, is_answered)

    def _made(self, step: Step, is_answered: bool) -> str | None:
        is_answer = "." in step.flags
        # RFC 3168 §6.1.1: ECE and CWR request ECN, and ECE alone accepts it.
        bits = ("E" if is_answer else "EW") if uses_ecn(self.flow) else ""
        expected = ("S." if is_answer else "S") + bits
        if step.flags != expected:
            return f"a packet with {step.flags}, and {expected} is what its end makes of ECN"
        if not is_answered and step.place != self.flow["to" if is_answer else "from"]:
            return f"a packet with {step.flags} from an end that has none to send"
        if is_answer and not is_answered and not self.asked:
            return "a SYN-ACK, and no SYN has come"
        return None


def check(trace: Trace) -> Iterator[Finding]:
    """Follow the handshake of each TCP flow."""
    handshakes = {name: _Handshake(flow) for name, flow in trace.flows.items() if flow["transport"] == "tcp"}
    for step in trace.steps:
        is_seen = step.step == "made" or "S" in step.flags
        if is_seen and step.flow in handshakes and step.flags != "-" and not step.damaged:
            text = handshakes[step.flow].on_step(step)
            if text is not None:
                yield Finding("handshake", step.time / 1e9, step.place, text)
