"""What this user may do: four lines of `airhop doctor`, by which tests are skipped."""

import json

import pytest

from airhop import InputError
from airhop.live.privileges import USES, may_make_networks, missing, privilege
from command_line import Cli
from fake_core import FakeCore
from live_machine import needs


def test_doctor_prints_a_line_for_each(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.privileges[3] = ("struct_ops", False, "no BPF struct_ops: needs root")
    told = cli("doctor").out
    lines = [f"  {privilege(name).line}\n" for name in USES]
    assert all(line in told for line in lines)
    assert "no   no BPF struct_ops: needs root (for the kernel" in lines[3]
    found = json.loads(cli("doctor", "--json").out)["privileges"]
    assert list(found) == list(USES)
    assert found["struct_ops"] == {"available": False, "reason": "no BPF struct_ops: needs root"}


def test_only_what_programs_at_nodes_need_is_missed(fake_core: FakeCore) -> None:
    fake_core.privileges = [(name, False, "no") for name in USES]
    assert [one.name for one in missing()] == ["user namespaces", "TUN"]


@pytest.mark.usefixtures("fake_core")
def test_a_privilege_has_a_name() -> None:
    assert privilege("tun").available
    with pytest.raises(InputError, match="Did you mean `TUN`"):
        privilege("tunn")


def test_a_test_without_its_rights_is_skipped_by_the_line_of_doctor(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AIRHOP_LIVE", raising=False)
    fake_core.privileges[1] = ("TUN", False, "no TUN devices")
    with pytest.raises(pytest.skip.Exception) as skipped:
        needs("tun")
    assert str(skipped.value) == privilege("tun").line
    with pytest.raises(pytest.skip.Exception, match="no-such-program is not installed"):
        needs(programs=("no-such-program",))
    needs("user namespaces")


def test_on_a_machine_that_has_everything_it_fails(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRHOP_LIVE", "required")
    fake_core.privileges[1] = ("TUN", False, "no TUN devices")
    with pytest.raises(pytest.fail.Exception, match="no TUN devices"):
        needs("tun")


@pytest.mark.parametrize(
    ("capabilities", "may"),
    [("000001ffffffffff", True), ("0000000000201000", True), ("0000000000001000", False), ("0", False)],
)
def test_rights_are_capabilities(monkeypatch: pytest.MonkeyPatch, capabilities: str, may: bool) -> None:
    # capabilities(7): CAP_NET_ADMIN is 12, CAP_SYS_ADMIN 21.
    status = f"Name:\tpython\nCapPrm:\t000001ffffffffff\nCapEff:\t{capabilities}\n"
    monkeypatch.setattr("pathlib.Path.read_text", lambda *_how, **_too: status)
    assert may_make_networks() is may
