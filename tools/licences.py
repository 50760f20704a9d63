"""Compare the licences of all linked crates and imported packages with the allowed licences.

deny.toml lists the allowed licences of crates, pyproject.toml those of Python packages. The check needs no
network. It writes THIRD-PARTY.txt, the notices in a wheel; with --check a stale file is an error.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD-PARTY.txt"
EXTENSION = "airhop-py"
PLATFORM = "x86_64-unknown-linux-gnu"
"""Platform of the notices, independent of the machine that writes them."""
OPTIONAL = ("cluster", "pandas", "view")
"""Extras for users. The extras for building and testing are not distributed."""

HEAD = """Airhop is licensed under Apache-2.0 (LICENSE). Its extension module airhop._core contains the Rust
crates below, unmodified. Written by tools/licences.py.
"""
APACHE = "Under Apache-2.0, whose text is that of LICENSE:\n"

SPDX = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Public Domain": "LicenseRef-Public-Domain",
    "Python Software Foundation License": "PSF-2.0",
}
"""SPDX expressions of licence texts in package metadata older than `License-Expression` (PEP 639)."""
READ_BY_HAND = {"docutils": "LicenseRef-Public-Domain AND BSD-2-Clause"}
"""Licences of packages whose metadata are incomplete. The only GPL part of docutils, an Emacs mode, is not in
its wheel.
"""


def main() -> int:
    """Check all licences, print the errors, and return the exit code."""
    crates = linked(
        json.loads(_cargo("metadata", "--format-version=1", "--locked", "--filter-platform", PLATFORM))
    )
    allowed = tomllib.loads(_read("deny.toml"))["licenses"]["allow"]
    wrong = [_refusal(_named(one), one["license"]) for one in crates if not permits(one["license"], allowed)]

    project = tomllib.loads(_read("pyproject.toml"))
    groups = [project["project"]["optional-dependencies"][extra] for extra in OPTIONAL]
    packages = installed(sum(groups, project["project"]["dependencies"]), set())
    licences = {name: of_package(name) for name in sorted(packages)}
    allowed = project["tool"]["airhop"]["licences"]
    wrong += [_refusal(name, found) for name, found in licences.items() if not permits(found, allowed)]

    text = notices(crates)
    if "--check" not in sys.argv[1:]:
        NOTICES.write_text(text, encoding="utf-8")
    elif not NOTICES.exists() or _read(NOTICES.name) != text:
        wrong.append(f"{NOTICES.name} is stale: run `make licences`")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(crates)} crates, {len(licences)} packages, {len(wrong)} wrong")
    return 1 if wrong else 0


def _refusal(name: str, licence: str | None) -> str:
    return f"{name}: `{licence}` is not among the licences that are allowed"


def linked(graph: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the third-party packages of `cargo metadata` that the extension contains, by name.

    Macros and build scripts, which run only during the compilation, are excluded.
    """
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == EXTENSION]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        is_macro = any("proc-macro" in target["kind"] for target in packages[key]["targets"])
        if key not in seen and not is_macro:
            seen.add(key)
            waiting += [
                dep["pkg"]
                for dep in nodes[key]["deps"]
                if any(kind["kind"] is None for kind in dep["dep_kinds"])
            ]
    members = set(graph["workspace_members"])
    return sorted((packages[key] for key in seen - members), key=_named)


def notices(crates: Collection[dict[str, Any]]) -> str:
    """Return the licence texts that the licences of linked crates require to be distributed."""
    apache = [crate for crate in crates if permits(crate["license"], ["Apache-2.0"])]
    parts = [HEAD, APACHE + "\n".join(_named(crate) for crate in apache) + "\n"]
    for crate in crates:
        texts = [file.read_text(encoding="utf-8").strip() for file in _texts(crate, crate in apache)]
        if crate not in apache:
            authors = re.sub(r" <[^>]*>", "", ", ".join(crate["authors"]))
            texts = texts or [
                f"Copyright {authors}. Its archive has no text of the licence: as of those around it."
            ]
        if texts:
            parts.append("\n\n".join([f"{'-' * 80}\n{_named(crate)}: {crate['license']}", *texts]) + "\n")
    return "\n".join(parts)


def _named(crate: dict[str, Any]) -> str:
    return f"{crate['name']} {crate['version']}"


def _texts(crate: dict[str, Any], apache: bool) -> Iterator[Path]:
    """Yield the licence files of a crate, and the NOTICE that Apache-2.0 §4 (d) requires."""
    wanted = "NOTICE" if apache else "LICEN[CS]E|COPYRIGHT|NOTICE"
    for file in sorted(Path(crate["manifest_path"]).parent.iterdir()):
        if re.match(wanted, file.name, re.IGNORECASE):
            yield file


def installed(requirements: Collection[str], seen: set[str]) -> set[str]:
    """Return the names of installed packages that requirements need, also indirectly, without extras."""
    for requirement in requirements:
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")
        if "extra ==" in requirement or name in seen:
            continue
        try:
            behind = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # only another Python version or platform needs it
        seen.add(name)
        installed(behind, seen)
    return seen


def of_package(name: str) -> str:
    """Return the licence of an installed package, as an SPDX expression if it is known."""
    if name in READ_BY_HAND:
        return READ_BY_HAND[name]
    about = metadata.metadata(name)
    for expression in about.get_all("License-Expression", []):
        return str(expression)
    classifiers = [
        line.split(" :: ")[-1] for line in about.get_all("Classifier", []) if line.startswith("License")
    ]
    if classifiers:
        return " AND ".join(SPDX.get(one, f"({one})") for one in classifiers)
    first = "".join(about.get_all("License", [])).strip().partition("\n")[0]
    return SPDX.get(first, first)


def permits(expression: str | None, allowed: Collection[str]) -> bool:
    """Return whether allowed licences satisfy an SPDX expression. `/` is Cargo's old `OR`."""
    words = re.findall(
        r"[()]|[^\s()]+", re.sub(r"\s+WITH\s+", "-WITH-", (expression or "").replace("/", " OR "))
    )
    known = {one.replace(" WITH ", "-WITH-") for one in allowed}
    value = _either(words, known)
    return value and not words


def _either(words: list[str], allowed: Collection[str]) -> bool:
    value = _both(words, allowed)
    while words and words[0] == "OR":
        words.pop(0)
        value = _both(words, allowed) or value
    return value


def _both(words: list[str], allowed: Collection[str]) -> bool:
    value = _one(words, allowed)
    while words and words[0] == "AND":
        words.pop(0)
        value = _one(words, allowed) and value
    return value


def _one(words: list[str], allowed: Collection[str]) -> bool:
    word = words.pop(0) if words else ""
    if word != "(":
        return word in allowed
    value = _either(words, allowed)
    return value and bool(words) and words.pop(0) == ")"


def _cargo(*words: str) -> str:
    return subprocess.run(["cargo", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
