"""Faults of marks, echoes and handshakes, planted in a run with a marking bottleneck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from forged import Recorded, count


def _forge(name: str, column: str, value: str, number: int = 0, **wanted: str) -> Callable[[Recorded], None]:
    """Plant another word in a cell of `packets`."""

    def forge(run: Recorded) -> None:
        run.set("packets", column, run.find("packets", number, **wanted), value)

    forge.__name__ = f"_{name}"
    return forge


def _forge_packet(
    name: str, column: str, value: str, number: int = 0, **wanted: str
) -> Callable[[Recorded], None]:
    """Plant another word in all rows of a packet."""

    def forge(run: Recorded) -> None:
        packet = run.tables["packets"]["packet"][run.find("packets", number, **wanted)]
        frame = run.tables["packets"].with_row_index()
        for row in frame.filter(packet=packet)["index"]:
            run.set("packets", column, row, value)

    forge.__name__ = f"_{name}"
    return forge


def _queue_that_only_drops(run: Recorded) -> None:
    run.scenario["wired"][1]["queue"]["ecn"] = False


def _ecn_was_not_asked_for(run: Recorded) -> None:
    run.flow["tcp"]["ecn"] = False


def _no_handshake(run: Recorded) -> None:
    run.flow["tcp"]["handshake"] = False


def _unheard(run: Recorded) -> None:
    """Plant a lost SYN-ACK."""
    run.set("packets", "step", run.find("packets", step="delivered", flags="S.E"), "late")


def _marking(run: Recorded) -> dict[str, Any]:
    """Return the first queue of the document that marks."""
    return next(queue for queue in run.document["queues"] if queue["marked"] is not None)


def _not_counted(run: Recorded) -> None:
    run.document["queues"].remove(_marking(run))


def _marks_uncounted(run: Recorded) -> None:
    run.document["flows"][0]["marks"]["ce"] -= 1


def _marks_of_a_queue_uncounted(run: Recorded) -> None:
    _marking(run)["marked"] -= 1


FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    ("handshake", "marked", _forge_packet("syn_without_ecn", "flags", "S", step="made", flags="SEW")),
    ("handshake", "marked", _forge_packet("declined", "flags", "S.", step="made", flags="S.E")),
    ("handshake", "marked", _forge_packet("reflected", "flags", "S.EW", step="made", flags="S.E")),
    ("handshake", "marked", _ecn_was_not_asked_for),
    ("handshake", "marked", _no_handshake),
    ("handshake", "marked", _unheard),
    (
        "mark",
        "marked",
        _forge("marked_as_it_arrives", "ecn", "ce", 200, step="delivered", kind="data", ecn="ect0"),
    ),
    ("mark", "marked", _forge("mark_taken_away", "ecn", "ect0", 5, step="delivered", ecn="ce")),
    ("mark", "marked", _forge("flags_change", "flags", ".W", 200, step="arrived", flags=".")),
    ("mark", "marked", _forge_packet("capable_ack", "ecn", "ect0", 100, step="made", kind="ack")),
    (
        "mark",
        "marked",
        _forge_packet("incapable_data", "ecn", "not-ect", 100, step="made", kind="data", ecn="ect0"),
    ),
    (
        "mark",
        "marked",
        _forge_packet("capable_repair", "ecn", "ect0", 1, step="made", kind="data", ecn="not-ect"),
    ),
    ("mark", "marked", _queue_that_only_drops),
    ("mark", "marked", _not_counted),
    ("mark", "marked", count("flows", "0", "marks", "ect0")),
    ("mark", "marked", count("flows", "0", "marks", "ect1")),
    ("mark", "marked", _marks_uncounted),
    ("mark", "marked", count("flows", "0", "marks", "ece")),
    ("mark", "marked", _marks_of_a_queue_uncounted),
    ("echo", "marked", _forge_packet("echo_too_many", "flags", ".E", 50, step="made", kind="ack", flags=".")),
    ("echo", "marked", _forge_packet("echo_missing", "flags", ".", 3, step="made", kind="ack", flags=".E")),
    (
        "echo",
        "each-byte",
        _forge_packet("byte_not_echoed", "flags", ".", 3, step="made", kind="ack", flags=".E"),
    ),
    (
        "echo",
        "each-mark",
        _forge_packet("mark_not_echoed", "flags", ".", 3, step="made", kind="ack", flags=".E"),
    ),
    (
        "echo",
        "marked",
        _forge_packet("cwr_of_itself", "flags", ".W", 20, step="made", kind="data", flags="."),
    ),
    ("echo", "marked", _forge_packet("cwr_on_an_ack", "flags", ".W", 20, step="made", kind="ack", flags=".")),
    ("echo", "marked", _forge_packet("echo_on_data", "flags", ".E", 20, step="made", kind="data", flags=".")),
]
