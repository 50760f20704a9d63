"""Privileges of this user, as in the lines of `airhop doctor`; tests are skipped by them."""

import json

import pytest

from airhop import InputError
from airhop.live.privileges import USES, missing, privilege
from command_line import Cli
from fake_core import FakeCore
from live_machine import needs


def test_doctor_prints_a_line_for_each_privilege(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.privileges[3] = ("struct_ops", False, "no BPF struct_ops: needs root")
    told = cli("doctor").out
    lines = [f"  {privilege(name).line}\n" for name in USES]
    assert all(line in told for line in lines)
    assert "no BPF struct_ops: needs root; for congestion controls in BPF" in lines[3]
    found = json.loads(cli("doctor", "--json").out)["privileges"]
    assert list(found) == list(USES)
    assert found["struct_ops"] == {"available": False, "reason": "no BPF struct_ops: needs root"}


def test_only_privileges_for_programs_at_nodes_count_as_missing(fake_core: FakeCore) -> None:
    fake_core.privileges = [(name, False, "no") for name in USES]
    assert [one.name for one in missing()] == ["namespaces", "tun"]


@pytest.mark.usefixtures("fake_core")
def test_an_unknown_privilege_is_refused_with_a_suggestion() -> None:
    assert privilege("tun").available
    with pytest.raises(InputError, match="Did you mean `tun`"):
        privilege("tunn")


def test_a_test_without_privileges_is_skipped_with_the_message_of_doctor(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AIRHOP_LIVE", raising=False)
    fake_core.privileges[1] = ("tun", False, "no TUN devices")
    with pytest.raises(pytest.skip.Exception) as skipped:
        needs("tun")
    assert str(skipped.value) == privilege("tun").line
    with pytest.raises(pytest.skip.Exception, match="no-such-program is not installed"):
        needs(programs=("no-such-program",))
    needs("namespaces")


def test_a_test_without_privileges_fails_if_live_tests_are_required(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRHOP_LIVE", "required")
    fake_core.privileges[1] = ("tun", False, "no TUN devices")
    with pytest.raises(pytest.fail.Exception, match="no TUN devices"):
        needs("tun")
