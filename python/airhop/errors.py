"""What a user can get wrong, told without a traceback."""

import difflib
from collections.abc import Iterable

from airhop._core import RunError, ScenarioError

__all__ = ["InputError", "RunError", "ScenarioError", "did_you_mean"]


class InputError(ValueError):
    """Something the user typed or passed does not exist or cannot be; the message says what would do."""


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Suggest the nearest of `options`: a sentence to append to a message, or "" when nothing is near."""
    by_folded = {option.casefold(): option for option in options}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f" Did you mean `{by_folded[near[0]]}`?" if near else ""
