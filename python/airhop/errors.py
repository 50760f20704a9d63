"""Errors in users' input, reported without a traceback, and tracebacks of exceptions in users' code."""

import difflib
import re
from collections.abc import Iterable

from airhop._core import RunError, ScenarioError, SchemeError

__all__ = [
    "InputError",
    "PrivilegeError",
    "RunError",
    "ScenarioError",
    "SchemeError",
    "did_you_mean",
    "harmless",
    "shortened",
    "users_traceback",
]

_MOST = 1_000
"""Maximum number of characters shown per line of a message; a list of names needs far fewer."""


_CONTROL_CHARACTERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal interprets or cannot display: control characters, overrides of direction,
surrogates.
"""


class InputError(ValueError):
    """Error in the user's input: an unknown name, or an invalid value; the message suggests a correction.

    The message may quote untrusted text: control characters are escaped, and long lines are shortened.
    """

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(shortened(line, _MOST) for line in harmless(message).split("\n")))


class PrivilegeError(RuntimeError):
    """Error for a missing privilege; the message explains how to get the privilege."""


def harmless(text: str) -> str:
    r"""Escape characters that a terminal interprets or cannot display.

    A byte of a file name that is not UTF-8 becomes, for example, `\xe9`, as in a shell. Python represents
    this byte as a lone surrogate, U+DC80 to U+DCFF (PEP 383).
    """
    return _CONTROL_CHARACTERS.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    octet = ord(character) - 0xDC00
    return f"\\x{octet:02x}" if 0x80 <= octet <= 0xFF else ascii(character)[1:-1]


def shortened(text: str, most: int = 80) -> str:
    """Leave out the middle of a long text."""
    edge = most // 2 - 2
    return text if len(text) <= most else f"{text[:edge]} … {text[-edge:]}"


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Suggest the most similar of `options`: a sentence to append to a message, or "" if none is similar."""
    by_folded = {option.casefold(): option for option in options}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f" Did you mean `{by_folded[near[0]]}`?" if near else ""


def users_traceback(error: BaseException) -> str:
    """Format an exception with its traceback, without the frames of Airhop before the user's code."""
    import traceback

    frames = error.__traceback__
    while frames is not None and _is_internal(frames.tb_frame.f_globals.get("__name__")):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _is_internal(module: object) -> bool:
    return str(module).partition(".")[0] in ("airhop", "importlib")
