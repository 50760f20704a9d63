"""The report: one HTML file with everything in it, written from a template."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.numerals import interval, plus_minus, tie_units
from airhop.plots.frame import frame
from airhop.plots.style import styles
from airhop.report.symbols import symbol

if TYPE_CHECKING:
    from airhop.experiments.outcome import Outcome
    from airhop.report.timeline import Timeline
    from airhop.report.traced import TracedRun


def write_report(outcome: Outcome, runs: list[TracedRun], path: Path) -> Path:
    """Write the experiment's report. It opens offline: Bokeh's JavaScript, style and data are inside."""
    path.write_text(render(outcome, runs), encoding="utf-8")
    return path


def render(outcome: Outcome, runs: list[TracedRun]) -> str:
    """Write the report as HTML."""
    from bokeh.embed import components
    from bokeh.resources import Resources
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from airhop.report.goodput import goodput_figure
    from airhop.report.timeline import shared_time, timeline

    timelines = {}
    if choice := outcome.experiment.timeline:
        time = shared_time(choice.duration_s, choice.opening_s)
        timelines = {run.scheme: timeline(run, time) for run in runs}
    models = {"goodput": goodput_figure(outcome)}
    for scheme, shown in timelines.items():
        models |= {
            f"{scheme}:sequence": shown.sequence,
            f"{scheme}:window": shown.window,
            f"{scheme}:timer": shown.timer,
        }
    script, divs = components(models, wrap_script=False)

    environment = Environment(
        loader=PackageLoader("airhop.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "interval": interval,
        "plus_minus": plus_minus,
        "lower_first": lambda text: text[:1].lower() + text[1:],
        "tie_units": tie_units,
    }
    environment.globals["symbol"] = symbol
    return environment.get_template("page.html.j2").render(
        outcome=outcome,
        experiment=outcome.experiment,
        frame=frame(outcome),
        look=styles(outcome.experiment.schemes),
        cells={(row.scheme, row.x): row for row in outcome.rows},
        best=best_schemes(outcome),
        runs=runs,
        timelines=timelines,
        figures=divs,
        method=method(outcome),
        page_data=page_data(runs, timelines),
        style=_asset("page.css"),
        page_script=_asset("page.js"),
        bokeh_library=Resources(mode="inline", components=["bokeh"]).render_js(),
        bokeh_script=script,
    )


def best_schemes(outcome: Outcome) -> dict[float, str]:
    """Find the scheme with the highest mean at each x."""
    best: dict[float, Any] = {}
    for row in outcome.rows:
        if row.x not in best or row.value.mean > best[row.x].value.mean:
            best[row.x] = row
    return {x: row.scheme for x, row in best.items()}


def page_data(runs: list[TracedRun], timelines: dict[str, Timeline]) -> dict[str, Any]:
    """Gather what the page's script needs beside the figures: where losses are."""
    return {"losses": {run.scheme: timelines[run.scheme].losses for run in runs}}


def method(outcome: Outcome) -> list[tuple[str, str]]:
    """Tell how the numbers came about, as name and text."""
    from airhop import _core
    from airhop.scenario import Scenario

    experiment = outcome.experiment
    build = _core.build_info()
    counts = sorted({row.reps for row in outcome.rows})
    reps = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    mode = "" if outcome.mode == "default" else f" --{outcome.mode}"
    scenario = Scenario.load(experiment.scenario).with_(dict(experiment.settings))
    return [
        ("Source", experiment.source),
        (
            "Command",
            f"airhop reproduce {experiment.id}{mode} --seed {outcome.seed}",
        ),
        ("Grid", f"{experiment.axis.path} = {', '.join(f'{x:g}' for x in outcome.samples.xs)}"),
        ("Replications", f"{reps} of every cell; seed {outcome.seed}, replications 0 to {counts[-1] - 1}"),
        (
            "Intervals",
            "95 % over replications: Student's t for means, Fieller's for ratios of means. Replication r of "
            "every scheme meets the same channel, so ratios are paired.",
        ),
        ("Verdicts", "A claim holds when the 95 % interval of what it states excludes the opposite."),
        (
            "Version",
            f"Airhop {build['version']} ({build['profile']}, {build['target']}); "
            f"simulated in {outcome.wall_s:.1f} s",
        ),
        ("Scenario", scenario.toml()),
    ]


def _asset(name: str) -> str:
    return files("airhop.report").joinpath("assets", name).read_text(encoding="utf-8")
