"""The schemes that Airhop knows, as the core lists them."""

import json
import warnings
from typing import Any

from airhop import _core
from airhop.errors import InputError, did_you_mean


def schemes() -> list[dict[str, Any]]:
    """List every scheme: name, title, family, cite, needs, parameters, reconstructed.

    The built-in ones come first, then those of installed packages and those registered with `airhop.scheme`.
    """
    from airhop.plugins import load_installed

    for broken in load_installed():
        warnings.warn(broken, stacklevel=2)
    catalogue: list[dict[str, Any]] = json.loads(_core.catalogue())
    return catalogue


def scheme(name: str) -> dict[str, Any]:
    """Look one scheme up by its name; InputError with a suggestion when there is none."""
    by_name = {entry["name"]: entry for entry in schemes()}
    if name not in by_name:
        near = did_you_mean(name, by_name)
        raise InputError(f"there is no scheme `{name}`.{near} Known: {', '.join(by_name)}.")
    return by_name[name]
