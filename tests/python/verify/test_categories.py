"""The verifier infers the access category of a flow of real packets from the flow's two ends."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from airhop.verify import Trace
from airhop.verify.categories import guessed

UNSENT = "tcp 10.0.0.2:3 > 10.0.0.1:4"
"""Direction of a connection, without a frame on the air."""


def trace(ends: list[tuple[str, str, str]], maker: str) -> Trace:
    """Return a trace in which `maker` creates one packet of `UNSENT`, which no station sends.

    `ends`: name and ends of each flow of real packets in the document.
    """
    call = {"name": "call", "from": "b", "to": "c", "access_category": "VI"}
    listed = [{"name": name, "from": a, "to": b, "timeouts": None} for name, a, b in ends]
    texts = {
        name: pl.Series([text])
        for name, text in {
            "step": "made", "cause": "-", "place": maker, "flow": UNSENT, "kind": "data", "ecn": "ect0",
            "flags": ".",
        }.items()
    }  # fmt: skip
    numbers = {name: [0] for name in ("packet", "seq", "bytes", "payload")}
    packets = pl.DataFrame({"time_s": [0.0], "damaged": [False], **numbers, **texts})
    frame = dict.fromkeys(("from", "to", "kind", "flow", "packet", "outcome", "category"), pl.String)
    air = pl.DataFrame(
        schema={**frame, **dict.fromkeys(("start_s", "end_s"), pl.Float64)}
        | dict.fromkeys(("bytes", "seq", "attempt"), pl.Int64)
    )
    document: dict[str, Any] = {"flows": listed}
    return Trace({"flow": [call]}, document, {"packets": packets, "air": air})


@pytest.mark.parametrize("maker", ["a", "b"])
@pytest.mark.parametrize(
    ("ends", "category"),
    [
        ([("udp 10.0.0.1:1 > 10.0.0.2:1", "a", "b")], "BE"),
        ([("udp 10.0.0.2:1 > 10.0.0.1:1", "c", "b")], "VI"),
        ([("udp 10.0.0.2:1 > 10.0.0.3:1", "b", "c"), ("udp 10.0.0.3:1 > 10.0.0.1:1", "c", "a")], "BE"),
    ],
)
def test_an_unsent_connection_has_the_category_of_the_flow_between_its_addresses(
    ends: list[tuple[str, str, str]], category: str, maker: str
) -> None:
    """Another flow from the same node to another node does not determine the category."""
    of_ends = trace(ends, maker)
    assert (of_ends.category_of(UNSENT), guessed(of_ends)) == (category, frozenset())


@pytest.mark.parametrize(
    ("ends", "category"),
    [
        ([("a > b", "a", "b")], "BE"),
        ([("b > a", "b", "a"), ("call", "b", "c")], "BE"),
        ([("udp 10.0.0.1:1 > 10.0.0.2:1", "b", "b")], "BE"),
    ],
)
def test_an_unsent_connection_with_unknown_addresses_has_the_category_of_its_nodes_real_packets(
    ends: list[tuple[str, str, str]], category: str
) -> None:
    """The category is that of real packets at the node, not of a simulated flow from the same node.

    Addresses of one node are the addresses of no connection.
    """
    of_node = trace(ends, "b")
    assert (of_node.category_of(UNSENT), guessed(of_node)) == (category, frozenset({UNSENT}))
