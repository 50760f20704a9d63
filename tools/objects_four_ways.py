"""Make docs/objects-four-ways.md: BPF objects simulated, native, in a kernel, and against Rust schemes.

The kernel's runs are rows of python/airhop/crosscheck/reference (tools/emulated.py), simulated values and
ratios are rows of docs/cross-checks.csv, and the objects of a kernel's source tree are rows of
docs/kernel-tree.csv (tools/kernel_tree.py). The module runs nothing.
"""

import csv
from pathlib import Path

import cross_checks
from airhop.crosscheck import Row
from airhop.crosscheck.against_kernel import check_id, description
from airhop.crosscheck.against_schemes import check_id as pair_id
from airhop.crosscheck.against_schemes import compared, partner
from airhop.crosscheck.reference import Point, points
from airhop.terminal import mean_pm
from blocks import table
from kernel_tables import simulated

PAGE = "objects-four-ways.md"
TREE = Path(__file__).resolve().parent.parent / "docs" / "kernel-tree.csv"
LINKS = {
    ("wire", "loss=0.01"): "Wire, loss 1 %",
    ("last-hop", "attempts=1;fer=0.01"): "Last hop, one attempt, FER 1 %",
    ("last-hop", "attempts=7;fer=0.01"): "Last hop, seven attempts, FER 1 %",
}
"""Titles of the tables of links without notices, by link and parameters of the points."""

HEAD = """# Objects, four ways

A BPF object is a congestion control in C, compiled by clang. Airhop runs the rules of each object of
[`bpf/`](bpf.md) in four ways, and compares the results:

- *Simulated*: Airhop's interpreter runs the instructions of the object for a simulated sender of
  [preset](presets.md) `linux`.
- *Native*: a C compiler compiles the source of the object for the local machine. A test records the calls
  of a simulated connection that meets losses, marks, reordering and outages, and repeats at least 10,000
  of them in the interpreter and in the native program. After each call every byte of the connection's
  `struct tcp_sock` must be equal, the private state of the object included. The interpreter has the
  kernel's functions in Rust, and the native program has them in C (`bpf/laws`).
- *Kernel*: Linux 6.18 runs the object for iperf3, which sends for 30 s over emulated links, three to eight
  runs per link ([real packets](real-packets.md#emulated-against-simulated)).
- *Rust scheme*: the scheme with the same rules and constants, in floating point, over the interface of
  Airhop's other schemes, without BPF.

The columns *simulated* (60 runs) and *kernel* contain goodput in Mbit/s with 95 % intervals. The column
*native* contains `equal` if the interpreter and the native program agree in every byte. The column *ratio*
contains the goodput of the simulated object over the goodput of the Rust scheme, in 60 pairs of runs with
equal channels. Fieller's interval of a ratio is asymmetric, and the column contains its larger half. The
column *scheme's goodput* is the simulated goodput over the ratio, and has no interval of its own.

The [cross-checks](cross-checks.md#rust-schemes-of-the-objects-names) have a bound of 5 % for the ratio, and
the column *reason* names the [reason](#reasons) of a larger difference. The cross-checks also compare
*simulated* with *kernel* ([bounds and verdicts](cross-checks-table.md#linux-618-on-the-same-links)). FER is
the frame error rate, and *attempts* is the largest number of transmissions of a frame. These commands
repeat the simulated runs and the comparison of the native programs; without a C compiler and libbpf's headers
(Debian: `apt install gcc libbpf-dev`) the second command compares nothing:

```text
airhop doctor --cross-check --out cross-checks.csv
cargo test -p airhop-bpf natively
```

`tools/emulated.py` measures the runs of the kernel.
"""


def page() -> str:
    """Return the page."""
    head = ("object", "Rust scheme", "native", "simulated", "kernel", "scheme's goodput", "ratio", "reason")
    parts = [HEAD]
    for place, title in LINKS.items():
        found = [point for point in compared() if point[:2] == place]
        parts.append(f"\n## {title}\n\n{table(head, map(_cells, found), left=3)}")
    others = [point for point in compared() if point[:2] not in LINKS]
    lines = ((_link(point), *_cells(point)) for point in others)
    parts.append(f"\n## Other links\n\n{table(('link', *head), lines, left=4)}")
    return "".join([*parts, cross_checks.reasons(_pairs()), _tree()])


def _pairs() -> list[Row]:
    return cross_checks.rows_of("schemes")


def _link(point: Point) -> str:
    said = description(*point).partition(", ")[2]
    return f"last hop, {said}" if point[0] == "last-hop" else said


def _cells(point: Point) -> tuple[str, ...]:
    """Return the cells of a point, without its link."""
    _, params, scheme = point
    row = next(row for row in _pairs() if row.check.id == pair_id(point))
    mean, theirs = simulated()[check_id(*point)], {**points("emulated"), **points("chain")}[point]
    other = partner(params, scheme)
    name = other if isinstance(other, str) else other["name"]
    why = "" if row.reason is None else row.reason.name
    found = row.ours
    ratio = f"{found.mean:.3f} ± {found.half_width or 0.0:.3f}"
    goodput = f"{mean.mean / found.mean:.3f}"
    return f"`{scheme}`", f"`{name}`", "equal", mean_pm(mean), mean_pm(theirs), goodput, ratio, why


TREE_HEAD = """
## Objects of the kernel's source tree

The selftests of Linux contain a CUBIC and a DCTCP as BPF programs. `tools/kernel_tree.py` compiled both
from Linux {version} without a change, except for their names. Airhop and Linux 6.18 ran them over the
same links. The columns *simulated* and *kernel* contain the goodput in Mbit/s of {n} simulated runs and
of {kernel} runs of the kernel, each of 30 s. The column *over Rust* contains the ratio of the goodputs of
the tree's object and of the Rust scheme with the same rules, `cubic` with `form = "linux"` and `dctcp`.
The column *over Airhop's* contains the ratio to the object of the same name in `bpf/`. Both are ratios
over {n} simulated pairs with Fieller's interval. The senders do not pace. The values are in
[kernel-tree.csv](kernel-tree.csv). This command measures them; LINUX is the folder of the kernel's sources,
and the command needs clang, llvm-strip, bpftool, iperf3 and the rights of `airhop emulate --with`:

```text
sudo .venv/bin/python tools/kernel_tree.py LINUX --runs 3 > kernel-tree.csv
```

"""


def _tree() -> str:
    """Return the section of the tree's objects."""
    with TREE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        point = (row["link"], row["params"], row["object"])
        values.setdefault(point, {})[row["value"]] = " ".join(
            (f"{float(row['mean']):.3f}", f"({float(row['low']):.3f}–{float(row['high']):.3f})")
        )
    columns = ("simulated", "kernel", "over Rust", "over Airhop")
    lines = (
        (_link(point), f"`{point[2]}`", *(found.get(column, "") for column in columns))
        for point, found in values.items()
    )
    head = ("link", "object of the tree", *columns[:3], "over Airhop's")
    runs = {row["value"]: row["n"] for row in rows}
    about = TREE_HEAD.format(version=rows[0]["linux"], n=runs["simulated"], kernel=runs["kernel"])
    return about + table(head, lines, left=2) + TREE_END


TREE_END = """
The tree's DCTCP has the goodput of Airhop's `bpf_dctcp`, to within 0.2 %. The tree's CUBIC has the goodput
of the Rust scheme with the rules of Linux, to within 0.6 %. `bpf_cubic` of `bpf/` implements RFC 9438
instead. On the wire its goodput is 13 % (12 to 15 %) higher than the goodput of the tree's CUBIC, and on the
last hop with one attempt 13 % (11 to 16 %) higher.
"""
