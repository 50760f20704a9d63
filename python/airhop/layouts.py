"""Positions of stations in chains, grids, crosses or at random, for `stations` of scenarios made in Python.

A wlan in a scenario file with an equal `layout` has the same names and positions.

>>> from airhop import layouts >>> layouts.chain(3, "30 m") {'n0': (0.0, 0.0), 'n1': (30.0, 0.0), 'n2': (60.0,
0.0)}

Distances are texts with a unit, as in scenarios. Positions are in metres. Invalid arguments raise
ScenarioError.
"""

from __future__ import annotations

import json
from typing import TypeAlias

from airhop import _core
from airhop.boundary.arguments import check_keys, checked

Places: TypeAlias = dict[str, tuple[float, float]]
"""Names of stations with x and y in metres."""


@checked
def chain(nodes: int, spacing: str, *, prefix: str = "n") -> Places:
    """Place stations in a line along x, from n0 at the origin.

    Parameters
    ----------
    nodes
        Number of stations, from 2 to 2008.
    spacing
        From each station to the next, with a unit: "30 m".
    prefix
        Prefix of the names; numbers from 0 follow.

    Returns
    -------
    Places
        Names of stations with x and y, metres.

    Raises
    ------
    ScenarioError
        When a number or a distance is invalid.
    """
    return _places({"kind": "chain", "nodes": nodes, "spacing": spacing, "prefix": prefix})


@checked
def grid(columns: int, rows: int, spacing: str, *, prefix: str = "n") -> Places:
    """Place stations in rows along x, numbered row by row from n0 at the origin.

    Parameters
    ----------
    columns, rows
        Stations in a row, and in a column.
    spacing
        From each station to the next, with a unit: "30 m".
    prefix
        Prefix of the names; numbers from 0 follow.

    Returns
    -------
    Places
        Names of stations with x and y, metres.

    Raises
    ------
    ScenarioError
        When a number or a distance is invalid.
    """
    keys = {"columns": columns, "rows": rows, "spacing": spacing, "prefix": prefix}
    return _places({"kind": "grid", **keys})


@checked
def cross(arm: int, spacing: str, *, prefix: str = "n") -> Places:
    """Place two chains that share their middle; each of the four arms has `arm` stations.

    The chain along x runs from n0, at the origin, to n(2 arm). The middle is n(arm). The chain along y runs
    from n(2 arm + 1), at the lower end, to n(4 arm), and skips the middle.

    Parameters
    ----------
    arm
        Stations of an arm, without the middle.
    spacing
        From each station to the next, with a unit: "30 m".
    prefix
        Prefix of the names; numbers from 0 follow.

    Returns
    -------
    Places
        Names of stations with x and y, metres.

    Raises
    ------
    ScenarioError
        When a number or a distance is invalid.
    """
    return _places({"kind": "cross", "arm": arm, "spacing": spacing, "prefix": prefix})


@checked
def random(
    nodes: int,
    width: str,
    height: str,
    *,
    receive: str | None = None,
    connected: bool = True,
    seed: int = 1,
    rep: int = 0,
    wlan: str = "field",
    prefix: str = "n",
) -> Places:
    """Draw positions uniformly in a rectangle.

    Parameters
    ----------
    nodes
        Number of stations, from 2 to 2008.
    width, height
        Size of the rectangle, with units: "100 m".
    receive
        Receive range with a unit. If None, every station receives every other.
    connected
        Repeat the draw, at most 10,000 times, until each pair of stations has a path with hops of at most
        `receive`.
    seed, rep
        Seed and replication of the draw. In a run with these values, a wlan with this name and layout has the
        same positions. However, a run may repeat the draw for flows that request a number of hops
        (`between`).
    wlan
        Name of the wlan.
    prefix
        Prefix of the names; numbers from 0 follow.

    Returns
    -------
    Places
        Names of stations with x and y, metres.

    Raises
    ------
    ScenarioError
        When a number is invalid, or no draw is connected.
    """
    layout = {"kind": "random", "nodes": nodes, "width": width, "height": height, "connected": connected}
    given = {} if receive is None else {"receive": receive}
    return _places({**layout, "prefix": prefix}, seed=seed, rep=rep, wlan=wlan, **given)


def _places(
    layout: dict[str, object], *, seed: int = 1, rep: int = 0, wlan: str = "field", **given: str
) -> Places:
    check_keys(seed, rep)
    document = json.dumps({"layout": layout, "wlan": wlan, **given})
    stations = _core.places(document, f"airhop.layouts.{layout['kind']}", seed, rep)
    return {name: (x, y) for name, (x, y) in stations}
