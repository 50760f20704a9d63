"""Write the tables of docs/experiments/papers.md: printed numbers of four papers, and simulated numbers.

    airhop reproduce cheng2008/table2 … cheng2008/table7 koo2007 --full --out FULL
    airhop reproduce yun2009/table1 yun2009/fig6 kounavis1996/ebsn kounavis1996/loss-formula --quick --out DIR
    python tools/papers_page.py FULL DIR

The values of a table come from the first folder with its experiment, with the default reading (interpretation
of the paper). A block without its experiments in any folder stays unchanged, and the program prints its name.
The program simulates nothing.
"""

import csv
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from airhop.errors import InputError
from airhop.experiments import Calculation, Experiment, Outcome, registry
from airhop.experiments.calculation import Calculated, calculated_in
from airhop.experiments.cheng2008 import UNIT, source
from airhop.experiments.koo2007 import OWN, SOURCES
from airhop.experiments.outcome import outcomes_in
from airhop.experiments.printed import PrintedCheck, gained, gains_of, means
from airhop.numerals import interval
from blocks import fill, table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "experiments" / "papers.md"
OUTCOMES = PAGE.parent / "outcomes.csv"
MARKS: Mapping[bool | None, str] = {True: "met", False: "missed", None: "open"}
SHOWN = (
    *(f"cheng2008/table{number}" for number in range(2, 8)),
    "koo2007/fig2a",
    "koo2007/fig2b",
    *(f"yun2009/{name}" for name in ("table1", "fig3", "fig4", "fig6", "fig7", "fig8", "fig10")),
    *(f"kounavis1996/{name}" for name in ("ebsn", "ebsn-m2m", "loss-formula")),
)
"""The experiments of the page."""
Found = Mapping[str, Outcome | Calculated]


def found_in(folders: Sequence[Path]) -> dict[str, Outcome | Calculated]:
    """Read the outcomes under the default interpretation of each paper; earlier folders take precedence."""
    found: dict[str, Outcome | Calculated] = {}
    for folder in reversed(folders):
        known = {id_: one for id_, one in registry().items() if id_ in SHOWN}
        # Remove open questions, so that claims are checked only with the default answers.
        experiments = {
            id_: replace(one, questions=()) for id_, one in known.items() if isinstance(one, Experiment)
        }
        calculations = {
            id_: replace(one, questions=()) for id_, one in known.items() if isinstance(one, Calculation)
        }
        found |= {one.experiment.id: one for one in outcomes_in(folder, experiments)}
        found |= {one.experiment.id: one for one in calculated_in(folder, calculations)}
    return found


class NotRunError(InputError):
    """Error: no folder has a run of the experiment by this version of the simulator."""


def outcome(found: Found, id_: str) -> Outcome:
    """Find the outcome of a study. Raises NotRunError if no folder has it."""
    one = found.get(id_)
    if not isinstance(one, Outcome):
        raise NotRunError(f"no folder has a run of {id_} by this simulator")
    return one


def mark(one: PrintedCheck) -> str:
    """Return the verdict on a printed number."""
    return MARKS[one.met.holds] if one.met.holds is not None or one.is_decisive else "undecided"


def measured(one: PrintedCheck, digits: int) -> str:
    """Format a measured number with its interval, without line breaks."""
    return unbroken(f"{one.mean:.{digits}f} ({one.low:.{digits}f}–{one.high:.{digits}f})".replace("-", "−"))


def unbroken(number: str) -> str:
    """Replace spaces, so that no line break separates a number from its unit and interval."""
    return number.replace(" ", "\N{NO-BREAK SPACE}").replace("–", "\N{WORD JOINER}–\N{WORD JOINER}")


def cheng(number: int) -> Callable[[Found], str]:
    """Return the function that makes a table of Cheng and Lin: printed and measured numbers."""

    def block(found: Found) -> str:
        one = outcome(found, f"cheng2008/table{number}")
        experiment, published = one.experiment, one.experiment.published or {}
        curves = list(dict.fromkeys(curve for curve, _ in published))
        rows = []
        for x in one.samples.xs:
            for curve in curves:
                cell = {key: value for key, value in published.items() if key == (curve, x)}
                (judged,) = means(one.samples, experiment.axis, source(number), cell, (curve,), UNIT).values()
                rows.append(
                    (
                        unbroken(experiment.axis.text(x)),
                        experiment.labels[curve],
                        f"{judged.printed:.2f}",
                        measured(judged, 2),
                        unbroken(f"{100 * judged.off:+.0f} %".replace("-", "−")),
                        f"± {judged.tolerance:.2f}",
                        mark(judged),
                    )
                )
        gains = gains_of(one.samples, experiment.axis, source(number), published, "tcp-cl", "reno")
        last = list(gains)[-1]
        rows.append(
            (
                unbroken(experiment.axis.text(one.samples.xs[-1])),
                "TCP-CL over Reno, %",
                f"{gains[last].printed:.0f}",
                measured(gains[last], 0),
                "",
                gains[last].tolerated.replace("-", "−"),
                mark(gains[last]),
            )
        )
        head = (
            experiment.axis.label.lower(),
            "scheme",
            "printed",
            "measured (95 %)",
            "difference",
            "tolerance",
            "verdict",
        )
        return (
            f"Each number is a mean of {one.reps} runs. The columns *printed* and *measured* contain goodput"
            " in Mbit/s; in the last row they contain the gain of TCP-CL over Reno in per cent.\n\n"
        ) + table(head, rows, left=2)

    return block


def koo(found: Found) -> str:
    """Return the table of the printed and measured gains of Koo 2007."""
    rows = []
    for figure, asked in KOO.items():
        one = outcome(found, f"koo2007/{figure}")
        for word, other, at, gain in asked:
            ratios = {x: one.samples.ratio(OWN, other, x) for x in one.samples.xs}
            order = sorted(ratios, key=lambda x: ratios[x].value)
            x = {"least": order[0], "greatest": order[-1]}.get(word, at)
            judged = gained(SOURCES[figure], ratios[x], gain, OWN, other, x)
            label = one.experiment.labels[other]
            rows.append(
                (
                    f"{figure[-2:]}: {word or one.experiment.axis.text(x)} over {label}",
                    f"{gain:g}",
                    measured(judged, 1),
                    judged.tolerated.replace("-", "−"),
                    mark(judged),
                )
            )
    head = ("gain of WestwoodVT's goodput, %", "printed", "measured (95 %)", "tolerance", "verdict")
    return (
        "Each number is a mean of 10 runs, as in the paper. The first column names the figure, then the error"
        " rate, or the least or greatest gain of the figure.\n\n"
    ) + table(head, rows)


KOO: Mapping[str, Sequence[tuple[str, str, float, float]]] = {
    "fig2a": (
        ("", "westwood-nr", 0.01, 3),
        ("", "westwood-nr", 0.02, 11),
        ("", "reno", 0.01, 21),
        ("", "reno", 0.02, 54),
        ("greatest", "westwood-nr", 0, 41),
        ("greatest", "reno", 0, 118),
    ),
    "fig2b": (("least", "westwood-nr", 0, 6), ("greatest", "westwood-nr", 0, 24)),
}
"""Printed gains by figure: place in the paper, other scheme, error rate, gain in per cent."""


def headlines(found: Found) -> str:
    """List the headlines that are claims, with measured values and outcomes.

    If no folder has the experiment of a value, the value on the page stays unchanged. Quotes come from the
    claims, and outcomes from outcomes.csv.
    """
    with OUTCOMES.open(encoding="utf-8") as file:
        known = {row["claim"]: row["outcome"] for row in csv.DictReader(file)}
    quotes = {claim.id: claim.quote for id_ in SHOWN for claim in registry()[id_].claims}
    measured = last_measured(PAGE.read_text(encoding="utf-8"))
    measured |= {claim.claim.id: claim.result.measured for one in found.values() for claim in one.claims}
    rows = []
    for claim in HEADLINES:
        if claim not in measured:
            raise NotRunError(f"no folder has a run of the experiment of {claim}")
        rows.append((f"`{claim}`", f"“{quotes[claim]}”", measured[claim], known[claim]))
    return table(("claim", "printed", "measured (95 %)", "outcome"), rows, left=4)


def last_measured(page: str) -> dict[str, str]:
    """Read the measured values of the headlines from the page."""
    block = page.partition("<!-- papers: headlines -->")[2].partition("<!-- end -->")[0]
    return dict(re.findall(r"^\| `([a-z0-9-]+)` \| “.*” \| (.*) \| [^|]+ \|$", block, re.MULTILINE))


HEADLINES = (
    "yun-1",
    "yun-12-eln",
    "yun-12-hack",
    "yun-12-lhp",
    "yun-12-ll-elsn",
    "yun-3",
    "yun-13",
    "yun-8",
    "yun-4-axis",
    "yun-5-axis",
    "yun-6-axis",
    "kou-2",
    "kou-3",
    "kou-1-arithmetic",
    "kou-1-example",
)


def effect(found: Found) -> str:
    """Return a table of the ratios in the abstracts, at each value of their axes."""
    fig6, ebsn = outcome(found, "yun2009/fig6"), outcome(found, "kounavis1996/ebsn")
    rows = [
        (
            f"LL-ELSN over {fig6.experiment.labels[other]}, FER {fig6.experiment.axis.text(x)}",
            printed,
            unbroken(interval(fig6.samples.ratio("ll-elsn", other, x))),
        )
        for other, printed in (("reno", "> 4"), ("snoop", "> 1.5"))
        for x in fig6.samples.xs
    ]
    for x in ebsn.samples.xs:
        told = f"EBSN over basic TCP, {ebsn.experiment.axis.text(x)}"
        rows.append((told, "> 1.5", unbroken(interval(ebsn.samples.ratio("ebsn", "basic", x)))))
    head = ("ratio", "printed", "measured (95 %)")
    return (
        f"The table contains ratios of two goodputs: means of {fig6.reps} runs for LL-ELSN, and of"
        f" {ebsn.reps} runs for EBSN.\n\n"
    ) + table(head, rows)


BLOCKS: Mapping[str, Callable[[Found], str]] = {
    "headlines": headlines,
    "ratios": effect,
    "koo": koo,
    **{f"table {number}": cheng(number) for number in range(2, 8)},
}


def main() -> int:
    """Fill the page from the folders of runs."""
    try:
        found = found_in([Path(folder) for folder in sys.argv[1:]])
        blocks = {}
        for name, block in BLOCKS.items():
            try:
                blocks[name] = block(found)
            except NotRunError as missing:
                print(f"{name} stays as it is: {missing}", file=sys.stderr)
        page = fill(PAGE.read_text(encoding="utf-8"), "papers", blocks)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
