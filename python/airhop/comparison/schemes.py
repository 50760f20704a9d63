"""Compared schemes: one for all TCP flows, or one for each class of flows as in `bulk=bbr,web=cubic`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from airhop.errors import InputError, did_you_mean
from airhop.scenario import SCHEME, Scenario
from airhop.study.axis import Axis, text

DIRECTIONS = ("down", "up")
"""Directions of data through the wireless link. Without the key `class`, the class name ends with the
direction.
"""

Scheme = str | Mapping[str, Any]
"""Scheme: a name, or a table of a name and parameters."""


def split(values: str) -> list[str]:
    """Split a text at its commas, except commas inside tables, lists or quotes."""
    found, depth, quoted = [""], 0, False
    for letter in values:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "{[") - (letter in "}]")
        if letter == "," and not depth and not quoted:
            found.append("")
        else:
            found[-1] += letter
    return found


def read_scheme(word: str) -> Scheme:
    """Read a name, or a table of a name and parameters. Raises InputError for an invalid table."""
    if not word.startswith("{"):
        return word
    try:
        table: dict[str, Any] = tomllib.loads(f"scheme = {word}")["scheme"]
    except tomllib.TOMLDecodeError:
        raise InputError(
            f'`{word}` is no scheme: expected a name, or a table such as {{ name = "ll-elsn", n = 3 }}'
        ) from None
    return table


def scheme_axis(scenario: Scenario, schemes: Sequence[Scheme], seed: int) -> Axis:
    """Return the axis of the compared schemes.

    Parameters
    ----------
    scenario
        Scenario whose flows get the schemes.
    schemes
        Names or tables for all TCP flows, or words such as `bulk=bbr,web=cubic` with a scheme for each class.
        Flows of other classes keep the scheme of the scenario.
    seed
        Seed of the comparison. The seed determines random ends of flows.

    Raises
    ------
    InputError
        When a class is unknown or named twice, or copies of a flow are in several classes.
    """
    if not any(_by_class(scheme) for scheme in schemes):
        return Axis.of(SCHEME, schemes)
    flows = _flows(scenario, seed)
    effective = scenario.to_dict()["flow"]
    own = {flow: next(one["scheme"] for one in effective if _is_copy(one["name"], flow)) for flow in flows}
    rows = []
    for scheme in schemes:
        chosen = _of_flows(scenario, flows, _by_class(scheme)) if _by_class(scheme) else {}
        wide = None if _by_class(scheme) else scheme
        rows.append(tuple(chosen.get(flow, own[flow] if wide is None else wide) for flow in flows))
    paths = tuple(f"flow.{flow}.{SCHEME}" for flow in flows)
    return Axis(paths, tuple(rows), tuple(text(scheme) for scheme in schemes))


def _by_class(scheme: Scheme) -> dict[str, Scheme]:
    """Parse schemes by class, such as `bulk=bbr,web=cubic`; empty for a single scheme."""
    if not isinstance(scheme, str) or scheme.startswith("{") or "=" not in scheme:
        return {}
    found: dict[str, Scheme] = {}
    for part in split(scheme):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not (name and sign and value):
            raise InputError(f"`{scheme}`: expected CLASS=SCHEME,CLASS=SCHEME, as in bulk=bbr,web=cubic")
        if name in found:
            raise InputError(f"`{scheme}`: class `{name}` is named twice")
        found[name] = read_scheme(value)
    return found


def _flows(scenario: Scenario, seed: int) -> dict[str, str]:
    """Return the class of each TCP flow by the name in the file; copies of a flow share the name."""
    classes = scenario.classes(seed=seed)
    found: dict[str, str] = {}
    for written in scenario.written_tcp_flows():
        of_copies = {classes[flow] for flow in scenario.tcp_flows() if _is_copy(flow, written)}
        if len(of_copies) > 1:
            told = " and ".join(sorted(of_copies))
            raise InputError(
                f"copies of flow `{written}` are in the classes {told}, but all copies have one scheme"
            )
        (found[written],) = of_copies
    return found


def _is_copy(flow: str, written: str) -> bool:
    """Return whether `flow` is a copy of the flow `written`; the number of the copy replaces the `*`."""
    return re.fullmatch(re.escape(written).replace(r"\*", r"\d+"), flow) is not None


def _of_flows(
    scenario: Scenario, flows: Mapping[str, str], by_class: Mapping[str, Scheme]
) -> dict[str, Scheme]:
    """Return the scheme of each flow in `by_class`; a class name may omit the direction."""
    chosen: dict[str, Scheme] = {}
    known = list(dict.fromkeys(flows.values()))
    for name, scheme in by_class.items():
        names = [name] if name in known else [f"{name} {direction}" for direction in DIRECTIONS]
        members = {flow: scheme for flow, of in flows.items() if of in names}
        if not members:
            kinds = {of.rsplit(" ", 1)[0] for of in known}
            raise InputError(
                f"{scenario.name} has no TCP flow of class `{name}`.{did_you_mean(name, {*known, *kinds})} "
                f"Its classes of TCP flows: {', '.join(known)}"
            )
        # A class name with a direction takes precedence over a class name without a direction.
        chosen = members | chosen if name not in known else chosen | members
    return chosen
