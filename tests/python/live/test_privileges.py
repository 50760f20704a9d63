"""Rights of this user: four lines of `airhop doctor`, by which tests are skipped."""

import json

import pytest

from airhop import InputError
from airhop.live.privileges import USES, missing, privilege
from command_line import Cli
from fake_core import FakeCore
from live_machine import needs


def test_doctor_prints_a_line_for_each(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.privileges[3] = ("struct_ops", False, "no BPF struct_ops: needs root")
    told = cli("doctor").out
    lines = [f"  {privilege(name).line}\n" for name in USES]
    assert all(line in told for line in lines)
    assert "no BPF struct_ops: needs root; for the kernel" in lines[3]
    found = json.loads(cli("doctor", "--json").out)["privileges"]
    assert list(found) == list(USES)
    assert found["struct_ops"] == {"available": False, "reason": "no BPF struct_ops: needs root"}


def test_only_privileges_of_programs_at_nodes_are_missed(fake_core: FakeCore) -> None:
    fake_core.privileges = [(name, False, "no") for name in USES]
    assert [one.name for one in missing()] == ["namespaces", "tun"]


@pytest.mark.usefixtures("fake_core")
def test_a_privilege_has_a_name() -> None:
    assert privilege("tun").available
    with pytest.raises(InputError, match="Did you mean `tun`"):
        privilege("tunn")


def test_a_test_without_its_rights_is_skipped_by_the_line_of_doctor(
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


def test_on_a_machine_that_has_everything_it_fails(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRHOP_LIVE", "required")
    fake_core.privileges[1] = ("tun", False, "no TUN devices")
    with pytest.raises(pytest.fail.Exception, match="no TUN devices"):
        needs("tun")
