"""Generator of the tables in docs/bpf-objects.md: members and functions of the simulated kernel."""

from pathlib import Path

from airhop import _core
from blocks import fill, table

PAGE = "bpf-objects.md"
"""Path below docs/."""


def page(docs: Path) -> str:
    """Write the page with the tables of members, callbacks and functions."""
    kernel = _core.simulated_kernel()
    members = [
        (f"`{structure}`", f"`{name}`", "written" if writable else "", note)
        for structure, name, writable, note in kernel["members"]
    ]
    calls = [
        (what, ", ".join(f"`{name}`" for name in names))
        for what, names in (
            ("callbacks", kernel["callbacks"]),
            ("functions of the kernel", kernel["kfuncs"]),
            ("helpers", kernel["helpers"]),
        )
    ]
    blocks = {
        "members": table(
            ("structure", "member", "", "value, where its name does not define it"), members, left=4
        ),
        "calls": table(("", "simulated"), calls, left=2),
    }
    return fill((docs / PAGE).read_text(encoding="utf-8"), "objects", blocks)
