"""Airhop: simulate and compare TCP over wireless links.

>>> import airhop
>>> s = airhop.Scenario.load("last-hop")
>>> r = airhop.run(s, scheme="ll-elsn", seed=1)
>>> r.flows
"""

# Names are imported on first use, so that `import airhop` and `airhop --help` are fast.
from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if sys.platform == "win32":
    raise ImportError(
        "Airhop runs on Linux and macOS. On Windows install it inside WSL 2: "
        "https://learn.microsoft.com/windows/wsl/install"
    )
if TYPE_CHECKING:
    from airhop import layouts, plugins
    from airhop._core import (
        Ack,
        Delivery,
        Flow,
        Loss,
        Notice,
        RunError,
        ScenarioError,
        SchemeError,
        Window,
        __version__,
    )
    from airhop.catalogue import schemes
    from airhop.comparison import Comparison, compare
    from airhop.custom import NoticeScheme, Parameter, RateScheme, Scheme, scheme
    from airhop.errors import InputError, PrivilegeError
    from airhop.live.emulation import Emulation, emulate
    from airhop.live.logs import replay
    from airhop.results import Result
    from airhop.scenario import Scenario
    from airhop.simulate import Interrupted, Job, run, run_many
    from airhop.study.study import Study
    from airhop.study.sweep import sweep
    from airhop.study.table import Table

_HOMES = {
    "Ack": "airhop._core",
    "Delivery": "airhop._core",
    "Flow": "airhop._core",
    "Loss": "airhop._core",
    "Notice": "airhop._core",
    "RunError": "airhop._core",
    "ScenarioError": "airhop._core",
    "SchemeError": "airhop._core",
    "Window": "airhop._core",
    "__version__": "airhop._core",
    "schemes": "airhop.catalogue",
    "Comparison": "airhop.comparison",
    "compare": "airhop.comparison",
    "NoticeScheme": "airhop.custom",
    "Parameter": "airhop.custom",
    "RateScheme": "airhop.custom",
    "Scheme": "airhop.custom",
    "scheme": "airhop.custom",
    "InputError": "airhop.errors",
    "PrivilegeError": "airhop.errors",
    "Emulation": "airhop.live.emulation",
    "emulate": "airhop.live.emulation",
    "replay": "airhop.live.logs",
    "Result": "airhop.results",
    "Scenario": "airhop.scenario",
    "Interrupted": "airhop.simulate",
    "Job": "airhop.simulate",
    "run": "airhop.simulate",
    "run_many": "airhop.simulate",
    "Study": "airhop.study.study",
    "Table": "airhop.study.table",
    "sweep": "airhop.study.sweep",
}

__all__ = [
    "Ack",
    "Comparison",
    "Delivery",
    "Emulation",
    "Flow",
    "InputError",
    "Interrupted",
    "Job",
    "Loss",
    "Notice",
    "NoticeScheme",
    "Parameter",
    "PrivilegeError",
    "RateScheme",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Scheme",
    "SchemeError",
    "Study",
    "Table",
    "Window",
    "__version__",
    "compare",
    "emulate",
    "layouts",
    "plugins",
    "replay",
    "run",
    "run_many",
    "scheme",
    "schemes",
    "sweep",
]


def __getattr__(name: str) -> object:
    if name in ("layouts", "plugins"):
        return import_module(f"airhop.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module `airhop` has no attribute `{name}`")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
