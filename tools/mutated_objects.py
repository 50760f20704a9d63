"""Run mutated BPF objects, each of which must be refused, fault or run, in bounded time and memory.

    .venv/bin/python tools/mutated_objects.py 10000 [SEED]

Each mutant of a shipped object is simulated for 2 s of `last-hop` in a separate process, and the program
prints the numbers of outcomes. Exit code 1: a mutant panicked, or took more than 10 s of CPU time or 100 MB.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from airhop import InputError, Scenario, _core, plugins, run
from airhop.errors import SchemeError
from airhop.objects import SHIPPED

LONGEST_S = 10
MOST_MB = 100
INSTRUCTION = 8
OUTCOMES = ("ran", "fault", "refused")
"""Outcomes by exit code minus one, because exit code 0 must not be an outcome."""


def code(data: bytes) -> list[tuple[int, int]]:
    """Return the executable sections of a 64-bit ELF file: first byte and length."""
    table, size, count = (
        int.from_bytes(data[at : at + n], "little") for at, n in ((40, 8), (58, 2), (60, 2))
    )
    found = []
    for number in range(count):
        head = data[table + number * size : table + (number + 1) * size]
        flags, at, length = (int.from_bytes(head[i : i + 8], "little") for i in (8, 24, 32))
        if flags & 4 and length:
            found.append((at, length))
    return found


def mutant(data: bytes, draw: random.Random) -> bytes:
    """Return the data with changed random bytes, or with one changed field or instruction."""
    changed, sections = bytearray(data), code(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 8))):
        if draw.random() < 0.25:
            changed[draw.randrange(len(changed))] = draw.randrange(256)
            continue
        start, length = draw.choice(sections)
        at = start + INSTRUCTION * draw.randrange(length // INSTRUCTION)
        match draw.randrange(4):
            case 0:
                changed[at + draw.randrange(INSTRUCTION)] = draw.randrange(256)
            case 1:
                changed[at + 2 : at + 4] = draw.randrange(-40, 40).to_bytes(2, "little", signed=True)
            case 2:
                number = draw.choice((0, 1, -1, 1 << 30, -(1 << 31), draw.randrange(-200, 200)))
                changed[at + 4 : at + 8] = number.to_bytes(4, "little", signed=True)
            case _:
                other = start + INSTRUCTION * draw.randrange(length // INSTRUCTION)
                changed[at : at + INSTRUCTION] = data[other : other + INSTRUCTION]
    return bytes(changed)


def simulate(file: Path) -> int:
    """Simulate the control of an object, and return the index of the outcome in `OUTCOMES`."""
    try:
        name = plugins.load(file)[0]
        scenario = Scenario.load("last-hop").with_(
            {"flow.ftp.scheme": name, "duration": "2 s", "warmup": "0 s"}
        )
    except InputError:
        return 2
    try:
        run(scenario)
    except SchemeError:
        return 1
    return 0


def outcome(file: Path, before_kb: int) -> tuple[str, float, float]:
    """Simulate in a separate process; return the outcome, the CPU seconds and the megabytes."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * LONGEST_S, 3 * LONGEST_S))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(simulate(file) + 1)
    _, status, usage = os.wait4(child, 0)
    ended = os.waitstatus_to_exitcode(status) - 1
    what = OUTCOMES[ended] if 0 <= ended < len(OUTCOMES) else f"crash {ended + 1}"
    return what, usage.ru_utime + usage.ru_stime, max(0, usage.ru_maxrss - before_kb) / 1024


def mutants(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield `count` mutants of the shipped objects, each with its name."""
    objects = [(path.name, path.read_bytes()) for path in sorted(SHIPPED.glob("*.bpf.o"))]
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        name, data = draw.choice(objects)
        yield f"{number} of {name}", mutant(data, draw)


def main() -> int:
    """Run the mutants, print their outcomes, and return whether a mutant exceeded a limit."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    # loads modules and fills caches once, before the fork of processes
    run(Scenario.load("last-hop").with_({"duration": "1 s", "warmup": "0 s"}))
    assert _core.threads_at_work() == 0
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes, longest, most, wrong = Counter[str](), 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mutant.bpf.o"
        for name, data in mutants(count, seed):
            file.write_bytes(data)
            what, seconds, megabytes = outcome(file, before_kb)
            outcomes[what] += 1
            longest, most = max(longest, seconds), max(most, megabytes)
            if what.startswith("crash") or seconds > LONGEST_S or megabytes > MOST_MB:
                wrong += 1
                print(f"{name}: {what}, {seconds:.1f} s, {megabytes:.0f} MB", flush=True)
    parts = ", ".join(f"{number} {what}" for what, number in sorted(outcomes.items()))
    print(f"{count} mutants: {parts}; {longest:.2f} s and {most:.0f} MB at most")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
