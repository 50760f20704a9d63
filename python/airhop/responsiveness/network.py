"""Scenarios of a responsiveness test: a network with load-generating connections and probes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from airhop.errors import InputError
from airhop.responsiveness.draft import INTERVAL_S, MOST_CONNECTIONS, MOST_OF_CAPACITY, MOST_PROBES_PER_S
from airhop.scenario import Scenario

Direction = Literal["down", "up"]
"""Direction of the load: along the scenario's flow ("down"), or against it ("up")."""

LOAD, PROBES = "load", "probe"
"""Name prefixes of the flows of a test. The names of load-generating connections end with a number."""
REQUEST_BYTES, RESPONSE_BYTES = 200, 200
"""Sizes of a probe's request and response in bytes. Mostly headers; the response carries one byte."""
PROBE_BYTES = 900
"""Maximum number of bytes that a probe sends in one direction: nine segments with headers, and request or
response.
"""


def path(scenario: Scenario, flow: str | None) -> dict[str, Any]:
    """Return the flow that defines the path of the test: the flow of this name, or the first TCP flow.

    Raises
    ------
    InputError
        When the scenario has no such TCP flow, or the ends of the flow are random.
    """
    flows = [one for one in scenario.to_dict().get("flow", []) if one["transport"] == "tcp"]
    found = [one for one in flows if flow in (None, one["name"])]
    if not found:
        wanted = "TCP flow" if flow is None else f"TCP flow `{flow}`"
        known = ", ".join(one["name"] for one in flows[:6]) or "none"
        raise InputError(f"{scenario.name} has no {wanted} to test; TCP flows: {known}")
    chosen: dict[str, Any] = found[0]
    if "between" in chosen:
        raise InputError(
            f"flow.{chosen['name']}.between: the ends of the flow are drawn;"
            " expected a flow with `from` and `to`"
        )
    return chosen


def loaded(scenario: Scenario, flow: Mapping[str, Any], direction: Direction, seconds: float) -> Scenario:
    """Return the network with load: a connection opens at every interval, up to the draft's maximum."""
    return _with_flows(scenario, _load(flow, direction), seconds)


def probed(
    scenario: Scenario, flow: Mapping[str, Any], direction: Direction | None, rate: float, seconds: float
) -> Scenario:
    """Return the network with `rate` probes per second, and with load if `direction` is set.

    Each probe is a request on a new connection, from the receiving node of the flow to the sending node. The
    flows of the scenario are left out.
    """
    load = [] if direction is None else _load(flow, direction)
    return _with_flows(scenario, [*load, _probes(flow, rate)], seconds)


def rate_of_probes(goodput_mbps: float) -> float:
    """Return the number of probes per second, given the goodput without probes.

    At most half of the draft's maximum, as the other half belongs to probes on load-generating connections.
    The probes use at most the draft's share of the capacity.
    """
    return min(MOST_PROBES_PER_S / 2, max(MOST_OF_CAPACITY * goodput_mbps * 1e6 / (8 * PROBE_BYTES), 0.1))


def _load(flow: Mapping[str, Any], direction: Direction) -> list[dict[str, Any]]:
    """Return the load-generating connections, opened one after the other."""
    begin, end = ("from", "to") if direction == "down" else ("to", "from")
    ends = {"from": flow[begin], "to": flow[end], "app": {"kind": "bulk"}}
    return [
        {**flow, **ends, "name": f"{LOAD}{i + 1}", "start": f"{INTERVAL_S * i:g} s"}
        for i in range(MOST_CONNECTIONS)
    ]


def _probes(flow: Mapping[str, Any], rate: float) -> dict[str, Any]:
    app = {
        "kind": "request-response",
        "request": f"{REQUEST_BYTES} B",
        "response": f"{RESPONSE_BYTES} B",
        "arrivals": "constant",
        "rate": rate,
        "connections": "new",
    }
    return {**flow, "name": PROBES, "app": app, "start": "0 s"}


def _with_flows(scenario: Scenario, flows: list[dict[str, Any]], seconds: float) -> Scenario:
    begun = [one for one in flows if float(str(one["start"]).removesuffix(" s")) < seconds]
    network = {**scenario.to_dict(), "duration": f"{seconds:g} s", "warmup": "0 s", "flow": begun}
    return Scenario.load(network)
