"""Make the pages of docs/scenario from the simulator's list of keys, a page per table, with examples.

Each page begins with a scenario of docs/scenario/examples, and each `kind` with a line that sets it: a line
of this module, or the shortest valid line. A table of the simulator without a page is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from airhop import _core

FOLDER = "scenario"
EXAMPLES = Path(__file__).resolve().parent.parent / "docs" / FOLDER / "examples"
WHOLE = "The file"
"""Name of the table of the keys at the top of a file."""


@dataclass(frozen=True)
class Page:
    """Page: tables, introduction, and settings of their kinds."""

    title: str
    about: str
    tables: tuple[str, ...]
    kinds: dict[str, dict[str, str]] = field(default_factory=dict)
    """Settings that select a kind in the page's example, as for `--set`, by last part of the table's path and
    by kind.
    """


ERRORS = {
    "bernoulli": 'radio.air.errors={ kind = "bernoulli", fer = 0.01 }',
    "gilbert-elliott": 'radio.air.errors={ kind = "gilbert-elliott", loss = 0.02, burst = 4 }',
    "two-state": (
        'radio.air.errors={ kind = "two-state", good = "10 s", bad = "1 s", fer_good = 0.001, fer_bad = 1.0 }'
    ),
    "recorded": 'radio.air.errors={ kind = "recorded", file = "fades.csv", fer_good = 0.001, fer_bad = 1.0 }',
}
CHANGES = {
    "rate": 'radio.air.changes={ kind = "rate", at = "20 s", rate = "2 Mbit/s" }',
    "outage": 'radio.air.changes={ kind = "outage", at = "15 s", lasts = "2 s", every = "20 s" }',
    "handoff": 'radio.air.changes={ kind = "handoff", at = "20 s", gap = "200 ms", mobile = "m" }',
}
QUEUES = {
    "drop-tail": 'wired.bottleneck.queue={ kind = "drop-tail", packets = 50 }',
    "red": 'wired.bottleneck.queue={ kind = "red", packets = 100, min = 10, max = 40, ecn = true }',
    "congestion-warning": 'wired.bottleneck.queue={ kind = "congestion-warning", threshold = 12 }',
    "biased": 'wired.bottleneck.queue={ kind = "biased", packets = 50 }',
    "codel": 'wired.bottleneck.queue={ kind = "codel", target = "5 ms", interval = "100 ms" }',
    "fq-codel": 'wired.bottleneck.queue={ kind = "fq-codel", flows = 64 }',
    "pie": 'wired.bottleneck.queue={ kind = "pie", target = "15 ms" }',
    "fq": 'wired.bottleneck.queue={ kind = "fq", packets = 100 }',
}
RECOVERIES = {
    "stop-and-wait": 'radio.air.arq={ kind = "stop-and-wait", timeout = "90 ms", attempts = 13 }',
    "go-back-n": 'radio.air.arq={ kind = "go-back-n", window = 8 }',
    "selective-repeat": 'radio.air.arq={ kind = "selective-repeat", window = 16 }',
    "rlp": 'radio.air.arq={ kind = "rlp", rounds = [2, 3] }',
}
LAYOUTS = {
    "chain": 'wlan.field.layout={ kind = "chain", nodes = 9, spacing = "30 m" }',
    "grid": 'wlan.field.layout={ kind = "grid", columns = 4, rows = 3, spacing = "30 m" }',
    "cross": 'wlan.field.layout={ kind = "cross", arm = 2, spacing = "30 m" }',
    "random": 'wlan.field.layout={ kind = "random", nodes = 20, width = "80 m", height = "80 m" }',
}
ROUTINGS = {
    "aodv": 'wlan.field.routing={ kind = "aodv", preset = "rfc3561", hop_time = "4 ms" }',
}
APPS = {
    "transfer": 'flow.file.app={ kind = "transfer", size = "300 kB" }',
    "cbr": 'flow.background.app={ kind = "cbr", rate = "500 kbit/s" }',
    "pareto-on-off": 'flow.background.app={ kind = "pareto-on-off", peak = "1 Mbit/s", on = "200 ms" }',
    "request-response": (
        'flow.file.app={ kind = "request-response", request = "200 B", '
        'response = { kind = "lognormal", median = "10 kB", sigma = 1.5 }, rate = 2 }'
    ),
    "video": 'flow.file.app={ kind = "video", ladder = ["1 Mbit/s", "2.5 Mbit/s", "5 Mbit/s"] }',
}

PAGES = {
    "wired": Page(
        "Wired links",
        (
            "A wire joins two nodes, full duplex, with a queue for each direction. A key sets one value "
            "for both directions, or one value per direction. For `rate`, `delay` and `deliveries` the "
            'values per direction are a table, `{ "isp->home" = …, "home->isp" = … }`; for other keys '
            "they are a list of tables with `direction`. A wire can therefore model an asymmetric line "
            "(ADSL, cable), a satellite link with a slow return channel, or a recorded cellular link "
            "with two files. `--set 'wired.dsl.rate.home->isp=\"1 Mbit/s\"'` changes one direction."
        ),
        ("wired", "wired.reorder"),
    ),
    "wlan": Page(
        "802.11 cells",
        (
            "A cell is one 802.11 channel. Its stations contend for the channel by carrier sense and "
            "backoff, and acknowledge data frames by link ACKs. Stations of 802.11, 802.11b and 802.11g "
            "have the DCF and a `rate` in Mbit/s. Stations of 802.11n, 802.11ac and 802.11ax have EDCA "
            "(best effort), a `rate` of MCS and spatial streams, and A-MPDUs under Block Ack "
            "([Concepts](../concepts.md#aggregates-and-block-ack)); their MPDUs may have "
            "[errors by SNR](../concepts.md#errors-by-snr). A key that the standard of the cell "
            "does not have is an error. Each station has one queue for all its receivers. `stations` or "
            "a [`layout`](layout.md) defines the positions of the stations. The packaged scenarios "
            "`wifi-n`, `wifi-ac` and `wifi-ax` are cells of 802.11n, 802.11ac and 802.11ax with one station, "
            "`wifi-five` a cell of 802.11ac with five. `home`, `cafe`, `office` and `train` combine "
            "several applications behind a cell ([Which for my link](../which-for-my-link.md))."
        ),
        ("wlan", "wlan.rate", "wlan.aggregation", "wlan.txop", "wlan.phy"),
    ),
    "layout": Page(
        "Positions of stations",
        "A layout defines the names and positions of the stations of a cell. [Ranges](range.md) "
        "determine the "
        "stations that receive a frame.",
        ("wlan.layout",),
        {"layout": LAYOUTS},
    ),
    "range": Page(
        "Receive and sense range",
        (
            "Ranges determine the stations that decode a frame, and the stations that only sense a "
            "busy medium, "
            "by distance (`range`) or by power (`propagation`). Stations that do not sense each other are "
            "hidden terminals."
        ),
        ("wlan.range", "wlan.propagation"),
    ),
    "routing": Page(
        "Routes over several hops",
        "Routing forwards packets through a cell whose stations do not all receive each other.",
        ("wlan.routing",),
        {"routing": ROUTINGS},
    ),
    "radio": Page(
        "Radio links",
        (
            "A radio link has a separate channel for each direction and no contention, as in cellular "
            "networks. A key may have different values for the two directions, as on a "
            "[wire](wired.md)."
        ),
        ("radio",),
    ),
    "arq": Page(
        "ARQ of radio links",
        (
            "ARQ (automatic repeat request) retransmits lost frames of a radio link. The key `arq` "
            "selects the ARQ of the direction from the first of the two `ends` to the second, and the "
            "key `arq_back` selects the ARQ of the opposite direction."
        ),
        ("radio.arq", "radio.arq_back"),
        {"arq": RECOVERIES, "arq_back": RECOVERIES},
    ),
    "queue": Page(
        "Queues",
        (
            "A queue precedes each direction of a wire, each end of a radio link, and the MAC of each "
            "station. The key `kind` selects the queue discipline. On wires and radio links a list "
            "sets a queue for each direction."
        ),
        ("wired.queue", "wlan.queue", "radio.queue"),
        {"queue": QUEUES},
    ),
    "errors": Page(
        "Error models",
        (
            "An error model defines the frame errors of the channel of a link. "
            "[Concepts](../concepts.md#where-a-frames-error-is-decided) defines the time at which the "
            "model decides the loss of a frame. A list sets a model for each direction. Losses by the "
            "distance of stations, `snr`, belong to cells of 802.11n, ac and ax "
            "([Errors by SNR](../concepts.md#errors-by-snr))."
        ),
        ("wired.errors", "wlan.errors", "radio.errors"),
        {"errors": ERRORS},
    ),
    "changes": Page(
        "Changes of a link",
        (
            "Changes of a link are rate changes, outages and handoffs at given times, in both "
            "directions or in one direction. [Links that vary](../varying-links.md) describes their "
            "effects."
        ),
        ("wired.changes", "radio.changes"),
        {"changes": CHANGES},
    ),
    "flow": Page(
        "Flows",
        (
            "A flow is one sender and one receiver, with a scheme, services of the network, and an "
            "application. [Concepts](../concepts.md#adaptive-video) defines the choice of bitrates of a "
            "`video`."
        ),
        ("flow", "flow.between", "flow.app", "flow.app.request", "flow.app.response", "flow.app.think"),
        {"app": APPS},
    ),
    "tcp": Page(
        "TCP",
        (
            "These keys set the base of a connection, which is its TCP without the scheme. The key "
            "`preset` selects the defaults of all other keys, and each key overrides its default. The "
            "presets are `rfc` (the RFCs), `ns2` (the one-way agents of ns-2.35) and `linux` (Linux 6). "
            "No preset limits the receive window; ns-2 has a limit of 20 segments (`window_` = 20)."
        ),
        ("flow.tcp", "flow.tcp.delayed_ack", "flow.tcp.turnaround", "flow.tcp.rto"),
    ),
}
BRACES = re.compile(r"\{[^{}]*\}")

INDEX_HEAD = """# Scenario files

{intro}
{example}
Each page listed below has a complete example file and, for every `kind`, the line of TOML that selects it.

| page | tables |
|---|---|
"""


def pages() -> dict[str, str]:
    """Make the index and a page for each entry of `PAGES`, by path below docs/."""
    intro, sections = parts()
    homes = {table: name for name, page in PAGES.items() for table in page.tables}
    if missing := set(sections) - set(homes) - {WHOLE}:
        raise ValueError(f"no page of tools/scenario_pages.py has {', '.join(sorted(missing))}")
    listed = (
        f"| [{page.title}]({name}.md) | {', '.join(f'`{table}`' for table in page.tables)} |\n"
        for name, page in PAGES.items()
    )
    head = INDEX_HEAD.format(intro=intro, example=example("scenario"))
    index = [
        head,
        *listed,
        "\n## The file\n\n",
        link_keys_to_pages(sections[WHOLE], "", homes, "index"),
        "\n",
    ]
    return {
        f"{FOLDER}/index.md": "".join(index),
        **{f"{FOLDER}/{name}.md": page_of(name, page, sections, homes) for name, page in PAGES.items()},
    }


def parts() -> tuple[str, dict[str, str]]:
    """Split the simulator's list of keys into the introduction and the text of each table by path."""
    head, *rest = re.split(r"^## ", _core.reference(), flags=re.MULTILINE)
    sections = {}
    for part in rest:
        title, _, body = part.partition("\n")
        sections[title.strip("`[]")] = with_code(body.strip())
    return head.partition("\n")[2].strip() + "\n", sections


def with_code(text: str) -> str:
    """Set the inline tables in the rows of a table as code: bare braces are an attribute list to Markdown."""

    def row(line: str) -> str:
        parts = line.split("`")
        parts[::2] = (BRACES.sub(r"`\g<0>`", outside) for outside in parts[::2])
        return "`".join(parts)

    return "\n".join(row(line) if line.startswith("| `") else line for line in text.split("\n"))


def page_of(name: str, page: Page, sections: dict[str, str], homes: dict[str, str]) -> str:
    """Write a page: title, example and tables; equal tables are written once."""
    texts: dict[str, list[str]] = {}
    for table in page.tables:
        texts.setdefault(sections[table], []).append(table)
    body = []
    for text, tables in texts.items():
        path = tables[0]
        key = path.rpartition(".")[2]
        shown = with_kinds(link_keys_to_pages(text, path, homes, name), key, page.kinds.get(key, {}))
        heads = ", ".join(f"`[[{table}]]`" if "." not in table else f"`{table}`" for table in tables)
        body.append(f"\n## {heads}\n\n{shown}\n")
    return f"# {page.title}\n\n{page.about}\n\n{example(name)}{''.join(body)}"


def example(name: str) -> str:
    """Show a scenario of the folder of examples, and the command that runs it."""
    file = f"{name}.toml"
    text = (EXAMPLES / file).read_text(encoding="utf-8")
    return f'```toml title="{file}"\n{text}```\n\n```sh\nairhop run {file}\n```\n'


def link_keys_to_pages(markdown: str, path: str, pages: dict[str, str], page: str) -> str:
    """Return a table of keys with links of keys to their pages; keys of the page itself have no link."""

    def link(row: re.Match[str]) -> str:
        table = f"{path}.{row[1]}".lstrip(".")
        home = pages.get(table, page)
        return row[0] if home == page else f"| [`{row[1]}`]({home}.md) |"

    return re.sub(r"^\| `(\w+)` \|", link, markdown, flags=re.MULTILINE)


def with_kinds(text: str, key: str, settings: dict[str, str]) -> str:
    """Return the text with a heading and a setting for each kind."""
    head, *kinds = re.split(r'^`kind = "([\w-]+)"`: ', text, flags=re.MULTILINE)
    parts = [head]
    for kind, body in zip(kinds[::2], kinds[1::2], strict=True):
        about, _, keys = body.partition("\n")
        parts.append(f"### `{kind}`\n\n{about[:1].upper()}{about[1:]}.\n\n")
        least = f'{key}={{ kind = "{kind}" }}' if "| required |" not in keys and "needed" not in keys else ""
        if setting := settings.get(kind, least):
            path, _, value = setting.partition("=")
            parts.append(f"```toml\n{path.rpartition('.')[2]} = {value}\n```\n")
        parts.append(keys)
    return "".join(parts)


def settings() -> Iterator[tuple[str, str, str]]:
    """Yield the page, the kind and the setting of each line below."""
    for name, page in PAGES.items():
        for table, kinds in page.kinds.items():
            for kind, setting in kinds.items():
                yield name, f"{table} {kind}", setting
