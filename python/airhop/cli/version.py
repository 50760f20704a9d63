"""`airhop --version`."""

from __future__ import annotations

import platform

from airhop import _core


def version() -> str:
    """Return the description of this installation: `airhop X.Y.Z`, then lines of the form `key: value`.

    `commit` and `rustc` describe the compiled simulator; the Python files of an editable install can be
    newer.
    """
    build = _core.build_info()
    facts = {name: build.get(name) for name in ("commit", "model", "profile", "target", "rustc")}
    facts["python"] = f"{platform.python_implementation()} {platform.python_version()}"
    facts["platform"] = platform.platform()
    # Unknown values are omitted, such as the commit of a build outside of a git checkout.
    return "\n".join(
        [f"airhop {build['version']}", *(f"{name}: {fact}" for name, fact in facts.items() if fact)]
    )
