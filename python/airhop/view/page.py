"""Page with widgets that change the state, and figures that show the results of the state."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from airhop.catalogue import families
from airhop.catalogue import schemes as catalogue
from airhop.comparison import Comparison
from airhop.errors import InputError, RunError, ScenarioError, users_traceback
from airhop.plots.style import SchemeStyle, styles
from airhop.scenario import packaged
from airhop.view import fragments, widgets
from airhop.view.controls import Control, controls
from airhop.view.curves import Curves
from airhop.view.figures import Bars, Graphs
from airhop.view.runs import Newest, Runs, SupersededError
from airhop.view.shown import CLASS, FLOW, choices
from airhop.view.state import MOST_REPS, MOST_SEED, State, own_schemes
from airhop.view.tabs import FrozenTemplate

REPS = (1, 5, 10, MOST_REPS)
TEXTS = ("problem", "status", "table", "command", "percentiles", "legend")
SOON_S = 0.2
"""Computing time in s after which the page shows the finished replications of a comparison."""


class Page:
    """Contents of a browser tab. Widgets change the state, and everything shown follows from the state."""

    def __init__(self, opened: State, runs: Runs) -> None:
        self._opened = self._state = opened
        self._connections = 0
        """Number of connections of the flow in the graphs. 0 if the flow's application opens none."""
        self._runs = runs
        self._newest = Newest(self._work)
        self._bars = Bars()
        graphs = self._graphs = Graphs(opened.scenario.duration_s)
        plots = (self._bars.figure, graphs.window, graphs.sequence, graphs.rtt, graphs.queue)
        self._figures = {plot.name: widgets.figure(plot) for plot in plots}
        self._texts = {name: widgets.text() for name in TEXTS}
        self._widgets = widgets.column()
        self._of = widgets.choice("Flow or class", {}, None, partial(self._show_run, "of"))
        self._connection = widgets.whole_number(
            "Connection", 1, 1, partial(self._show_run, "connection"), least=1
        )
        self._replication = widgets.whole_number("Replication", 0, 0, partial(self._show_run, "rep"))
        # The children of this row never change, because a browser may lose children that a row gains while
        # the page is rebuilt.
        self._which_run = widgets.row(self._of, self._connection, self._replication)
        self._document: Any = pn.state.curdoc

    def template(self) -> pn.Template:
        """Create the page, and start the first runs."""
        page = FrozenTemplate(widgets.asset("page.html"))
        page.add_variable("style", widgets.asset("page.css"))
        page.add_variable("script", widgets.asset("page.js"))
        parts = {"widgets": self._widgets, "which_run": self._which_run, **self._texts, **self._figures}
        for name, part in parts.items():
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
        schemes = {
            family: sorted(entry["name"] for entry in members)
            for family, members in families(catalogue()).items()
        }
        self._widgets.objects = [
            widgets.choice("Scenario", sources, state.source or "", self._begin),
            *(widgets.ladder(control, partial(self._move, control)) for control in controls(state.scenario)),
            widgets.chips("Replications", sorted({*REPS, state.reps}), state.reps, self._repeat),
            widgets.whole_number("Seed", state.seed, MOST_SEED, self._set_seed),
            widgets.grouped_chips("Schemes", schemes, state.schemes, self._choose),
            widgets.row(
                widgets.save("Save state", "view.toml", lambda: self._state.to_toml()),
                widgets.save("Save scenario", "scenario.toml", lambda: self._state.scenario.toml()),
            ),
            widgets.open_file("Open a state or a scenario", self._open),
        ]
        self._connections = 0
        self._show(state)

    def _begin(self, source: str) -> None:
        """Switch to another scenario, with the current schemes, seed and replications."""
        self._attempt(lambda: self._load(self._initial_state(source)))

    def _initial_state(self, source: str) -> State:
        fresh = self._opened if source == (self._opened.source or "") else State.of_packaged(source)
        before = self._state
        untouched = before.schemes == own_schemes(before.base)
        schemes = fresh.schemes if untouched else before.schemes
        return replace(fresh, schemes=schemes, seed=before.seed, reps=before.reps)

    def _open(self, text: str, name: str) -> None:
        self._attempt(lambda: self._load(State.uploaded(text, name)))

    def _choose(self, schemes: list[str]) -> None:
        """Set the schemes. Schemes that remain keep their order, because the first scheme is the baseline."""
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
        self._show(replace(self._state, reps=reps))

    def _show_run(self, key: str, value: object) -> None:
        """Change the flow, connection or replication in the graphs.

        Changes by the page itself are ignored.
        """
        shown = self._state.shown
        if value is not None and value != getattr(shown, key):
            connection = {"connection": 1} if key == "of" else {}
            changed = replace(shown, **{**connection, key: value})  # type: ignore[arg-type]
            self._show(replace(self._state, shown=changed))

    def _offer(self) -> None:
        """Show the widgets for flow or class, connection and replication.

        A widget with a single option is hidden.
        """
        state, shown = self._state, self._state.shown
        found = choices(state.scenario, state.seed, shown.rep)
        self._of.param.update(options=found, value=shown.of, visible=len(found) > 1)
        most = state.reps - 1
        self._replication.param.update(
            name=f"Replication, 0 to {most}", end=most, value=shown.rep, visible=most > 0
        )
        self._offer_connections()

    def _offer_connections(self) -> None:
        most = self._connections
        if most:
            number = min(self._state.shown.connection, most)
            self._connection.param.update(
                name=f"Connection, 1 to {most}", end=most, value=number, visible=True
            )
        else:
            self._connection.visible = False

    def _attempt(self, change: Callable[[], None]) -> None:
        """Apply a change by the reader, or show why the change is impossible."""
        try:
            change()
        except (InputError, ScenarioError) as error:
            self._show_problem(str(error))

    # --- from state to figures -----------------------------------------------------------------------------

    def _show(self, state: State) -> None:
        shown = state.shown.within(state.scenario, state.seed, state.reps)
        if shown.of != self._state.shown.of:
            self._connections = 0
        self._state = replace(state, shown=shown)
        self._offer()
        self._write("command", fragments.command(state.command()))
        self._newest.ask(self._state)

    async def _work(self, state: State) -> None:
        """Show the bars of a state, and then its graphs.

        The graphs are skipped if a newer state exists. In a long comparison, the page shows the first
        replications while it computes the others.
        """
        look = _styles_of(state.schemes)
        started = time.perf_counter()
        is_drawn = False
        try:
            for reps in state.portions():
                part = replace(state, reps=reps)
                comparison = await self._runs.compare(part, lambda: self._newest.superseded)
                took_s = time.perf_counter() - started
                if reps < state.reps and took_s < SOON_S and not self._newest.superseded:
                    continue
                self._later(self._show_bars, comparison, state, look, took_s)
                if self._newest.superseded:
                    return
                if not is_drawn:
                    curves = await self._runs.trace(state)
                    self._later(self._show_graphs, curves, state, look)
                    is_drawn = True
        except SupersededError:
            pass
        except (InputError, ScenarioError, RunError) as error:
            cause = "" if error.__cause__ is None else f"\n\n{users_traceback(error.__cause__)}"
            self._later(self._show_problem, f"{error}{cause}")
        except Exception:  # the page shows any exception and stays usable
            self._later(self._show_problem, traceback.format_exc())

    def _later(self, change: Callable[..., None], *arguments: Any) -> None:
        """Change the page at the next tick of the document's event loop.

        Other threads must not change the page.
        """
        self._document.add_next_tick_callback(partial(change, *arguments))

    def _show_bars(
        self, comparison: Comparison, state: State, look: Mapping[str, SchemeStyle], took_s: float
    ) -> None:
        rows = comparison.rows()
        self._bars.show(rows, look)
        texts = (fragments.verdict(comparison), fragments.tables(rows, look), fragments.notes(comparison))
        self._write("table", "".join(texts))
        self._write("percentiles", fragments.percentiles(comparison, state.shown, look))
        self._write("status", fragments.status(comparison, state.reps, took_s))
        self._write("problem", "")
        self._fade(1.0)

    def _show_graphs(
        self, curves: Mapping[str, Curves], state: State, look: Mapping[str, SchemeStyle]
    ) -> None:
        is_class = state.shown.is_class
        self._graphs.show(curves, look, state.scenario.duration_s, is_class)
        runs = list(curves.values())
        silent = "" if any(run.acks.x.size for run in runs) else ": no ACK in these runs"
        self._write("legend", fragments.legend(look, f"{CLASS if is_class else FLOW} {runs[0].name}{silent}"))
        if state.shown == self._state.shown:
            self._connections = max(run.connections for run in runs)
            self._offer_connections()

    def _write(self, name: str, fragment: str) -> None:
        self._texts[name].object = str(fragment)  # a plain str, because Panel escapes other types of markup

    def _show_problem(self, text: str) -> None:
        """Show a problem; the previous figures stay but fade, as they do not match the widgets."""
        self._write("problem", fragments.problem(text))
        self._fade(0.55)

    def _fade(self, opacity: float) -> None:
        for part in (*self._figures.values(), self._texts["table"], self._texts["percentiles"]):
            part.styles = {"opacity": str(opacity)}


def _styles_of(schemes: Sequence[str]) -> dict[str, SchemeStyle]:
    """Return the style of each scheme, independent of the other schemes shown."""
    look = styles([*(entry["name"] for entry in catalogue()), *schemes])
    return {scheme: look[scheme] for scheme in schemes}
