"""Synthetic runs for the tests of the store, and a process that writes the runs until it is killed.

    python store_writer.py DIR SHARD-OR-- FIRST END RUNS-PER-PART [DIE-AT]

adds the runs FIRST … END - 1 to the store in DIR and prints the number of each as soon as `add` has returned,
then closes the store and prints `closed`. DIE-AT is a step of STEPS before which it kills itself.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from airhop.scenario import Scenario
from airhop.simulate import Job
from airhop.store import Store, store
from made_documents import blank_flow

SCHEMES = ("reno", "ll-elsn")
AXIS = "wlan.cell.errors.fer"


@cache
def scenario(scheme: str) -> Scenario:
    return Scenario.load("last-hop").with_({"scheme": scheme})


def job(number: int) -> Job:
    """Return the run of that number: two alternating schemes, at equal replications."""
    return Job(scenario(SCHEMES[number % 2]), seed=1, rep=number // 2)


def document(number: int) -> str:
    """Write a run document with two flows; all values follow from the number of the run."""
    flow = blank_flow() | {
        "name": "ftp",
        "scheme": SCHEMES[number % 2],
        "transport": "tcp",
        "from": "s",
        "to": "d",
        "route_hops": 3,
        "goodput_mbps": number / 7,
        "delivered_bytes": 1000 * number,
        "sent_segments": 10 * number,
        "retransmissions": number % 10,
        "timeouts": number % 3,
        "fast_recoveries": number % 5,
        "window_cuts": number % 8,
        "srtt_ms": 40.0 + 1 / (1 + number),
        "completion_s": number / 3,
        "notices": {"eln": number, "ersn": 0, "ebsn": 0, "rttn": 0, "nak": 0},
        "judgements": {
            judged: {"queue": number % 4, "aqm": 0, "channel": number, "collision": 1, "none": 2}
            for judged in ("congestion", "wireless", "undecided")
        },
        "duplicates": number % 6,
        "timeouts_warned_late": number % 2,
        "lateness": {"notices": 2 * number, "late": number, "mean_ms": 1.5 * number} if number % 2 else None,
    }
    datagrams = flow | {"name": "cbr", "scheme": None, "transport": "udp", "srtt_ms": None}
    return json.dumps(
        {
            "scenario": "last-hop",
            "seed": 1,
            "rep": number // 2,
            "duration_s": 200.0,
            "warmup_s": 10.0,
            "events": 1000 + number,
            "wall_s": os.getpid() / 1e6,  # differs between writers, and must not be stored
            "fingerprint": f"{number:016x}",
            "flows": [flow, datagrams],
            "drops": {
                "queue": 0,
                "aqm": 0,
                "channel": number,
                "collision": 1,
                "retries": 2,
                "agent": 3,
                "route": 0,
            },
        },
        indent=2,
    )


def values(number: int) -> dict[str, object]:
    """Return the varied values of the run."""
    return {AXIS: (0.001, 0.01, 0.1)[number % 3]}


def add(open_store: Any, numbers: Iterable[int]) -> None:
    for number in numbers:
        open_store.add(job(number), document(number), values(number))


def main(folder: str, shard: str, first: str, end: str, runs_per_part: str, die_at: str = "") -> None:
    store.RUNS_PER_PART = int(runs_per_part)
    with Store.open(folder, None if shard == "-" else shard) as open_store:
        if die_at:
            STEPS[die_at]()
        for number in range(int(first), int(end)):
            add(open_store, [number])
            os.write(1, b"%d\n" % number)
    os.write(1, b"closed\n")


def _dies(owner: Any, name: str, of: Callable[..., bool] = lambda *_: True) -> Callable[[], None]:
    """Return a function that replaces `owner.name`, so that the process kills itself at the next call.

    The process dies before the call, and only if `of` is true for the arguments.
    """

    def arm() -> None:
        original = getattr(owner, name)

        def instead(*arguments: Any, **options: Any) -> Any:
            if of(*arguments):
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments, **options)

        setattr(owner, name, instead)

    return arm


def is_folder(fd: int) -> bool:
    return stat.S_ISDIR(os.fstat(fd).st_mode)


def _half_a_line() -> None:
    """Die during the write of the third run, with half of its line in the journal."""
    write, count = os.write, 0

    def instead(fd: int, data: bytes) -> int:
        nonlocal count
        count += fd != 1
        if count == 3:
            write(fd, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return write(fd, data)

    os.write = instead  # type: ignore[assignment]


STEPS: dict[str, Callable[[], None]] = {
    "half a line": _half_a_line,
    "part open": _dies(Path, "open", lambda path, *_: path.name.endswith(".unfinished")),
    "part on disk": _dies(os, "fsync", lambda fd: not is_folder(fd)),
    "part named": _dies(Path, "rename"),
    "name on disk": _dies(os, "fsync", is_folder),
    "journal removed": _dies(Path, "unlink", lambda path, *_: path.name.endswith(".journal")),
}
"""Steps of a writer between the first run and the last file, and ways to kill it before each."""

if __name__ == "__main__":
    main(*sys.argv[1:])
