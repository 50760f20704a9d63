"""Each congestion control in C follows its paper, by numbers computed by hand (bpf/laws).

The test compiles and runs the source natively, so that it needs only libbpf's headers, and no kernel, clang
or privileges.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpf_objects import OBJECTS, SOURCES, stem
from patience import PATIENCE_S

HEADERS = Path("/usr/include/bpf/bpf_helpers.h")
FLAGS = ["-DAIRHOP_NATIVE", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
UNUSED = "-Wno-unused-function"
"""Compiler option, because a scheme may leave functions of laws.h unused."""


@pytest.mark.parametrize("scheme", [stem(one) for one in OBJECTS])
def test_objects_keep_the_laws_of_their_schemes(scheme: str, tmp_path: Path) -> None:
    if not HEADERS.exists():
        pytest.skip("libbpf's headers are not installed (Debian: libbpf-dev)")
    program = tmp_path / scheme
    source = SOURCES / "laws" / f"{scheme}.c"
    subprocess.run(["cc", *FLAGS, UNUSED, str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout
