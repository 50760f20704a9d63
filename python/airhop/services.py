"""Services of the network for flows, by name."""

from __future__ import annotations

from airhop import catalogue
from airhop.errors import InputError, did_you_mean
from airhop.scenario import Scenario


def served(scenario: Scenario, name: str | None) -> Scenario:
    """Replace the services of every TCP flow.

    Parameters
    ----------
    scenario
        The scenario.
    name
        A service such as `elsn`, a scheme such as `ll-elsn` for all services that the scheme needs, or `none`
        for no service. With None, each flow keeps its services.

    Raises
    ------
    InputError
        When neither a service nor a scheme has that name, or the scheme needs no service.
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
        raise InputError(f"--services {name}: that scheme needs no service; expected a service")
    near = did_you_mean(name, [*known, *needs])
    raise InputError(f"--services: there is no service `{name}`.{near} Services: {', '.join(known)}.")
