"""Widgets in the page's style; each calls `on_change` with its new value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import panel as pn

from airhop.view.controls import Control

OnChange = Callable[[Any], None]


@cache
def asset(name: str) -> str:
    """Read a file of the page."""
    return files("airhop.view").joinpath("assets", name).read_text(encoding="utf-8")


def wide(*classes: str) -> dict[str, Any]:
    """Return the options that all widgets of the page share: full width and style classes."""
    look = [asset("parts.css")]
    return {"sizing_mode": "stretch_width", "margin": 0, "stylesheets": look, "css_classes": list(classes)}


def column(parts: Iterable[Any] = (), *classes: str) -> pn.Column:
    """Arrange parts in a column."""
    return pn.Column(*parts, **wide(*classes))


def row(*parts: Any) -> pn.Row:
    """Arrange parts in a row."""
    return pn.Row(*parts, **wide("row"))


def text() -> pn.pane.HTML:
    """Return an empty pane for a fragment of HTML."""
    return pn.pane.HTML("", **wide())


def figure(plot: Any) -> pn.pane.Bokeh:
    """Return a pane for a Bokeh figure."""
    return pn.pane.Bokeh(plot, **wide())


def choice(label: str, options: Mapping[str, str], value: str | None, on_change: OnChange) -> Any:
    """Return a widget that selects one value of a list; `value` is None if the list is empty."""
    return _calling(
        pn.widgets.Select(name=label, options=dict(options), value=value, **wide("widget")), on_change
    )


def chips(label: str, options: Sequence[Any], value: Any, on_change: OnChange) -> pn.Column:
    """Return buttons that select one value, or several values if `value` is a list."""
    kind = pn.widgets.CheckButtonGroup if isinstance(value, list) else pn.widgets.RadioButtonGroup
    buttons = _calling(kind(options=list(options), value=value, **wide()), on_change)
    return column([_label(label), buttons], "widget")


def grouped_chips(
    label: str, groups: Mapping[str, Sequence[str]], values: Sequence[str], on_change: OnChange
) -> pn.Column:
    """Return buttons in named groups for the selection of several values; `on_change` receives all values."""
    buttons = [_group(name, options, values) for name, options in groups.items()]
    for one in buttons:
        _calling(one, lambda _new: on_change([value for every in buttons for value in every.value]))
    return column([_label(label), *buttons], "widget")


def _group(name: str, options: Sequence[str], values: Sequence[str]) -> Any:
    """Return buttons under their group name.

    The name is a style, because a page with many models opens slowly.
    """
    look = wide("group")
    look["stylesheets"] = [*look["stylesheets"], f":host::before {{ content: {json.dumps(name)}; }}"]
    chosen = [option for option in options if option in values]
    return pn.widgets.CheckButtonGroup(options=list(options), value=chosen, **look)


def ladder(control: Control, on_change: OnChange) -> Any:
    """Return a slider over the values of a control; `on_change` receives the position."""
    places = {text: place for place, text in enumerate(control.texts)}
    made = pn.widgets.DiscreteSlider(
        name=control.label, options=places, value=control.place, **wide("widget", "slider")
    )
    return _calling(made, on_change)


def whole_number(label: str, value: int, most: int, on_change: OnChange, least: int = 0) -> Any:
    """Return a field for a whole number from `least` to `most`."""
    return _calling(
        pn.widgets.IntInput(name=label, value=value, start=least, end=most, **wide("widget")), on_change
    )


def save(label: str, filename: str, content: Callable[[], str]) -> Any:
    """Return a button that downloads the text that `content` returns."""
    return pn.widgets.FileDownload(
        callback=lambda: BytesIO(content().encode()),
        filename=filename,
        label=label,
        **wide("widget"),
    )


def open_file(label: str, on_change: Callable[[str, str], None]) -> pn.Column:
    """Return a field that opens a TOML file; `on_change` receives the file's text and name."""
    chooser = pn.widgets.FileInput(accept=".toml", **wide())
    _calling(chooser, lambda value: on_change(value.decode("utf-8", "replace"), chooser.filename))
    return column([_label(label), chooser], "widget")


def _label(words: str) -> pn.pane.HTML:
    return pn.pane.HTML(f"<span class=label>{words}</span>", **wide())


def _calling(widget: Any, on_change: OnChange) -> Any:
    widget.param.watch(lambda event: on_change(event.new), "value")
    return widget
