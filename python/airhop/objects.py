"""Congestion controls of Linux: BPF objects with `struct tcp_congestion_ops`, run as the kernel runs them."""

from __future__ import annotations

import base64
import hashlib
from functools import partial
from pathlib import Path

from airhop import _core
from airhop.added import Added, add
from airhop.errors import InputError
from airhop.files import read_bytes

SHIPPED = Path(__file__).parent / "bpf"
"""Folder of the packaged BPF objects."""
LONGEST_NAME = 15
"""Maximum length of the name of a congestion control, as in the kernel."""


def shipped(name: str) -> Path | None:
    """Return the path of the packaged BPF object with this congestion control, such as bpf_eln.

    None if no packaged object has this name.
    """
    if not name.startswith("bpf_"):
        return None
    return next((one for one in SHIPPED.glob("*.bpf.o") if _name_of(one) == name), None)


def _name_of(path: Path) -> str:
    return f"bpf_{path.name.removesuffix('.bpf.o')}"[:LONGEST_NAME]


def read(path: Path) -> str:
    """Return the bytes of a BPF object in base 64, for `add_all`.

    Raises InputError if the file does not exist.
    """
    made = " A BPF object is made by `clang -target bpf`."
    return base64.b64encode(read_bytes(path, "a BPF object", made)).decode()


def add_all(file: str, text: str) -> list[str]:
    """Add every congestion control of a BPF object as a scheme, under its name in the kernel.

    Raises InputError if the file is no BPF object with congestion controls, if the object needs a kernel
    feature that Airhop lacks, or if a scheme with the same name exists. The message names the function and
    the instruction.
    """
    data = base64.b64decode(text)
    try:
        found = _core.BpfObject(file, data)
    except ValueError as error:
        raise InputError(str(error)) from None
    digest = hashlib.sha256(data).hexdigest()
    for name in found.names:
        try:
            add(Added(name, file, digest), partial(found.add, name))
        except ValueError as error:
            raise InputError(str(error)) from None
    return found.names
