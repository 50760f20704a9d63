"""Output streams that tolerate any character and a closed pipe."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress


def prepare_streams() -> None:
    """Let stdout and stderr accept all characters, and replace closed streams."""
    for name, written in {"stdout": _exact, "stderr": _replaced}.items():
        codecs.register_error(f"airhop-{name}", written)
        stream = getattr(sys, name)
        if stream is None:  # the caller has closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=f"airhop-{name}")
    own = sys.__stderr__
    if own is not None and sys.stderr is own:  # unless the calling program has replaced this stream
        sys.stderr = _Prose(own.buffer, own.encoding, errors=own.errors, line_buffering=True)


class _Prose(io.TextIOWrapper):
    """Stream for stderr: a failed write (full disk, closed pipe) changes neither stdout nor the exit code."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def _exact(error: UnicodeError) -> tuple[bytes | str, int]:
    """Encode an undecodable byte unchanged, and a character missing in the encoding as `?`."""
    return _written(error, lambda octet: bytes([octet]))


def _replaced(error: UnicodeError) -> tuple[bytes | str, int]:
    r"""Encode an undecodable octet as text, as in `\xe9`, and a character that the encoding lacks as `?`."""
    return _written(error, lambda octet: b"\\x%02x" % octet)


def _written(error: UnicodeError, octet: Callable[[int], bytes]) -> tuple[bytes | str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    codes = (ord(character) - 0xDC00 for character in error.object[error.start : error.end])
    return b"".join(octet(code) if 0x80 <= code <= 0xFF else b"?" for code in codes), error.end
