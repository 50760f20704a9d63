"""Scenarios from a packaged name, a TOML file or a dict, checked by the core."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from airhop import _core
from airhop.added import Added, added
from airhop.boundary.arguments import check_keys, checked
from airhop.errors import InputError, ScenarioError, did_you_mean, shortened
from airhop.files import is_file, is_folder, packaged_toml, read_text

SCHEME = "scheme"
"""Path that sets the scheme of every TCP flow."""
_NEEDS_NO_QUOTES = re.compile(r"(?!true$|false$|inf$|nan$)[A-Za-z][\w.-]*|[\d.]+ [A-Za-z/]+")
"""Pattern of values that need no quotes: names and quantities."""


def packaged() -> dict[str, str]:
    """Return the texts of the packaged scenarios, by name."""
    return packaged_toml("scenarios")


@dataclass(frozen=True)
class _Source:
    """Source text and changes of a scenario; each further change checks the whole scenario again."""

    text: str
    name: str
    folder: str | None = ""
    """Absolute folder that file names are relative to. Empty for the working directory.

    If None, the scenario may name only the files in `files`.
    """
    files: tuple[tuple[str, str], ...] = ()
    """Digest and content of the files passed with the scenario."""
    is_json: bool = False
    sets: tuple[tuple[str, str], ...] = ()
    scheme: str | None = None
    is_packaged: bool = False

    def check(self) -> _core.Scenario:
        try:
            return self._read()
        except ScenarioError:
            from airhop import plugins

            # The scheme may belong to an installed package; installed packages are loaded only when needed.
            broken = plugins.load_installed()
        try:
            return self._read()
        except ScenarioError as error:
            raise ScenarioError("\n\n".join((str(error), *broken))) from None

    def _read(self) -> _core.Scenario:
        read = _core.Scenario.from_json if self.is_json else _core.Scenario.parse
        return read(self.text, self.name, self.folder, list(self.sets), self.scheme, list(self.files))

    def changed(self, path: str, value: str) -> _Source:
        """Set the value at a path; a later change of the same path replaces an earlier one."""
        if path == SCHEME:
            # The core applies `scheme` before `sets`: an earlier entry of `sets` for a single flow's scheme
            # would override the new scheme.
            sets = tuple(pair for pair in self.sets if not _is_flow_scheme(pair[0]))
            return replace(self, sets=sets, scheme=value)
        others = tuple(pair for pair in self.sets if pair[0] != path)
        return replace(self, sets=(*others, (path, value)))


class Scenario:
    """A network, its flows and a duration. Scenarios are immutable and fully checked; `load` creates them."""

    @checked
    def __init__(self, source: _Source) -> None:
        self._source = source
        self.core = source.check()
        # This scenario keeps the schemes added so far. A scheme added later under the same name applies only
        # to scenarios loaded after it.
        self._added = added()

    @classmethod
    @checked
    def load(cls, source: str | Path | Mapping[str, Any], *, sets: Sequence[str] = ()) -> Scenario:
        """Read a packaged scenario by its name, a TOML file by its path, or a dict with the keys of a file.

        Parameters
        ----------
        source
            A name, a path or a dict. Paths in a TOML file are relative to its folder, and paths in a dict to
            the working directory.
        sets
            Changes as the command line takes them: "wlan.cell.errors.fer=0.02".

        Returns
        -------
        Scenario
            The checked scenario.

        Raises
        ------
        InputError
            When no such scenario exists.
        ScenarioError
            When the scenario is invalid.
        """
        return _change(_find(source), [_split(text) for text in sets])

    @classmethod
    @checked
    def received(cls, source: str | Mapping[str, Any], files: Mapping[str, str] | None = None) -> Scenario:
        """Read a packaged scenario or a dict from an untrusted source, without opening any file.

        A key that names a file is an error, because a message about the file could reveal its contents. Later
        changes by `with_` are checked as well. The scenario may name only the entries of `files`: file
        contents by digest.

        Raises InputError if no such packaged scenario exists, and ScenarioError if the scenario is invalid.
        """
        found = _given(source) if isinstance(source, Mapping) else _packaged(source)
        return cls(replace(found, folder=None, files=tuple((files or {}).items())))

    @checked
    def with_(self, changes: Mapping[str, Any]) -> Scenario:
        """Change values by path, as in {"wlan.cell.errors.fer": 0.02, "flow.ftp.scheme": "ll-elsn"}.

        Quantities are strings with a unit. The path "scheme" sets the scheme of every TCP flow.
        """
        try:
            return _change(self._source, [(path, toml_literal(value)) for path, value in changes.items()])
        except RecursionError:
            raise InputError("a value of a scenario is nested too deeply for a scenario file") from None

    @property
    def name(self) -> str:
        """Name of the scenario in its file."""
        return self.core.name

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
        return self.core.duration_s

    @cached_property
    def digest(self) -> str:
        """Digest of the effective scenario: SHA-256, in hex.

        The digest covers the canonical JSON and the code of all schemes that are not built in. File paths are
        replaced by digests of the files' contents.
        """
        content = [self.core.identity()]
        content += [scheme.digest for scheme in self.added_schemes()]
        return hashlib.sha256("\n".join(content).encode()).hexdigest()

    def added_schemes(self) -> list[Added]:
        """List the schemes of the scenario that are not built in, sorted by name."""
        if not self._added:
            return []
        return [self._added[name] for name in sorted(self._schemes() & self._added.keys())]

    def _schemes(self) -> set[str]:
        schemes = [flow.get("scheme", "") for flow in self.to_dict()["flow"]]
        return {scheme if isinstance(scheme, str) else scheme["name"] for scheme in schemes}

    @checked
    def fades(self, *, seed: int = 1, rep: int = 0, until: str | None = None) -> dict[str, str]:
        """Return the bad periods of every fading link, as CSV texts for the error model `recorded`.

        Parameters
        ----------
        seed, rep
            Seed and replication. Runs with equal values have equal fades.
        until
            A duration such as "200 s"; by default the end of the run.

        Returns
        -------
        dict[str, str]
            CSV text by link, with the header `begin_s,end_s` and a row for each bad period. A link whose
            directions fade independently has two texts, by LINK.FROM.TO.

        Raises
        ------
        ScenarioError
            When `until` is no duration.
        """
        check_keys(seed, rep)
        return dict(self.core.fades(seed, rep, until))

    def tcp_flows(self) -> list[str]:
        """Names of the TCP flows, in file order."""
        return self.core.tcp_flows()

    @checked
    def classes(self, *, seed: int = 1, rep: int = 0) -> dict[str, str]:
        """Return the class of every flow, by the flow's name, in file order.

        The class is the key `class` of the flow. Without this key, the class is the application and the
        direction of the data over the wireless link, as in `bulk down`. Seed and replication matter only for
        random ends.

        Raises
        ------
        InputError
            When seed or rep is out of range.
        ScenarioError
            When a random draw of the replication is impossible.
        """
        check_keys(seed, rep)
        return dict(self.core.classes(seed, rep))

    def written_tcp_flows(self) -> list[str]:
        """Names of the TCP flows for paths of `with_`; a flow with `copies` has one name."""
        flows = self.written().get("flow", [])
        return [flow["name"] for flow in flows if flow.get("transport", "tcp") == "tcp"]

    def toml(self) -> str:
        """Format the effective scenario with all defaults."""
        return self.core.toml()

    def to_dict(self) -> dict[str, Any]:
        """Return the effective scenario as plain data for `load`."""
        document: dict[str, Any] = json.loads(self.core.json())
        return document

    def written(self) -> dict[str, Any]:
        """Return the scenario as in its file, without changes and defaults.

        A flow with `copies` stays one entry.
        """
        read = json.loads if self._source.is_json else tomllib.loads
        document: dict[str, Any] = read(self._source.text)
        return document

    def recipe(self) -> dict[str, Any]:
        """Return the source text and the changes as plain data, for `from_recipe`.

        Changing the recreated scenario has the same effect as changing the original. For example, a new
        preset sets new defaults. After `to_dict`, in contrast, all defaults are fixed values.
        """
        return asdict(self._source)

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> Scenario:
        """Recreate the scenario from its `recipe`."""
        pairs = {
            key: tuple((first, second) for first, second in recipe.get(key, ())) for key in ("sets", "files")
        }
        return cls(_Source(**{**recipe, **pairs}))

    def arguments(self) -> list[str]:
        """Return the arguments with which `airhop run` loads the scenario again.

        A scenario from a dict has no file. The arguments then name NAME.toml, and the caller may write `toml`
        to this file.
        """
        source = self._source
        name = f"{self.name}.toml" if source.is_json else source.name
        words = [name.removesuffix(".toml") if source.is_packaged else name]
        if source.scheme is not None:
            words += ["--scheme", _unquoted(source.scheme)]
        return words + [
            word for path, value in source.sets for word in ("--set", f"{path}={_unquoted(value)}")
        ]

    def __repr__(self) -> str:
        return (
            f"<Scenario {self.name}: {self.duration_s:g} s, {', '.join(self.tcp_flows()) or 'no TCP flow'}>"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.core.json() == other.core.json()

    def __hash__(self) -> int:
        return hash(self.core.json())


def toml_literal(value: object) -> str:
    """Format a Python or numpy value as a TOML value."""
    if isinstance(value, str):
        # JSON escapes are valid TOML escapes, except that TOML also requires an escape for DEL.
        return json.dumps(_text(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{toml_literal(str(k))} = {toml_literal(v)}" for k, v in value.items()) + " }"
        )
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return "[" + ", ".join(toml_literal(item) for item in value) + "]"
    raise InputError(
        "a value of a scenario is text, a number, true or false, a list or a table, "
        f"not {shortened(repr(value))}"
    )


def _text(text: str) -> str:
    """Return the text.

    Raise an error for a lone surrogate, because UTF-8 cannot encode it.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"`{shortened(text)}` is no text: character {error.start} is none") from None
    return text


def _unquoted(literal: str) -> str:
    """Remove the quotes of a TOML text that the command line also accepts without quotes."""
    bare = literal[1:-1]
    return bare if literal[:1] == '"' and _NEEDS_NO_QUOTES.fullmatch(bare) else literal


def _find(source: str | Path | Mapping[str, Any]) -> _Source:
    if isinstance(source, Mapping):
        return _given(source)
    known = packaged()
    path = Path(source)
    if isinstance(source, Path) or path.suffix == ".toml" or is_file(path):
        return _Source(read_text(path, "a scenario", known), str(path), str(path.parent.absolute()))
    if source and source not in known and is_folder(path):
        raise InputError(f"{source} is a folder; a scenario is a TOML file")
    return _packaged(source)


def _packaged(name: str) -> _Source:
    known = packaged()
    if name in known:
        return _Source(known[name], f"{name}.toml", str(Path.cwd()), is_packaged=True)
    raise InputError(
        f"there is no scenario `{shortened(name)}`: neither a file nor a packaged name."
        f"{did_you_mean(name, known)} Packaged: {', '.join(known)}."
    )


def _given(table: Mapping[str, Any]) -> _Source:
    try:
        text = json.dumps(table, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            "a scenario as a dict has texts, numbers, true or false, lists and tables, and is no deeper than "
            f"a file would be: {error}"
        ) from None
    return _Source(text, "scenario", str(Path.cwd()), is_json=True)


def _change(source: _Source, changes: Sequence[tuple[str, str]]) -> Scenario:
    for path, value in changes:
        source = source.changed(_text(path), _text(value))
    return Scenario(source)


def assignment(text: str) -> tuple[str, object]:
    """Parse PATH=VALUE of the command line: a TOML value, or otherwise the unchanged text."""
    path, value = _split(text)
    try:
        return path, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return path, value


def _split(text: str) -> tuple[str, str]:
    path, sign, value = text.partition("=")
    if not sign or not path.strip():
        raise InputError(f"`{text}` is not PATH=VALUE, as in wlan.cell.errors.fer=0.02")
    return path.strip(), value.strip()


def _is_flow_scheme(path: str) -> bool:
    words = path.split(".")
    return words[0] == "flow" and "scheme" in words[2:3]
