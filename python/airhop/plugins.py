"""Sources of user-defined schemes: Python files, modules, BPF objects, and installed packages.

A package with schemes names the module that registers the schemes (see `airhop.scheme`):

    [project.entry-points."airhop.schemes"]
    mine = "my_package.schemes"
"""

from __future__ import annotations

import hashlib
import inspect
import linecache
import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from airhop import objects
from airhop.added import added
from airhop.boundary.arguments import checked
from airhop.errors import InputError, users_traceback
from airhop.files import read_text

GROUP = "airhop.schemes"
"""Group of the entry points."""

_loaded: dict[str, str] = {}
"""Source text of each loaded plugin, by the absolute path of a file or the name of a module. A BPF object has
its bytes in base 64 instead.
"""


@checked
def load(source: str | Path) -> list[str]:
    """Load a Python file, a BPF object, or a module by its dotted name; return the names of its schemes.

    A changed file is read again. The file can import installed packages, but no files of its folder, because
    workers on other machines receive only this file. A name without a suffix, such as bpf_eln, refers to a
    shipped BPF object or, if there is none, to a module. Raises InputError if the source does not exist,
    raises an error, or registers nothing.
    """
    text = _found(source)
    if not _is_file(text):
        return _load_module(text)
    path = Path(text)
    if _is_object(text):
        return load_source(str(path.absolute()), objects.read(path))
    return load_source(str(path.absolute()), read_text(path, "a scheme", ()))


@checked
def load_all(sources: Iterable[str | Path]) -> None:
    """Load several files and modules."""
    for source in sources:
        load(source)


def objects_among(sources: Iterable[str | Path]) -> dict[str, str]:
    """Return the files of the BPF objects among the sources, by the name of each scheme in the objects."""
    files = [str(Path(text).absolute()) for text in map(_found, sources) if _is_object(text)]
    entries = added().values()
    return {entry.name: file for file in files for entry in entries if entry.source == file}


def loaded() -> list[tuple[str, str]]:
    """Return names and source texts of all loaded plugins, for `load_source` in another process."""
    return list(_loaded.items())


def origin(source: str) -> str:
    """Return the name of a scheme's source for display: a file name without the folder, or a module name."""
    for name in _loaded:
        if _is_object(name) or not _is_file(name):
            if f"{source}.".startswith(f"{name}."):
                return Path(name).name if _is_file(name) else name
        elif _module_name(name) == source:
            return Path(name).name
    return source


def load_source(name: str, text: str) -> list[str]:
    """Load a plugin of `loaded` from its source text; return the names of its schemes.

    The file itself may be missing.
    """
    if _is_object(name):
        names = objects.add_all(name, text)
        _loaded[name] = text
        return names
    module = _module_name(name) if _is_file(name) else name
    if _loaded.get(name) != text:
        _execute(module, name, text)
    names = _schemes_of(module, name)
    _loaded[name] = text
    return names


@cache
def load_installed() -> tuple[str, ...]:
    """Load the schemes of installed packages once.

    Return a sentence about each package that cannot be loaded.
    """
    from importlib.metadata import entry_points

    broken = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        package = point.dist.name if point.dist else point.value
        try:
            point.load()
        except (Exception, SystemExit) as error:
            broken.append(
                f"the schemes `{point.name}` of the package {package} cannot be loaded: {_why(error)}"
            )
    return tuple(broken)


def _found(source: str | Path) -> str:
    """Return the path of a shipped BPF object, or the source unchanged."""
    return str(objects.shipped(str(source)) or source)


def _load_module(name: str) -> list[str]:
    try:
        module = import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            what = f"there is no module `{name}`; a file is named with its suffix, as in mine.py"
            raise InputError(what) from None
        raise InputError(f"{name} cannot be loaded: {_why(error)}") from None
    names = _schemes_of(name, name)
    _loaded[name] = inspect.getsource(module)
    return names


def _execute(module: str, name: str, text: str) -> None:
    made = ModuleType(module)
    made.__file__ = name
    made.__package__ = module.rpartition(".")[0]
    made.__dict__["__source__"] = text  # the executed text, even if the file changes later
    # Tracebacks show lines of this text, even if the file does not exist here.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    former = sys.modules.get(module)
    sys.modules[module] = made
    try:
        exec(compile(text, name, "exec"), made.__dict__)
    except (Exception, SystemExit) as error:
        if former is None:
            del sys.modules[module]
        else:
            sys.modules[module] = former
        raise InputError(f"{name} cannot be loaded: {_why(error)}") from None


def _schemes_of(module: str, name: str) -> list[str]:
    """Return the schemes that a module or its submodules have registered."""
    found = [entry.name for entry in added().values() if f"{entry.source}.".startswith(f"{module}.")]
    if not found:
        raise InputError(f'{name} registers no scheme: decorate a class with @airhop.scheme("name")')
    return found


def _is_file(text: str) -> bool:
    return text.endswith((".py", ".o")) or os.sep in text or os.path.isfile(text)  # noqa: PTH113 - for any text


def _is_object(text: str) -> bool:
    return text.endswith(".o")


def _module_name(path: str) -> str:
    """Make a module name from a whole file path, because files in two folders may have the same name."""
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    return f"airhop_plugin_{Path(path).stem}_{digest}"


def _why(error: BaseException) -> str:
    """Return the message of an error of Airhop, or the traceback of any other error."""
    return str(error) if isinstance(error, InputError) else f"it raised\n\n{users_traceback(error)}"
