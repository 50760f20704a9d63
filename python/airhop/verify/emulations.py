"""`python -m airhop.verify.emulations 1000`: verify random emulations in virtual time, and damage their logs.

The hosts are Airhop's TCP, and sources of random datagrams. Every replay must equal the emulation, and
contradict no law. A replay of a damaged log must fail. A finding names its seed, and `--only 17` verifies
only seed 17.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from airhop import _core
from airhop.errors import InputError, RunError, ScenarioError
from airhop.live.logs import Log
from airhop.scenario import Scenario
from airhop.verify import verify
from airhop.verify.networks import random_network

LONGEST_S = 2.0
"""Maximum duration of a random emulation in seconds."""
CHECKSUM = 4
"""Length of a checksum in a log, in bytes."""


def emulation(seed: int, path: Path) -> dict[str, Any] | None:
    """Write the log of a random emulation, and return its run document; None if the scenario is invalid."""
    draw = Random(seed)
    try:
        network = random_network(seed, path.parent)
        scenario = Scenario.load(network)
        if scenario.duration_s > LONGEST_S:
            scenario = scenario.with_({"duration": f"{LONGEST_S} s", "warmup": "0 s"})
        ends = _ends(draw, scenario)
        doors: list[tuple[str, str, str | None]] = [("a door", node, None) for node in ends]
        last_ms = int(1000 * scenario.duration_s)
        connections = [
            (draw.randrange(9), draw.randrange(last_ms), int(10 ** draw.uniform(0, 6)))
            for _ in range(draw.randrange(4))
        ]
        text, _ = _core.rehearse(
            scenario.core,
            doors,
            seed,
            draw.randrange(3),
            str(path),
            draw.random() < 0.3,
            [],
            connections,
            draw.choice((0, 20, 400)),
        )
    except ScenarioError:
        return None
    document: dict[str, Any] = json.loads(text)
    return document


def _ends(draw: Random, scenario: Scenario) -> list[str]:
    """Choose two or three nodes, mostly the ends of a flow."""
    nodes = scenario.core.nodes()
    # Flows between random nodes have no ends in the scenario.
    flows = [flow for flow in scenario.to_dict()["flow"] if {flow.get("from"), flow.get("to")} <= {*nodes}]
    flow = draw.choice(flows) if flows else {}
    ends = [flow["from"], flow["to"]] if flow and draw.random() < 0.8 else draw.sample(nodes, 2)
    others = [node for node in nodes if node not in ends]
    return [*ends, draw.choice(others)] if others and draw.random() < 0.3 else ends


def look(seed: int, folder: str) -> tuple[int, int, list[str]]:
    """Emulate, replay and verify one scenario, and damage its log; return seed, steps and findings."""
    path = Path(folder) / f"{seed}.log"
    try:
        lived = emulation(seed, path)
        if lived is None:
            return seed, 0, []
        log = Log(path)
        replayed = log.replay(trace=True)
        found = [
            f"the replay has another {key}: {replayed.document[key]}, and the emulation had {lived[key]}"
            for key in lived
            if key != "wall_s" and replayed.document[key] != lived[key]
        ]
        found += [str(finding) for finding in verify(log.scenario, replayed, most=3)]
        found += _damage(Random(seed), path)
        steps = replayed.tables["packets"].height
    except (RunError, InputError) as error:
        return seed, 0, [str(error)]
    finally:
        path.unlink(missing_ok=True)
    return seed, steps, found


def _damage(draw: Random, path: Path) -> list[str]:
    """Damage a log in several ways, and return the damages that the replay does not detect."""
    whole = path.read_bytes()
    records = list(_records(whole))
    found = []
    for _ in range(2):
        place, bit = draw.randrange(len(whole)), draw.randrange(8)
        flipped = bytearray(whole)
        flipped[place] ^= 1 << bit
        found += _undetected_damage(path, bytes(flipped), f"bit {bit} of byte {place} flipped")
    if len(records) > 2:
        first, second = sorted(draw.sample(range(len(records)), 2))
        swapped = [whole[begin:end] for begin, end in records]
        swapped[first], swapped[second] = swapped[second], swapped[first]
        if swapped[first] != swapped[second]:
            found += _undetected_damage(
                path, whole[: records[0][0]] + b"".join(swapped), "two records swapped"
            )
    cut = draw.randrange(len(whole))
    path.write_bytes(whole[:cut])
    try:
        if not any("is truncated" in note for note in Log(path).replay().notes):
            found.append(f"cut at byte {cut}, and no note says so")
    except InputError:
        if cut > records[0][0]:
            found.append(f"cut at byte {cut}, and not replayed as far as it goes")
    # Format 1 has no checksums, so that damaged records may be valid; a replay must end with a run or a
    # message.
    old = bytearray(_version_1(whole, records))
    for _ in range(draw.randrange(1, 20)):
        old[draw.randrange(records[0][0] - CHECKSUM, len(old))] ^= 1 << draw.randrange(8)
    path.write_bytes(old)
    with suppress(InputError):
        Log(path).replay()
    return found


def _undetected_damage(path: Path, damaged: bytes, how: str) -> list[str]:
    path.write_bytes(damaged)
    try:
        Log(path).replay()
    except InputError:
        return []
    return [f"{how}, and replayed without a word"]


def _records(log: bytes) -> Iterator[tuple[int, int]]:
    """Yield the begin and end offsets of a log's records."""
    (head,) = struct.unpack_from("<I", log, 11)
    begin = 15 + head + CHECKSUM
    while begin < len(log):
        kept = struct.unpack_from("<I", log, begin + 15)[0] + CHECKSUM if log[begin] == 1 else -10
        end = begin + 19 + CHECKSUM + kept
        yield begin, end
        begin = end


def _version_1(log: bytes, records: list[tuple[int, int]]) -> bytes:
    """Convert a log to version 1, without checksums."""
    parts = [log[:8], b"\1\0", log[10 : records[0][0] - CHECKSUM]]
    for begin, end in records:
        fields = begin + 19 if log[begin] == 1 else begin + 9
        parts += [log[begin:fields], log[fields + CHECKSUM : end - CHECKSUM]]
    return b"".join(parts)


def main() -> int:
    """Print every finding, and the totals."""
    parser = argparse.ArgumentParser(prog="python -m airhop.verify.emulations", description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first emulation")
    parser.add_argument("--only", type=int, help="only this seed")
    given = parser.parse_args()
    seeds = [given.only] if given.only is not None else range(given.first, given.first + given.runs)
    made = wrong = steps = 0
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor() as pool:
        for seed, read, findings in pool.map(partial(look, folder=folder), seeds, chunksize=4):
            made, steps = made + (read > 0), steps + read
            wrong += bool(findings)
            for finding in findings:
                print(f"{seed}: {finding}", flush=True)
    print(f"{made:,} emulations of {len(seeds):,}, {steps:,} steps; {wrong:,} with findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
