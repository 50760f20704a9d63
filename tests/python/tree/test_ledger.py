"""Ledger of the papers: the letter of a row follows from its evidence, and the page from the letters."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from airhop.experiments import Claim, registry
from airhop.experiments.reading import readings

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import ledger  # noqa: E402
import papers_page  # noqa: E402
import readings as readings_page  # noqa: E402

PAPERS = ("yun2009/", "koo2007/", "cheng2008/", "kounavis1996/")
EXPERIMENTS = [one for id_, one in registry().items() if id_.startswith(PAPERS)]
CLAIMS: dict[str, Claim[Any]] = {claim.id: claim for experiment in EXPERIMENTS for claim in experiment.claims}
NAMES = {reading.name for experiment in EXPERIMENTS for reading in readings(experiment.questions)}
ROWS = [row for rows in ledger.papers().values() for row in rows]


def test_the_ledger_page_equals_the_page_generated_from_its_rows() -> None:
    """A letter, sum or count changed by hand on the page differs from the generated page."""
    assert (ROOT / "docs" / ledger.PAGE).read_text(encoding="utf-8") == ledger.page()


def test_counts_on_the_page_of_readings_equal_those_of_the_outcomes() -> None:
    """A count or outcome changed by hand on the page differs from the generated page."""
    page = (ROOT / "docs" / "experiments" / "readings.md").read_text(encoding="utf-8")
    for name, block in readings_page.BLOCKS.items():
        assert f"<!-- readings: {name} -->\n{block()}<!-- end -->" in page, name


def test_numbers_of_claims_in_ledger_rows_equal_those_of_the_experiment() -> None:
    counts = re.compile(r"`([a-z0-9]+/[a-z0-9-]+)`, (\d+) claims")
    found = [match.groups() for row in ROWS for match in counts.finditer(row.here)]
    assert found
    by_id = {one.id: len(one.claims) for one in EXPERIMENTS}
    assert {id_: int(count) for id_, count in found} == {id_: by_id[id_] for id_, _ in found}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.item[:40])
def test_claims_readings_and_tests_of_a_ledger_row_exist(row: ledger.Row) -> None:
    assert set(row.claims) <= CLAIMS.keys()
    assert set(row.readings) <= NAMES
    assert all((ROOT / path).is_file() for path in row.tests)
    assert row.here


def test_each_claim_of_a_paper_has_a_row_in_the_ledger() -> None:
    """The ledger of a paper has an item for each claim."""
    named = {claim for row in ROWS for claim in row.claims}
    assert {id_ for id_, claim in CLAIMS.items() if not claim.own} - named == set()


def test_every_claim_has_an_outcome_and_every_outcome_a_claim() -> None:
    with ledger.OUTCOMES.open(encoding="utf-8") as file:
        rows = {row["claim"]: row for row in csv.DictReader(file)}
    assert rows.keys() == CLAIMS.keys()
    assert {id_: row["whose"] for id_, row in rows.items()} == {
        id_: "own" if claim.own else "paper" for id_, claim in CLAIMS.items()
    }
    for row in rows.values():
        word = row["outcome"]
        assert word in (*ledger.HELD, ledger.FAILED, "undecided") or word.startswith("depends on ")
        assert bool(row["needs"]) is (word == "undecided"), row["claim"]
        assert word != "bound met" or CLAIMS[row["claim"]].bound


def test_letters_of_the_ledger_follow_from_outcomes() -> None:
    outcomes = {"good": "reproduced", "bound": "bound met", "bad": "not reproduced", "open": "undecided"}
    outcomes["depends"] = "depends on the delay"

    def letter(*claims: str, **more: object) -> str:
        return ledger.Row("an item", "here", claims, **more).letter(outcomes)  # type: ignore[arg-type]

    assert letter("good", "bound") == "V"
    assert letter("good", "bad") == "D"
    assert letter("good", "open") == letter("depends") == "R"
    assert letter("good", reconstructed=True) == letter("good", readings=("one",)) == "R"
    assert letter("bad", readings=("one",)) == "D"
    assert (letter(tests=("a.rs",)), letter()) == ("V", "M")
    with pytest.raises(KeyError):
        letter("unknown")


def test_sums_of_the_ledger_count_the_letters() -> None:
    counts: dict[str, Counter[ledger.Letter]] = {"A": Counter("VVR"), "B": Counter("VMMM")}  # type: ignore[arg-type]
    assert "| sum | 3 | 1 | 0 | 3 |" in ledger.sums(counts)


def test_listed_failures_have_claims_that_are_not_reproduced() -> None:
    """Each of the ten failures has claims that are not reproduced; an undecided claim is no failure."""
    page = (ROOT / "docs" / "experiments" / "papers.md").read_text(encoding="utf-8")
    failures = re.findall(r"^\d+\. .*$", page.partition("## Numbers that are not")[2], re.MULTILINE)
    assert len(failures) == 10
    outcomes = ledger.outcomes()
    for failure in failures:
        named = [word for word in re.findall(r"`([a-z0-9-]+)`", failure) if word in outcomes]
        assert named, failure
        for claim in named:
            assert outcomes[claim] == ledger.FAILED, claim
            assert not CLAIMS[claim].own, claim


def test_headlines_have_the_outcomes_of_their_claims() -> None:
    """Every headline of the page of printed numbers follows from the last run."""
    page = (ROOT / "docs" / "experiments" / "papers.md").read_text(encoding="utf-8")
    block = page.partition("<!-- papers: headlines -->")[2].partition("<!-- end -->")[0]
    told = dict(re.findall(r"^\| `([a-z0-9-]+)` .*\| ([^|]+) \|$", block, re.MULTILINE))
    assert tuple(told) == papers_page.HEADLINES
    outcomes = ledger.outcomes()
    assert told == {claim: outcomes[claim] for claim in told}
    for claim in told:
        assert f"“{CLAIMS[claim].quote}”" in block, claim


def test_pages_state_as_in_the_paper_only_for_printed_numbers_of_runs() -> None:
    """Yun prints 20 and 50 runs, Koo 10; Cheng and Lin, and Kounavis, print no number."""
    for experiment in EXPERIMENTS:
        printed = getattr(getattr(experiment, "replications", None), "printed", False)
        page = ROOT / "docs" / "experiments" / f"{experiment.id.replace('/', '-')}.md"
        assert ("replications, as in the paper" in page.read_text(encoding="utf-8")) is printed, experiment.id
        if printed:
            assert experiment.id.startswith(("yun2009/", "koo2007/")), experiment.id
