"""A kernel without a listener processes a notice as an ACK, so by default it receives no notices."""

from __future__ import annotations

import airhop
from live_machine import needs

LOSSY = {
    "duration": "8 s",
    "wlan.cell.errors.fer": 0.05,
    "flow.ftp.services": ["elsn"],
}
HOSTS = {"d": "iperf3 -s -1 >/dev/null", "s": "iperf3 -c {d} -t 7 -C reno >/dev/null"}


def test_a_kernel_without_a_listener_processes_a_notice_as_an_ack() -> None:
    """RFC 9293 §3.10.7.4: a sender removes acknowledged data, and therefore never retransmits them.

    A notice, in the form of an ACK, names a segment that the link lost. If an earlier segment was also lost,
    the receiver waits for it for ever. By default, therefore, only hosts with a listener get notices.
    """
    needs("namespaces", "tun", programs=("iperf3",))
    scenario = airhop.Scenario.load("last-hop").with_(LOSSY)
    spared = airhop.emulate(scenario, HOSTS)
    assert set(spared.live["notices"]["sent"].values()) == {0}
    assert "no program at s reads it" in spared.notes[0]
    told = airhop.emulate(scenario, HOSTS, notices="always")
    assert told.live["notices"]["sent"]["eln"] > 0
    assert not told.notes
    delivered = [max(one.flows["delivered_bytes"]) for one in (spared, told)]
    assert delivered[1] < 0.5 * delivered[0], "the connection stalls from the first such notice on"
