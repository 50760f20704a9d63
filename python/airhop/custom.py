"""User-defined schemes: classes registered under a name, which run like built-in schemes.

    @airhop.scheme("mine", parameters={"beta": 0.7})
    class Mine:
        def __init__(self, beta: float) -> None: ...
        def on_ack(self, window: airhop.Window, ack: airhop.Ack, flow: airhop.Flow) -> None: ...
        def on_loss(self, window: airhop.Window, loss: airhop.Loss, flow: airhop.Flow) -> str | None: ...

Every flow of every run has its own instance of the class. State in the instance belongs to that flow, and
state in the class or the module is shared with runs on other threads. Random draws from `random` are not
reproducible.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from airhop import _core
from airhop._core import Ack, Delivery, Flow, Loss, Notice, Window
from airhop.added import Added, add
from airhop.boundary.arguments import checked
from airhop.code_digest import code_digest
from airhop.errors import InputError


class Scheme(Protocol):
    """Interface of a scheme."""

    def on_ack(self, window: Window, ack: Ack, flow: Flow, /) -> None:
        """Change the window on an ACK of new data, outside loss recovery."""

    def on_loss(self, window: Window, loss: Loss, flow: Flow, /) -> str | None:
        """Classify a loss, and reduce the window after congestion. The loss recovery retransmits the segment.

        Returns the class: "congestion" (or None), "wireless" or "undecided". The simulator only compares the
        class with the true cause. The window stays as this method sets it.
        """


class NoticeScheme(Scheme, Protocol):
    """Scheme that reacts to notices (messages of network services about a loss or a fade).

    An optional method `on_progress(cumulative)` is called after each ACK of new data.
    """

    def on_notice(self, notice: Notice, flow: Flow, /) -> str | None:
        """Return the reaction to a notice about a missing segment, or about a wireless link (EBSN, RTTN).

        "ignore" (or None): no reaction. "retransmit": retransmit the segment at once, without a reduction of
        the window. "hold": for two RTOs, a loss of this segment causes no reduction of the window. "freeze":
        keep all parameters, and send no new data until a new ACK arrives. "probe": freeze, and retransmit
        this segment. "restart-timer": restart the running retransmission timer without backoff. "expect": add
        the notice's `delay` to every RTO for 60 s.
        """


class RateScheme(Scheme, Protocol):
    """Scheme that reads the delivery rate and may pace its segments.

    `on_delivery` and `pacing_rate` are optional.
    """

    def on_delivery(self, window: Window, delivery: Delivery, flow: Flow, /) -> None:
        """Change the window on any ACK, after the other methods, also during loss recovery.

        Parameters
        ----------
        window
            Window that this method may change.
        delivery
            Delivery report of the ACK.
        flow
            State of the flow.
        """

    def pacing_rate(self, window: Window, flow: Flow, /) -> float | None:
        """Return the pacing rate in payload bytes per second; None disables pacing.

        The sender calls this method for each segment. A change of the window by this method has no effect.
        """


@checked
@dataclass(frozen=True)
class Parameter:
    """A numeric parameter of a scheme, as in `{ name = "mine", beta = 0.5 }`."""

    default: float
    least: float = -1e9
    most: float = 1e9
    about: str = ""
    """Description with unit and source."""


@dataclass(frozen=True)
class Declaration:
    """A registered scheme."""

    name: str
    title: str
    family: str
    cite: str
    recovery: str
    needs: tuple[str, ...]
    parameters: tuple[tuple[str, Parameter], ...]
    cls: type

    @property
    def module(self) -> str:
        """Name of the module that defines the class."""
        return self.cls.__module__


SchemeClass = TypeVar("SchemeClass", bound=Scheme)


@checked
def scheme(
    name: str,
    *,
    title: str | None = None,
    family: str = "yours",
    cite: str = "",
    recovery: str = "newreno",
    needs: str | Sequence[str] = (),
    parameters: Mapping[str, float | Parameter] = MappingProxyType({}),
) -> Callable[[type[SchemeClass]], type[SchemeClass]]:
    """Register the decorated class as a scheme in this process.

    Parameters
    ----------
    name
        Name in scenarios. The name of a built-in scheme is an error. If the same module registers the name
        again, scenarios loaded later use the new class.
    title
        Title of the scheme; by default the first line of the class's docstring, or the name.
    family, cite
        Family in the catalogue, and publication.
    recovery
        Loss recovery: "tahoe", "reno", "newreno", "sack" or "esack", as in the built-in schemes.
    needs
        Services that the scheme needs from the network, such as "elsn". A flow with the scheme gets these
        services if it names no services itself.
    parameters
        Parameters with their defaults. The constructor of the class receives the parameters as keyword
        arguments, all floats.

    Returns
    -------
    Callable
        The decorator, which returns the class unchanged.

    Raises
    ------
    InputError
        If an argument is invalid, or if the class has no `on_ack` or `on_loss` with the required parameters.
    """

    @checked
    def register(cls: type[SchemeClass]) -> type[SchemeClass]:
        declaration = Declaration(
            name,
            title or (inspect.getdoc(cls) or name).splitlines()[0],
            family,
            cite,
            recovery,
            (needs,) if isinstance(needs, str) else tuple(needs),
            tuple((key, _parameter(value)) for key, value in parameters.items()),
            cls,
        )
        _check(declaration)
        _add(declaration)
        return cls

    return register


def _parameter(value: float | Parameter) -> Parameter:
    return value if isinstance(value, Parameter) else Parameter(value)


def _add(declaration: Declaration) -> None:
    d = declaration
    digest = code_digest(d.cls, d.recovery, d.needs, d.parameters)
    add(Added(d.name, d.module, digest), lambda: _into_catalogue(d))


def _into_catalogue(declaration: Declaration) -> None:
    name = declaration.name
    try:
        _core.add_scheme(declaration)
    except ValueError as why:
        raise InputError(f"scheme `{name}`: {why}") from None
    # The message of this error ends with the name of the invalid option; `__cause__` has the reason.
    except TypeError as why:
        option = str(why).rpartition(".")[2]
        raise InputError(f"scheme `{name}`: {option}: {why.__cause__}") from None


METHODS: Mapping[str, tuple[object, ...]] = {
    "on_ack": (Window(1), Ack(0, 1000), Flow()),
    "on_loss": (Window(1), Loss(0, "timeout", 2), Flow()),
    "on_delivery": (Window(1), Delivery(0, 1000, 1000), Flow()),
    "pacing_rate": (Window(1), Flow()),
    "on_notice": (Notice(0, "eln"), Flow()),
    "on_progress": (True,),
}
"""Methods of a scheme, with example arguments; the first two methods are required."""


def _check(declaration: Declaration) -> None:
    """Check a class at its registration for errors that would end every run."""
    cls = declaration.cls
    defaults = {key: parameter.default for key, parameter in declaration.parameters}
    _binds(cls, defaults, declaration, "__init__")
    for name, arguments in METHODS.items():
        method = getattr(cls, name, None)
        if method is not None:
            _binds(method, (None, *arguments), declaration, name)
        elif name in ("on_ack", "on_loss"):
            raise InputError(f"scheme `{declaration.name}`: {cls.__name__} has no method {_signature(name)}")


def _signature(method: str) -> str:
    """Format the call of a scheme's method."""
    names = ("cumulative" if a is True else type(a).__name__.lower() for a in METHODS[method])
    return f"{method}({', '.join(('self', *names))})"


def _binds(
    function: Callable[..., Any],
    arguments: Mapping[str, object] | tuple[object, ...],
    declaration: Declaration,
    name: str,
) -> None:
    try:
        signature = inspect.signature(function)
        if isinstance(arguments, tuple):
            signature.bind(*arguments)
        else:
            signature.bind(**arguments)
    except TypeError as why:
        given = "its parameters" if name == "__init__" else "what it is given"
        wanted = "" if name == "__init__" else f"; expected {_signature(name)}"
        raise InputError(
            f"scheme `{declaration.name}`: {declaration.cls.__name__}.{name} does not take {given}: {why}"
            f"{wanted}"
        ) from None
