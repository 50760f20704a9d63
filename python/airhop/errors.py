"""What a user can get wrong, told without a traceback; and the traceback of what a user's own code raises."""

import difflib
from collections.abc import Iterable

from airhop._core import RunError, ScenarioError, SchemeError

__all__ = ["InputError", "RunError", "ScenarioError", "SchemeError", "did_you_mean", "users_traceback"]


class InputError(ValueError):
    """Something the user typed or passed does not exist or cannot be; the message says what would do."""


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Suggest the nearest of `options`: a sentence to append to a message, or "" when nothing is near."""
    by_folded = {option.casefold(): option for option in options}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f" Did you mean `{by_folded[near[0]]}`?" if near else ""


def users_traceback(error: BaseException) -> str:
    """Format an exception of the user's code from the first frame that is the user's."""
    import traceback

    frames = error.__traceback__
    while frames is not None and _is_machinery(frames.tb_frame.f_globals.get("__name__")):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _is_machinery(module: object) -> bool:
    return str(module).partition(".")[0] in ("airhop", "importlib")
