"""Writes the blocks of docs/experiments/readings.md, and outcomes.csv, from a run under every reading.

    airhop reproduce --all --readings --quick --out DIR
    airhop reproduce yun2009/fig6 cheng2008/table2 kounavis1996/ebsn koo2007/fig2a --readings --out DIR
    python tools/readings.py DIR

Prose is written by hand around them. Nothing is simulated: the rows of DIR must be those of this simulator.
"""

import csv
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from airhop.errors import InputError
from airhop.experiments import CheckedClaim, Outcome, Reproduced, registry
from airhop.experiments.calculation import calculated_in
from airhop.experiments.outcome import outcomes_in
from airhop.experiments.reading import DEFAULT
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio
from blocks import fill, table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "experiments" / "readings.md"
OUTCOMES, CHANGES = PAGE.parent / "outcomes.csv", PAGE.parent / "changes.toml"
COLUMNS = ("claim", "experiment", "whose", "outcome", "needs", "readings", "before", "whose_before")
WORDS = ("reproduced", "bound met", "hangs on a reading", "cannot be told", "not reproduced")
"""Outcomes as they are counted."""
PAPERS = {
    "yun2009": "Yun 2009",
    "koo2007": "Koo 2007",
    "cheng2008": "Cheng and Lin 2008",
    "kounavis1996": "Kounavis 1996",
}


@dataclass(frozen=True)
class Headline:
    """The number that a paper is known by, as a ratio of two curves of an experiment."""

    experiment: str
    claim: str
    """Printed value."""
    printed: float
    measured: Callable[[Samples], Ratio]


def greatest(samples: Samples, curve: str, other: str) -> Ratio:
    """Return the greatest ratio over the axis."""
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


def found_in(folder: Path) -> dict[str, Reproduced]:
    """Read what was run in a folder, by id. Raises InputError where a headline's readings are missing."""
    known = registry()
    found: dict[str, Reproduced] = {
        one.experiment.id: one for one in [*outcomes_in(folder, known), *calculated_in(folder, known)]
    }
    for headline in HEADLINES.values():
        if headline.experiment not in found or not found[headline.experiment].others:
            raise InputError(
                f"{folder} has no run of {headline.experiment} under every reading by this simulator"
            )
    return found


def headlines(found: Mapping[str, Reproduced]) -> str:
    """Tabulate the headline of each paper under each reading."""
    rows = [
        (name, headline.claim, f"{headline.printed:g}", reading, interval(headline.measured(outcome.samples)))
        for name, headline in HEADLINES.items()
        for reading, outcome in under(found[headline.experiment])
    ]
    return table(("scheme", "printed", "as a ratio", "reading", "measured (95 %)"), rows, left=2)


def under(outcome: Reproduced) -> Iterable[tuple[str, Outcome]]:
    """Return an experiment's outcomes by the name of the reading, the default first."""
    for name, one in ((DEFAULT, outcome), *((reading.name, other) for reading, other in outcome.others)):
        assert isinstance(one, Outcome)
        yield name, one


def claims(found: Mapping[str, Reproduced]) -> str:
    """Count the claims of each paper by what they come to over all readings."""
    rows = []
    for paper, title in PAPERS.items():
        judged = [
            checked
            for id_, outcome in found.items()
            if id_.startswith(f"{paper}/")
            for checked in outcome.claims
            if checked.judged
        ]
        counts = Counter(map(group, judged))
        own = sum(checked.claim.own for checked in judged)
        rows.append((title, str(len(judged)), str(own), *(str(counts[word]) for word in GROUPS)))
    return table(("paper", "claims", "own", *GROUPS), rows)


GROUPS = ("hold", "hold where decided", "hang on a reading", "fail where decided", "fail", "open")


def group(checked: CheckedClaim) -> str:
    """Return the group of a claim, by its verdicts over all readings."""
    words = {one.result.word for one in checked.judged}
    if {"holds", "fails"} <= words:
        return "hang on a reading"
    (word,) = words - {"open"} or {"open"}
    where = " where decided" if len(words) > 1 else ""
    return {"holds": "hold", "fails": "fail", "open": "open"}[word] + where


def hanging(found: Mapping[str, Reproduced]) -> str:
    """List the claims that hang on a reading, and on which."""
    rows = [
        (f"`{checked.claim.id}`", f"[{id_}]({id_.replace('/', '-')}.md)", checked.conclusion)
        for paper in PAPERS
        for id_, outcome in found.items()
        if id_.startswith(f"{paper}/")
        for checked in outcome.claims
        if checked.judged and group(checked) == "hang on a reading"
    ]
    return table(("claim", "experiment", "over all readings"), rows, left=3)


# ---- outcomes --------------------------------------------------------------------------------------------


def known_before() -> dict[str, tuple[str, str]]:
    """Read what each claim came to before all were read again, and whose it was."""
    if not OUTCOMES.is_file():
        return {}
    with OUTCOMES.open(encoding="utf-8") as file:
        return {row["claim"]: (row["before"], row["whose_before"]) for row in csv.DictReader(file)}


def write_outcomes(found: Mapping[str, Reproduced]) -> None:
    """Write the outcome of each claim of the papers; what it was before is kept."""
    before = known_before()
    rows = [
        (
            checked.claim.id,
            id_,
            "own" if checked.claim.own else "paper",
            checked.outcome,
            checked.needs,
            len(checked.judged) or 1,
            *before.get(checked.claim.id, ("", "")),
        )
        for id_, outcome in found.items()
        if id_.partition("/")[0] in PAPERS
        for checked in sorted(outcome.claims, key=lambda checked: checked.claim.id)
    ]
    with OUTCOMES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


def outcome_rows() -> list[dict[str, str]]:
    """Read the outcomes that were written last."""
    with OUTCOMES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counted(word: str) -> str:
    """Name the group of an outcome."""
    return "hangs on a reading" if word.startswith("hangs on ") else word


def outcomes(_: Mapping[str, Reproduced]) -> str:
    """Count the claims by outcome, before and after, those of the papers and Airhop's own."""
    rows, read = [], outcome_rows()
    for label, whose, outcome in (("before", "whose_before", "before"), ("now", "whose", "outcome")):
        for word, name in (("paper", "the papers'"), ("own", "Airhop's own")):
            counts = Counter(counted(row[outcome]) for row in read if row[whose] == word)
            rows.append((f"{name}, {label}", str(sum(counts.values())), *(str(counts[one]) for one in WORDS)))
    return table(("claims", "n", *WORDS), rows)


def changes(_: Mapping[str, Reproduced]) -> str:
    """List what changed of which claims, and the words that it rests on."""
    read = {row["claim"]: row for row in outcome_rows()}
    lines = []
    for change in tomllib.loads(CHANGES.read_text(encoding="utf-8"))["change"]:
        told = ", ".join(
            f"`{claim}`: {read[claim]['before'] or 'new'} → {read[claim]['outcome']}"
            for claim in change["claims"]
        )
        lines.append((f"“{change['words']}”", change["change"], told))
    return table(("words", "what changed", "claims, before → now"), lines, left=3)


BLOCKS: Mapping[str, Callable[[Mapping[str, Reproduced]], str]] = {
    "outcomes": outcomes,
    "changes": changes,
    "headlines": headlines,
    "claims": claims,
    "hanging": hanging,
}


def main() -> int:
    """Fill the page from the folder of a run."""
    try:
        found = found_in(Path(sys.argv[1]))
        write_outcomes(found)
        blocks = {name: block(found) for name, block in BLOCKS.items()}
        page = fill(PAGE.read_text(encoding="utf-8"), "readings", blocks)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
