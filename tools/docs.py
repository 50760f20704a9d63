"""Writes the generated pages of docs/ from the simulator itself; with --check, fails when one is stale."""

import sys
from pathlib import Path
from typing import Any

import api_pages
import costs_page
import cross_checks
import kernel_tables
import ledger
import measures_page
import objects_page
import packetdrill_page
import pictures
import references
import scenario_pages
import table_pages
import yun_page
from airhop import schemes
from airhop.catalogue import families, on_real_packets, services
from airhop.experiments import Calculation, Claim, Experiment, Question, Reading, registry
from airhop.experiments.asked import asks
from airhop.experiments.reading import SILENT
from airhop.scenario import toml_literal
from blocks import fill, table

DOCS = Path(__file__).resolve().parent.parent / "docs"
GENERATED = ("api", "experiments", "scenario", "schemes")
"""Folders of docs/ in which every page is generated."""
WRITTEN = {"experiments/readings.md", "experiments/papers.md"}
"""Pages in these folders that are written by hand."""

LAST_HOP = ("last-hop", "reno", '--set duration="20 s"')
"""Scenario, baseline and settings of a scheme's example."""
FADES = ("kounavis1996-fixed-mobile", "tahoe", '--set duration="100 s"')
SHOWN = {
    "ebsn": FADES,
    "rttn": FADES,
    "elsn": ("last-hop", "reno", '--set duration="20 s" --set wlan.cell.attempts=2'),
    "nak": ("cheng2008-chain", "reno", '--set duration="20 s"'),
}
"""By service: example runs for the services without a notice on `last-hop`, whose frames are sent once over
one hop.
"""

SCHEMES_HEAD = """# Schemes

A scheme is chosen by its name: `scheme = "sack"` in a flow, `--scheme sack` on the command line; with
parameters it is a table, `scheme = { name = "ll-elsn", n = 3 }`. Each page describes the scheme, its use, its
verification with the references, and its reconstructed parts, which its sources leave open. The [confusion
matrix](statistics.md#judgements) shows how often a scheme classifies a loss correctly.
"""

FAMILY_HEAD = """
## {family}

| scheme | description | needs from the network |
|---|---|---|
"""

SERVICES_HEAD = """
## Services

A service is a function of the network for a flow. Choosing a scheme installs the services that it needs,
along the path of its flow. A flow can name other services instead, so any sender can be tried with any
notification (as in Yun 2009 §5.3); `services = []` installs none.

```sh
airhop compare last-hop hack sack -n 3 --set duration="20 s" --set 'flow.ftp.services=["elsn"]'
```

| service | function |
|---|---|
"""

ECN = """
## ECN

`tcp = { ecn = true }` in a flow makes its data ECN-capable, end to end by RFC 3168: routers may mark a
packet instead of dropping it, the receiver echoes the mark until the sender has responded, and the sender
responds once per round trip, as to a loss. The queues `red`, `codel`, `fq-codel` and `pie` with `ecn = true`,
and `congestion-warning`, mark packets. A mark is no loss, and is not in the confusion matrix. Schemes that
read single marks, such as TCP-Jersey, enable ECN themselves.

The handshake negotiates ECN (§6.1.1), and a capture shows it. New data is ECT(0); retransmissions and pure
ACKs are not ECN-capable, except those of DCTCP under preset `linux`, all of whose packets are. Each flow
counts its [marks](measures.md) (`marks`: `ect0`, `ect1`, `ce`, `ece`), and the run document counts the marks
of each queue (`queues`). [Traces](api/tables.md) contain the codepoint and the control bits of each packet,
and the echoing ACKs. ECT(1), which real hosts may send, is counted, and queues treat it as ECT(0): L4S (RFC
9331) is not modelled.

```sh
airhop run last-hop --scheme sack --set duration="20 s" --set wlan.cell.attempts=7 \\
  --set flow.ftp.tcp.ecn=true --set 'wlan.cell.queue={ kind = "red", ecn = true }'
```
"""

EXPERIMENTS_HEAD = """# Experiments

`airhop reproduce ID` reproduces figures and tables of papers. Each page lists the simulation, the paper's
claims, and its open questions: [under every reading](experiments/readings.md) shows the claims that depend
on these, [printed beside measured](experiments/papers.md) has every table and headline of four papers, and
the [ledger](experiments/ledger.md) the outcome of every item of four papers. The experiments of
`airhop/today` repeat the comparisons with today's senders: [What wins where](what-wins-where.md); those of
`airhop/wifi` move them to 802.11n, ac and ax: [Notices under Block Ack](wifi-notices.md).

![Figure 6 of Yun 2009, reproduced: goodput of twelve schemes against the frame error rate](pictures/fig6.svg)

| id | title | claims |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """Make every generated page, by its path below docs/."""
    listed, experiments = schemes(), registry().values()
    return {
        **cross_checks.pages(),
        packetdrill_page.PAGE: packetdrill_page.page(),
        yun_page.PAGE: yun_page.page(),
        references.PAGE: references.page(),
        ledger.PAGE: ledger.page(),
        "measures.md": measures_page.page(),
        "what-a-run-costs.md": costs_page.page(),
        "contributing.md": contributing(),
        "bpf.md": bpf(),
        "real-packets.md": real_packets(),
        objects_page.PAGE: objects_page.page(DOCS),
        **api_pages.pages(),
        "api/tables.md": table_pages.page(),
        **scenario_pages.pages(),
        "schemes.md": schemes_page(listed),
        "experiments.md": EXPERIMENTS_HEAD + "".join(map(experiment_row, experiments)),
        **{f"schemes/{scheme['name']}.md": scheme_page(scheme) for scheme in listed},
        **{f"experiments/{file_name(experiment)}": experiment_page(experiment) for experiment in experiments},
    }


def contributing() -> str:
    """Return CONTRIBUTING.md as a page of the site: its links are those of this folder."""
    return (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")


def bpf() -> str:
    """Return bpf/README.md as a page of the site, with links relative to docs/."""
    return (DOCS.parent / "bpf" / "README.md").read_text(encoding="utf-8").replace("](../docs/", "](")


def real_packets() -> str:
    """Return the guide to real packets with its table of what services do for them."""
    words = {
        "acts": "acts",
        "to listeners": "acts; notifies a sender that listens",
        "cannot": "refused: {why}",
    }
    about, found = services(), on_real_packets()
    rows = [
        (f"`{name}`", plain(about[name]), words[kind].format(why=why)) for name, (kind, why) in found.items()
    ]
    block = table(("service", "function", "for real packets"), rows, left=3)
    page = (DOCS / "real-packets.md").read_text(encoding="utf-8")
    return fill(fill(page, "services", {"on real packets": block}), "emulated", kernel_tables.tables())


def schemes_page(listed: list[dict[str, Any]]) -> str:
    """Return the table of the schemes, a part per family, and that of the services."""
    parts = [SCHEMES_HEAD]
    for family, members in families(listed).items():
        title = family[:1].upper() + family[1:]
        parts += [FAMILY_HEAD.format(family=title), *map(scheme_row, members)]
    rows = (f"| `{name}` | {plain(about)} |\n" for name, about in services().items())
    return "".join([*parts, SERVICES_HEAD, *rows, ECN])


def scheme_row(scheme: dict[str, Any]) -> str:
    """Return a scheme's line of the table."""
    name, needs = scheme["name"], ", ".join(f"`{need}`" for need in scheme["needs"]) or "–"
    return f"| [`{name}`](schemes/{name}.md) | {plain(scheme['title'])} | {needs} |\n"


def scheme_page(scheme: dict[str, Any]) -> str:
    """Describe one scheme: function, benefit, requirements, facts and guesses."""
    name, about = scheme["name"], services()
    needs = [f"- `{need}`: {plain(about[need])}" for need in scheme["needs"]]
    parts = {
        "": [f"{scheme_title(scheme)}. {plain(scheme['about'])}"],
        "When it helps": [plain(scheme["helps"])],
        "What it needs from the network": needs or ["Nothing."],
        "Parameters": parameter_table(scheme["parameters"]),
        "Preset": own_preset(scheme),
        "Verified": [f"- {linked(plain(fact))}" for fact in scheme["verified"]],
        "Reconstructed": [
            *(["Its sources leave these points open:", ""] if scheme["reconstructed"] else ["Nothing."]),
            *(f"- {plain(choice)}" for choice in scheme["reconstructed"]),
        ],
        "Source": [f"{plain(scheme['cite'])}."],
        "Try it": ["```sh", *examples(scheme), "```"],
    }
    lines = [f"# {name}", ""]
    for head, text in parts.items():
        if text:
            lines += [*([f"## {head}", ""] if head else []), *text, ""]
    return "\n".join(lines[:-1]) + "\n"


def scheme_title(scheme: dict[str, Any]) -> str:
    """Return a scheme's title with its family, which a title may name itself."""
    title, family = scheme["title"], scheme["family"]
    return f"**{plain(title)}**" + ("" if family in title.lower() else f", {family}")


def linked(text: str) -> str:
    """Link the table of cross-checks where a text of a scheme names its file."""
    return text.replace("docs/cross-checks-table.md", "the [table of cross-checks](../cross-checks-table.md)")


def own_preset(scheme: dict[str, Any]) -> list[str]:
    """Name the preset of a scheme that belongs to a system."""
    if scheme["preset"] is None:
        return []
    preset = scheme["preset"]
    return [
        f"The scheme belongs to preset `{preset}`. With another preset its window rule runs on that preset's"
        f" sender, and commands warn of it. `--set flow.all.tcp.preset={preset}` selects its own sender."
    ]


def parameter_table(parameters: list[dict[str, Any]]) -> list[str]:
    """List parameters with their defaults and what they can be."""
    if not parameters:
        return []
    lines = ["| parameter | default | values | description |", "|---|---|---|---|"]
    for p in parameters:
        if "words" in p:
            default, values = f'`"{p["default"]}"`', ", ".join(f'`"{word}"`' for word in p["words"])
        else:
            default, values = f"{p['default']:g}", "{:g} to {:g}".format(*p["range"])
        lines.append(f"| `{p['name']}` | {default} | {values} | {plain(p['about'])} |")
    return lines


def examples(scheme: dict[str, Any]) -> list[str]:
    """Return commands that run a scheme: beside its base, and with its first parameter set."""
    name = scheme["name"]
    where, base, short = next((SHOWN[need] for need in scheme["needs"] if need in SHOWN), LAST_HOP)
    compared = "reno sack" if name == "reno" else f"{base} {name}"
    lines = [f"airhop compare {where} {compared} -n 3 {short}"]
    for p in scheme["parameters"][:1]:
        value = f'"{p["words"][-1]}"' if "words" in p else f"{p['default']:g}"
        lines.append(f"airhop run {where} --scheme '{{ name = \"{name}\", {p['name']} = {value} }}' {short}")
    return lines


def plain(text: str) -> str:
    """Write a text so that Markdown leaves it as it is; what stands between backticks is left alone."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") for part in parts[::2]]
    return "`".join(parts).replace("|", "\\|")


def file_name(experiment: Experiment | Calculation) -> str:
    """Name the page of an experiment."""
    return experiment.id.replace("/", "-") + ".md"


def experiment_row(experiment: Experiment | Calculation) -> str:
    """Return an experiment's line of the table."""
    link = f"[`{experiment.id}`](experiments/{file_name(experiment)})"
    return f"| {link} | {experiment.title} | {len(experiment.claims)} |\n"


def experiment_page(experiment: Experiment | Calculation) -> str:
    """Describe one experiment: source, network and grid or method, and claims."""
    facts = [experiment.method] if isinstance(experiment, Calculation) else experiment_facts(experiment)
    lines = [
        f"# {experiment.id}",
        "",
        f"{experiment.title}. {experiment.source}.",
        "",
        *facts,
        "",
        f"{list_head(experiment)}, checked in every run:",
        "",
        *(claim_line(claim, experiment) for claim in experiment.claims),
        "",
        *(line for question in experiment.questions for line in question_lines(question)),
        "```text",
        f"airhop reproduce {experiment.id}{' --readings' if experiment.questions else ''}",
        "```",
    ]
    return "\n".join(lines) + "\n"


def claim_line(claim: Claim[Any], experiment: Experiment | Calculation) -> str:
    """Write a claim: its statement, the paper's words, and why it does not hold where it does not."""
    own = (
        f" (Airhop's own: {plain(claim.because)})"
        if claim.because
        else " (Airhop's own)"
        if claim.own
        else ""
    )
    quote = f" *“{plain(claim.quote)}”*" if claim.quote else ""
    texts = [claim.reason] if isinstance(claim.reason, str) else claim.reason.values()
    reason = f" Where it does not hold: {' '.join(texts)}" if claim.reason else ""
    runs = experiment if isinstance(experiment, Experiment) else None
    test = f" Test: {plain(sentence)}." if (sentence := asks(claim.check, runs)) else ""
    return f"- **{claim.id}**{own} {claim.text}{quote}{test}{reason}"


def question_lines(question: Question) -> list[str]:
    """Describe what a paper leaves open, as a table of its readings, the default first."""
    rows = [
        f"| `{reading.name}`{' (default)' if reading is question.default else ''} | {plain(reading.text)} | "
        f"{'silent' if reading.rests_on == SILENT else f'“{plain(reading.rests_on)}”'} | {changes(reading)} |"
        for reading in (question.default, *question.others)
    ]
    about = question.about.removeprefix("the ")
    about = about[:1].upper() + about[1:]
    head = ["| reading | assumption | the paper's words | changes |", "|---|---|---|---|"]
    return [f"## {about}", "", *head, *rows, ""]


def changes(reading: Reading) -> str:
    """List what a reading changes, as `path = value`."""
    found = [f"`{path} = {toml_literal(value)}`" for path, value in reading.settings.items()]
    for name, parameters in (*reading.schemes.items(), *reading.curves.items()):
        found += [f"{name}: `{key} = {toml_literal(value)}`" for key, value in parameters.items()]
    found += [f"scenario `{reading.scenario}`"] if reading.scenario else []
    found += [f"measures {reading.metric.title}"] if reading.metric else []
    found += [f"another check of {claim}" for claim in reading.checks]
    return ", ".join(found)


def list_head(experiment: Experiment | Calculation) -> str:
    """Return the noun of an experiment's claims: those of a paper, or Airhop's own."""
    if experiment.id.startswith("airhop/"):
        return "Questions"
    return "Statements" if all(claim.own for claim in experiment.claims) else "Claims of the paper"


def experiment_facts(experiment: Experiment) -> list[str]:
    """List the settings of the runs, as a table."""
    axis, plan = experiment.axis, experiment.replications
    settings = ", ".join(f"`{path} = {toml_literal(value)}`" for path, value in experiment.settings.items())
    return [
        "| item | setting |",
        "|---|---|",
        f"| scenario | `{experiment.scenario}`{f', with {settings}' if settings else ''} |",
        f"| compared | {', '.join(f'{label} (`{name}`)' for name, label in experiment.labels.items())} |",
        f"| measured | {', '.join(metric.title for metric in (experiment.metric, *experiment.also))} |",
        f"| against | {axis.label}: {', '.join(axis.text(x) for x in axis.full)} |",
        f"| with `--quick` | {', '.join(axis.text(x) for x in axis.coarse)}; {plan.quick} replications |",
        f"| with `--full` | {plan.full} replications{', as the paper' if plan.printed else ''} |",
        f"| by default | until every 95 % half-width is below {100 * plan.half_width:g} % of its mean |",
    ]


def stale(wanted: dict[str, str]) -> list[str]:
    """List the pages that differ from their generated text, and the superfluous pages."""

    def differs(name: str) -> bool:
        path = DOCS / name
        return not path.is_file() or path.read_text(encoding="utf-8") != wanted[name]

    there = {str(path.relative_to(DOCS)) for folder in GENERATED for path in (DOCS / folder).glob("*.md")}
    there -= WRITTEN
    return [*filter(differs, wanted), *sorted(there - set(wanted))]


def main() -> int:
    """Write the pages, or compare them with what is there."""
    wanted = pages()
    found = stale(wanted)
    if "--check" in sys.argv[1:]:
        found += [f"pictures/{name}" for name in pictures.stale()]
        for name in found:
            print(f"docs/{name} is stale: run `make docs`", file=sys.stderr)
        return 1 if found else 0
    pictures.draw()
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
