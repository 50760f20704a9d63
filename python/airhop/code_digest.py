"""Digest of the code of a scheme's class: an edit of the code prevents the reuse of stored runs."""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

SCALARS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
WRAPPERS = (staticmethod, classmethod)
PROVIDED = {"airhop", *sys.stdlib_module_names} - {"__main__"}
"""Packages with base classes that need no digest. The recorded versions of Python and Airhop suffice."""
NOT_CODE = ("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__")


def code_digest(cls: type, *facts: object) -> str:
    """Return the SHA-256 in hex of a class's code, including base classes, and of the `repr` of `facts`.

    For a class of a file or module, the digest covers the whole file, but no imported modules. In a notebook,
    a shell or the running script, most edits do not concern the class. The digest then covers the compiled
    code of the class, and of the functions and classes that the class uses from the same module.
    """
    found = hashlib.sha256()
    for one in cls.__mro__:
        if one.__module__.partition(".")[0] not in PROVIDED:
            for part in _file_parts(one) or _parts(one, one.__module__, set()):
                found.update(part.encode() + b"\0")
    found.update(repr(facts).encode())
    return found.hexdigest()


def _file_parts(cls: type) -> list[str]:
    """Return the text of the class's file, and the values that methods capture from outer functions."""
    text = _file(sys.modules.get(cls.__module__))
    if text is None:
        return []
    methods = [member for member in vars(cls).values() if isinstance(member, FunctionType)]
    around = [value for method in methods for value in _captured(method) if isinstance(value, SCALARS)]
    return [text, *map(repr, around)]


def _file(module: ModuleType | None) -> str | None:
    """Return the source text of a module. None for the running script, and for a module without a file."""
    if module is None or module.__name__ == "__main__":
        return None
    if isinstance(text := getattr(module, "__source__", None), str):
        return text
    try:
        return Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8")
    except (OSError, TypeError, ValueError):
        return None


def _parts(value: object, module: str, seen: set[int]) -> Iterator[str]:
    """Yield texts that describe code and the objects in the code, in the same order in every process."""
    if isinstance(value, SCALARS):
        yield repr(value)
    elif id(value) in seen:
        return
    elif isinstance(value, tuple):
        for item in value:
            yield from _parts(item, module, seen)
    elif isinstance(value, frozenset):
        yield from sorted(part for item in value for part in _parts(item, module, seen))
    elif isinstance(value, CodeType):
        yield from (value.co_name, value.co_code.hex(), *value.co_names, *value.co_varnames)
        for constant in value.co_consts:
            yield from _parts(constant, module, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
    else:
        seen.add(id(value))  # a container can contain itself
        yield from _definition(value, module, seen)


def _definition(value: object, module: str, seen: set[int]) -> Iterator[str]:
    if isinstance(value, set):
        yield from _parts(frozenset(value), module, seen)
    elif isinstance(value, list):
        yield from _parts(tuple(value), module, seen)
    elif isinstance(value, dict):
        yield from _parts(tuple(value.items()), module, seen)
    elif isinstance(value, FunctionType):
        yield from _parts(value.__code__, module, seen)
        yield from _parts((value.__defaults__, value.__kwdefaults__), module, seen)
        used = [value.__globals__.get(name) for name in _names(value.__code__)]
        for other in (*_captured(value), *used):
            yield from _parts(other, module, seen)
    elif isinstance(value, type):
        yield value.__qualname__
        if value.__module__ == module:
            for name, member in vars(value).items():
                if name not in NOT_CODE:
                    yield from (name, *_parts(member, module, seen))
    elif isinstance(value, WRAPPERS):
        yield from _parts(value.__func__, module, seen)
    elif isinstance(value, property):
        yield from _parts((value.fget, value.fset), module, seen)
    elif isinstance(value, functools.cached_property):
        yield from _parts(value.func, module, seen)
    else:
        yield type(value).__qualname__


def _captured(function: FunctionType) -> Iterator[object]:
    """Yield the values that a function captures from enclosing functions."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty cell: its variable has no value yet
            yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and its inner functions use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
