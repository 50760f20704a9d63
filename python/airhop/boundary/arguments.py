"""Checks of arguments against a public function's annotations; an InputError names the argument.

`@checked` checks each parameter that has an annotation. Whole numbers include numpy's whole numbers. True,
False and NaN do not count as numbers.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import os
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from airhop.errors import InputError, harmless, shortened

MOST_KEY = 2**63 - 1
"""Largest seed, and largest number of a replication."""
MOST_THREADS = 4096

Checked = TypeVar("Checked", bound=Callable[..., Any])
Converter = Callable[[Any], Any]
"""Converter of an argument to the type that the function expects; raises WrongError for any other type."""


class WrongError(Exception):
    """A value has the wrong type."""

    def __init__(self, expected: str, value: object, place: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.value = value
        self.place = place
        """Position of the value in the argument: `[2]`, or empty for the argument itself."""


def checked(target: Checked) -> Checked:
    """Return a function or class that checks arguments against annotations.

    The function raises InputError for an argument of another type. Missing and unknown arguments raise
    Python's TypeError.
    """
    if isinstance(target, type):
        kind: Any = target
        kind.__init__ = _checking(kind.__init__, target.__module__)
        return target
    return typing.cast(Checked, _checking(target, target.__module__))


def _checking(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    signature = inspect.signature(function)
    converters: dict[str, tuple[Converter, inspect.Parameter]] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        # built at the first call, because all modules in the annotations are imported then
        if not converters:
            converters.update(_converters(signature, module))
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            if name in converters:
                bound.arguments[name] = _converted(name, value, *converters[name])
        return function(*bound.args, **bound.kwargs)

    return call


def _converters(signature: inspect.Signature, module: str) -> dict[str, tuple[Converter, inspect.Parameter]]:
    names = vars(sys.modules[module])
    found = {}
    for parameter in signature.parameters.values():
        kind = parameter.annotation
        if kind is not inspect.Parameter.empty:
            found[parameter.name] = (
                _converter(eval(kind, names) if isinstance(kind, str) else kind),
                parameter,
            )
    return found or {"": (_unchanged, inspect.Parameter("none", inspect.Parameter.POSITIONAL_ONLY))}


def _converted(name: str, value: Any, converter: Converter, parameter: inspect.Parameter) -> Any:
    try:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return tuple(_of_each(converter, enumerate(value)))
        return value if value is parameter.default else converter(value)
    except WrongError as wrong:
        what = f"{name}{wrong.place}: expected {wrong.expected}, got {shortened(_shown(wrong.value), 200)}"
        raise InputError(what) from None


def _shown(value: object) -> str:
    if isinstance(value, str):  # octets of a file name, escaped as in all messages
        return "'" + harmless(value).replace("\n", "\\n") + "'"
    return repr(value)


def _converter(kind: Any) -> Converter:
    """Return the converter of an annotated type."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in (Any, object) or isinstance(kind, TypeVar):
        return _unchanged
    if origin in (Union, types.UnionType):
        return _union(inner)
    if origin is Literal:
        return _one_of(inner)
    if origin is type:
        return _instance(type, "a class")
    if origin is collections.abc.Callable:
        return _callable
    if origin is tuple and inner[-1:] != (...,):
        return _tuple([_converter(one) for one in inner])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(*map(_converter, inner))
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return _several(_converter(inner[0]), tuple if origin is tuple else list)
    if getattr(kind, "_is_protocol", False):
        return _protocol(kind)
    return _instance(origin or kind, _named(origin or kind))


def _named(kind: type) -> str:
    """Return the name of a class for messages; a private class is named by the factory function."""
    if not kind.__module__.startswith("airhop"):
        return f"a {kind.__name__}"
    if kind.__name__.startswith("_"):  # a class with a private constructor
        return "a source that airhop.Scenario.load reads"
    made = f", as airhop.{kind.__name__}.load returns" if hasattr(kind, "load") else ""
    return f"an airhop.{kind.__name__}{made}"


def check_range(name: str, value: int, least: int, most: int) -> None:
    """Raise InputError if a whole number is out of range."""
    if not least <= value <= most:
        raise InputError(f"{name} is {value}; it must be a whole number from {least} to {most}")


def check_threads(threads: int) -> None:
    """Raise InputError if the number of threads is out of range."""
    check_range("threads", threads, 1, MOST_THREADS)


def check_keys(seed: int, rep: int) -> None:
    """Raise InputError when the seed or the number of the replication is out of range."""
    check_range("seed", seed, 0, MOST_KEY)
    check_range("rep", rep, 0, MOST_KEY)


def _unchanged(value: Any) -> Any:
    return value


def _none(value: Any) -> None:
    if value is not None:
        raise WrongError("None", value)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise WrongError("True or False", value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise WrongError("a whole number", value)
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise WrongError("a number", value)
    return value if isinstance(value, int) else float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongError("a text", value)
    try:
        value.encode()
    except UnicodeEncodeError:  # octets of a file name
        raise WrongError("a text", value) from None
    return value


def _path(value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)):
        return value
    raise WrongError("a path", value)


def _callable(value: Any) -> Any:
    if not callable(value):
        raise WrongError("a function", value)
    return value


_PLAIN: dict[Any, Converter] = {
    None: _none,
    type(None): _none,
    bool: _flag,
    int: _whole,
    float: _number,
    str: _text,
}


def _union(kinds: Sequence[Any]) -> Converter:
    """Return the converter of a union type.

    If the union includes Path, a text may be a file name in any encoding.
    """
    paths = [kind for kind in kinds if issubclass(_class(kind), os.PathLike)]
    names = [*paths, str] if paths else []
    converters = [_converter(kind) for kind in kinds if kind not in names] + ([_path] if paths else [])

    def take(value: Any) -> Any:
        wrongs = []
        for converter in converters:
            try:
                return converter(value)
            except WrongError as wrong:
                wrongs.append(wrong)
        inside = [wrong for wrong in wrongs if wrong.place]
        if inside:  # the container has the right type, but an element has a wrong type
            raise inside[0]
        raise WrongError(" or ".join(dict.fromkeys(wrong.expected for wrong in wrongs)), value)

    return take


def _class(kind: Any) -> type:
    found = get_origin(kind) or kind
    return found if isinstance(found, type) else object


def _one_of(words: Sequence[object]) -> Converter:
    def take(value: Any) -> Any:
        if not isinstance(value, str) or value not in words:
            raise WrongError(" or ".join(f'"{word}"' for word in words), value)
        return value

    return take


def _instance(kind: type, expected: str) -> Converter:
    def take(value: Any) -> Any:
        if not isinstance(value, kind):
            raise WrongError(expected, value)
        return value

    return take


def _protocol(kind: type) -> Converter:
    methods = [name for name in vars(kind) if not name.startswith("_")]

    def take(value: Any) -> Any:
        if isinstance(value, type) or not all(hasattr(value, name) for name in methods):
            raise WrongError(f"an object with {', '.join(methods)}", value)
        return value

    return take


def _mapping(of_key: Converter, of_value: Converter) -> Converter:
    def take(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise WrongError("a dict", value)
        keys = list(_of_each(of_key, ((f"{key!r}", key) for key in value)))
        return dict(zip(keys, _of_each(of_value, ((f"{key!r}", value[key]) for key in value)), strict=True))

    return take


def _several(of_one: Converter, made: type) -> Converter:
    """Return a converter from any iterable except a text to the type `made`."""

    def take(value: Any) -> Any:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise WrongError("a list", value)
        if of_one is _unchanged:
            return value
        return (tuple if isinstance(value, tuple) else made)(_of_each(of_one, enumerate(value)))

    return take


def _tuple(converters: Sequence[Converter]) -> Converter:
    def take(value: Any) -> Any:
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != len(converters):
            raise WrongError(f"{len(converters)} values", value)
        return tuple(converter(one) for converter, one in zip(converters, value, strict=True))

    return take


def _of_each(converter: Converter, items: Iterable[tuple[object, Any]]) -> Iterable[Any]:
    for place, item in items:
        try:
            yield converter(item)
        except WrongError as wrong:
            raise WrongError(wrong.expected, wrong.value, f"[{place}]{wrong.place}") from None
