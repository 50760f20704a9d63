"""`airhop deploy`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from airhop.cli import EXIT_FAILED
from airhop.cli.common.app import Json
from airhop.cli.common.output import print_json, say
from airhop.errors import InputError
from airhop.live import deployment, privilege
from airhop.live.deployment import Deployed, Plan

Verdicts = list[tuple[str, bool, list[str]]]


def deploy(
    object: Annotated[str | None, Parameter(show_default=False)] = None,  # noqa: A002
    /,
    *,
    default: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    listen: Annotated[str | None, Parameter(show_default=False)] = None,
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    status: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    remove: Annotated[str | None, Parameter(show_default=False)] = None,
    as_json: Json = False,
) -> int:
    """Install a congestion control in the kernel of this machine, until --remove or the next boot.

    Connections choose the control by its name (`iperf3 -C`, TCP_CONGESTION, `ip route ... congctl`). The
    exit code is 1 if the kernel refuses the object, or if this machine or this user cannot install it.

    Parameters
    ----------
    object
        File of a BPF object, as in mine.bpf.o, or name of a packaged object, as in bpf_veno.
    default
        Make the control the default of new connections in this network namespace.
    listen
        Interface at which the object's listener receives notices, as in eth0.
    dry_run
        Print the changes and the verdict of the kernel's verifier; install nothing.
    status
        List the installed objects and the number of their connections.
    remove
        Name of the control to remove.
    """
    actions = [object is not None, status, remove is not None]
    if sum(actions) != 1:
        raise InputError("expected one of OBJECT, --status and --remove NAME")
    if object is None and (default or listen is not None or dry_run):
        raise InputError("--default, --listen and --dry-run need an OBJECT")
    if object is not None:
        planned = deployment.plan(object, default=default, listen=listen)
        return _check(planned, as_json) if dry_run else _deploy(planned, as_json)
    return _print_status(as_json) if remove is None else _remove(remove, as_json)


def _deploy(planned: Plan, as_json: bool) -> int:
    if not as_json:
        _print_changes(planned)
    deployment.deploy(planned)
    if as_json:
        print_json(_document(planned))
    else:
        print(f"{planned.name} is installed; airhop deploy --remove {planned.name} removes it")
        if planned.object.listeners and planned.device is None:
            say(f"note: {planned.name} receives no notices without --listen DEV")
    return 0


def _check(planned: Plan, as_json: bool) -> int:
    missing = deployment.lacking(planned)
    verdicts: Verdicts = deployment.dry_run(planned) if privilege("struct_ops").available else []
    if as_json:
        print_json(_document(planned) | {"lacking": missing, "verdicts": _as_dicts(verdicts)})
    else:
        _print_changes(planned)
        _print_verdicts(verdicts)
        print("nothing was changed")
        for line in missing:
            say(f"this machine lacks: {line}")
    return EXIT_FAILED if missing or not all(accepted for _, accepted, _ in verdicts) else 0


def _print_changes(planned: Plan) -> None:
    print(f"{planned.name} of {planned.file}")
    for line in planned.changes:
        print(f"  {line}")


def _print_verdicts(verdicts: Verdicts) -> None:
    if verdicts:
        print("the kernel's verifier:")
    for part, accepted, lines in verdicts:
        quoted = f": {lines[0]}" if accepted and lines else ""
        print(f"  {part} is {'accepted' if accepted else 'refused'}{quoted}")
        for line in [] if accepted else lines:
            print(f"    {line}")


def _document(planned: Plan) -> dict[str, Any]:
    return {"name": planned.name, "file": str(planned.file), "changes": planned.changes}


def _as_dicts(verdicts: Verdicts) -> list[dict[str, Any]]:
    return [{"part": part, "accepted": accepted, "lines": lines} for part, accepted, lines in verdicts]


def _print_status(as_json: bool) -> int:
    states, gone = deployment.deployed()
    if as_json:
        print_json({"deployed": [_state_document(state) for state in states], "gone": gone})
        return 0
    for name in gone:
        print(f"{name}: the kernel has freed it")
    for state in states:
        _print_state(state)
    if not states and not gone:
        print("no control is deployed")
    return 0


def _state_document(state: Deployed) -> dict[str, Any]:
    record = state.record
    return {
        "name": record.name,
        "file": record.file or None,
        "registered": state.registered,
        "users": state.users,
        "default": state.is_default,
        "device": record.device,
        "listening": state.listening,
    }


def _print_state(state: Deployed) -> None:
    record = state.record
    print(f"{record.name} of {record.file or 'an unknown file'}")
    if state.registered:
        print(f"  registered, {_users(state.users)}")
    elif record.map is not None:
        print(f"  removed, {_users(state.users)}: the kernel frees it when the last user ends")
    else:
        print(f"  not registered: its installation was interrupted; airhop deploy --remove {record.name}")
    if record.namespace is not None:
        is_default = "the default" if state.is_default else "not the default"
        print(f"  {is_default} of network namespace {record.namespace}; before: {record.before}")
    if record.device is not None:
        print(f"  {'listens' if state.listening else 'does not listen'} at {record.device}")


def _users(count: int) -> str:
    return f"used by {count} (connections, and network namespaces by default)"


def _remove(name: str, as_json: bool) -> int:
    users = deployment.remove(name)
    if as_json:
        print_json({"name": name, "users": users})
    elif users:
        print(f"{name} is removed for new connections, but is still {_users(users)}")
        print("the kernel frees it when the last user ends; airhop deploy --status shows whether it has")
    else:
        print(f"{name} is removed, and the kernel has freed it")
    return 0
