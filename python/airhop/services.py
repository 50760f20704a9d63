"""Services of the network for flows, by name."""

from __future__ import annotations

from airhop import catalogue
from airhop.errors import InputError, did_you_mean
from airhop.scenario import Scenario


def served(scenario: Scenario, name: str | None) -> Scenario:
    """Have the network do something for every TCP flow, in place of what each asks for.

    Parameters
    ----------
    scenario
        The scenario.
    name
        A service, as `elsn`; a scheme, whose needs are meant, as `ll-elsn`; or `none`. None: each flow has
        what it asks for.

    Raises
    ------
    InputError
        When nothing has that name, or the scheme needs nothing.
    """
    if name is None:
        return scenario
    services = _named(name)
    return scenario.with_({f"flow.{flow}.services": services for flow in scenario.written_tcp_flows()})


def _named(name: str) -> list[str]:
    if name == "none":
        return []
    known = catalogue.services()
    if name in known:
        return [name]
    needs = {entry["name"]: entry["needs"] for entry in catalogue.schemes()}
    if needs.get(name):
        return list(needs[name])
    if name in needs:
        raise InputError(f"--services {name}: that scheme needs nothing of the network; expected a service")
    near = did_you_mean(name, [*known, *needs])
    raise InputError(f"--services: there is no service `{name}`.{near} Services: {', '.join(known)}.")
