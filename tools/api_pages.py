"""Make the pages of docs/api: every public name of the package, from signatures and docstrings.

griffe reads the sources without importing them. `PAGES` lists the names of each page; `module.*` stands for
all public names of a module. A test (tree/test_api_pages.py) finds missing names, and docstrings without
their parameters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import griffe

FOLDER = "api"
SOURCES = Path(__file__).resolve().parent.parent / "python"
WIDTH = 96
"""Maximum width of a signature on one line; a longer signature has a line for each parameter."""


@dataclass(frozen=True)
class Page:
    """One page, and the names on it, relative to `airhop`."""

    title: str
    about: str
    names: tuple[str, ...]


PAGES = {
    "scenarios": Page(
        "Scenarios",
        "Scenarios describe networks and flows. [Scenario files](../scenario/index.md) lists every key.",
        ("Scenario", "layouts.*", "hints.Hint", "hints.hints", "hints.senders"),
    ),
    "runs": Page(
        "Runs",
        "These functions run a scenario. [Trace tables](tables.md) lists the columns of `Result.tables`.",
        ("run", "run_many", "Job", "Result", "Interrupted"),
    ),
    "live": Page(
        "Real packets",
        "These functions and classes run emulations and their replays. [Real packets](../real-packets.md) "
        "describes emulations.",
        ("emulate", "Emulation", "replay", "live.Log", "live.privileges", "live.privilege", "live.Privilege"),
    ),
    "studies": Page(
        "Comparisons and studies",
        "These functions and classes compare schemes, and run studies, which vary parameters of a "
        "scenario. [Studies](../studies.md) describes study files.",
        ("compare", "Comparison", "comparison.Row", "sweep", "Study", "Table", "study.*", "engines.*"),
    ),
    "stats": Page(
        "Statistics",
        "These functions compute means, differences and ratios with their intervals. "
        "[Statistics](../statistics.md) explains the intervals.",
        ("stats.*",),
    ),
    "schemes": Page(
        "Schemes",
        "These functions and classes list the catalogue of schemes, and define your own schemes. [Schemes "
        "in Python](../python-schemes.md) describes the methods of a scheme.",
        (
            *("schemes", "scheme", "Parameter", "Scheme", "RateScheme", "NoticeScheme"),
            *("Window", "Ack", "Loss", "Delivery", "Notice"),
            *("Flow", "plugins.load", "plugins.load_all", "plugins.load_installed"),
        ),
    ),
    "store": Page("Store", "These functions and classes store finished runs as Parquet files.", ("store.*",)),
    "plots": Page(
        "Plots",
        "These functions draw figures for print (PDF, SVG and PNG). The [gallery](../gallery.md) shows "
        "examples.",
        ("plots.*",),
    ),
    "analysis": Page(
        "Analysis",
        "These functions analyse the tables of a traced run (classified losses, round trips, frames on "
        "the air), and compute the parameter N of an ELN filter.",
        ("analysis.*",),
    ),
    "verify": Page(
        "Verifier",
        "These functions check traces, independently of the simulator. [Runs that check "
        "themselves](../verify.md) lists the laws of the verifier.",
        ("verify.*",),
    ),
    "errors": Page(
        "Errors",
        "Most functions raise exceptions of these classes. An interruption raises `InterruptedComparison` or "
        "`InterruptedSweep` ([Comparisons and studies](studies.md)).",
        ("InputError", "ScenarioError", "PrivilegeError", "RunError", "SchemeError"),
    ),
}

INDEX_HEAD = """# Python API

These pages list every public name with its docstring; [Python](../python.md) shows examples. The description
of a name contains its shapes, units and errors. Quantities in scenarios are texts with a unit. Names that end
in `_s`, `_ms` or `_mbps` contain their unit.

```python
import airhop

s = airhop.Scenario.load("last-hop").with_({"duration": "5 s"})
airhop.run(s, scheme="ll-elsn").goodput_mbps
```
"""


@cache
def package() -> griffe.Module:
    """Read the package; without inspection griffe reads the stubs of the extension, not its library."""
    loaded = griffe.load("airhop", search_paths=[SOURCES], docstring_parser="numpy", allow_inspection=False)
    assert isinstance(loaded, griffe.Module)
    return loaded


def found(path: str) -> griffe.Object:
    """Find a name where it was defined."""
    here: griffe.Object | griffe.Alias = package()[path]
    while isinstance(here, griffe.Alias):
        here = here.final_target
    return here


def public() -> list[str]:
    """List the public names of `airhop.__all__` and of its subpackages, each once."""
    return [path for page in PAGES.values() for path in names_of(page)]


def names_of(page: Page) -> list[str]:
    """List the names on a page; a name that `airhop` itself exports occurs only under its short name."""
    exported = {found(str(name)).path for name in package().exports or ()}
    names: list[str] = []
    for name in page.names:
        if name.endswith(".*"):
            inside = members(name.removesuffix(".*"))
            names += [path for path in inside if found(path).path not in exported]
        else:
            names.append(name)
    return names


def members(module: str) -> Iterator[str]:
    """List the public names of a module: its exports, else all its classes and functions."""
    here = found(module)
    assert isinstance(here, griffe.Module)
    names = [str(name) for name in here.exports] if here.exports is not None else list(here.members)
    for name in names:
        member = here.members[name]
        if isinstance(member, griffe.Module) and here.exports is None:
            yield from members(f"{module}.{name}")
        elif here.exports is not None or (
            not name.startswith("_") and not member.is_alias and (member.is_class or member.is_function)
        ):
            yield f"{module}.{name}"


def pages() -> dict[str, str]:
    """Make the index and each page, by path below docs/."""
    index = [INDEX_HEAD]
    for name, page in PAGES.items():
        rows = (
            f"| [`{path}`]({name}.md#{slug(path)}) | {cell(summary(found(path)))} |\n"
            for path in names_of(page)
        )
        index += [
            f"\n## [{page.title}]({name}.md)\n\n{page.about}\n\n| name | description |\n|---|---|\n",
            *rows,
        ]
    return {
        f"{FOLDER}/index.md": "".join(index),
        **{f"{FOLDER}/{name}.md": page_of(page) for name, page in PAGES.items()},
    }


def page_of(page: Page) -> str:
    """Write one page."""
    parts = [f"# {page.title}", page.about]
    for path in names_of(page):
        parts += [f"## `airhop.{path}`", *described(found(path), f"airhop.{path}")]
    return "\n\n".join(parts) + "\n"


def described(what: griffe.Object, path: str) -> Iterator[str]:
    """Describe a function, a class with its members, or a value."""
    if isinstance(what, griffe.Function):
        yield signature(path, what)
        yield from sections(what)
    elif isinstance(what, griffe.Class):
        made = what.members.get("__init__")
        bases = f"({', '.join(str(base) for base in what.bases)})" if what.bases else ""
        if isinstance(made, griffe.Function) and not is_private(made):
            yield signature(f"class {path}", made)
        elif what.parameters and "dataclass" in what.labels:
            yield signature(f"class {path}", what)
        else:
            yield f"```py\nclass {path}{bases}\n```"
        yield from sections(what)
        yield from members_of(what)
    else:
        yield from sections(what)


def members_of(what: griffe.Class) -> Iterator[str]:
    """Describe the members of a class beyond its signature: values in a table, then its methods."""
    open_members = {name: member for name, member in what.members.items() if not name.startswith("_")}
    values = {
        name: value
        for name, value in open_members.items()
        if isinstance(value, griffe.Attribute) and value.docstring
    }
    if values:
        rows = (
            f"| `{name}` | {typed(value.annotation)} | {cell(text(value))} |"
            for name, value in values.items()
        )
        yield "\n".join(["| attribute | type | description |", "|---|---|---|", *rows])
    for name, method in open_members.items():
        if isinstance(method, griffe.Function):
            yield f"### `{what.name}.{name}`"
            yield signature(f"{what.name}.{name}", method)
            yield from sections(method)


def signature(path: str, of: griffe.Function | griffe.Class) -> str:
    """Write a call with types and defaults, on one line or several."""
    words, kind = [], griffe.ParameterKind
    seen_star = False
    given = [parameter for parameter in of.parameters if parameter.name not in ("self", "cls")]
    for place, parameter in enumerate(given):
        if parameter.kind is kind.keyword_only and not seen_star:
            words.append("*")
        seen_star |= parameter.kind in (kind.keyword_only, kind.var_positional)
        stars = {kind.var_positional: "*", kind.var_keyword: "**"}.get(parameter.kind, "")
        annotation = f": {parameter.annotation}" if parameter.annotation is not None else ""
        equals = " = " if annotation else "="
        written = str(parameter.default).replace("'", '"')
        default = f"{equals}{written}" if parameter.default is not None and not stars else ""
        words.append(f"{stars}{parameter.name}{annotation}{default}")
        following = given[place + 1 : place + 2]
        if parameter.kind is kind.positional_only and not (
            following and following[0].kind is kind.positional_only
        ):
            words.append("/")
    returns = getattr(of, "returns", None)
    arrow = "" if returns is None or path.startswith("class ") else f" -> {returns}"
    line = f"{path}({', '.join(words)}){arrow}"
    if len(line) > WIDTH:
        inside = "".join(f"    {word},\n" for word in words)
        line = f"{path}(\n{inside}){arrow}"
    return f"```py\n{line}\n```"


def sections(what: griffe.Object) -> Iterator[str]:
    """Write the sections of a docstring."""
    kind = griffe.DocstringSectionKind
    for section in what.docstring.parsed if what.docstring else ():
        match section.kind:
            case kind.text:
                yield escaped(str(section.value))
            case kind.parameters | kind.attributes:
                yield table_of(section.kind.value[:-1], section.value)
            case kind.returns:
                values = " ".join(
                    f"{typed(one.annotation)}: {flat(one.description)}" for one in section.value
                )
                yield f"**Returns** {values}"
            case kind.raises:
                raised = [f"- `{one.annotation}`: {flat(one.description)}" for one in section.value]
                yield "\n".join(["**Raises**", "", *raised])
            case kind.examples:
                yield "\n\n".join(
                    f"```pycon\n{shown}\n```" if which is kind.examples else escaped(shown)
                    for which, shown in section.value
                )


def table_of(kind: str, values: Sequence[griffe.DocstringElement]) -> str:
    """List parameters or attributes; entries with a common description share a row."""
    rows = [f"| {kind} | type | description |", "|---|---|---|"]
    for (annotation, description), together in groupby(values, lambda one: (one.annotation, one.description)):
        names = ", ".join(f"`{one.as_dict()['name']}`" for one in together)
        rows.append(f"| {names} | {typed(annotation)} | {cell(description)} |")
    return "\n".join(rows)


def summary(what: griffe.Object) -> str:
    """Return the first sentence of a docstring."""
    return escaped(re.split(r"(?<=\.)\s", text(what), maxsplit=1)[0])


def text(what: griffe.Object) -> str:
    """Return the first section of a docstring as one line."""
    sections = what.docstring.parsed if what.docstring else ()
    return flat(str(sections[0].value)) if sections else ""


def typed(annotation: object) -> str:
    """Write a type in a cell without backticks, because the site and GitHub differ for a bar in backticks."""
    if annotation is None:
        return ""
    words = str(annotation)
    if home := homes().get(words.rpartition(".")[2]):
        return f"[`{words}`]({home})"
    return f"<code>{words.replace('|', '&#124;')}</code>" if "|" in words else f"`{words}`"


@cache
def homes() -> dict[str, str]:
    """Return the page of each class of the reference by its bare name, without ambiguous names."""
    listed = [
        (path.rpartition(".")[2], f"{name}.md#{slug(path)}")
        for name, page in PAGES.items()
        for path in names_of(page)
        if found(path).is_class
    ]
    once = Counter(name for name, _ in listed)
    return {name: home for name, home in listed if once[name] == 1}


def cell(words: str) -> str:
    """Write a text in a cell of a table."""
    return escaped(flat(words)).replace("|", "\\|")


def flat(words: str) -> str:
    """Write a text on one line."""
    return " ".join(words.split())


def escaped(words: str) -> str:
    """Escape Markdown characters of a docstring outside of backticks."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if place % 2 else part.replace("<", "&lt;") for place, part in enumerate(parts))


def slug(path: str) -> str:
    """Return the anchor of a heading, as the site generates it."""
    return re.sub(r"[^\w-]", "", f"airhop.{path}".lower())


def is_private(made: griffe.Function) -> bool:
    """Return whether users cannot call a constructor, because they cannot create its arguments."""
    return any("_Source" in str(p.annotation) or p.name == "outcome" for p in made.parameters)


def undescribed() -> Iterator[str]:
    """List the public functions whose docstring is incomplete for their signature.

    A docstring is incomplete if it is missing; if a function has three or more parameters and no section
    `Parameters`; or if such a function returns a value and has no section `Returns`. `analysis` and protocols
    may be terse.
    """
    for path in public():
        for name, function in functions(path):
            if function.docstring is None:
                yield f"{name}: no docstring"
                continue
            given = [p for p in function.parameters if p.name not in ("self", "cls")]
            kinds = {section.kind.value for section in function.docstring.parsed}
            if len(given) < 3 or name.startswith(("analysis.", "verify.Trace", "Scheme.", "NoticeScheme.")):
                continue
            if "parameters" not in kinds:
                yield f"{name}: no Parameters"
            if str(function.returns) != "None" and "returns" not in kinds:
                yield f"{name}: no Returns"


def functions(path: str) -> Iterator[tuple[str, griffe.Function]]:
    """Yield a function by its name, or the methods of a class by their names."""
    what = found(path)
    if isinstance(what, griffe.Function):
        yield path, what
    for name, member in what.members.items() if isinstance(what, griffe.Class) else ():
        if isinstance(member, griffe.Function) and not name.startswith("_"):
            yield f"{path}.{name}", member
