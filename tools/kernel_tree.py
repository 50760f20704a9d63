#!/usr/bin/env python3
"""Compare the CUBIC and DCTCP objects of a Linux source tree with Airhop's; print docs/kernel-tree.csv.

    sudo .venv/bin/python tools/kernel_tree.py LINUX > docs/kernel-tree.csv

LINUX is a source tree, whose selftests contain both programs. They are compiled in a temporary folder,
unchanged except for their names. The tool needs clang, bpftool, a kernel with BTF, the privileges of `airhop
emulate --with`, and an idle machine.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airhop import emulate, plugins
from airhop.crosscheck.against_kernel import LINKS, SECONDS, emulated
from airhop.scenario import Scenario
from airhop.simulate import Job, run_many
from airhop.stats import estimate, ratio
from emulated import _bulk, _goodput

WIRE, ONCE, SEVEN = (
    ("wire", "loss=0.01"),
    ("last-hop", "attempts=1;fer=0.01"),
    ("last-hop", "attempts=7;fer=0.01"),
)
POINTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "cubic": (WIRE, ONCE, SEVEN),
    "dctcp": (WIRE, ONCE, SEVEN, ("red", ""), ("steps", "")),
}
RUST: Mapping[str, str | Mapping[str, Any]] = {"cubic": {"name": "cubic", "form": "linux"}, "dctcp": "dctcp"}
"""Rust schemes with the rules of the tree's objects."""
REPS = 60
PROGRAMS = Path("tools/testing/selftests/bpf/progs")
HEAD = ("linux", "source", "object", "link", "params", "value", "n", "mean", "low", "high")
"""Columns of the file. `value` is the kind of value: goodput of the simulated object or of the kernel,
Mbit/s, or ratio to the Rust scheme or to Airhop's object. `source` is the beginning of the SHA-256 of the
program's source.
"""


def compiled(linux: Path, stem: str, folder: Path) -> Path:
    """Compile a program of the tree, with the unique name tree_NAME for its congestion control."""
    types = subprocess.run(
        ["bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "c"],
        capture_output=True,
        check=True,
    )
    (folder / "vmlinux.h").write_bytes(types.stdout)
    made = folder / f"tree_{stem}.bpf.o"
    flags = ["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_x86"]
    programs = linux / PROGRAMS
    headers = [f"-I{one}" for one in (folder, programs.parent, programs, linux / "tools/include/uapi")]
    source = programs / f"bpf_{stem}.c"
    subprocess.run(["clang", *flags, *headers, "-c", str(source), "-o", str(made)], check=True)
    subprocess.run(["llvm-strip", "-g", str(made)], check=True)
    data, own = made.read_bytes(), f"bpf_{stem}".encode().ljust(16, b"\0")
    if data.count(own) != 1:
        raise SystemExit(f"{source} does not register bpf_{stem} once")
    made.write_bytes(data.replace(own, f"tree_{stem}".encode().ljust(16, b"\0")))
    return made


def goodputs(link: str, params: str, scheme: object) -> list[float]:
    """Return the goodputs of a scheme over a link, Mbit/s."""
    document = emulated(link, params, "reno")
    for flow in document["flow"]:
        flow["scheme"] = scheme
    loaded = Scenario.load(document)
    return [run.goodput_mbps for run in run_many([Job(loaded, 1, rep) for rep in range(REPS)])]


def in_kernel(link: str, params: str, object_: Path, runs: int) -> list[float]:
    """Return the goodputs of an object in the kernel, Mbit/s, without invalid runs."""
    scheme = object_.name.removesuffix(".bpf.o")
    document = emulated(link, params, "reno")
    for flow in document["flow"]:
        flow["scheme"] = scheme
    network = Scenario.load(document).with_({"duration": f"{2 * SECONDS} s"})
    found: list[float] = []
    for seed in range(1, 2 * runs + 1):
        if len(found) == runs:
            break
        run = emulate(network, _bulk(LINKS[link], None), scheme=scheme, with_=str(object_), seed=seed)
        if run.failures or not run.valid:
            print(f"{link} {params} {scheme}, seed {seed}: {run.failures or run.why}", file=sys.stderr)
        else:
            found.append(float(_goodput(run.live["commands"][1]["stdout"])["goodput_mbps"]))
    return found


def measured(stem: str, made: Path, runs: int) -> Iterator[tuple[str, ...]]:
    """Yield the values of an object on each link, with their 95 % intervals."""
    (tree,), (own,) = plugins.load(made), plugins.load(f"bpf_{stem}")
    for link, params in POINTS[stem]:
        goodput = goodputs(link, params, tree)
        kernel = in_kernel(link, params, made, runs)
        for name, values in (("simulated", goodput), ("kernel", kernel)):
            if not values:
                continue
            mean = estimate(values)
            ends = mean.drawn
            yield link, params, name, str(mean.n), *map(written, (mean.mean, ends.low, ends.high))
        for name, scheme in (("over Rust", RUST[stem]), ("over Airhop", own)):
            over = ratio(goodput, goodputs(link, params, scheme))
            yield link, params, name, str(over.n), *map(written, (over.value, over.low, over.high))


def written(number: float | None) -> str:
    """Return a number with five significant digits; empty for None."""
    return "" if number is None else f"{number:.5g}"


def rows(linux: Path, runs: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of both objects."""
    makefile = (linux / "Makefile").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"^(?:VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$", makefile, re.M))
    for stem in POINTS:
        source = linux / PROGRAMS / f"bpf_{stem}.c"
        digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
        with tempfile.TemporaryDirectory() as folder:
            for values in measured(stem, compiled(linux, stem, Path(folder)), runs):
                yield version, digest, f"bpf_{stem}", *values


def main() -> None:
    """Print the rows as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("linux", type=Path, help="source tree of Linux")
    parser.add_argument("--runs", type=int, default=4, help="runs of the kernel per link")
    given = parser.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(HEAD)
    out.writerows(rows(given.linux, given.runs))


if __name__ == "__main__":
    main()
