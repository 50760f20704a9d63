"""The fuzzer's dictionary has every key and value of the schema of scenario files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DICTIONARY = Path(__file__).resolve().parents[3] / "fuzz" / "scenario.dict"


def _vocabulary(schema: Any) -> Iterator[str]:
    """Yield the keys of a schema, and its words in quotes, as lines of a dictionary."""
    if isinstance(schema, list):
        for one in schema:
            yield from _vocabulary(one)
    elif isinstance(schema, dict):
        yield from (f'"{key}"' for key in schema.get("properties", ()))
        words = [*schema.get("enum", ()), schema.get("const")]
        yield from (rf'"\"{word}\""' for word in words if isinstance(word, str))
        for one in schema.values():
            yield from _vocabulary(one)


def test_the_fuzzing_dictionary_has_every_key_and_value_of_the_schema() -> None:
    known = set(_DICTIONARY.read_text().splitlines())
    # A separate process, in which no test has registered a scheme.
    asked = [sys.executable, "-c", "from airhop import _core; print(_core.schema())"]
    schema = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    assert sorted(set(_vocabulary(schema)) - known) == []
