"""Random values for the keys of scenario files, drawn from the schema, so that new keys are included."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from airhop import _core
from airhop.errors import ScenarioError

Table = dict[str, Any]
"""Table of a scenario."""
Schema = Mapping[str, Any]

_TRIES = 8
"""Number of values to try for a key before the key is given up."""
_TYPICAL: Mapping[str, tuple[float, float]] = {
    "ns": (1, 1e6),
    "us": (1, 1e4),
    "ms": (0.1, 500),
    "s": (0.001, 2),
    "kbit/s": (20, 5000),
    "Mbit/s": (0.1, 60),
    "B": (1, 4000),
    "kB": (1, 40),
    "m": (5, 200),
    "dB": (0, 20),
    "dBm": (-80, 20),
    "MHz": (900, 6000),
    "GHz": (0.9, 6),
}
"""Typical range of a quantity by unit. Quantities in other units are not drawn."""
_MOST = 300
"""Largest drawn count if the schema allows far more; the bounds of the schema are also drawn."""
_OF_KIND = 0.3
"""Minimum probability of drawing a key of an inner table, such as a queue or a scheme."""
_EXTREME = 0.15
"""Probability of drawing a bound of a key, instead of a value between its bounds."""


class Values:
    """Random generator of values for any key of the schema."""

    def __init__(self, draw: Random, record: Path) -> None:
        self.draw = draw
        self.record = record
        """Path stem of the files that this generator writes."""

    def fill(
        self, table: Table, schema: Schema, share: float, whole: Table, nodes: Sequence[str], own: set[str]
    ) -> None:
        """Draw each missing key of `table` and of its inner tables with probability `share`.

        Values that would make the scenario invalid are dropped.

        Parameters
        ----------
        table
            A table of `whole`, changed in place.
        schema
            Schema of the table.
        share
            Probability of each key.
        whole
            The valid scenario that contains the table.
        nodes
            Names for directions, and for keys that name a node: the two ends of a link.
        own
            Keys that the caller decides.
        """
        for key, allowed in schema["properties"].items():
            if key in own or key.endswith("digest"):  # Airhop writes the digest keys itself
                pass
            elif key not in table and self.draw.random() < share:
                self._add(table, key, schema, partial(self.value, key, allowed, share, nodes), whole)
            elif key in table and (one_way := _one_way(allowed)) and self.draw.random() < share:
                self._set_per_direction(
                    table, key, partial(self.value, key, one_way, share, nodes), whole, nodes
                )
            inner = table.get(key)
            if isinstance(inner, dict) and (part := _part(allowed, inner)):
                self.fill(inner, part, max(share, _OF_KIND), whole, nodes, own)

    def _add(self, table: Table, key: str, schema: Schema, value: Callable[[], Any], whole: Table) -> None:
        """Set a key to the first valid value.

        If no value is valid beside the other keys, replace one of them.
        """
        for _ in range(_TRIES):
            table[key] = value()
            if _is_accepted(whole):
                return
        others = [other for other in table if other not in (*schema["required"], key)]
        for other in self.draw.sample(others, len(others)):
            displaced = table.pop(other)
            table[key] = value()
            if _is_accepted(whole):
                return
            table[other] = displaced
        del table[key]

    def _set_per_direction(
        self, table: Table, key: str, value: Callable[[], Any], whole: Table, nodes: Sequence[str]
    ) -> None:
        """Set different values for the two directions of a link, if valid."""
        both, (a, b) = table[key], self.draw.sample(nodes, 2)
        table[key] = {f"{a}->{b}": both, f"{b}->{a}": value()}
        if not _is_accepted(whole):
            table[key] = both

    def value(self, key: str, schema: Schema, share: float, nodes: Sequence[str]) -> Any:
        """Draw a value of the schema.

        The scenario may be invalid with this value.
        """
        draw = self.draw
        if "anyOf" in schema:
            return self.value(key, draw.choice(schema["anyOf"]), share, nodes)
        if "oneOf" in schema:
            return self._kind(draw.choice(schema["oneOf"]), share, nodes)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return draw.choice(schema["enum"])
        match schema["type"]:
            case "boolean":
                return draw.random() < 0.5
            case "integer":
                return self._count(schema)
            case "number":
                return self._number(schema)
            case "array":
                return self._list(key, schema, share, nodes)
            case "object" if one_way := _one_way(schema):
                ways = [f"{a}->{b}" for a, b in (nodes, nodes[::-1])]
                chosen = self.draw.sample(ways, self.draw.choice([1, 2]))
                return {way: self.value(key, one_way, share, nodes) for way in chosen}
            case "object":
                return self._table(schema, share, nodes)
        return self._text(key, schema, nodes)

    def _kind(self, schema: Schema, share: float, nodes: Sequence[str]) -> Table:
        """Draw a table with the key `kind`: its shortest example, or random keys."""
        if "x-example" in schema and self.draw.random() < 0.2:
            example: Table = tomllib.loads(f"table = {schema['x-example']}")["table"]
            if "file" not in example:
                return example
        return self._table(schema, max(share, _OF_KIND), nodes)

    def _table(self, schema: Schema, share: float, nodes: Sequence[str]) -> Table:
        """Draw the keys that the schema requires, and for a table with `kind` also optional keys."""
        allowed = schema["properties"]
        chance = share if "kind" in allowed else 0.0
        return {
            key: self.value(key, value, share, nodes)
            for key, value in allowed.items()
            if key in schema["required"] or (self.draw.random() < chance and not key.endswith("digest"))
        }

    def _list(self, key: str, schema: Schema, share: float, nodes: Sequence[str]) -> list[Any]:
        item = schema["items"]
        if schema.get("uniqueItems"):
            return self.draw.sample(item["enum"], self.draw.choice([0, 1, 1, 2, 3]))
        number = self.draw.randint(1, min(3, schema.get("maxItems", 3)))
        drawn = [self.value(key, item, share, nodes) for _ in range(number)]
        if number == 2 and self.draw.random() < 0.5:  # a value for each direction
            for table, (a, b) in zip(drawn, (nodes, nodes[::-1]), strict=True):
                if isinstance(table, dict) and "direction" in (_part(item, table) or {})["properties"]:
                    table["direction"] = f"{a}->{b}"
        return drawn

    def _count(self, schema: Schema) -> int:
        least, most = schema["minimum"], schema["maximum"]
        if self.draw.random() < _EXTREME:
            return int(self.draw.choice([least, most]))
        around = schema.get("default")
        if around and self.draw.random() < 0.3:
            return int(min(max(round(around * 2 ** self.draw.uniform(-3, 3)), least), most))
        return int(min(round(self._between(max(least, 1), min(most, max(_MOST, least)))), most))

    def _number(self, schema: Schema) -> float:
        least, most = schema["minimum"], schema["maximum"]
        if self.draw.random() < _EXTREME:
            # A window of a million segments may send a million packets at once.
            return float(self.draw.choice([least, min(most, _MOST)]))
        if most <= 1:
            return float(self.draw.choice([self.draw.uniform(least, most), self._between(1e-6, 1)]))
        return float(min(self._between(max(least, 0.01), min(most, _MOST)), most))

    def _text(self, key: str, schema: Schema, nodes: Sequence[str]) -> str:
        pattern = schema.get("pattern", "")
        if pattern == "->":
            return "->".join(self.draw.choice([node, node, "*"]) for node in self.draw.sample(nodes, 2))
        if units := re.search(r"\(([^()]+)\)\\s\*\$$", pattern):
            return self._quantity(units[1].split("|"))
        if key in _FILES:
            return str(_FILES[key](self.draw, self.record))
        return self.draw.choice(nodes)

    def _quantity(self, units: Sequence[str]) -> str:
        unit = self.draw.choice([unit for unit in units if unit in _TYPICAL])
        if self.draw.random() < _EXTREME:
            return f"{self.draw.choice([0, 1])} {unit}"
        least, most = _TYPICAL[unit]
        if unit in ("dB", "dBm"):
            return f"{self.draw.uniform(least, most):.3g} {unit}"
        if unit == "B":
            return f"{round(self._between(least, most))} B"
        return f"{self._between(least, most):.{self.draw.choice([1, 2, 6])}g} {unit}"

    def _between(self, least: float, most: float) -> float:
        """Draw a number with uniform logarithm."""
        return math.exp(self.draw.uniform(math.log(least), math.log(most)))


def _one_way(schema: Schema) -> Schema | None:
    """Return the schema of a value for one direction; None if the key has no such values."""
    if schema.get("propertyNames", {}).get("pattern") == "->":
        values: Schema = schema["additionalProperties"]
        return values
    return next((found for part in schema.get("anyOf", ()) if (found := _one_way(part))), None)


def _part(schema: Schema, table: Table) -> Schema | None:
    """Return the alternative of a schema that fits a table's kind or scheme; None without a match."""
    if "properties" in schema:
        constants = [(key, part["const"]) for key, part in schema["properties"].items() if "const" in part]
        return schema if all(table.get(key) == word for key, word in constants) else None
    parts = (_part(part, table) for word in ("anyOf", "oneOf") for part in schema.get(word, ()))
    return next((part for part in parts if part is not None), None)


def _is_accepted(scenario: Table) -> bool:
    try:
        _core.Scenario.from_json(json.dumps(scenario), "random", "", [], None)
    except ScenarioError:
        return False
    return True


def _deliveries(draw: Random, record: Path) -> Path:
    """Write a trace of Mahimahi: some hundred delivery opportunities in a second."""
    file = record.with_suffix(".trace")
    file.write_text("".join(f"{draw.randrange(3) + 4 * line}\n" for line in range(1, 200)))
    return file


def _fades(draw: Random, record: Path) -> Path:
    """Write a recorded channel: a fade in each of two seconds."""
    file = record.with_suffix(".csv")
    rows = [f"{second + draw.uniform(0, 0.5):.9f},{second + draw.uniform(0.5, 0.9):.9f}" for second in (0, 1)]
    file.write_text("\n".join(["begin_s,end_s", *rows, ""]))
    return file


_FILES: Mapping[str, Callable[[Random, Path], Path]] = {"deliveries": _deliveries, "file": _fades}
"""Functions that write a file, by the key that names the file."""
