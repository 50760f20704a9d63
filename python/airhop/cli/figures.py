"""Figures that commands write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from airhop.errors import InputError
from airhop.files import why
from airhop.plots.paper import FORMATS


def check_figure(path: Path) -> None:
    """Raise InputError if the suffix of a figure's file says no format, or its folder is not there."""
    if path.suffix[1:] not in FORMATS:
        raise InputError(f"{path}: expected a name that ends in {', '.join(f'.{kind}' for kind in FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def write_figure(path: Path, draw: Callable[[Path], object]) -> None:
    """Draw into this file. Raises InputError if it cannot be written."""
    check_figure(path)
    try:
        draw(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {why(error)}") from None
