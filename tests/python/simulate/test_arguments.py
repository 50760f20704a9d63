"""docs/python.md: every public function raises `InputError` for invalid arguments."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airhop
from airhop import InputError, Job, Scenario, Table, layouts, plugins, responsiveness
from airhop.study.until import Until

SCENARIO = Scenario.load("last-hop").with_({"duration": "100 ms"})
TABLE: Any = airhop.sweep(SCENARIO, {"scheme": ["reno", "cubic"]}, reps=2)
POINT = TABLE.study.points()[0]
RESULT = airhop.run(SCENARIO)
PUBLIC: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "run": (airhop.run, {"scenario": SCENARIO}),
    "run_many": (airhop.run_many, {"jobs": [Job(SCENARIO)]}),
    "Job": (Job, {"scenario": SCENARIO}),
    "compare": (airhop.compare, {"scenario": SCENARIO, "schemes": ["reno", "cubic"], "reps": 2}),
    "sweep": (airhop.sweep, {"scenario": SCENARIO, "vary": {"scheme": ["reno"]}, "reps": 2}),
    "emulate": (airhop.emulate, {"scenario": SCENARIO, "on": {"s": "true"}}),
    "replay": (airhop.replay, {"path": "none.log"}),
    "scheme": (airhop.scheme, {"name": "mine"}),
    "Parameter": (airhop.Parameter, {"default": 1.0}),
    "Study": (airhop.Study, {"name": "x", "scenario": SCENARIO}),
    "Study.load": (airhop.Study.load, {"source": "last-hop-fer"}),
    "Scenario": (Scenario, {"source": SCENARIO._source}),
    "Scenario.load": (Scenario.load, {"source": "last-hop"}),
    "Scenario.received": (Scenario.received, {"source": "last-hop"}),
    "Scenario.with_": (SCENARIO.with_, {"changes": {}}),
    "Scenario.fades": (SCENARIO.fades, {}),
    "Scenario.classes": (SCENARIO.classes, {}),
    "Result.write_tables": (RESULT.write_tables, {"folder": os.devnull}),
    "Table.load": (Table.load, {"folder": "none"}),
    "Table.frame": (TABLE.frame, {}),
    "Result.plot": (airhop.run(SCENARIO, trace=True).plot, {}),
    "Table.cells": (TABLE.cells, {}),
    "Table.cells_frame": (TABLE.cells_frame, {}),
    "Table.plot": (TABLE.plot, {}),
    "Table.to_pandas": (TABLE.to_pandas, {}),
    "Table.values": (TABLE.values, {"point": POINT}),
    "Table.samples": (TABLE.samples, {}),
    "Table.command": (TABLE.command, {"point": POINT, "rep": 0}),
    "Comparison.plot": (airhop.compare(SCENARIO, ["reno"], reps=2).plot, {}),
    "layouts.chain": (layouts.chain, {"nodes": 3, "spacing": "30 m"}),
    "layouts.grid": (layouts.grid, {"columns": 3, "rows": 2, "spacing": "30 m"}),
    "layouts.cross": (layouts.cross, {"arm": 2, "spacing": "30 m"}),
    "layouts.random": (layouts.random, {"nodes": 3, "width": "30 m", "height": "30 m"}),
    "responsiveness.measure": (responsiveness.measure, {"scenario": SCENARIO, "reps": 1, "limit_s": 20.0}),
    "plugins.load": (plugins.load, {"source": "none.py"}),
    "plugins.load_all": (plugins.load_all, {"sources": []}),
}
"""Public functions with valid arguments."""
ODD: tuple[Any, ...] = (
    None,
    True,
    1.5,
    float("nan"),
    "2",
    b"2",
    [],
    {},
    {"a": 1},
    [1],
    [None],
    ...,
    os,
    "caf\udce9",
    np.ones(3),
)
"""Values of types that are often confused; no value is valid for every parameter."""


run: Any = airhop.run
compare: Any = airhop.compare
sweep: Any = airhop.sweep
"""Public functions, called as by programs without a type checker."""


def cases() -> Iterator[tuple[str, str]]:
    for name, (function, _) in PUBLIC.items():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is not inspect.Parameter.VAR_POSITIONAL and "reporter" not in parameter.name:
                yield name, parameter.name


@pytest.mark.parametrize(("name", "argument"), list(cases()))
def test_an_argument_of_a_wrong_type_is_named(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value of a wrong type raises an InputError that names the argument, and no other error."""
    monkeypatch.chdir(tmp_path)
    function, good = PUBLIC[name]
    with pytest.raises(InputError, match=rf"^{argument}: expected .*, got <object object"):
        function(**{**good, argument: object()})
    for value in ODD:
        try:
            function(**{**good, argument: value})
        except (InputError, airhop.ScenarioError, airhop.PrivilegeError) as told:
            assert str(told)


def test_every_public_function_has_a_test_of_argument_types() -> None:
    public = [name for name in airhop.__all__ if callable(getattr(airhop, name))]
    without = {  # results of runs, classes of the core, protocols, and exceptions
        *("Ack", "Delivery", "Flow", "Loss", "Notice", "Window"),
        *("Comparison", "Emulation", "Result", "Table", "schemes"),
        *(
            "NoticeScheme",
            "RateScheme",
            "Scheme",
            "InputError",
            "Interrupted",
            "PrivilegeError",
            "RunError",
            "ScenarioError",
            "SchemeError",
        ),
    }
    assert set(public) - without == {name for name in PUBLIC if name in public}
    methods = {
        f"{kind.__name__}.{name}"
        for kind in (Scenario, airhop.Study, Table, airhop.Result)
        for name, method in inspect.getmembers(kind, callable)
        if not name.startswith("_")
        and len(inspect.signature(method).parameters) > (0 if inspect.ismethod(method) else 1)
    }
    by_documents = {"Scenario.from_recipe", "Study.from_dict"}  # content of a file of Airhop
    assert methods - by_documents == {name for name in PUBLIC if name in methods}
    assert {f"layouts.{name}" for name in ("chain", "grid", "cross", "random")} <= PUBLIC.keys()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: run(SCENARIO, seed="1"), "seed: expected a whole number, got '1'"),
        (lambda: run(SCENARIO, seed=None), "seed: expected a whole number, got None"),
        (lambda: run(SCENARIO, rep=1.5), "rep: expected a whole number, got 1.5"),
        (lambda: run(SCENARIO, rep=True), "rep: expected a whole number, got True"),
        (
            lambda: run(SCENARIO, rep=-1),
            "rep is -1; it must be a whole number from 0 to 9223372036854775807",
        ),
        (
            lambda: run("last-hop"),
            "scenario: expected an airhop.Scenario, as airhop.Scenario.load returns, got 'last-hop'",
        ),
        (lambda: compare(SCENARIO, "reno"), "schemes: expected a list, got 'reno'"),
        (lambda: compare(SCENARIO, ["reno", 3]), "schemes[1]: expected a text or a dict, got 3"),
        (lambda: compare(SCENARIO, ["reno"], reps="2"), "reps: expected a whole number, got '2'"),
        (lambda: sweep(SCENARIO, {3: [1]}), "vary[3]: expected a text, got 3"),
        (
            lambda: airhop.run_many([Job(SCENARIO)], threads=-1),
            "threads is -1; it must be a whole number from 1 to 4096",
        ),
        (
            lambda: SCENARIO.fades(seed=-1),
            "seed is -1; it must be a whole number from 0 to 9223372036854775807",
        ),
        (lambda: Until(float("nan"), relative=True), "half_width: expected a number, got nan"),
        (lambda: TABLE.frame("jain", 3), "metrics[1]: expected a text, got 3"),
    ],
)
def test_messages_about_wrong_arguments_state_the_expected_value(
    call: Callable[[], object], told: str
) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert str(refused.value) == told


def test_numbers_and_strings_of_numpy_are_accepted() -> None:
    known = run(SCENARIO, seed=3, rep=2).fingerprint
    for integer in (np.int64, np.uint8, np.int32):
        assert run(SCENARIO, seed=integer(3), rep=integer(2), trace=np.bool_(False)).fingerprint == known
    table = sweep(SCENARIO, {"wlan.cell.errors.fer": np.array([0.01, 0.1])}, reps=np.int64(2))
    assert table.frame()["wlan.cell.errors.fer"].to_list() == [0.01, 0.01, 0.1, 0.1]
    compared = compare(SCENARIO, np.array(["reno", "cubic"]), reps=np.uint16(2))
    assert compared.schemes == ["reno", "cubic"]
