"""Writes the generated pages of docs/ from the simulator itself; with --check, fails when one is stale."""

import sys
from pathlib import Path
from typing import Any

from airhop import _core, schemes
from airhop.experiments import Experiment, registry

DOCS = Path(__file__).resolve().parent.parent / "docs"
GENERATED = ("schemes", "experiments")
"""Folders of docs/ in which every page is generated."""

SCHEMES_HEAD = """# Schemes

A scheme is chosen by its name: `scheme = "sack"` in a flow, `--scheme sack` on the command line. What it
needs beyond the two ends, an agent at the base station, is installed with it. Where a source leaves
something open, Airhop had to choose; each such choice is listed as reconstructed.

| scheme | title | family | needs |
|---|---|---|---|
"""

EXPERIMENTS_HEAD = """# Experiments

Figures and tables of papers, run again: `airhop reproduce ID`. Each page lists what is simulated and what
the paper claims.

| id | what | claims |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """Make every generated page, by its path below docs/."""
    listed, experiments = schemes(), registry().values()
    return {
        "scenario-files.md": _core.reference(),
        "schemes.md": SCHEMES_HEAD + "".join(map(scheme_row, listed)),
        "experiments.md": EXPERIMENTS_HEAD + "".join(map(experiment_row, experiments)),
        **{f"schemes/{scheme['name']}.md": scheme_page(scheme) for scheme in listed},
        **{f"experiments/{file_name(experiment)}": experiment_page(experiment) for experiment in experiments},
    }


def scheme_row(scheme: dict[str, Any]) -> str:
    """Give a scheme's line of the table."""
    name, needs = scheme["name"], ", ".join(scheme["needs"]) or "–"
    return f"| [`{name}`](schemes/{name}.md) | {scheme['title']} | {scheme['family']} | {needs} |\n"


def scheme_page(scheme: dict[str, Any]) -> str:
    """Describe one scheme: source, needs, parameters, and what had to be reconstructed."""
    name, needs = scheme["name"], scheme["needs"]
    lines = [
        f"# {name}",
        "",
        f"{scheme['title']}: {scheme['family']}. {scheme['cite']}.",
        "",
        f"Needs in the network: {', '.join(needs)}; choosing the scheme installs it."
        if needs
        else "Needs nothing in the network: the two ends are enough.",
    ]
    if scheme["parameters"]:
        lines += ["", "| parameter | default | from | to | what it is |", "|---|---|---|---|---|"]
        for p in scheme["parameters"]:
            low, high = p["range"]
            lines.append(f"| `{p['name']}` | {p['default']:g} | {low:g} | {high:g} | {p['about']} |")
    if scheme["reconstructed"]:
        lines += ["", "Reconstructed, since the source leaves it open:", ""]
        lines += [f"- {choice}" for choice in scheme["reconstructed"]]
    lines += ["", "```sh", f'airhop run last-hop --scheme {name} --set duration="20 s"', "```"]
    return "\n".join(lines) + "\n"


def file_name(experiment: Experiment) -> str:
    """Name the page of an experiment."""
    return experiment.id.replace("/", "-") + ".md"


def experiment_row(experiment: Experiment) -> str:
    """Give an experiment's line of the table."""
    link = f"[`{experiment.id}`](experiments/{file_name(experiment)})"
    return f"| {link} | {experiment.title} | {len(experiment.claims)} |\n"


def experiment_page(experiment: Experiment) -> str:
    """Describe one experiment: source, network, grid, and claims."""
    axis, plan = experiment.axis, experiment.replications
    settings = ", ".join(f"`{path} = {value}`" for path, value in experiment.settings.items())
    lines = [
        f"# {experiment.id}",
        "",
        f"{experiment.title}. {experiment.source}.",
        "",
        "| | |",
        "|---|---|",
        f"| scenario | `{experiment.scenario}`{f', with {settings}' if settings else ''} |",
        f"| schemes | {', '.join(f'{label} (`{name}`)' for name, label in experiment.schemes.items())} |",
        f"| measured | {experiment.metric.title} |",
        f"| against | {axis.label}: {', '.join(axis.text(x) for x in axis.full)} |",
        f"| with `--quick` | {', '.join(axis.text(x) for x in axis.coarse)}; {plan.quick} replications |",
        f"| with `--full` | {plan.full} replications, as the paper |",
        f"| otherwise | until every 95 % half-width is below {100 * plan.half_width:g} % of its mean |",
        "",
        "What the paper claims, each judged when it is run:",
        "",
        *(f"- **{claim.id}** {claim.text}" for claim in experiment.claims),
        "",
        "```text",
        f"airhop reproduce {experiment.id}",
        "```",
    ]
    return "\n".join(lines) + "\n"


def stale(wanted: dict[str, str]) -> list[str]:
    """List the pages that differ from what they should be, and those that should not be."""

    def differs(name: str) -> bool:
        path = DOCS / name
        return not path.is_file() or path.read_text(encoding="utf-8") != wanted[name]

    there = {str(path.relative_to(DOCS)) for folder in GENERATED for path in (DOCS / folder).glob("*.md")}
    return [*filter(differs, wanted), *sorted(there - set(wanted))]


def main() -> int:
    """Write the pages, or compare them with what is there."""
    wanted = pages()
    found = stale(wanted)
    if "--check" in sys.argv[1:]:
        for name in found:
            print(f"docs/{name} is stale: run `make docs`", file=sys.stderr)
        return 1 if found else 0
    for name in found:
        path = DOCS / name
        if name in wanted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
