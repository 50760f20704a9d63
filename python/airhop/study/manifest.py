"""Manifests: DIR/studies/NAME.json defines a study, so that its rows can be found again."""

from __future__ import annotations

import json
from pathlib import Path

from airhop._core import __version__
from airhop.errors import InputError, ScenarioError
from airhop.files import file_name, filling, why
from airhop.study.study import Study

FOLDER = "studies"


def save_manifest(study: Study, folder: str | Path) -> Path:
    """Write the manifest of a study, and replace a manifest of this name. Raises InputError on failure."""
    path = manifest_path(folder, study.name)
    with filling(path.parent) as hidden:
        text = json.dumps(study.to_dict(), indent=1)
        (hidden / path.name).write_text(text + "\n", encoding="utf-8")
    return path


def manifest_path(folder: str | Path, name: str) -> Path:
    """Return the path of the manifest of the study of this name."""
    return Path(folder) / FOLDER / f"{file_name(name)}.json"


def load_manifests(folder: str | Path) -> list[Study]:
    """Read all studies of a folder, in the order of their names; a folder may have none.

    A manifest under an older file name is ignored if another manifest of the study exists. Raises InputError
    if a manifest is damaged, or names a missing Python scheme.
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
