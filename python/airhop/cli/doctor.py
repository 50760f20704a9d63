"""`airhop doctor`."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from airhop import _core
from airhop.catalogue import schemes
from airhop.cli import EXIT_FAILED
from airhop.cli.common.app import Json, Seed
from airhop.cli.common.output import print_json, say
from airhop.errors import InputError
from airhop.live import Privilege, privileges
from airhop.scenario import Scenario, packaged
from airhop.simulate import Job, cores, run_many

TOOLS = {
    "cargo": "to build Airhop from source",
    "ns": "ns-2, for airhop bench",
    "g++": "to build the ns-3 program of airhop bench",
    "wireshark": "to read packet captures",
    "tshark": "to read packet captures in a terminal",
    "unshare": "of util-linux, for airhop emulate without root",
}
"""Optional tools and their purpose."""


PARTS = {"panel": "for airhop view", "distributed": "for dask clusters"}
"""Optional Python packages and their purpose."""


def doctor(
    *,
    cross_check: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    quick: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    seed: Seed = 1,
    out: Path | None = None,
    packetdrill: Path | None = None,
    kernel: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    as_json: Json = False,
) -> int:
    """Check this installation: the build, optional packages, and equal results on one thread and on two.

    Parameters
    ----------
    cross_check
        Compare simulations with Bianchi's model, the square-root law, PFTK, and measurements of ns-2, ns-3
        and Linux; fail if a number exceeds its bound without a known reason.
    quick
        Run about one cross-check in nine.
    out
        File for the results of the cross-checks, as CSV.
    packetdrill
        Run Airhop's TCP against the packetdrill scripts of this folder and its subfolders, and fail if a
        script fails. Scripts that use features that Airhop does not model are listed with the feature.
    kernel
        Test the kernel of this machine by the scripts instead, in a network namespace, in real time. The
        scripts' shell commands are executed.
    """
    if packetdrill is not None:
        from airhop.cli.shown.packetdrill import packetdrill as judge

        if cross_check or quick or seed != 1 or out is not None:
            raise InputError("--packetdrill accepts only --kernel and --json: a script has no seed")
        return judge(packetdrill, kernel=kernel, as_json=as_json)
    if cross_check:
        from airhop.cli.shown.cross_check import cross_check as check

        return check(quick=quick, seed=seed, out=out, as_json=as_json)
    if kernel:
        raise InputError("--kernel needs --packetdrill DIR")
    if quick or seed != 1 or out is not None:
        raise InputError("--quick, --seed and --out need --cross-check")
    return _check_installation(as_json)


def _check_installation(as_json: bool) -> int:
    fingerprints = _self_check()
    rights = privileges()
    healthy = len(set(fingerprints)) == 1
    build = _core.build_info()
    found: dict[str, Any] = {
        "version": build["version"],
        "profile": build["profile"],
        "target": build["target"],
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": cores(),
        "package": str(Path(_core.__file__).parent),
        "schemes": len(schemes()),
        "scenarios": list(packaged()),
        "tools": {tool: shutil.which(tool) for tool in TOOLS} | {"ns-3": _ns3_version()},
        "parts": {part: _version(part) for part in PARTS},
        "privileges": {one.name: {"available": one.available, "reason": one.reason} for one in rights},
        "self_check": {"ok": healthy, "fingerprints": fingerprints},
    }
    if as_json:
        print_json(found)
    else:
        _print(found, rights)
    if build["profile"] != "release":
        say("warning: this is a debug build and many times slower: maturin develop --release")
    if not healthy:
        say("airhop: equal runs had different results, fingerprints: " + ", ".join(fingerprints))
    return 0 if healthy else EXIT_FAILED


def _self_check() -> list[str]:
    """Return the fingerprints of four equal runs of one second, on one thread and on two."""
    job = Job(Scenario.load("last-hop").with_({"duration": "1 s"}))
    return [result.fingerprint for threads in (1, 2) for result in run_many([job, job], threads=threads)]


def _ns3_version() -> str | None:
    if shutil.which("pkg-config") is None:
        return None
    asked = subprocess.run(
        ["pkg-config", "--modversion", "ns3-core"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _print(found: dict[str, Any], rights: Sequence[Privilege]) -> None:
    print(f"airhop {found['version']} ({found['profile']}, {found['target']}) in {found['package']}")
    print(f"Python {found['python']} on {found['platform']}, {found['cores']} cores")
    print(f"{found['schemes']} schemes; scenarios: {', '.join(found['scenarios'])}")
    for tool, where in found["tools"].items():
        use = TOOLS.get(tool, "for airhop bench")
        print(f"  {tool:<11} {where or f'not found ({use})'}")
    for part, version in found["parts"].items():
        print(
            f"  {part:<11} {version or f'not found ({PARTS[part]}): {sys.executable} -m pip install {part}'}"
        )
    print("real packets:")
    for right in rights:
        print(f"  {right.line}")
    check = found["self_check"]
    print(f"self-check: {'ok' if check['ok'] else 'FAILED'}, fingerprint {check['fingerprints'][0]}")
