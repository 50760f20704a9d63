"""Call of the command line within the test's process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from airhop.cli import main


class Ended(NamedTuple):
    """Exit code and output of a command."""

    code: object
    out: str
    err: str


Cli = Callable[..., Ended]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*words: str) -> Ended:
        with pytest.raises(SystemExit) as end:
            main(words)
        streams = capsys.readouterr()
        return Ended(end.value.code, streams.out, streams.err)

    return call
