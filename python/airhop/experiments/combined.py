"""Combinations of readings (interpretations) of a paper, to measure the effect of each reading.

`kounavis1996/ebsn@ber-powers+reno` is an experiment with two readings. Eight readings have 256 combinations,
but sixteen combinations suffice: a fractional factorial design of resolution IV (Box, Hunter and Hunter 2005,
§6.5). In this design, the effect of a reading is not confounded with the effect of another reading or of a
pair of readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from airhop.errors import InputError
from airhop.experiments.reading import SILENT, Reading

AND = "+"
"""Separator of names in a combination of several readings (answers to open questions)."""
MOST = 8
"""Maximum number of readings (answers) in a design, because sixteen runs cannot separate more effects."""
GENERATORS = ((1, 2, 3), (0, 2, 3), (0, 1, 2), (0, 1, 3))
"""Generators of the fifth to eighth factor. Each of these factors is the product of three of the first four
factors, by index. Design 2^(8-4), resolution IV.
"""
Fixed = Mapping[str, object]


def design(count: int) -> list[tuple[bool, ...]]:
    """Return the readings (answers) of each run: all combinations of up to four, otherwise sixteen runs.

    Raises InputError for more than eight readings.
    """
    if not 1 <= count <= MOST:
        raise InputError(f"a design has 1 to {MOST} readings, not {count}")
    basic = list(product((False, True), repeat=min(count, 4)))
    return [run + tuple(_parity(run, one) for one in GENERATORS[: count - len(run)]) for run in basic]


def _parity(run: Sequence[bool], places: Sequence[int]) -> bool:
    """Return whether the product of these factors' levels (-1 or +1) is +1."""
    return sum(not run[place] for place in places) % 2 == 0


def together(readings: Sequence[Reading]) -> Reading:
    """Return one reading (answer to open questions) that combines these readings.

    Raises InputError if two readings set the same key to different values.
    """
    if len({reading.name for reading in readings}) < len(readings):
        raise InputError("each reading may occur once in a combination")
    joined = readings[0]
    for reading in readings[1:]:
        names = f"`{joined.name}` and `{reading.name}`"
        for what in ("scenario", "metric"):
            if getattr(joined, what) and getattr(reading, what):
                raise InputError(f"{names} both change the {what}")
        joined = replace(
            joined,
            name=f"{joined.name}{AND}{reading.name}",
            text=f"{joined.text} {reading.text}",
            rests_on=_words(joined.rests_on, reading.rests_on),
            settings=_joined(joined.settings, reading.settings, names),
            schemes=_nested(joined.schemes, reading.schemes, names),
            curves=_nested(joined.curves, reading.curves, names),
            scenario=joined.scenario or reading.scenario,
            metric=joined.metric or reading.metric,
            checks={**joined.checks, **reading.checks},
        )
    return joined


def _words(one: str, other: str) -> str:
    said = [words for words in (one, other) if words != SILENT]
    return " … ".join(dict.fromkeys(said)) or SILENT


def _joined(one: Fixed, other: Fixed, names: str) -> dict[str, object]:
    for path in one.keys() & other.keys():
        if one[path] != other[path]:
            raise InputError(f"{names} set `{path}` to {one[path]!r} and {other[path]!r}")
    return {**one, **other}


def _nested(one: Mapping[str, Fixed], other: Mapping[str, Fixed], names: str) -> dict[str, Fixed]:
    return {
        key: _joined(one.get(key, {}), other.get(key, {}), names) for key in dict.fromkeys((*one, *other))
    }
