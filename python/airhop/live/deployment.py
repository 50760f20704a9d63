"""Deployment of BPF congestion controls that stay in the kernel after the command has ended."""

from __future__ import annotations

import os
import platform
import re
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from airhop import _core
from airhop.errors import InputError, PrivilegeError, did_you_mean
from airhop.files import read_bytes
from airhop.live import records
from airhop.live.privileges import privilege
from airhop.live.records import Record, folder_name
from airhop.objects import LONGEST_NAME, shipped

BPF_FILES = Path("/sys/fs/bpf")
"""BPF file system. A file in this file system keeps a BPF link open (bpf(2), BPF_OBJ_PIN)."""
PINS = BPF_FILES / "airhop"
"""Folder of the pinned BPF links, with a subfolder for each object."""
CONTROL = "control"
"""Name of the file that keeps a congestion control registered. The other files in the folder keep listeners
attached.
"""
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
DEFAULT = Path("/proc/sys/net/ipv4/tcp_congestion_control")
FIRST_NAMESPACE_ONLY = Path("/proc/sys/net/ipv4/tcp_mem")
"""Setting that only the machine's first network namespace has."""
OWN_NAMESPACE = Path("/proc/self/ns/net")
LINKS_SINCE = (6, 4)
"""First Linux version that registers struct_ops maps by BPF links."""
LISTENERS_SINCE = (6, 6)
"""First Linux version that attaches packet programs by BPF links (tcx)."""
RELEASE_S = 1.0
"""Maximum time in seconds until the kernel frees an object without users."""
_NAME = re.compile(rf"[A-Za-z0-9_.]{{1,{LONGEST_NAME}}}")


@dataclass(frozen=True)
class Plan:
    """BPF object to deploy, and the resulting changes to this machine."""

    name: str
    """Name of the congestion control."""
    file: Path
    object: _core.KernelObject
    device: str | None
    """Interface at which the listeners see arriving packets; None without listeners."""
    before: str | None
    """Default congestion control before the deployment; None if the default stays."""

    @property
    def changes(self) -> list[str]:
        """Changes to this machine, a line each."""
        lines = [f"register {self.name} for all network namespaces ({PINS / folder_name(self.name)})"]
        if self.device is not None:
            listeners = ", ".join(self.object.listeners)
            lines.append(f"let {listeners} read the packets that arrive at {self.device}")
        if self.before is not None:
            lines.append(f"make {self.name} the default of this network namespace, in place of {self.before}")
        return lines


@dataclass(frozen=True)
class Deployed:
    """Current state of a deployed BPF object."""

    record: Record
    registered: bool
    """True if new connections can select the control."""
    users: int
    """Number of users of the control: connections, and network namespaces with this default."""
    is_default: bool
    """True if the control is the default of the network namespace of the deployment."""
    listening: bool
    """True if all listeners are attached and the interface exists."""


def plan(source: str, *, default: bool, listen: str | None) -> Plan:
    """Read a BPF object from a file, or a packaged object by name, and determine the changes to this machine.

    Raises InputError if the file is no BPF object with one congestion control. Also raises InputError for
    `listen` if the object has no listener, or if the interface does not exist.
    """
    file = (shipped(source) or Path(source)).absolute()
    data = read_bytes(file, "a BPF object", " A BPF object is made by `clang -target bpf`.")
    try:
        read = _core.KernelObject(str(file), data)
    except ValueError as error:
        raise InputError(str(error)) from None
    if len(read.names) != 1:
        listed = ", ".join(read.names) or "none"
        raise InputError(
            f'{file}: expected one `struct tcp_congestion_ops` in SEC(".struct_ops"); it has {listed}'
        )
    name = read.names[0]
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"{file}: `{name}`: expected at most {LONGEST_NAME} letters, digits, dots and underscores"
        )
    if listen is not None:
        _check_listener(read, file, listen)
    before = DEFAULT.read_text(encoding="ascii").strip() if default else None
    return Plan(name, file, read, listen, before)


def _check_listener(read: _core.KernelObject, file: Path, device: str) -> None:
    if not read.listeners:
        raise InputError(f'--listen {device}: {file} has no program for packets (SEC("tc"))')
    known = [name for _, name in socket.if_nameindex()]
    if device not in known:
        raise InputError(
            f"--listen {device}: there is no such interface.{did_you_mean(device, known)}"
            f" This network namespace has {', '.join(known)}."
        )


def lacking(plan: Plan) -> list[str]:
    """List the reasons why a BPF object cannot be deployed here, as lines of `airhop doctor`."""
    right = privilege("struct_ops")
    lines = [] if right.available else [right.line]
    release = platform.release()
    for since, why in ((LINKS_SINCE, "registration by a link"), (LISTENERS_SINCE, "--listen (tcx)")):
        is_needed = since == LINKS_SINCE or plan.device is not None
        if is_needed and _version(release) < since:
            lines.append(f"kernel      Linux {release} is older than {since[0]}.{since[1]}, for {why}")
    if not _has_bpf_files():
        lines.append(_NO_BPF_FILES)
    if not _is_writable(records.RECORDS):
        lines.append(f"records     {records.RECORDS} is not writable; for --status and --remove")
    if plan.before is not None:
        lines += _lacking_for_default(plan)
    if plan.name in records.recorded():
        lines.append(f"name        {plan.name} is deployed already: airhop deploy --remove {plan.name}")
    elif plan.name in _available():
        lines.append(
            f"name        the kernel already has a control {plan.name}, which Airhop has not deployed"
        )
    return lines


_NO_BPF_FILES = (
    f"bpf files   no BPF file system at {BPF_FILES}: mount -t bpf bpf {BPF_FILES}; for objects that stay"
)


def _lacking_for_default(plan: Plan) -> list[str]:
    if not os.access(DEFAULT, os.W_OK):
        return [f"default     {DEFAULT} is not writable; for --default"]
    # If Linux 6.18 refuses a default control, it keeps a reference to the control
    # (tcp_set_default_congestion_control), so that the object would stay until the next boot.
    if not FIRST_NAMESPACE_ONLY.exists() and not plan.object.is_unrestricted(plan.name):
        return [
            f"default     {plan.name} has no TCP_CONG_NON_RESTRICTED in `flags`, without which only the"
            " machine's first network namespace accepts it; for --default"
        ]
    return []


def _version(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", release)[:2])


def _has_bpf_files() -> bool:
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    return any(line.split()[1:3] == [str(BPF_FILES), "bpf"] for line in mounts)


def _is_writable(folder: Path) -> bool:
    return os.access(folder if folder.exists() else folder.parent, os.W_OK)


def _available() -> list[str]:
    return AVAILABLE.read_text(encoding="ascii").split()


def dry_run(plan: Plan) -> list[tuple[str, bool, list[str]]]:
    """Let the kernel check a BPF object without registering it.

    Returns
    -------
    list[tuple[str, bool, list[str]]]
        Name of each program, True if the kernel accepts it, and lines of the kernel's verifier. If all
        programs are accepted, the last entry is the object's `struct tcp_congestion_ops`.

    Raises
    ------
    OSError
        When the kernel refuses the object's types or maps, or lacks a function that the object calls.
    """
    return plan.object.dry_run(plan.name)


def deploy(plan: Plan) -> None:
    """Make the changes of a plan; an error or Ctrl-C reverses the changes.

    Raises PrivilegeError if this machine or this user cannot deploy the BPF object. Raises OSError if the
    kernel refuses the object.
    """
    _require(plan)
    with records.locked():
        _require(plan)  # checked again, because another command may have deployed the name meanwhile
        namespace = None if plan.before is None else OWN_NAMESPACE.stat().st_ino
        record = Record(
            plan.name, str(plan.file), plan.device, namespace, plan.before, boot=records.boot_id()
        )
        records.write(record)
        try:
            _change(plan)
        except BaseException:
            _reverse(record)
            raise


def _require(plan: Plan) -> None:
    if lines := lacking(plan):
        raise PrivilegeError(lines[0])


def _change(plan: Plan) -> None:
    pins = PINS / folder_name(plan.name)
    pins.mkdir(parents=True)
    device = 0 if plan.device is None else socket.if_nametoindex(plan.device)
    plan.object.deploy(plan.name, pins, device)
    if plan.before is not None:
        _core.default_control(OWN_NAMESPACE, plan.name)


def deployed() -> tuple[list[Deployed], list[str]]:
    """Determine the state of all deployed BPF objects.

    Returns
    -------
    tuple[list[Deployed], list[str]]
        Objects in the kernel, and names of objects that the kernel has freed (at a reboot, or after the
        last connection). The records of freed objects are deleted.
    """
    known = _known()
    if not known:
        return [], []
    _require_rights()
    with records.locked():
        states = [_state(records.read(name)) for name in known]
        gone = [state.record.name for state in states if _is_gone(state)]
        for state in states:
            if state.record.name in gone:
                _reverse(state.record)
    return [state for state in states if state.record.name not in gone], gone


def remove(name: str) -> int:
    """Reverse the deployment of a BPF object.

    Returns
    -------
    int
        Number of connections and network namespaces that still use the object. The kernel frees the object
        when the last user ends.

    Raises
    ------
    InputError
        When no object of that name is deployed.
    """
    known = _known()
    if name not in known:
        listed = f"Deployed: {', '.join(known)}." if known else "No control is deployed."
        raise InputError(f"{name} is not deployed.{did_you_mean(name, known)} {listed}")
    _require_rights()
    with records.locked():
        return _reverse(records.read(name))


def _known() -> list[str]:
    """List the names of all records, and of pinned objects without a record."""
    pinned = [one.name.replace("-", ".") for one in PINS.iterdir()] if PINS.is_dir() else []
    return sorted({*records.recorded(), *pinned})


def _require_rights() -> None:
    right = privilege("struct_ops")
    if not right.available:
        raise PrivilegeError(right.line)
    if not _has_bpf_files():
        raise PrivilegeError(_NO_BPF_FILES)


def _state(record: Record) -> Deployed:
    pins = PINS / folder_name(record.name)
    registered = (pins / CONTROL).exists()
    number = _core.deployed_map(pins / CONTROL) if registered else record.map
    references = None if number is None or _is_of_another_boot(record) else _core.map_references(number)
    listeners = [one for one in pins.iterdir() if one.name != CONTROL] if pins.exists() else []
    namespace = _namespace(record)
    return Deployed(
        record,
        registered=registered,
        users=max((references or 0) - registered, 0),
        is_default=namespace is not None and _core.default_control(namespace, None) == record.name,
        listening=bool(listeners) and all(_core.deployed_device(one) for one in listeners),
    )


def _is_of_another_boot(record: Record) -> bool:
    return record.boot not in ("", records.boot_id())


def _is_gone(state: Deployed) -> bool:
    is_removed = state.record.map is not None and not state.registered
    return _is_of_another_boot(state.record) or (is_removed and state.users == 0)


def _namespace(record: Record) -> Path | None:
    """Find a file of the network namespace of a deployment; None if the namespace no longer exists."""
    if record.namespace is None or _is_of_another_boot(record):
        return None
    places = [OWN_NAMESPACE, *Path("/run/netns").glob("*"), *Path("/proc").glob("[0-9]*/ns/net")]
    for place in places:
        with suppress(OSError):  # the process has ended
            if place.stat().st_ino == record.namespace:
                return place
    return None


def _reverse(record: Record) -> int:
    """Undo the changes of a deployment in reverse order; return the number of remaining users."""
    namespace = _namespace(record)
    if namespace is not None and _core.default_control(namespace, None) == record.name:
        _core.default_control(namespace, record.before)
    pins = PINS / folder_name(record.name)
    if pins.exists():
        record = _unpin(record, pins)
    with suppress(OSError):  # other objects are deployed
        PINS.rmdir()
    users = 0 if record.map is None or _is_of_another_boot(record) else _users_after(record.map)
    if users == 0:
        records.forget(record.name)
    return users


def _unpin(record: Record, pins: Path) -> Record:
    control = pins / CONTROL
    for listener in pins.iterdir():
        if listener != control:
            listener.unlink()
    if control.exists():
        record = records.begin_removal(record, _core.deployed_map(control))
        control.unlink()
    pins.rmdir()
    return record


def _users_after(number: int) -> int:
    """Wait at most `RELEASE_S` until the kernel has freed a map; return the number of remaining users."""
    deadline = time.monotonic() + RELEASE_S
    while (references := _core.map_references(number)) is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    return references or 0
