"""Write the generated pages of docs/; with --check, exit with 1 if a page is stale."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import abbreviations
import api_pages
import costs_page
import cross_checks
import kernel_tables
import ledger
import measures_page
import objects_four_ways
import objects_page
import other_papers_page
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
"""Pages in these folders that have no generator."""

LAST_HOP = ("last-hop", "reno", '--set duration="20 s"')
"""Scenario, baseline and settings of a scheme's example."""
FADES = ("kounavis1996-fixed-mobile", "tahoe", '--set duration="100 s"')
SHOWN = {
    "ebsn": FADES,
    "rttn": FADES,
    "elsn": ("last-hop", "reno", '--set duration="20 s" --set wlan.cell.attempts=2'),
    "nak": ("cheng2008-chain", "reno", '--set duration="20 s"'),
}
"""Scenario, baseline and settings of example runs, for services of which `last-hop`, with one attempt per
frame and one hop, yields no notice.
"""

READING = (
    "A reading is one interpretation of a place where the paper is silent or ambiguous; `silent` means that "
    "the paper states nothing."
)
"""Sentence before the open questions of a paper."""

SCHEMES_HEAD = """# Schemes

A *scheme* is the congestion control of a sender and its reaction to losses and notices. The name selects a
scheme: `scheme = "sack"` in a flow, `--scheme sack` on the command line. A scheme with parameters is a table,
`scheme = { name = "ll-elsn", n = 3 }`. The page of a scheme describes its algorithm, its use, the
facts that are verified against its sources, and the parts that its sources leave open and Airhop
reconstructs. The [confusion matrix](statistics.md#judgements) shows how often a scheme classifies a loss
correctly.
"""

FAMILY_HEAD = """
## {family}

| scheme | description | needs from the network |
|---|---|---|
"""

SERVICES_HEAD = """
## Services

A *service* is a function of the network for a flow. Airhop installs the services of a flow's scheme along the
path of the flow. The key `services` of a flow names other services instead, so that any sender can be
combined with any notification (as in Yun 2009 §5.3); `services = []` installs no service.

```sh
airhop compare last-hop hack sack -n 3 --set duration="20 s" --set 'flow.ftp.services=["elsn"]'
```

| service | function |
|---|---|
"""

ECN = """
## ECN

`tcp = { ecn = true }` in a flow enables ECN (RFC 3168): data packets are ECT(0), routers may set CE instead
of dropping a packet, the receiver sets ECE until the sender sets CWR, and the sender responds to ECE once per
round trip, as to a loss. The queues `red`, `codel`, `fq-codel` and `pie` with `ecn = true`, and
`congestion-warning`, set CE. A CE mark is not a loss, and the confusion matrix excludes marks. Schemes that
process single marks, such as TCP-Jersey, enable ECN themselves.

The handshake negotiates ECN (§6.1.1), as a capture shows. New data is ECT(0); retransmissions and pure
ACKs are not ECN-capable. Under preset `linux`, all packets of DCTCP are ECN-capable. The run document counts
the [marks](measures.md) of each flow (`marks`: `ect0`, `ect1`, `ce`, `ece`) and the CE marks of each queue
(`queues`). [Traces](api/tables.md) contain the ECN codepoint and the control bits of each packet, and the
ACKs with ECE. Packets of real hosts may be ECT(1): queues treat ECT(1) as ECT(0), since L4S (RFC 9331) is not
modelled, and `ect1` counts these packets.

```sh
airhop run last-hop --scheme sack --set duration="20 s" --set wlan.cell.attempts=7 \\
  --set flow.ftp.tcp.ecn=true --set 'wlan.cell.queue={ kind = "red", ecn = true }'
```
"""

EXPERIMENTS_HEAD = """# Experiments

`airhop reproduce ID` reproduces figures and tables of papers. The page of an experiment lists the settings of
the simulation, the claims of the paper, and the questions that the paper leaves open.

- [Readings of the papers](experiments/readings.md) lists claims whose verdict depends on an open question.
- [Printed and measured numbers](experiments/papers.md) compares every table and headline of four papers with
  simulated values.
- The [ledger](experiments/ledger.md) lists the outcome of every item of four papers.
- The experiments of `airhop/today` repeat the comparisons with today's senders: [What wins
  where](what-wins-where.md).
- The experiments of `airhop/wifi-last-hop` repeat the comparisons on 802.11n, ac and ax: [Notices under Block
  Ack](wifi-notices.md).

![Figure 6 of Yun 2009, reproduced: goodput of twelve schemes against the frame error rate](pictures/fig6.svg)

| id | title | claims |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """Return the text of every generated page, by path below docs/."""
    listed, experiments = schemes(), registry().values()
    return {
        **cross_checks.pages(),
        packetdrill_page.PAGE: packetdrill_page.page(),
        yun_page.PAGE: yun_page.page(),
        other_papers_page.PAGE: other_papers_page.page(),
        objects_four_ways.PAGE: objects_four_ways.page(),
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
    """Return CONTRIBUTING.md as a page of the site, with links relative to docs/."""
    return (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")


def bpf() -> str:
    """Return bpf/README.md as a page of the site, with links relative to docs/."""
    return (DOCS.parent / "bpf" / "README.md").read_text(encoding="utf-8").replace("](../docs/", "](")


def real_packets() -> str:
    """Return the guide to real packets, with the tables of services and of measurements filled in."""
    words = {
        "acts": "acts",
        "to listeners": "acts; notifies only senders with a listener",
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
    """Return the page of all schemes: a table per family, the table of services, and ECN."""
    parts = [SCHEMES_HEAD]
    for family, members in families(listed).items():
        title = family[:1].upper() + family[1:]
        parts += [FAMILY_HEAD.format(family=title), *map(scheme_row, members)]
    rows = (f"| `{name}` | {plain(about)} |\n" for name, about in services().items())
    return "".join([*parts, SERVICES_HEAD, *rows, ECN])


def scheme_row(scheme: dict[str, Any]) -> str:
    """Return the row of a scheme in the table of schemes."""
    name, needs = scheme["name"], ", ".join(f"`{need}`" for need in scheme["needs"]) or "–"
    return f"| [`{name}`](schemes/{name}.md) | {plain(scheme['title'])} | {needs} |\n"


def scheme_page(scheme: dict[str, Any]) -> str:
    """Return the page of a scheme: description, use, requirements, verified and reconstructed parts."""
    name, about = scheme["name"], services()
    texts = (
        plain(scheme["about"]),
        plain(scheme["helps"]),
        *(plain(about[need]) for need in scheme["needs"]),
    )
    algorithm, use, *functions = abbreviations.expanded(texts, scheme["title"], name)
    needs = [f"- `{need}`: {text}" for need, text in zip(scheme["needs"], functions, strict=True)]
    parts = {
        "": [f"{scheme_title(scheme)}. {algorithm}"],
        "When it helps": [use],
        "What it needs from the network": needs or ["Nothing."],
        "Parameters": parameter_table(scheme["parameters"]),
        "Preset": own_preset(scheme),
        "Verified": [f"- {linked(plain(fact))}" for fact in scheme["verified"]],
        "Reconstructed": [
            *(["The sources leave these points open:", ""] if scheme["reconstructed"] else ["Nothing."]),
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
    """Return a scheme's title, with its family unless the title contains the family."""
    title, family = scheme["title"], scheme["family"]
    return f"**{plain(title)}**{abbreviations.in_title(title)}" + (
        "" if family in title.lower() else f", {family}"
    )


def linked(text: str) -> str:
    """Return a text of a scheme with a link in place of the file name of the table of cross-checks."""
    return text.replace("docs/cross-checks-table.md", "the [table of cross-checks](../cross-checks-table.md)")


def own_preset(scheme: dict[str, Any]) -> list[str]:
    """Return the section about the preset of a scheme that belongs to one preset; empty for other schemes."""
    if scheme["preset"] is None:
        return []
    preset = scheme["preset"]
    return [
        f"The scheme belongs to preset `{preset}`. With another preset, Airhop combines the window rule of"
        " the scheme with the sender of that preset, and commands print a warning."
        f" `--set flow.all.tcp.preset={preset}` selects the sender of preset `{preset}`."
    ]


def parameter_table(parameters: list[dict[str, Any]]) -> list[str]:
    """Return the table of a scheme's parameters: default, values, description."""
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
    """Return example commands of a scheme: a comparison with its base, and a run with a parameter."""
    name = scheme["name"]
    where, base, short = next((SHOWN[need] for need in scheme["needs"] if need in SHOWN), LAST_HOP)
    compared = "reno sack" if name == "reno" else f"{base} {name}"
    lines = [f"airhop compare {where} {compared} -n 3 {short}"]
    for p in scheme["parameters"][:1]:
        value = f'"{p["words"][-1]}"' if "words" in p else f"{p['default']:g}"
        lines.append(f"airhop run {where} --scheme '{{ name = \"{name}\", {p['name']} = {value} }}' {short}")
    return lines


def plain(text: str) -> str:
    """Return a text with Markdown's special characters escaped, except between backticks."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") for part in parts[::2]]
    return "`".join(parts).replace("|", "\\|")


def file_name(experiment: Experiment | Calculation) -> str:
    """Return the file name of an experiment's page."""
    return experiment.id.replace("/", "-") + ".md"


def experiment_row(experiment: Experiment | Calculation) -> str:
    """Return the row of an experiment in the table of experiments."""
    link = f"[`{experiment.id}`](experiments/{file_name(experiment)})"
    return f"| {link} | {experiment.title} | {len(experiment.claims)} |\n"


def experiment_page(experiment: Experiment | Calculation) -> str:
    """Return the page of an experiment: source, settings or method, claims, open questions."""
    facts = [experiment.method] if isinstance(experiment, Calculation) else experiment_facts(experiment)
    reasons = claims_by_reason(experiment.claims)
    lines = [
        f"# {experiment.id}",
        "",
        f"{experiment.title}. {experiment.source}.",
        "",
        *facts,
        "",
        f"{list_head(experiment)}, checked in every run:",
        "",
        *(claim_line(claim, experiment, reasons) for claim in experiment.claims),
        "",
        *((READING, "") if experiment.questions else ()),
        *(line for question in experiment.questions for line in question_lines(question)),
        "```text",
        f"airhop reproduce {experiment.id}{' --readings' if experiment.questions else ''}",
        "```",
    ]
    return "\n".join(lines) + "\n"


def claims_by_reason(claims: Iterable[Claim[Any]]) -> dict[str, list[str]]:
    """Return the IDs of claims by the reason why the claims do not hold, in the order of the claims."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        if reason := reason_text(claim):
            found.setdefault(reason, []).append(claim.id)
    return found


def reason_text(claim: Claim[Any]) -> str:
    """Return the reason why a claim does not hold; empty without a reason."""
    texts = [claim.reason] if isinstance(claim.reason, str) else claim.reason.values()
    return " ".join(texts)


def claim_line(
    claim: Claim[Any], experiment: Experiment | Calculation, reasons: Mapping[str, Sequence[str]]
) -> str:
    """Return the list item of a claim: statement, quotation, test, and reason of a failure.

    Parameters
    ----------
    claim
        The claim.
    experiment
        Experiment of the claim.
    reasons
        IDs of claims by their reasons: the first claim has the text, later claims refer to the first.
    """
    own = (
        f" (Airhop's own. {plain(claim.because)})"
        if claim.because
        else " (Airhop's own)"
        if claim.own
        else ""
    )
    quote = f" *“{plain(claim.quote)}”*" if claim.quote else ""
    reason = ""
    if text := reason_text(claim):
        first = reasons[text][0]
        reason = " *Why the claim may fail*: " + (
            text if first == claim.id else f"the reason of **{first}**."
        )
    runs = experiment if isinstance(experiment, Experiment) else None
    test = f" Test: {plain(sentence)}." if (sentence := asks(claim.check, runs)) else ""
    return f"- **{claim.id}**{own} {claim.text}{quote}{test}{reason}"


def question_lines(question: Question) -> list[str]:
    """Return the section of an open question of a paper: a table of its readings, the default first."""
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
    """Return the changes of an answer relative to the default answer, as `path = value`."""
    found = [f"`{path} = {toml_literal(value)}`" for path, value in reading.settings.items()]
    for name, parameters in (*reading.schemes.items(), *reading.curves.items()):
        found += [f"{name}: `{key} = {toml_literal(value)}`" for key, value in parameters.items()]
    found += [f"scenario `{reading.scenario}`"] if reading.scenario else []
    found += [f"measures {reading.metric.title}"] if reading.metric else []
    found += [f"another check of {claim}" for claim in reading.checks]
    return ", ".join(found)


def list_head(experiment: Experiment | Calculation) -> str:
    """Return the heading of an experiment's claims, which belong to a paper or to Airhop."""
    is_own = experiment.id.startswith("airhop/") or all(claim.own for claim in experiment.claims)
    return "Statements" if is_own else "Claims of the paper"


def experiment_facts(experiment: Experiment) -> list[str]:
    """Return the settings of an experiment's runs as the lines of a table."""
    axis, plan = experiment.axis, experiment.replications
    settings = ", ".join(f"`{path} = {toml_literal(value)}`" for path, value in experiment.settings.items())
    return [
        "| item | setting |",
        "|---|---|",
        f"| scenario | `{experiment.scenario}`{f', with {settings}' if settings else ''} |",
        f"| curves | {', '.join(f'{label} (`{name}`)' for name, label in experiment.labels.items())} |",
        f"| metrics | {', '.join(metric.title for metric in (experiment.metric, *experiment.also))} |",
        f"| axis | {axis.label}: {', '.join(axis.text(x) for x in axis.full)} |",
        f"| `--quick` | axis {', '.join(axis.text(x) for x in axis.coarse)}; {plan.quick} replications |",
        f"| `--full` | {plan.full} replications{', as in the paper' if plan.printed else ''} |",
        f"| default | replications continue until every 95 % half-width is below {100 * plan.half_width:g} %"
        " of its mean |",
    ]


def stale(wanted: dict[str, str]) -> list[str]:
    """Return the names of pages that differ from their generated text, and of pages without a source."""

    def differs(name: str) -> bool:
        path = DOCS / name
        return not path.is_file() or path.read_text(encoding="utf-8") != wanted[name]

    existing = {str(path.relative_to(DOCS)) for folder in GENERATED for path in (DOCS / folder).glob("*.md")}
    return [*filter(differs, wanted), *sorted(existing - WRITTEN - set(wanted))]


def main() -> int:
    """Write the pages; with `--check`, compare the pages in docs/ with their generated text."""
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
