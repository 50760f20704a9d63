"""Faults in the quality of calls and games, and in the records from which it follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from forged import Recorded, count

CALL, GAME, REVERSE = ("flows", 0, "call"), ("flows", 1, "game"), ("flows", 3, "call")


def _scaled(*path: str | int, factor: float = 1.001) -> Callable[[Recorded], None]:
    """Plant a number that is too large by a factor."""

    def forge(run: Recorded) -> None:
        table: Any = run.document
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] *= factor

    forge.__name__ = "_" + "_".join(map(str, path))
    return forge


def _unrated(run: Recorded) -> None:
    run.document["flows"][0]["call"]["r"] = None


def _without_quality(run: Recorded) -> None:
    del run.document["flows"][1]["game"]


def _class_without_quality(run: Recorded) -> None:
    del run.document["classes"][0]["call"]


def _off_beat(run: Recorded) -> None:
    """Plant a packet that is sent a microsecond late."""
    run.shift("packets", "time_s", run.find("packets", 20, flow="call", step="made"), 1e-6)


def _begins_late(run: Recorded) -> None:
    run.flow["start"] = "1 ms"


def _arrives_too_late(run: Recorded) -> None:
    """Plant an arrival a second after the playout time."""
    run.shift("packets", "time_s", run.find("packets", 60, flow="call reverse", step="delivered"), 1.0)


def _never_arrives(run: Recorded) -> None:
    run.remove("packets", run.find("packets", 60, flow="game reverse", step="delivered"))


def _longer_playout(run: Recorded) -> None:
    run.flow["app"]["playout"] = "80 ms"


FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    *(("conversation", "talk", count("flows", "0", "call", key)) for key in ("played", "late", "lost")),
    *(("conversation", "talk", count("flows", "1", "game", key)) for key in ("in_time", "late", "lost")),
    *(
        ("conversation", "talk", _scaled(*CALL, key))
        for key in ("late_pct", "lost_pct", "mouth_to_ear_ms", "burst_ratio", "idd", "ie_eff", "r", "mos")
    ),
    ("conversation", "talk", _scaled(*GAME, "late_pct")),
    ("conversation", "talk", _scaled(*REVERSE, "r")),
    ("conversation", "talk", _scaled("classes", 0, "call", "r_min")),
    ("conversation", "talk", _scaled("classes", 0, "call", "mos")),
    ("conversation", "talk", _unrated),
    ("conversation", "talk", _without_quality),
    ("conversation", "talk", _class_without_quality),
    ("conversation", "talk", _off_beat),
    ("conversation", "talk", _begins_late),
    ("conversation", "talk", _arrives_too_late),
    ("conversation", "talk", _never_arrives),
    ("conversation", "talk", _longer_playout),
]
