"""Files of a reproduced experiment: report, printed figures, rows and JSON document."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import airhop
from airhop.experiments.calculation import DOCUMENT, Calculated
from airhop.experiments.outcome import Outcome
from airhop.experiments.reading import MARK
from airhop.experiments.registered import built_in
from airhop.files import filling
from airhop.reproduction.rows import write_rows, write_values
from airhop.simulate import model

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculation
    from airhop.experiments.experiment import Experiment, Mode
    from airhop.experiments.reproduced import Reproduced

ROWS, REPORT = "rows.csv", "report.html"
MADE = "made.json"
"""Name of the file that lists a folder's other files and their origin."""
SOURCES = (".py", ".j2", ".js", ".css", ".toml", ".json")
"""File name endings of the package's source files."""
ELSEWHERE = ("__main__.py", "bench", "cli", "crosscheck", "responsiveness", "verify", "view")
"""Parts of the package that do not affect experiments or pages."""


def write_outcome(outcome: Reproduced, folder: Path) -> Reproduced:
    """Write rows, verdicts, printed figures and report into a folder.

    Return the outcome with the file paths. If the same program version wrote the same numbers before, the
    files stay unchanged.
    """
    document, names = _text(outcome), _read(folder / MADE).get("files", [])
    is_same = is_current(outcome.experiment, folder, outcome.mode, outcome.seed)
    is_whole = names and all((folder / name).is_file() for name in names)
    if is_same and is_whole and _holds(folder / DOCUMENT, document):
        outcome.files = [folder / name for name in names]
        return outcome
    with filling(folder) as hidden:
        if isinstance(outcome, Calculated):
            written = _write_calculated(outcome, hidden)
        else:
            assert isinstance(outcome, Outcome)
            written = _write_experiment(outcome, hidden)
        (hidden / DOCUMENT).write_text(document, encoding="utf-8")
        names = [*(path.name for path in written), DOCUMENT]
        _write_made(outcome, names, hidden)
    outcome.files = [folder / name for name in names]
    return outcome


def write_document(outcome: Calculated, folder: Path) -> None:
    """Write only values and verdicts.

    The claims are in the report on the default reading of the paper.
    """
    with filling(folder) as hidden:
        (hidden / DOCUMENT).write_text(_text(outcome), encoding="utf-8")
        _write_made(outcome, [], hidden)


def is_current(experiment: Experiment | Calculation, folder: Path, mode: Mode, seed: int) -> bool:
    """Return True if this program version wrote the folder's document with this mode and seed.

    Always False for an experiment of another package, because that package may have changed.
    """
    made = _read(folder / MADE)
    if experiment.id.partition(MARK)[0] not in built_in():
        return False
    return all(made.get(name) == fact for name, fact in _making(mode, seed).items())


def _text(outcome: Reproduced) -> str:
    """Return the JSON document: rows, verdicts, and the values of a calculation."""
    facts = outcome.to_dict()
    if isinstance(outcome, Calculated):
        facts |= {"mode": outcome.mode, "seed": outcome.seed}
    return json.dumps(facts, indent=2) + "\n"


def _making(mode: Mode, seed: int) -> dict[str, Any]:
    return {"mode": mode, "seed": seed, "made_by": program()}


@cache
def program() -> str:
    """Return a digest (16 hex digits) of all code that determines results and figures."""
    digest = hashlib.sha256(model().encode())
    package = Path(airhop.__file__).parent
    parts = (part for part in package.iterdir() if part.name not in ELSEWHERE)
    files = (path for part in parts for path in (part, *part.rglob("*")) if path.suffix in SOURCES)
    for path in sorted(files):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    """Read a written file; the result is empty if the file is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == text
    except (OSError, ValueError):
        return False


def _write_made(outcome: Reproduced, names: list[str], folder: Path) -> None:
    facts = _making(outcome.mode, outcome.seed) | {"files": names}
    (folder / MADE).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def _write_experiment(outcome: Outcome, folder: Path) -> list[Path]:
    from airhop.plots.confusion import draw_confusion
    from airhop.report import chapter_of_outcome, write_report
    from airhop.reproduction.chart import draw
    from airhop.reproduction.pictures import draw_pictures

    figures = draw(outcome, folder / "figure")
    figures += _draw_readings(outcome, folder)
    figures += draw_pictures(outcome, folder)
    figures += draw_confusion(outcome.table, folder / "confusion", labels=outcome.experiment.labels)
    write_rows(outcome, folder / ROWS)
    report = write_report([chapter_of_outcome(outcome)], folder / REPORT)
    return [report, *figures, folder / ROWS]


def _write_calculated(outcome: Calculated, folder: Path) -> list[Path]:
    from airhop.report import calculation_page, write_report

    figures = _draw(outcome, folder / "figure") + _draw_readings(outcome, folder)
    write_values(outcome, folder / ROWS)
    report = write_report([calculation_page(outcome)], folder / REPORT)
    return [report, *figures, folder / ROWS]


def _draw_readings(outcome: Reproduced, folder: Path) -> list[Path]:
    """Draw the table of claims by reading of the paper.

    Nothing is drawn if there is only one reading.
    """
    from airhop.plots.readings import draw_readings
    from airhop.report.readings import ReadingsTable

    experiment = outcome.experiment
    table = ReadingsTable.of(outcome.claims, experiment.questions)
    if table is None:
        return []
    title = f"{experiment.title}: claims under every reading"
    return draw_readings(table.verdicts, table.groups, folder / "readings", title)


def _draw(outcome: Calculated, stem: Path) -> list[Path]:
    """Write `stem.pdf`, `stem.svg` and `stem.png` and print their paths."""
    import matplotlib as mpl

    from airhop.plots.paper import PRINT_STYLE, write

    with mpl.rc_context(PRINT_STYLE):
        return write(outcome.experiment.figure(outcome.values), stem, outcome.experiment.title)
