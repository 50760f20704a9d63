"""Printed commands, quoted for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from airhop.errors import harmless


def command_line(words: Iterable[str]) -> str:
    r"""Quote a command for a shell: words with blanks in quotes, undecodable octets as in $'caf\xe9'."""
    return " ".join(shlex.quote(word) if harmless(word) == word else _ansi_c(word) for word in words)


def _ansi_c(word: str) -> str:
    """Quote a word as $'…', the form understood by bash, zsh and POSIX 2024."""
    quoted = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{harmless(quoted)}'"
