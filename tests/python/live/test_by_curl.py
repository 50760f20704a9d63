"""Downloads by curl over an emulated wire last as long as simulated downloads."""

from __future__ import annotations

import pytest

from airhop import Scenario, emulate, run
from airhop.crosscheck.against_curl import LOADINGS, commands, completions_ms, page_bytes, simulated
from live_machine import needs

pytestmark = pytest.mark.alone

WITHIN = 0.05
"""Bound of the difference of completion times (docs/real-packets.md). The test compares the fastest download
instead of the median, because other work of the machine can only delay curl and its server.
"""


# The times depend on round trips, initial window, slow start and transmission times, which are a kernel's.
@pytest.mark.parametrize(("name", "count"), [("30 kB", 12), ("page", 3)])
def test_the_fastest_download_by_curl_takes_as_long_as_in_the_simulation(name: str, count: int) -> None:
    needs("namespaces", "tun", programs=("curl",))
    network = Scenario.load(simulated(name))
    flow = run(network).document["flows"][0]
    emulation = emulate(network, commands(name, count), ready={"s": 80}, scheme=LOADINGS[name].scheme)
    assert emulation.failures == []
    times_ms = completions_ms(name, emulation.live["commands"][1]["stdout"])
    assert len(times_ms) == count
    assert min(times_ms) == pytest.approx(flow["completion_ms"]["p50"], rel=WITHIN)


def test_the_web_page_loaded_by_curl_has_the_bytes_of_the_simulated_page() -> None:
    # A simulated visit delivers the bytes of all objects, which are the sizes that curl asks for.
    (page, _) = run(Scenario.load(simulated("page"))).document["flows"]
    visits = page["delivered_bytes"] / sum(page_bytes())
    assert page["completion_ms"]["count"] <= visits <= page["completion_ms"]["count"] + 1
