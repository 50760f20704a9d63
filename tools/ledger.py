"""Make the ledger of the four papers, docs/experiments/ledger.md, from ledger.toml and outcomes.csv.

A row of ledger.toml is an item of a paper with its evidence. From the evidence the module derives the row's
letter (kind of reproduction) and all sums. `tools/readings.py` writes the outcomes of claims.
"""

import csv
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from blocks import table

DOCS = Path(__file__).resolve().parent.parent / "docs"
ROWS, OUTCOMES = DOCS / "experiments" / "ledger.toml", DOCS / "experiments" / "outcomes.csv"
PAGE = "experiments/ledger.md"
Letter = Literal["V", "R", "D", "M"]
LETTERS: tuple[Letter, ...] = ("V", "R", "D", "M")
HELD = ("reproduced", "bound met")
FAILED = "not reproduced"
HEAD = """# Ledger of the four papers

This page lists every item of the four papers with which Airhop began, and its outcome. The letter of a row is
computed from the evidence of the row:

- **V** verified: tests, or claims that are all reproduced or meet their bound.
- **R** reconstructed: the paper is silent or ambiguous, and the readings are named; or a claim depends on a
  reading or is undecided.
- **D** different from print: a claim of the row is not reproduced.
- **M** missing: the printed item is lost, or no result needs it; the row has no evidence.

[Readings of the papers](readings.md) defines readings, and lists the outcomes of claims under each reading.
[Printed and measured numbers](papers.md) compares tables and headline numbers.
"""


@dataclass(frozen=True)
class Row:
    """Item of a paper (result, figure or algorithm), with the evidence that determines its letter."""

    item: str
    here: str
    """Description of the item's reproduction in Airhop."""
    claims: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    """Paths of test files."""
    readings: tuple[str, ...] = ()
    """Names of readings that answer open questions of the paper."""
    reconstructed: bool = False
    """True if the paper lacks a part of the item, and no other reading (interpretation) is based on its text.
    """

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> "Row":
        """Read a row of the file. Raises TypeError for an unknown key."""
        fields: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
        }
        return cls(**fields)

    def letter(self, outcomes: Mapping[str, str]) -> Letter:
        """Derive the letter from the outcomes of the claims; KeyError for a claim without an outcome."""
        found = [outcomes[claim] for claim in self.claims]
        if FAILED in found:
            return "D"
        if self.readings or self.reconstructed or any(outcome not in HELD for outcome in found):
            return "R"
        return "V" if self.claims or self.tests else "M"


def papers() -> dict[str, list[Row]]:
    """Read the rows of each paper, in order."""
    document = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    return {paper["name"]: [Row.read(row) for row in paper["row"]] for paper in document["paper"]}


def outcomes() -> dict[str, str]:
    """Read the outcome of each claim."""
    with OUTCOMES.open(encoding="utf-8") as file:
        return {row["claim"]: row["outcome"] for row in csv.DictReader(file)}


def rests_on(row: Row, found: Mapping[str, str]) -> str:
    """Return the evidence of a row: claims (with the outcome if a claim does not hold), tests, readings."""
    told = [f"`{claim}`" if found[claim] in HELD else f"`{claim}` ({found[claim]})" for claim in row.claims]
    told += [f"`{test}`" for test in row.tests]
    told += [f"readings {', '.join(f'`{name}`' for name in row.readings)}"] if row.readings else []
    return ", ".join(told) or "–"


def page() -> str:
    """Make the page."""
    found, parts = outcomes(), [HEAD]
    counts: dict[str, Mapping[Letter, int]] = {}
    for name, rows in papers().items():
        lines = [(row.item, row.letter(found), row.here, rests_on(row, found)) for row in rows]
        counts[name] = Counter(letter for _, letter, _, _ in lines)
        head = ("item", "letter", "in Airhop", "evidence")
        parts.append(f"\n## {name}\n\n{table(head, lines, left=4)}")
    parts.append(f"\n## Counts\n\n{sums(counts)}")
    return "".join(parts)


def sums(counts: Mapping[str, Mapping[Letter, int]]) -> str:
    """Tabulate the number of rows by paper and letter."""
    total: Counter[Letter] = sum((Counter(one) for one in counts.values()), Counter())
    rows: Sequence[tuple[str, Mapping[Letter, int]]] = [*counts.items(), ("sum", total)]
    return table(("paper", *LETTERS), [(name, *(str(of[letter]) for letter in LETTERS)) for name, of in rows])
