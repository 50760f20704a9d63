"""Real senders use the congestion control of a BPF object, in the kernel during an emulation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import airhop
from airhop import InputError, PrivilegeError, Scenario
from airhop.live import controls
from airhop.live.controls import Control, chosen
from airhop.live.hosts import hosts_of
from airhop.live.privileges import Privilege
from airhop.plugins import load_all
from airhop.services import served
from command_line import Cli
from live_machine import needs
from patience import PATIENCE_S

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
HOSTS = {"d": "iperf3 -s -1 >/dev/null", "s": "iperf3 -c {d} -t 7 >/dev/null"}
ON = [word for node, command in HOSTS.items() for word in ("--on", node, command)]
PROGRAMS = ("hear_notices", "eln_ssthresh", "veno_ssthresh")
"""At least one program of each object used in these tests, with names truncated by the kernel."""
KILLED_S = 60.0
"""Time limit for the kernel to free the objects of a killed emulation, s."""


def last_hop(duration: str = "9 s") -> Scenario:
    return Scenario.load("last-hop").with_({"duration": duration})


def available() -> list[str]:
    return AVAILABLE.read_text(encoding="utf-8").split()


class Kernel:
    """Kernel of this machine, which may have objects of the user with the names of the tests' objects."""

    def __init__(self) -> None:
        self.before = (set(available()), self.programs())

    @staticmethod
    def programs() -> set[int]:
        """Return the kernel ids of all programs of the objects that these tests use."""
        listed = subprocess.run(["bpftool", "-j", "prog"], capture_output=True, text=True, check=False)
        programs = json.loads(listed.stdout or "[]")
        return {one["id"] for one in programs if one.get("name") in PROGRAMS}

    def has_control(self) -> bool:
        """Return whether the kernel has a new congestion control."""
        return bool(set(available()) - self.before[0])

    def has_program(self) -> bool:
        """Return whether the kernel has a new program."""
        return bool(self.programs() - self.before[1])


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    """Skip the test on kernels without struct_ops; at its end, check that no object stays in the kernel."""
    needs("struct_ops", "namespaces", "tun", "tcp_info", programs=("iperf3", "bpftool"))
    found = Kernel()
    yield found
    wait_until(lambda: not found.has_control(), KILLED_S)
    wait_until(lambda: not found.has_program(), KILLED_S)


@pytest.mark.usefixtures("kernel")
@pytest.mark.alone
def test_a_kernel_that_receives_elns_keeps_its_window_after_link_losses(tmp_path: Path) -> None:
    """Yun 2009 §3.1, Balakrishnan and Katz 1998: a notified loss at the link causes no window reduction.

    Each sent notice is received, and the replay reports that the kernel ran the object. The kernel's Reno has
    less than half of the goodput; a third of the difference is the tolerance for such short runs.
    """
    told = airhop.emulate(last_hop(), HOSTS, with_="bpf_eln", services="ll-elsn", log=tmp_path / "told.log")
    alone = airhop.emulate(last_hop(), HOSTS, scheme="reno")
    bulk, of_reno = (max(one.document["flows"], key=lambda f: f["delivered_bytes"]) for one in (told, alone))
    assert told.live["congestion_control"][bulk["name"]] == "bpf_eln"
    assert alone.live["congestion_control"][of_reno["name"]] == "reno"
    notices = told.live["notices"]
    assert notices["sent"]["eln"] == notices["heard"] > 20
    assert 10 < notices["spared"] <= notices["heard"]
    assert bulk["active_mbps"] > 1.5 * of_reno["active_mbps"]
    replayed = airhop.replay(tmp_path / "told.log")
    assert replayed.controls[bulk["name"]] == "bpf_eln"
    assert replayed.fingerprint == told.fingerprint


@pytest.mark.usefixtures("kernel")
@pytest.mark.alone
def test_a_kernel_processes_the_eln_bit_of_duplicate_acks() -> None:
    """Balakrishnan and Katz 1998: the ACK remains a duplicate ACK, and reports a loss of the link."""
    told = airhop.emulate(last_hop(), HOSTS, with_="bpf_eln", services="eln")
    notices = told.live["notices"]
    assert notices["sent"]["eln"] == notices["heard"] > 20
    assert notices["spared"] > 5


@pytest.mark.alone
def test_two_simultaneous_emulations_load_separate_objects(kernel: Kernel) -> None:
    """The second object has a different name in the kernel, and the requested name in its document."""
    words = [sys.executable, "-P", "-m", "airhop", "emulate", "last-hop", "--with", "bpf_veno"]
    ends = ["--on", "s", "sleep 20", "--on", "d", "true"]
    with subprocess.Popen([*words, *ends], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as first:
        try:
            wait_until(kernel.has_control)
            second = airhop.emulate(last_hop("5 s"), {**HOSTS, "s": "iperf3 -c {d} -t 2"}, with_="bpf_veno")
            names = second.live["congestion_control"]
            assert {name for flow, name in names.items() if flow.startswith("tcp 10.0.0.1")} == {"bpf_veno"}
        finally:
            first.send_signal(signal.SIGINT)


@pytest.mark.alone
def test_killed_emulations_leave_no_object_loaded(kernel: Kernel) -> None:
    """The kernel frees the objects of a killed process after its connections have made their last retry.

    Retries take some 15 s. Three emulations, killed at different ages of their objects, share this wait.
    """
    words = [sys.executable, "-P", "-m", "airhop", "emulate", "last-hop", "--with", "bpf_eln"]
    words += ["--services", "ll-elsn", *ON]
    for age_s in (0.05, 0.4, 1.5):
        others = set(available())
        with subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as killed:
            wait_until(lambda others=others: set(available()) - others)
            time.sleep(age_s)
            killed.kill()
    wait_until(lambda: not kernel.has_control(), KILLED_S)
    wait_until(lambda: not kernel.has_program(), KILLED_S)


def wait_until(holds: object, patience_s: float = PATIENCE_S) -> None:
    assert callable(holds)
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_kernel_scheme_is_set_only_for_the_emulations_sender() -> None:
    """The route of the node selects the control; the machine's default stays unchanged."""
    needs("namespaces", "tun", "tcp_info", programs=("iperf3",))
    emulation = airhop.emulate(last_hop("4 s"), {**HOSTS, "s": "iperf3 -c {d} -t 2"}, scheme="cubic")
    assert emulation.live["notices"]["heard"] is None
    control = emulation.live["congestion_control"]
    assert {name for flow, name in control.items() if flow.startswith("tcp 10.0.0.1")} == {"cubic"}


def test_a_congestion_control_that_the_kernel_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("namespaces", "tun")
    monkeypatch.setattr(controls, "OF_THE_KERNEL", ("veno",))
    if os.geteuid() != 0 or "veno" in available():
        pytest.skip("the kernel has veno")
    with pytest.raises(OSError, match=r"node s: congestion control veno: .* does not have it \(it has"):
        airhop.emulate(last_hop("1 s"), HOSTS, scheme="veno")


def test_scheme_and_object_determine_the_kernels_congestion_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = last_hop()
    hosts = hosts_of(scenario, [("--on s", "s", ["a"]), ("--on d", "d", ["b"])], [])
    monkeypatch.setattr(controls, "privilege", lambda name: Privilege(name, available=True, reason=""))
    assert chosen(scenario, hosts, None, [])[1] == []
    assert chosen(scenario, hosts, "vegas", [])[1] == [], "a twin without an emulation"
    assert chosen(scenario, hosts, "bbr", [])[1] == [Control("s", "bbr", None)]
    load_all(["bpf_eln", "bpf_veno", "bpf_dctcp"])
    both = chosen(scenario, hosts, None, ["bpf_dctcp"])[1]
    assert [one.node for one in both] == ["d", "s"], "its receiver echoes marks (RFC 8257 §3.2)"
    twin, found = chosen(scenario, hosts, None, ["bpf_eln"])
    assert [(one.node, one.name) for one in found] == [("s", "bpf_eln")]
    assert found[0].object is not None
    assert found[0].object[1].startswith(b"\x7fELF")
    assert twin.to_dict()["flow"][0]["scheme"] == "bpf_eln"
    with pytest.raises(InputError, match="--scheme with one of bpf_eln, bpf_veno"):
        chosen(scenario, hosts, None, ["bpf_eln", "bpf_veno"])
    assert chosen(scenario, hosts, "bpf_veno", ["bpf_eln", "bpf_veno"])[1][0].name == "bpf_veno"
    behind = hosts_of(scenario, [("--on d", "d", ["b"])], [("--at s", "s", "eth0")])
    assert chosen(scenario, behind, "bbr", [])[1] == [], (
        "hosts behind an interface have their own congestion control"
    )
    refused = Privilege("struct_ops", available=False, reason="only root loads programs")
    monkeypatch.setattr(controls, "privilege", lambda _name: refused)
    with pytest.raises(
        PrivilegeError, match="struct_ops  only root loads programs; for congestion controls in BPF"
    ):
        chosen(scenario, hosts, None, ["bpf_eln"])


def test_copies_of_a_flow_have_the_kernels_congestion_control(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenario file has one flow for all copies, whose name with `*` changes must use."""
    scenario = Scenario.load("dumbbell").with_({"copies": 2})
    hosts = hosts_of(scenario, [("--on s1", "s1", ["a"]), ("--on d1", "d1", ["b"])], [])
    monkeypatch.setattr(controls, "privilege", lambda name: Privilege(name, available=True, reason=""))
    load_all(["bpf_reno"])
    twin, found = chosen(scenario, hosts, None, ["bpf_reno"])
    assert [one.node for one in found] == ["s1"]
    assert [flow["scheme"] for flow in twin.to_dict()["flow"]] == ["bpf_reno"] * 2
    assert [flow["services"] for flow in served(scenario, "snoop").to_dict()["flow"]] == [["snoop"]] * 2


def test_link_services_can_be_set_by_service_or_scheme_name(cli: Cli) -> None:
    """A service, a scheme with required services, or none; also for run and compare."""

    def of(name: str) -> object:
        return served(last_hop(), name).to_dict()["flow"][0]["services"]

    assert [of("elsn"), of("ll-elsn"), of("none")] == [["elsn"], ["elsn"], []]
    for wrong, expected in (("elns", "there is no service `elns`"), ("reno", "needs no service")):
        with pytest.raises(InputError, match=expected):
            served(last_hop(), wrong)
    words = ("--set", "duration=2 s", "--json", "--services", "snoop")
    alone, repaired = (json.loads(cli("run", "last-hop", *one).out) for one in (words[:3], words))
    assert alone["fingerprint"] != repaired["fingerprint"]
    assert cli("compare", "last-hop", "reno", "vegas", "-n", "2", *words).code == 0


def test_packaged_objects_can_be_loaded_by_name(cli: Cli) -> None:
    assert "bpf_westwood_pl" in cli("schemes", "bpf_westwood_pl").out
    assert (
        cli("run", "last-hop", "--with", "bpf_reno", "--scheme", "bpf_reno", "--set", "duration=1 s").code
        == 0
    )
    assert "there is no module `bpf_rino`" in cli("run", "last-hop", "--with", "bpf_rino").err
