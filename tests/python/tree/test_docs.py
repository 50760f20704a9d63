"""The documentation is correct: generated pages are up to date, and the examples on pages work.

The blocks of README and of the pages in docs/ are processed in the order of the page, in a separate folder.
The commands of a block of `sh` and a block of `python` are executed, and a block with a title is written to
the file of this name. A block of `text` with the title "output" must equal the output of the preceding block
of `python`. Other blocks are not tested. The cells of notebooks are executed, without a notebook server.
"""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from airhop import Scenario, run
from airhop.catalogue import built_in
from command_line import Cli
from patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
README = ROOT / "README.md"
FRONT = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "bpf" / "README.md"]
PAGES = [*FRONT, *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r'^```([a-z]+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    """Title; empty without a title."""
    text: str

    @property
    def runs(self) -> bool:
        return self.language == "sh" or (self.language == "python" and not self.title)


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in order."""
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# `reproduce` ends with 1 if a claim fails, which is a result, not an error of the page.
RESULTS_ARE_FINE = 'airhop() { command airhop "$@" || [[ $? == 1 && $1 == reproduce ]]; }\n'


def shell(words: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", RESULTS_ARE_FINE + words],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=3 * PATIENCE_S,
    )
    assert done.returncode == 0, f"{words}\n{done.stderr}"
    return done.stdout


def plain(words: str) -> Iterator[list[str]] | None:
    """Return the commands of a block that only calls `airhop`, without code of a user; otherwise None."""
    unquoted = re.sub(r"'[^']*'|#.*", "", words)
    lines = words.replace("\\\n", " ").splitlines()
    if re.search(r"[$`|&;<>*?~]|--with", unquoted) or any(not line.startswith("airhop ") for line in lines):
        return None
    return (shlex.split(line, comments=True)[1:] for line in lines)


def test_generated_pages_are_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "tools" / "docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


# Pages that share a folder: README and the next page draw the same figure, whose runs are then computed once,
# and the solutions need the scenario of the exercises.
TOGETHER = [
    [README, ROOT / "docs" / "first-figure.md"],
    [ROOT / "docs" / "exercises.md", ROOT / "docs" / "exercise-solutions.md"],
]
ALONE = [page for page in PAGES if all(page not in pages for pages in TOGETHER)]
SHOWN = [[page] for page in ALONE if any(b.runs for b in blocks(page))]


@pytest.mark.parametrize("pages", [*TOGETHER, *SHOWN], ids=lambda pages: " ".join(map(name, pages)))
def test_commands_and_code_on_docs_pages_work(
    pages: list[Path], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for page in pages:
        works(page, cli, tmp_path)


def works(page: Path, cli: Cli, folder: Path) -> None:
    """Run the blocks of a page, in order: all blocks of Python as one session, as in an interpreter."""
    session = Session(folder)
    for block in blocks(page):
        if block.title == "output":
            session.expect(block.text)
        elif block.language == "python" and not block.title:
            session.blocks.append(block.text)
        elif block.title or block.language == "sh":
            session.run()
            if block.title:
                (folder / block.title).write_text(block.text, encoding="utf-8")
            else:
                command_line(block.text, cli, folder)
    session.run()


class Session:
    """Python blocks of a page, which are executed in one process when another block needs their results."""

    END = "\0"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blocks: list[str] = []
        self._done = 0
        self._outputs: dict[int, str] = {}

    def expect(self, text: str) -> None:
        """Expect this output of the last block."""
        self._outputs[len(self.blocks) - 1] = text

    def run(self) -> None:
        """Run all blocks so far in a new process, unless there is no new block."""
        if self._done == len(self.blocks):
            return
        self._done = len(self.blocks)
        script = self.folder / f"session{self._done}.py"
        ends = (f"{text}\nprint({self.END!r})\n" for text in self.blocks)
        script.write_text("".join(ends), encoding="utf-8")
        printed = shell(f"{sys.executable} {script.name}", self.folder).split(f"{self.END}\n")
        assert {place: printed[place] for place in self._outputs} == self._outputs


def command_line(words: str, cli: Cli, folder: Path) -> None:
    """Run a block of `sh`: in this process, which saves the start of interpreters, or in a shell."""
    commands = plain(words)
    if commands is None:
        shell(words, folder)
        return
    for command in commands:
        ended = cli(*command)
        assert ended.code == 0 or (ended.code == 1 and command[0] == "reproduce"), (command, ended.err)


def test_only_plain_airhop_commands_are_run_without_a_shell() -> None:
    assert [*(plain("airhop run x --set 'a={ b = 1 }' # why\nairhop show \\\n  x\n") or ())] == [
        ["run", "x", "--set", "a={ b = 1 }"],
        ["show", "x"],
    ]
    for words in ("airhop run x > y\n", "airhop run x --with y.py\n", "airhop run *.toml\n", "ls\n"):
        assert plain(words) is None


def test_a_type_checker_accepts_the_examples_and_reports_wrong_types(tmp_path: Path) -> None:
    examples = {
        str(b.title): b.text for page in PAGES for b in blocks(page) if b.language == "python" and b.title
    }
    assert {"typed.py", "mine.py"} <= set(examples)
    wrong = 'import airhop\n\nairhop.run(airhop.Scenario.load("last-hop"), seed="one").goodput\n'
    for title, text in (examples | {"wrong.py": wrong}).items():
        (tmp_path / title).write_text(text, encoding="utf-8")
    cache = ROOT / ".mypy_cache"  # the cache of the project's own check, which contains the libraries
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            cache,
            *examples,
            "wrong.py",
        ],
        cwd=tmp_path,  # a folder without this project's configuration
        capture_output=True,
        text=True,
        check=False,
    )
    seen = re.findall(r"^(\S+):\d+: error: .*\[([a-z-]+)\]$", checked.stdout, flags=re.MULTILINE)
    assert sorted(seen) == [("wrong.py", "arg-type"), ("wrong.py", "attr-defined")]


def test_the_marimo_notebook_runs(tmp_path: Path) -> None:
    shell(f"{sys.executable} {ROOT}/docs/notebooks/last_hop.py", tmp_path)


def test_the_cells_of_the_jupyter_notebook_run_and_show_tables_and_figures() -> None:
    notebook = json.loads((ROOT / "docs" / "notebooks" / "last_hop.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    names: dict[str, object] = {}
    shown = {cell["id"]: last_value("".join(cell["source"]), names) for cell in cells}
    assert "<table" in shown["compare"]._repr_html_()
    for cell in ("compare-plot", "compare-delay", "window", "sweep"):
        assert shown[cell]._repr_png_().startswith(b"\x89PNG")
    assert [axes.get_ylabel() for axes in shown["axes"].axes] == [
        "Goodput (Mbit/s)",
        "Goodput less that of reno (Mbit/s)",
    ]
    assert shown["cells"].columns[-3:] == ["goodput_mbps", "goodput_mbps_low", "goodput_mbps_high"]
    assert shown["causes"].height > 0


def last_value(source: str, names: dict[str, object]) -> Any:
    """Execute a cell, and return the value of its last expression, which a notebook shows."""
    *statements, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        exec(source, names)
        return None
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_a_session_compares_the_output_of_each_block_of_python(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.blocks += ["x = 1", "print(x)"]
    session.expect("1\n")
    session.run()
    session.blocks.append("print(x + 1)")
    session.expect("3\n")
    with pytest.raises(AssertionError, match="2"):
        session.run()


def test_the_docs_site_builds_without_a_warning(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    shell("zensical build --strict", tmp_path)
    assert (tmp_path / "site" / "index.html").is_file()


def test_the_docs_site_has_every_page() -> None:
    site = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    pages = [str(page.relative_to(ROOT / "docs")) for page in PAGES if page not in FRONT]
    top = [page for page in pages if "/" not in page]
    assert [page for page in top if f'"{page}"' not in site] == []


def test_every_function_in_the_table_of_a_packets_walk_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(r"\| `(\w+)::(\w+)` \| `(crates/\S+)` \|", text)
    assert len(steps) > 10
    for kind, function, file in steps:
        code = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^impl[^\n]* {kind}\b", code, re.MULTILINE), f"{kind} in {file}"
        signature = rf"^    (?:pub(?:\((?:crate|super)\))? )?fn {function}\b"
        assert re.search(signature, code, re.MULTILINE), f"{kind}::{function} in {file}"


def test_readme_counts_the_schemes() -> None:
    words = {3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety"}
    units = ["", "-one", "-two", "-three", "-four", "-five", "-six", "-seven", "-eight", "-nine"]
    tens, ones = divmod(len(built_in()), 10)
    counted = f"**{(words[tens] + units[ones]).capitalize()} schemes**"
    assert counted in README.read_text(encoding="utf-8")


def test_scenario_of_readme_runs() -> None:
    (block,) = [b for b in blocks(README) if b.language == "toml" and not b.title]
    assert run(Scenario.load(tomllib.loads(block.text))).goodput_mbps > 0


def test_readme_names_the_required_versions_of_rust_and_python() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "requires-python"
    ]
    for page in (README, ROOT / "docs" / "install.md"):
        text = page.read_text(encoding="utf-8")
        assert f"Rust {cargo['workspace']['package']['rust-version']} or newer" in text
        assert f"Python {python.removeprefix('>=')} or newer" in text


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_paths_on_docs_pages_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [page.parent / target for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)]
    paths = [
        ROOT / path for path in re.findall(r"`((?:docs|crates|python|scenarios|bench|tests)/[^`\s]*)`", text)
    ]
    missing = [
        str(path)
        for path in (*links, *paths)
        if not (path.exists() or list(ROOT.glob(str(path.relative_to(ROOT)))))
    ]
    assert missing == []
