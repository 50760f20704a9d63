"""Files of a study in its folder DIR.

The manifest DIR/studies/NAME.json contains the definition of the study. `Table.load` needs the definition to
find the study's rows. DIR/NAME contains files that are written from these rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from airhop._core import __version__
from airhop.errors import InputError, ScenarioError
from airhop.files import file_name, filling, why, write
from airhop.study.study import Study

if TYPE_CHECKING:
    from airhop.study.table import Table

FOLDER = "studies"
CELLS = "cells.csv"
TAKEN = (FOLDER, "runs", "report.html")
"""Names reserved in DIR. A study must not use them."""


def save_manifest(study: Study, folder: str | Path) -> Path:
    """Write or replace the manifest of a study. Raises InputError if the file cannot be written."""
    path = manifest_path(folder, study.name)
    with filling(path.parent) as hidden:
        text = json.dumps(study.to_dict(), indent=1)
        (hidden / path.name).write_text(text + "\n", encoding="utf-8")
    return path


def manifest_path(folder: str | Path, name: str) -> Path:
    """Return the path of the manifest of the study `name`."""
    return Path(folder) / FOLDER / f"{file_name(name)}.json"


def study_folder(folder: str | Path, name: str) -> Path:
    """Return the folder for files that are written from the rows of the study `name`."""
    first, *others = name.split("/")
    return Path(folder, f"%{first}" if first in TAKEN else file_name(first), *map(file_name, others))


def write_cells(table: Table, folder: str | Path) -> Path:
    """Write `Table.cells_frame` as cells.csv into a folder, which is created if needed."""
    with filling(folder) as hidden:
        write(hidden / CELLS, table.cells_frame().write_csv)
    return Path(folder) / CELLS


def load_manifests(folder: str | Path) -> list[Study]:
    """Read the definitions of all studies of a folder, sorted by name.

    The result is empty without studies. If a study has both an old and a current manifest, the old one is
    ignored. Raises InputError if a manifest is damaged, or names a missing Python scheme.
    """
    found: dict[str, Study] = {}
    for path in sorted((Path(folder) / FOLDER).glob("*.json")):
        study = _read(path)
        if study.name not in found or path == manifest_path(folder, study.name):
            found[study.name] = study
    return list(found.values())


def _read(path: Path) -> Study:
    try:
        return Study.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {why(error)}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except ScenarioError as error:
        raise InputError(
            f"{path}: this Airhop ({__version__}) rejects the scenario of the study, which another version "
            f"may"
            f" have saved: {error}\n\nMove the file out of the folder, or run the study again"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is no manifest of a study ({error!r}); delete it and run the study again"
        ) from None
