"""`airhop new-scheme`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.boundary.shell import command_line
from airhop.catalogue import schemes
from airhop.errors import InputError
from airhop.objects import LONGEST_NAME, SHIPPED

TEMPLATES = Path(__file__).parents[1] / "templates"
RUST_SCHEMES = Path("crates/tcp/src/schemes")
"""Folder of the schemes in Rust, in Airhop's sources."""
LIST_END = re.compile(r"(^schemes! \{\n.*?)(^\})", re.MULTILINE | re.DOTALL)
"""Pattern of the list of schemes in the Rust sources; the last line is a separate group."""
NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
COMPARED = ["-n", "5", "--set", "duration=20 s"]


@dataclass(frozen=True)
class _Kind:
    """Language of a scheme: templates by name of the written file, and the commands to print."""

    files: dict[str, str]
    commands: list[list[str]]


def new_scheme(
    name: str,
    /,
    *,
    python: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    rust: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    bpf: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Write a scheme that runs and a test of its window law, and print the next three commands.

    At first the scheme has the rules of Reno or NewReno. The test fails until scheme and test contain the law
    of your scheme.

    Parameters
    ----------
    name
        Name of the scheme: lower-case letters, digits, hyphens and underscores.
    python
        Write a Python class in this folder, which needs no compilation.
    rust
        Write a scheme that is built into Airhop, in the folder of Airhop's sources.
    bpf
        Write a congestion control in C in this folder, for the simulator and for a Linux kernel.
    """
    makers = [maker for chosen, maker in ((python, _python), (rust, _rust), (bpf, _bpf)) if chosen]
    if len(makers) != 1:
        raise InputError("expected one of --python, --rust and --bpf")
    _check_name(name, longest=LONGEST_NAME - len("bpf_") if bpf else 40)
    kind = makers[0](name)
    module = _module(name)
    if existing := [file for file in kind.files if Path(file).exists()]:
        raise InputError(f"{existing[0]} exists already; expected another name")
    words = {"name": name, "module": module, "type": module.title().replace("_", "")}
    for file, template in kind.files.items():
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        Path(file).write_text(text.format(**words), encoding="utf-8")
        print(f"{file} is written")
    if rust:
        _add_to_list(module)
    print("next:")
    for command in kind.commands:
        print(f"  {command_line(command)}")
    return 0


def _check_name(name: str, longest: int) -> None:
    if NAME.fullmatch(name) is None or len(name) > longest:
        raise InputError(
            f"`{name}`: expected at most {longest} lower-case letters, digits, hyphens and underscores, as in"
            " my-reno"
        )
    if any(scheme["name"] == name for scheme in schemes()):
        raise InputError(f"there is a scheme `{name}` already; expected another name")


def _module(name: str) -> str:
    """Return a scheme's name for files and functions: with underscores in place of hyphens."""
    return name.replace("-", "_")


def _python(name: str) -> _Kind:
    module = _module(name)
    scheme, test = f"{module}.py", f"test_{module}.py"
    compare = ["airhop", "compare", "last-hop", "newreno", name, "--with", scheme, *COMPARED]
    return _Kind(
        {scheme: "scheme.py.txt", test: "test.py.txt"},
        [
            compare,
            ["python", "-m", "unittest", f"test_{module}"],
            [*compare, "--vary", "wlan.cell.errors.fer=0,0.01,0.05"],
        ],
    )


def _bpf(name: str) -> _Kind:
    module = _module(name)
    source, object_, test = f"{module}.bpf.c", f"{module}.bpf.o", f"test_{module}.c"
    headers = ["-I", str(SHIPPED)]
    native = ["-DAIRHOP_NATIVE", "-Wno-unused-function"]
    return _Kind(
        {source: "scheme.bpf.c.txt", test: "test.c.txt"},
        [
            ["clang", "-O2", "-g", "-target", "bpf", "-mcpu=v3", *headers, "-c", source, "-o", object_],
            ["airhop", "compare", "last-hop", "newreno", f"bpf_{module}", "--with", object_, *COMPARED],
            [
                "sh",
                "-c",
                f"{command_line(['cc', *native, *headers, test, '-o', f'test_{module}'])} && ./test_{module}",
            ],
        ],
    )


def _rust(name: str) -> _Kind:
    module = _module(name)
    if not (RUST_SCHEMES / "mod.rs").exists():
        raise InputError(f"--rust: there is no {RUST_SCHEMES} here; expected the folder of Airhop's sources")
    return _Kind(
        {str(RUST_SCHEMES / f"{module}.rs"): "scheme.rs.txt"},
        [
            ["make", "setup"],
            ["cargo", "test", "-p", "airhop-tcp", module],
            [".venv/bin/airhop", "compare", "last-hop", "newreno", name, *COMPARED],
        ],
    )


def _add_to_list(module: str) -> None:
    """Add a scheme to the list of the schemes in Rust."""
    file = RUST_SCHEMES / "mod.rs"
    text = LIST_END.sub(rf"\g<1>    {module},\n\g<2>", file.read_text(encoding="utf-8"), count=1)
    file.write_text(text, encoding="utf-8")
    print(f"{file} lists the scheme; CONTRIBUTING.md names the tests that a built-in scheme needs")
