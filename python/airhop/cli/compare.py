"""`airhop compare`."""

from __future__ import annotations

import tomllib
from typing import Annotated

from cyclopts import Parameter

from airhop.analysis.measures import ACTIVE, AIRTIME_JAIN, LOSS, MEASURES
from airhop.cli import EXIT_INTERRUPTED
from airhop.cli.common.app import Json, ScenarioName, SchemeName, Seed, Services, Sets, Whole, With
from airhop.cli.common.output import console, print_json, print_table, say
from airhop.cli.shown.flows import QUALITIES, heading, over_what
from airhop.cli.shown.judgements import print_shares
from airhop.comparison import SHOWN_OF_DATAGRAMS, Comparison, InterruptedComparison, Row
from airhop.comparison import compare as run_comparison
from airhop.comparison.classes import class_tables
from airhop.comparison.schemes import read_scheme, split
from airhop.errors import InputError
from airhop.plugins import load_all
from airhop.progress import reporter_for_stderr
from airhop.scenario import Scenario
from airhop.services import served
from airhop.stats import replications
from airhop.terminal import bar_chart, mean_pm, ratio

OTHERS = ("rtt_p50_ms", "delay_p95_ms", "retransmissions", "timeouts", "window_cuts", ACTIVE)
"""Measures with a column, in addition to goodput."""


def compare(
    scenario: ScenarioName,
    /,
    *schemes: SchemeName,
    vary: Annotated[tuple[str, ...], Parameter(name="--vary", negative="", show_default=False)] = (),
    reps: Annotated[Whole, Parameter(name=["--reps", "-n"])] = 10,
    seed: Seed = 1,
    sets: Sets = (),
    with_: With = (),
    services: Services = None,
    as_json: Json = False,
) -> int:
    """Compare several schemes, or several values of a key, on one scenario, with confidence intervals.

    In each replication all variants have the same channel; ratios are therefore paired (Fieller's interval).

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    schemes
        Schemes to compare, by name or as in '{ name = "ll-elsn", n = 3 }', or by class of flows as in
        "bulk=bbr,web=cubic"; the first is the baseline.
    vary
        PATH=VALUE,VALUE,…: values to compare, as in wlan.cell.attempts=1,4,7. A key without a path applies to
        all links that have the key, as in queue=drop-tail,fq-codel,pie. A word keeps the settings of a link
        that has this kind; elsewhere the kind has its defaults. Can be repeated; every combination is
        compared.
    reps
        Replications of every scheme.
    """
    load_all(with_)
    loaded = Scenario.load(scenario, sets=sets)
    loaded = served(loaded, services)
    chosen = [read_scheme(word) for word in schemes]
    varied = _varied(vary)
    try:
        comparison = run_comparison(
            loaded, chosen, vary=varied, reps=reps, seed=seed, reporter=reporter_for_stderr()
        )
    except InterruptedComparison as interrupt:
        say(f"airhop: {interrupt}")
        _print(interrupt.comparison, as_json)
        return EXIT_INTERRUPTED
    _print(comparison, as_json)
    return 0


def _varied(words: tuple[str, ...]) -> dict[str, list[object]]:
    """Read the values of each path."""
    found: dict[str, list[object]] = {}
    for word in words:
        path, sign, values = word.partition("=")
        if not sign or not path.strip():
            raise InputError(f"--vary {word}: expected PATH=VALUE,VALUE, as in wlan.cell.attempts=1,4,7")
        if path.strip() in found:
            raise InputError(f"--vary {path.strip()} is given twice: list all its values in one")
        found[path.strip()] = [_value(value.strip()) for value in split(values)]
    return found


def _value(word: str) -> object:
    """Read a TOML value; a word without quotes, such as `fq-codel` or `10 ms`, is a text."""
    try:
        return tomllib.loads(f"value = {word}")["value"]
    except tomllib.TOMLDecodeError:
        return word


def _datagrams(row: Row, name: str) -> str:
    value = row.datagrams[name]
    return mean_pm(value.scaled(100) if value is not None and name == LOSS else value)


def _print(comparison: Comparison, as_json: bool) -> None:
    for line in comparison.hints:
        say(line)
    for warning in comparison.warnings():
        say(f"warning: {warning}")
    if as_json:
        print_json(comparison.to_dict())
        return
    rows = comparison.rows()
    if not rows:
        return
    first, n = comparison.schemes[0], rows[0].goodput_ratio.n
    durations = {arm.scenario.duration_s: None for arm in comparison.arms}
    title = (
        f"{comparison.scenario.name}, {', '.join(f'{duration:g}' for duration in durations)} s,"
        f" {replications(n)}, seed {comparison.seed}"
    )
    # Only scenarios with an 802.11 cell have a fairness of airtime.
    others = (*OTHERS, AIRTIME_JAIN) if any(row.metrics[AIRTIME_JAIN] for row in rows) else OTHERS
    out = console()
    if len(rows) > 1:
        out.print(f"{comparison.verdict.text}\n", style="bold")
    print_table(
        out,
        [
            comparison.heading,
            "goodput\nMbit/s",
            f"goodput\nto {first}",
            *(MEASURES[name].heading for name in others),
        ],
        [
            [
                row.scheme,
                mean_pm(row.goodput),
                "× 1" if row is rows[0] else ratio(row.goodput_ratio, least=0.0),
                *(mean_pm(row.metrics[key]) for key in others),
            ]
            for row in rows
        ],
        title=title,
    )
    if rows[0].datagrams:
        print_table(
            out,
            [comparison.heading, *(heading(MEASURES[name]) for name in SHOWN_OF_DATAGRAMS)],
            [[row.scheme, *(_datagrams(row, name) for name in SHOWN_OF_DATAGRAMS)] for row in rows],
            title="UDP flows: rates are sums over the flows, other columns are means",
        )
    for title, names in QUALITIES:
        if any(row.metrics[names[0]] for row in rows):
            print_table(
                out,
                [comparison.heading, *(MEASURES[name].heading for name in names)],
                [[row.scheme, *(mean_pm(row.metrics[name]) for name in names)] for row in rows],
                title=f"{title}: means over all flows with the measure",
            )
    for table in class_tables(rows):
        print_table(
            out,
            [comparison.heading, *(measure.heading for measure in table.measures)],
            [[arm, *map(mean_pm, values)] for arm, values in table.cells.items()],
            title=table.title,
        )
    out.print(over_what(comparison.results[first, comparison.paired_reps[0]].document), style="dim")
    goodput = [(row.scheme, row.goodput) for row in rows]
    out.print(bar_chart(goodput, unit="Mbit/s", columns=out.width))
    print_shares(out, {row.scheme: row.judgements for row in rows})
    if n > 1:
        out.print(
            "± and shading: 95 % interval of the mean; ratios and correct %: Fieller's interval, paired",
            style="dim",
        )
