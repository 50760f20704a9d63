"""The writer thread: results in order, and a complete cleanup at the end."""

from __future__ import annotations

import threading
import time

import pytest

from airhop.reproduction.writer import Writer
from patience import PATIENCE_S


def test_the_writer_returns_results_in_the_order_of_their_calls() -> None:
    first = threading.Event()
    with Writer[int]() as writer:
        writer.submit(lambda: 1 if first.wait(PATIENCE_S) else 0)
        writer.submit(lambda: 2)
        assert list(writer.done()) == []
        first.set()
        assert list(writer.rest()) == [1, 2]


def test_the_writer_raises_the_error_of_a_call_in_place_of_its_result() -> None:
    def fails() -> int:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"), Writer[int]() as writer:
        writer.submit(fails)
        list(writer.rest())


def test_an_interrupt_ends_the_current_call_and_starts_no_other_call() -> None:
    """Ctrl-C stops within a second, and the interrupted write removes its files."""
    begun, cleaned, others = threading.Event(), threading.Event(), []

    def draws() -> None:
        begun.set()
        try:
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            cleaned.set()
            raise

    with pytest.raises(KeyboardInterrupt), Writer[None]() as writer:
        writer.submit(draws)
        writer.submit(lambda: others.append(1))
        assert begun.wait(PATIENCE_S)
        raise KeyboardInterrupt
    assert cleaned.is_set()
    assert not others
