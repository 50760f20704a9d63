"""Names of nodes in braces become addresses; everything else in a command stays unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airhop import InputError, Scenario
from airhop.live.hosts import filled, hosts_of

INSIDE = {"s": "10.0.0.1", "sta-1": "10.0.1.0"}


@pytest.mark.parametrize(
    ("command", "ran"),
    [
        ("iperf3 -c {s}", "iperf3 -c 10.0.0.1"),
        ("curl http://{s}:8000/a{s}", "curl http://10.0.0.1:8000/a10.0.0.1"),
        ("ping {sta-1}", "ping 10.0.1.0"),
        ("true", "true"),
    ],
)
def test_a_node_in_braces_is_replaced_by_its_address(command: str, ran: str) -> None:
    # The contract of commands: `{name}` of a declared node, no other braces.
    assert filled(command, INSIDE, "--on s") == ran


@pytest.mark.parametrize(
    "command",
    [
        "echo ${s}",
        "awk '{print $1}'",
        "awk '{print}'",
        "echo {a,b} {1..3} {}",
        "python3 -c 'print({1: 2}, f\"{x}\")'",
    ],
)
def test_braces_without_a_node_name_stay_in_the_command(command: str) -> None:
    assert filled(command, INSIDE, "--on s") == command


@given(st.text().filter(lambda text: "{" not in text))
def test_a_command_without_braces_is_not_changed(command: str) -> None:
    assert filled(command, INSIDE, "--on s") == command


def test_a_misspelt_node_in_braces_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"--on d: `\{sta1\}`.*Did you mean `sta-1`\?"):
        filled("ping {sta1}", INSIDE, "--on d")


def test_addresses_are_assigned_in_the_order_of_the_nodes() -> None:
    # crates/wire/src/addressing.rs: the first node is 10.0.0.1.
    scenario = Scenario.load("last-hop")
    nodes = scenario.core.nodes()
    told = ["{s}", "{d}"]
    hosts = hosts_of(scenario, [("--on s", "s", told), ("--on d", "d", [])], [])
    assert hosts.commands == [("s", f"10.0.0.{nodes.index(node) + 1}") for node in ("s", "d")]
    assert hosts.doors == [("--on s", "s", None), ("--on d", "d", None)]


def test_a_node_with_two_commands_is_a_single_host() -> None:
    hosts = hosts_of(Scenario.load("last-hop"), [("--on s", "s", ["a"]), ("--on s", "s", ["b"])], [])
    assert hosts.doors == [("--on s", "s", None)]
    assert hosts.commands == [("s", "a"), ("s", "b")]


def test_a_node_behind_an_interface_is_not_replaced_by_an_address() -> None:
    scenario = Scenario.load("last-hop")
    hosts = hosts_of(scenario, [("--on s", "s", ["echo {d}"])], [("--at d=eth0", "d", "eth0")])
    assert hosts.commands == [("s", "echo {d}")]
    assert hosts.devices == ["--at d=eth0"]
