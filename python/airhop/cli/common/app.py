"""Parser of the command line, and exit codes of errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter as Kind
from inspect import signature
from typing import Annotated, get_type_hints

from cyclopts import App, CycloptsError, Parameter, Token, UnusedCliTokensError

from airhop.cli import COMMANDS, EXIT_BAD_INPUT, EXIT_FAILED
from airhop.cli.common.again import Again, start_again
from airhop.cli.common.output import help_console, say
from airhop.errors import (
    InputError,
    PrivilegeError,
    RunError,
    ScenarioError,
    SchemeError,
    did_you_mean,
    shortened,
    users_traceback,
)

COMPLETE = "__complete"
"""Internal command that completes names for the script of `airhop completion`."""


def _whole(_type: object, tokens: Sequence[Token]) -> int:
    """Parse a whole number, because the parser's own conversion would round `1.5`."""
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"`{text}` is not a whole number.") from None


Sets = Annotated[
    tuple[str, ...],
    Parameter(
        name="--set",
        negative="",
        show_default=False,
        help="PATH=VALUE: change a value of the scenario, as in wlan.cell.errors.fer=0.02. Can be repeated.",
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json",
        negative="",
        show_default=False,
        help="Print one JSON document, and nothing else, on stdout.",
    ),
]
With = Annotated[
    tuple[str, ...],
    Parameter(
        name="--with",
        negative="",
        show_default=False,
        help="Your own schemes: a Python file or module, as in --with mine.py, or a BPF object with"
        " congestion controls of Linux, as in --with mine.bpf.o. Packaged BPF objects have names, as in"
        " --with bpf_veno. Can be repeated.",
    ),
]
"""Option --with. A command with this option must begin with `airhop.plugins.load_all(with_)`."""
Services = Annotated[
    str | None,
    Parameter(
        help="Services of the network for every TCP flow: the name of a service, as in eln, or of a scheme"
        " whose services are installed, as in ll-elsn; none installs no service."
    ),
]
Seed = Annotated[int, Parameter(converter=_whole, help="Seed of every random stream.")]
Whole = Annotated[int, Parameter(converter=_whole)]


def _scenarios(_context: object) -> list[str]:
    from airhop.scenario import packaged

    return list(packaged())


def _schemes(_context: object) -> dict[str, str]:
    from airhop.catalogue import schemes

    return {scheme["name"]: scheme["title"] for scheme in schemes()}


def _studies(_context: object) -> list[str]:
    from airhop.study.file import packaged_studies

    return list(packaged_studies())


def _experiments(_context: object) -> dict[str, str]:
    from airhop.experiments import registry

    return {name: experiment.title for name, experiment in registry().items()}


# Types of arguments whose values a shell completes, see `airhop completion`.
ScenarioName = Annotated[str, Parameter(completer=_scenarios)]
SchemeName = Annotated[str, Parameter(completer=_schemes)]
StudyName = Annotated[str, Parameter(completer=_studies)]
ExperimentId = Annotated[str, Parameter(completer=_experiments)]


def with_words(with_: Sequence[str]) -> list[str]:
    """Return the command-line words (--with) that load these files and modules."""
    return [word for one in with_ for word in ("--with", one)]


def application() -> App:
    """Create the parser; a command's module is imported when the command is first used."""
    app = App(
        name="airhop",
        help="Simulate and compare TCP over wireless links.",
        version_flags=(),  # `main` prints the version
        result_action="return_value",
        suppress_keyboard_interrupt=False,  # `main` prints the number of finished runs
        console=help_console(),
        print_error=False,
        exit_on_error=False,
    )
    for name, summary in COMMANDS.items():
        function = name.replace("-", "_")
        app.command(f"airhop.cli.{function}:{function}", name=name, help=summary)
    return app


def usage(name: str, command: Callable[..., object] | None) -> str:
    """Return the first line of a command's help, with the names of the arguments instead of `ARGS`."""
    words = ["Usage: airhop", name]
    parameters = [] if command is None else list(signature(command).parameters.values())
    options = [p for p in parameters if p.kind is Kind.KEYWORD_ONLY]
    required = [p for p in options if p.default is Kind.empty]
    types = {} if command is None else get_type_hints(command)
    words += [f"--{option.name} {types[option.name].__name__.upper()}" for option in required]
    words += ["[OPTIONS]"] if len(options) > len(required) else []
    for argument in parameters:
        label = argument.name.upper()
        if argument.kind is Kind.VAR_POSITIONAL:
            words.append(f"[{label}...]")
        elif argument.kind is not Kind.KEYWORD_ONLY:
            words.append(label if argument.default is Kind.empty else f"[{label}]")
    return " ".join(words)


def dispatch(words: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    app = application()
    try:
        _check_command(words[0])
        if not {"-h", "--help"}.isdisjoint(words):
            command = app[words[0]]
            command.usage = usage(words[0], command.default_command)
        code = _exit_code_of(app, words)
    except UnusedCliTokensError as error:
        return _fail(
            f"unexpected argument `{' '.join(error.unused_tokens or [])}`. See airhop {words[0]} --help."
        )
    except CycloptsError as error:
        return _fail(f"{error} See airhop {words[0]} --help.")
    except (InputError, ScenarioError) as error:
        return _fail(str(error))
    # an argument is not text, or the locale cannot encode a file name
    except UnicodeEncodeError as error:
        return _fail(f"`{shortened(error.object)}` cannot be encoded as {error.encoding}")
    except SchemeError as error:
        cause = "" if error.__cause__ is None else f"\n\n{users_traceback(error.__cause__)}"
        return _fail(f"{error}{cause}", EXIT_FAILED)
    except (RunError, PrivilegeError) as error:
        return _fail(str(error), EXIT_FAILED)
    return code if isinstance(code, int) else 0


def _exit_code_of(app: App, words: Sequence[str]) -> object:
    """Run a command, in a new process with more privileges if the command requests it."""
    try:
        return app(words)
    except Again as again:
        start_again(again.by, words)


def _fail(why: str, code: int = EXIT_BAD_INPUT) -> int:
    say(f"airhop: {why}")
    return code


def _check_command(word: str) -> None:
    """Raise an error for an unknown command.

    The parser's own check would import the modules of all commands.
    """
    if word not in (*COMMANDS, COMPLETE):
        raise InputError(f"there is no command `{word}`.{did_you_mean(word, COMMANDS)} See airhop --help.")
