"""Airhop: simulate and compare TCP over wireless links.

>>> import airhop
>>> s = airhop.Scenario.load("last-hop")
>>> r = airhop.run(s, scheme="ll-elsn", seed=1)
>>> r.flows
"""

# The names below are imported on first use, so that `import airhop` and `airhop --help` cost nothing.
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airhop._core import RunError, ScenarioError, __version__
    from airhop.catalogue import schemes
    from airhop.comparison import Comparison, compare
    from airhop.errors import InputError
    from airhop.results import Result
    from airhop.scenario import Scenario
    from airhop.simulate import Interrupted, Job, run, run_many

_HOMES = {
    "RunError": "airhop._core",
    "ScenarioError": "airhop._core",
    "__version__": "airhop._core",
    "schemes": "airhop.catalogue",
    "Comparison": "airhop.comparison",
    "compare": "airhop.comparison",
    "InputError": "airhop.errors",
    "Result": "airhop.results",
    "Scenario": "airhop.scenario",
    "Interrupted": "airhop.simulate",
    "Job": "airhop.simulate",
    "run": "airhop.simulate",
    "run_many": "airhop.simulate",
}

__all__ = [
    "Comparison",
    "InputError",
    "Interrupted",
    "Job",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "__version__",
    "compare",
    "run",
    "run_many",
    "schemes",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `airhop` has no attribute `{name}`")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
