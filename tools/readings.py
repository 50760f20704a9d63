"""Write the blocks of docs/experiments/readings.md, and outcomes.csv, from a run under every reading.

    airhop reproduce --all --readings --quick --out DIR
    airhop reproduce koo2007 --readings --full --out FULL
    airhop reproduce yun2009/fig8 yun2009/fig12 cheng2008/table3 … --full --out FULL
    python tools/readings.py DIR FULL

If several folders contain an experiment, the last folder counts. If that folder has only the default reading
(interpretation of the paper), the verdicts under other readings come from the last earlier folder that has
them. The program keeps the prose around the blocks. It simulates nothing, so the folders must contain rows of
the current simulator. If no folder contains an experiment, its rows of outcomes.csv stay unchanged. If an
experiment of a headline is missing, the block of headlines stays unchanged.
"""

import csv
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from airhop.errors import InputError
from airhop.experiments import Outcome, Reproduced, registry
from airhop.experiments.calculation import calculated_in
from airhop.experiments.outcome import outcomes_in
from airhop.experiments.reading import DEFAULT
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio
from blocks import fill, table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "experiments" / "readings.md"
OUTCOMES, CHANGES = PAGE.parent / "outcomes.csv", PAGE.parent / "changes.toml"
COLUMNS = (
    "claim",
    "experiment",
    "whose",
    "outcome",
    "needs",
    "readings",
    "depends_on",
    "before",
    "whose_before",
)
"""Columns of outcomes.csv; `depends_on` is the conclusion over all readings for a claim that depends on a
reading.
"""
WORDS = ("reproduced", "bound met", "depends on a reading", "undecided", "not reproduced")
"""Groups of outcomes in the tables."""
PAPERS = {
    "yun2009": "Yun 2009",
    "koo2007": "Koo 2007",
    "cheng2008": "Cheng and Lin 2008",
    "kounavis1996": "Kounavis 1996",
}


@dataclass(frozen=True)
class Headline:
    """Main number of a paper, as a ratio of two curves of an experiment."""

    experiment: str
    claim: str
    """Value that the paper prints."""
    printed: float
    measured: Callable[[Samples], Ratio]


def greatest(samples: Samples, curve: str, other: str) -> Ratio:
    """Return the largest ratio of two curves over all values of the x axis."""
    return max((samples.ratio(curve, other, x) for x in samples.xs), key=lambda ratio: ratio.value)


HEADLINES = {
    "LL-ELSN": Headline(
        "yun2009/fig6", "over 400 % of Reno", 4.0, lambda samples: greatest(samples, "ll-elsn", "reno")
    ),
    "TCP-CL": Headline(
        "cheng2008/table2",
        "57 % over Reno at 8 hops",
        1.57,
        lambda samples: samples.ratio("tcp-cl", "reno", 8),
    ),
    "EBSN": Headline(
        "kounavis1996/ebsn",
        "over 50 % over basic TCP",
        1.5,
        lambda samples: samples.ratio("ebsn", "basic", samples.xs[0]),
    ),
    "WestwoodVT": Headline(
        "koo2007/fig2a",
        "41 % over WestwoodNR",
        1.41,
        lambda samples: greatest(samples, "westwood-vt", "westwood-nr"),
    ),
}


def found_in(folders: Iterable[Path]) -> dict[str, Reproduced]:
    """Read each experiment from the last folder that has it, by id.

    Other readings from the last that has them.

    Raises InputError if a folder has no runs.
    """
    found: dict[str, Reproduced] = {}
    for folder in folders:
        for id_, one in _in_folder(folder).items():
            if not one.others and id_ in found and found[id_].others:
                one.read_otherwise(found[id_].others)
            found[id_] = one
    return found


def _in_folder(folder: Path) -> dict[str, Reproduced]:
    known = registry()
    found: dict[str, Reproduced] = {
        one.experiment.id: one for one in [*outcomes_in(folder, known), *calculated_in(folder, known)]
    }
    if not found:
        raise InputError(f"{folder} has no run by this simulator")
    return found


def has_headlines(found: Mapping[str, Reproduced]) -> bool:
    """Return whether every headline's experiment was run under every reading."""
    needed = [found.get(headline.experiment) for headline in HEADLINES.values()]
    return all(one is not None and one.others for one in needed)


def headlines(found: Mapping[str, Reproduced]) -> str:
    """Return the table of each paper's headline number under each reading."""
    rows = [
        (name, headline.claim, f"{headline.printed:g}", reading, interval(headline.measured(outcome.samples)))
        for name, headline in HEADLINES.items()
        for reading, outcome in under(found[headline.experiment])
    ]
    return table(("scheme", "printed", "printed ratio", "reading", "measured ratio (95 %)"), rows, left=2)


def under(outcome: Reproduced) -> Iterable[tuple[str, Outcome]]:
    """Return an experiment's outcomes by the name of the reading, the default first."""
    for name, one in ((DEFAULT, outcome), *((reading.name, other) for reading, other in outcome.others)):
        assert isinstance(one, Outcome)
        yield name, one


# ---- outcomes --------------------------------------------------------------------------------------------


def write_outcomes(found: Mapping[str, Reproduced]) -> None:
    """Write the outcome of each claim of the papers, with its previous outcome.

    Rows of experiments that are not in `found` are kept.

    Raises InputError if an experiment lacks the readings of its last run.
    """
    known = {row["claim"]: row for row in outcome_rows()} if OUTCOMES.is_file() else {}
    rows: list[Mapping[str, str]] = []
    for id_ in dict.fromkeys([*(row["experiment"] for row in known.values()), *found]):
        last = [row for row in known.values() if row["experiment"] == id_]
        if id_ not in found:
            rows += last
        elif id_.partition("/")[0] in PAPERS:
            rows += outcomes_of(id_, found[id_], known)
            if last and int(last[0]["readings"]) > int(rows[-1]["readings"]):
                raise InputError(f"{id_} was run under {last[0]['readings']} readings, and not so here")
    with OUTCOMES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def outcomes_of(
    id_: str, outcome: Reproduced, known: Mapping[str, Mapping[str, str]]
) -> list[Mapping[str, str]]:
    """Return the rows of outcomes.csv for an experiment; `known` has the previous outcomes by claim."""
    blank = {"before": "", "whose_before": ""}
    return [
        {
            "claim": checked.claim.id,
            "experiment": id_,
            "whose": "own" if checked.claim.own else "paper",
            "outcome": checked.outcome,
            "needs": checked.needs,
            "readings": str(len(checked.judged) or 1),
            "depends_on": checked.conclusion if checked.depends_on else "",
            **{name: known.get(checked.claim.id, blank)[name] for name in blank},
        }
        for checked in sorted(outcome.claims, key=lambda checked: checked.claim.id)
    ]


def outcome_rows() -> list[dict[str, str]]:
    """Read the rows of outcomes.csv."""
    with OUTCOMES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counted(word: str) -> str:
    """Return the group of an outcome, as in `WORDS`."""
    return "depends on a reading" if word.startswith("depends on ") else word


def claims() -> str:
    """Return the table that counts the claims of each paper by outcome."""
    rows, read = [], outcome_rows()
    for paper, title in PAPERS.items():
        of_paper = [row for row in read if row["experiment"].startswith(f"{paper}/")]
        counts = Counter(counted(row["outcome"]) for row in of_paper)
        own = sum(row["whose"] == "own" for row in of_paper)
        rows.append((title, str(len(of_paper)), str(own), *(str(counts[word]) for word in WORDS)))
    return table(("paper", "claims", "Airhop's own", *WORDS), rows)


def depending() -> str:
    """Return the table of the claims that depend on a reading, with the readings."""
    rows = [
        (
            f"`{row['claim']}`",
            f"[{row['experiment']}]({row['experiment'].replace('/', '-')}.md)",
            row["depends_on"],
        )
        for row in outcome_rows()
        if row["depends_on"]
    ]
    return table(("claim", "experiment", "verdicts over all readings"), rows, left=3)


def outcomes() -> str:
    """Return the table that counts claims by outcome before and after the run."""
    rows, read = [], outcome_rows()
    for label, whose, outcome in (("before", "whose_before", "before"), ("now", "whose", "outcome")):
        for word, name in (("paper", "the papers'"), ("own", "Airhop's own")):
            counts = Counter(counted(row[outcome]) for row in read if row[whose] == word)
            rows.append((f"{name}, {label}", str(sum(counts.values())), *(str(counts[one]) for one in WORDS)))
    return table(("claims", "number of claims", *WORDS), rows)


def changes() -> str:
    """Return the table of claims whose outcome changed since the previous run, with the open questions."""
    read = {row["claim"]: row for row in outcome_rows()}
    lines = []
    for change in tomllib.loads(CHANGES.read_text(encoding="utf-8"))["change"]:
        told = ", ".join(
            f"`{claim}`: {read[claim]['before'] or 'new'} → {read[claim]['outcome']}"
            for claim in change["claims"]
        )
        lines.append((f"“{change['words']}”", change["change"], told))
    return table(("words", "change of the check", "claims, before → now"), lines, left=3)


BLOCKS: Mapping[str, Callable[[], str]] = {
    "outcomes": outcomes,
    "changes": changes,
    "claims": claims,
    "depending": depending,
}
"""Blocks that are computed from outcomes.csv."""


def main() -> int:
    """Write the blocks of the page from the folders of runs."""
    try:
        found = found_in(map(Path, sys.argv[1:]))
        write_outcomes(found)
        blocks = {name: block() for name, block in BLOCKS.items()}
        if has_headlines(found):
            blocks["headlines"] = headlines(found)
        page = fill(PAGE.read_text(encoding="utf-8"), "readings", blocks)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
