"""The page: widgets that change the state, and figures that show it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from airhop.catalogue import schemes as catalogue
from airhop.comparison import Comparison
from airhop.errors import InputError, RunError, ScenarioError, users_traceback
from airhop.plots.style import SchemeStyle, styles
from airhop.scenario import packaged
from airhop.view import fragments, widgets
from airhop.view.controls import Control, controls
from airhop.view.curves import Curves
from airhop.view.figures import Bars, Graphs
from airhop.view.runs import Newest, Runs, Shown, SupersededError
from airhop.view.state import MOST_REPS, MOST_SEED, State
from airhop.view.tabs import FrozenTemplate

REPS = (1, 5, 10, MOST_REPS)
TEXTS = ("problem", "status", "table", "command", "legend")


class Page:
    """Browser tab. Widgets change the state; the page shows the state alone."""

    def __init__(self, opened: State, runs: Runs) -> None:
        self._opened = self._state = opened
        self._shown = Shown()
        self._offered: tuple[int, Mapping[str, int]] = (1, {})
        """Replications, and connections by flow, among which the reader chooses the run of the graphs."""
        self._runs = runs
        self._newest = Newest(self._work)
        self._bars = Bars()
        self._graphs = Graphs(opened.scenario.duration_s)
        plots = (self._bars.figure, self._graphs.window, self._graphs.sequence, self._graphs.rtt)
        self._figures = {plot.name: widgets.figure(plot) for plot in plots}
        self._texts = {name: widgets.text() for name in TEXTS}
        self._widgets = widgets.column()
        self._replication = widgets.whole_number(
            "Graphs show replication", 0, 0, partial(self._show_run, "rep")
        )
        self._flow = widgets.choice("Graphs show flow", {}, None, self._show_flow)
        self._connection = widgets.whole_number(
            "Connection", 1, 1, partial(self._show_run, "connection"), least=1
        )
        # A browser may lose children that a column gains while the page is rebuilt: these never change.
        self._which_run = widgets.column([self._replication, self._flow, self._connection])
        self._document: Any = pn.state.curdoc

    def template(self) -> pn.Template:
        """Create the page, and start the first runs."""
        page = FrozenTemplate(widgets.asset("page.html"))
        page.add_variable("style", widgets.asset("page.css"))
        page.add_variable("script", widgets.asset("page.js"))
        for name, part in {"widgets": self._widgets, **self._texts, **self._figures}.items():
            page.add_panel(name, part)
        pn.state.on_session_destroyed(lambda _context: self._newest.close())
        self._load(self._state)
        return page

    # --- from widgets to state -----------------------------------------------------------------------------

    def _load(self, state: State) -> None:
        """Switch to another state, with new widgets."""
        state = replace(state, plugins=self._opened.plugins)
        names = dict.fromkeys([*packaged(), self._opened.source, state.source])
        nameless = next((known for known in (state, self._opened) if known.source is None), state)
        sources = {name or f"{nameless.title}, from a file": name or "" for name in names}
        schemes = [entry["name"] for entry in catalogue()]
        self._widgets.objects = [
            widgets.choice("Scenario", sources, state.source or "", self._begin),
            widgets.chips("Schemes", schemes, list(state.schemes), self._choose),
            *(widgets.ladder(control, partial(self._move, control)) for control in controls(state.scenario)),
            widgets.whole_number("Seed", state.seed, MOST_SEED, self._set_seed),
            widgets.chips("Replications", sorted({*REPS, state.reps}), state.reps, self._repeat),
            self._which_run,
            widgets.row(
                widgets.save("Save state", "view.toml", lambda: self._state.to_toml()),
                widgets.save("Save scenario", "scenario.toml", lambda: self._state.scenario.toml()),
            ),
            widgets.open_file("Open a state or a scenario", self._open),
        ]
        self._shown = Shown()
        self._offer(state.reps, {})
        self._show(state)

    def _begin(self, source: str) -> None:
        """Switch to another scenario; schemes, seed and replications stay."""
        self._attempt(lambda: self._load(self._initial_state(source)))

    def _initial_state(self, source: str) -> State:
        fresh = self._opened if source == (self._opened.source or "") else State.of_packaged(source)
        shown = self._state
        return replace(fresh, schemes=shown.schemes, seed=shown.seed, reps=shown.reps)

    def _open(self, text: str, name: str) -> None:
        self._attempt(lambda: self._load(State.uploaded(text, name)))

    def _choose(self, schemes: list[str]) -> None:
        """Set the schemes; remaining schemes keep their order, because the first scheme is the baseline."""
        stay = [scheme for scheme in self._state.schemes if scheme in schemes]
        chosen = (*stay, *(scheme for scheme in schemes if scheme not in stay))
        if chosen:
            self._show(replace(self._state, schemes=chosen))
        else:
            self._show_problem("Choose at least one scheme.")

    def _move(self, control: Control, place: int) -> None:
        self._show(self._state.with_sets(control.changes(place)))

    def _set_seed(self, seed: int) -> None:
        self._show(replace(self._state, seed=seed))

    def _repeat(self, reps: int) -> None:
        self._shown = replace(self._shown, rep=0)
        self._offer(reps, self._offered[1])
        self._show(replace(self._state, reps=reps))

    def _offer(self, reps: int, connections: Mapping[str, int]) -> None:
        """Show the choices of the graphs' replication, flow and connection, each if there are several."""
        self._offered, shown = (reps, connections), self._shown
        flow = self._shown_flow
        self._replication.param.update(end=reps - 1, value=shown.rep, visible=reps > 1)
        self._flow.param.update(
            options={name: name for name in connections}, value=flow or None, visible=len(connections) > 1
        )
        most = connections.get(flow, 0)
        number = min(shown.connection, max(most, 1))
        self._connection.param.update(
            name=f"Connection, 1 to {most}", end=max(most, 1), value=number, visible=most > 0
        )

    @property
    def _shown_flow(self) -> str:
        """Name of the flow of the graphs; empty before the first graphs."""
        return self._shown.flow or next(iter(self._offered[1]), "")

    def _show_run(self, key: str, value: object) -> None:
        if value != getattr(self._shown, key):
            self._shown = replace(self._shown, **{key: value})  # type: ignore[arg-type]
            self._show(self._state)

    def _show_flow(self, flow: str | None) -> None:
        if flow and flow != self._shown_flow:
            self._shown = replace(self._shown, flow=flow, connection=1)
            self._offer(*self._offered)
            self._show(self._state)

    def _attempt(self, change: Callable[[], None]) -> None:
        """Apply the reader's change, or show why it is impossible."""
        try:
            change()
        except (InputError, ScenarioError) as error:
            self._show_problem(str(error))

    # --- from state to figures -----------------------------------------------------------------------------

    def _show(self, state: State) -> None:
        self._state = state
        self._write("command", fragments.command(state.command()))
        self._newest.ask(state)

    async def _work(self, state: State) -> None:
        """Show the bars of a state and, unless a newer state exists by then, its graphs."""
        look = _styles_of(state.schemes)
        started = time.perf_counter()
        try:
            comparison = await self._runs.compare(state, lambda: self._newest.superseded)
            self._later(self._show_bars, comparison, look, time.perf_counter() - started)
            if not self._newest.superseded:
                curves = await self._runs.trace(state, self._shown)
                self._later(self._show_graphs, curves, look, state.scenario.duration_s)
        except SupersededError:
            pass
        except (InputError, ScenarioError, RunError) as error:
            cause = "" if error.__cause__ is None else f"\n\n{users_traceback(error.__cause__)}"
            self._later(self._show_problem, f"{error}{cause}")
        except Exception:  # the page shows any exception, and continues
            self._later(self._show_problem, traceback.format_exc())

    def _later(self, change: Callable[..., None], *arguments: Any) -> None:
        """Change the page on the document's next tick: other threads must not touch the document."""
        self._document.add_next_tick_callback(partial(change, *arguments))

    def _show_bars(self, comparison: Comparison, look: Mapping[str, SchemeStyle], took_s: float) -> None:
        rows = comparison.rows()
        self._bars.show(rows, look)
        texts = (fragments.verdict(comparison), fragments.tables(rows, look), fragments.notes(comparison))
        self._write("table", "".join(texts))
        self._write("status", fragments.status(comparison, took_s))
        self._write("problem", "")
        self._fade(1.0)

    def _show_graphs(
        self, curves: Mapping[str, Curves], look: Mapping[str, SchemeStyle], duration_s: float
    ) -> None:
        self._graphs.show(curves, look, duration_s)
        runs = list(curves.values())
        connections = {flow: max(run.connections[flow] for run in runs) for flow in runs[0].connections}
        several = len(connections) > 1 or any(connections.values())
        self._write("legend", fragments.legend(look, runs[0].name if several else None))
        if connections != self._offered[1]:
            self._offer(self._offered[0], connections)

    def _write(self, name: str, fragment: str) -> None:
        self._texts[name].object = str(fragment)  # Panel escapes markup that is not plain text

    def _show_problem(self, text: str) -> None:
        """Show the problem. The previous figures stay, faded, since they do not fit the widgets."""
        self._write("problem", fragments.problem(text))
        self._fade(0.55)

    def _fade(self, opacity: float) -> None:
        for part in (*self._figures.values(), self._texts["table"]):
            part.styles = {"opacity": str(opacity)}


def _styles_of(schemes: Sequence[str]) -> dict[str, SchemeStyle]:
    """Return the style of each scheme, which is independent of the other schemes shown."""
    look = styles([*(entry["name"] for entry in catalogue()), *schemes])
    return {scheme: look[scheme] for scheme in schemes}
