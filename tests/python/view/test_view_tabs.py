"""Many tabs: their maximum, the page beyond the maximum, and runs that several tabs share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from bokeh.document import Document
from bokeh.document.models import DocumentModelManager
from panel.io.server import set_curdoc

from airhop import RunError, simulate
from airhop.simulate import Job
from airhop.view.page import Page
from airhop.view.runs import MOST_CURVES, Recent, Runs
from airhop.view.shown import Shown
from airhop.view.state import State
from airhop.view.tabs import MOST_TABS, FrozenTemplate, Tabs

SHORT = replace(
    State.of("last-hop").with_sets({"duration": "1 s"}), schemes=("reno", "sack", "snoop", "ll-elsn"), reps=1
)


def opened(tabs: Tabs) -> tuple[Document, bool]:
    """Open a tab; return its document, and whether it is the page beyond the maximum."""
    with set_curdoc(document := Document()):
        template = tabs.opened()
        template.server_doc(document)
    return document, "again_s" in document.template_variables


def closed(document: Document) -> None:
    for callback in document.callbacks.session_destroyed_callbacks:
        callback(SimpleNamespace(_document=document, id="a tab"))


def test_tabs_beyond_the_maximum_show_a_message_until_another_tab_closes() -> None:
    made: list[str] = []

    def page() -> FrozenTemplate:
        made.append("page")
        return FrozenTemplate("a page")

    tabs = Tabs(page)
    documents = [opened(tabs) for _ in range(MOST_TABS)]
    assert not any(is_full for _, is_full in documents)
    assert all(opened(tabs)[1] for _ in range(3))
    assert len(made) == MOST_TABS
    closed(documents[3][0])
    assert [opened(tabs)[1] for _ in range(2)] == [False, True]


def test_a_page_that_fails_does_not_count_as_an_open_tab() -> None:
    def fails() -> Any:
        raise ZeroDivisionError

    tabs = Tabs(fails)
    for _ in range(2 * MOST_TABS):
        with set_curdoc(Document()), pytest.raises(ZeroDivisionError):
            tabs.opened()


def test_the_resources_of_a_page_are_collected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bokeh visits all models of a document after each change, which would take half a second per page."""
    gathered: list[int] = []
    once = DocumentModelManager.recompute

    def recompute(self: DocumentModelManager) -> None:
        gathered.append(1)
        once(self)

    monkeypatch.setattr(DocumentModelManager, "recompute", recompute)
    monkeypatch.setattr(Page, "_show", lambda self, state: setattr(self, "_state", state))
    runs = Runs()
    document, _ = opened(Tabs(lambda: Page(SHORT, runs).template()))
    runs.close()
    assert len(document.roots) > 5
    assert len(gathered) <= 2


def test_tabs_with_equal_settings_share_their_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def counting(jobs: Sequence[Job], **options: Any) -> Any:
        made.append(len(jobs))
        return simulate.run_many(jobs, **options)

    monkeypatch.setattr("airhop.view.runs.run_many", counting)
    runs = Runs()
    first, second, more = (
        asyncio.run(runs.compare(state, lambda: False)) for state in (SHORT, SHORT, replace(SHORT, reps=2))
    )
    schemes = len(SHORT.schemes)
    assert made == [schemes, 0, schemes]
    assert first.rows() == second.rows()
    assert len(more.results) == 2 * schemes

    curves = asyncio.run(runs.trace(SHORT))
    monkeypatch.setattr("airhop.view.runs.run", lambda *_, **__: pytest.fail("made twice"))
    again = asyncio.run(runs.trace(SHORT))
    assert all(again[scheme] is curve for scheme, curve in curves.items())
    with pytest.raises(pytest.fail.Exception):
        asyncio.run(runs.trace(replace(SHORT, shown=Shown(rep=1))))
    runs.close()


def test_a_failed_trace_stores_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, failed, ended = count(), Event(), Event()

    def slow_but_for_the_first(*_: Any, **__: Any) -> Any:
        if next(calls) == 0:
            failed.set()
            raise RunError("at once")
        assert failed.wait(60)
        time.sleep(0.2)
        ended.set()
        raise RunError("later")

    monkeypatch.setattr("airhop.view.runs.run", slow_but_for_the_first)
    runs = Runs()
    with pytest.raises(RunError):
        asyncio.run(runs.trace(replace(SHORT, schemes=SHORT.schemes[:2])))
    assert ended.is_set()
    runs.close()


def test_the_cache_keeps_the_newest_runs() -> None:
    recent = Recent[int](3)
    recent.keep({"a": 1, "b": 2, "c": 3})
    assert recent.found(["a", "z"]) == {"a": 1}
    recent.keep({"d": 4})
    assert recent.found("abcd") == {"a": 1, "c": 3, "d": 4}, "requested results are newer than other results"
    assert 2 * len(SHORT.schemes) <= MOST_CURVES
