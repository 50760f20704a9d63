"""Privileges and programs that tests need on this machine; without them a test is skipped with a message.

With AIRHOP_LIVE=required in the environment the test fails instead, for machines that meet all requirements.
"""

from __future__ import annotations

import os
import shutil

import pytest

from airhop.live import privilege

REQUIRED = "AIRHOP_LIVE"
"""Environment variable whose value `required` turns skips into failures."""


def needs(*names: str, programs: tuple[str, ...] = ()) -> None:
    """Skip the test without these privileges, by their names in `airhop doctor`, and these programs."""
    rights = [privilege(name) for name in names]
    lines = [right.line for right in rights if not right.available]
    lines += [f"{program} is not installed" for program in programs if shutil.which(program) is None]
    if lines and os.environ.get(REQUIRED) == "required":
        pytest.fail("\n".join(lines))
    if lines:
        pytest.skip("; ".join(lines))
