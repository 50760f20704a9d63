"""The sliders of `airhop view`: only paths that the scenario has, with values that it accepts."""

from __future__ import annotations

from typing import Any

import pytest

from airhop import Scenario
from airhop.scenario import packaged
from airhop.view.controls import Control, controls, duration


def by_label(scenario: Scenario) -> dict[str, Control]:
    return {control.label: control for control in controls(scenario)}


def last_hop(**changes: Any) -> Scenario:
    changed = {path.replace("__", "."): value for path, value in changes.items()}
    return Scenario.load("last-hop").with_(changed)


def joined(control: Control, changed: Scenario) -> Control:
    """Find the slider of the delay that several links share."""
    (found,) = [
        one
        for one in controls(changed)
        if set(control.paths) <= set(one.paths) or one.paths == ("wired.all.delay",)
    ]
    return found


@pytest.mark.parametrize("name", packaged())
def test_every_position_of_every_slider_sets_a_valid_value(name: str) -> None:
    scenario = Scenario.load(name)
    for control in controls(scenario):
        assert len(control.values) == len(control.texts) == len(set(control.texts))
        for place in range(len(control.values)):
            changed = scenario.with_(control.changes(place))
            # The slider of the changed scenario is at the set value.
            again = by_label(changed).get(control.label) or joined(control, changed)
            assert again.values[again.place] == control.values[place]


@pytest.mark.parametrize("name", packaged())
def test_setting_the_initial_position_of_a_slider_changes_nothing(name: str) -> None:
    scenario = Scenario.load(name)
    for control in controls(scenario):
        assert scenario.with_(control.changes(control.place)) == scenario


def test_last_hop_has_four_sliders_at_its_values() -> None:
    found = by_label(Scenario.load("last-hop"))
    assert {label: control.texts[control.place] for label, control in found.items()} == {
        "Frame error rate of cell": "1 %",
        "One-way delay, wired links": "10 ms",
        "Attempts per frame on cell": "1",
        "Simulated time": "200 s",
    }


def test_links_of_unequal_delay_have_separate_sliders() -> None:
    found = by_label(last_hop(wired__w2__delay="35 ms"))
    assert found["One-way delay of w1"].paths == ("wired.w1.delay",)
    w2 = found["One-way delay of w2"]
    assert w2.texts[w2.place] == "35 ms" and "30 ms" in w2.texts, "the scenario's value is among the stops"


def test_a_channel_without_errors_has_no_slider_for_them() -> None:
    clean = last_hop(wlan__cell__errors={"kind": "clean"})
    assert not [label for label in by_label(clean) if "rate" in label]


def test_scenarios_with_copied_flows_have_a_slider_for_their_number() -> None:
    scenario = Scenario.load("yun2009-downlink")
    control = by_label(scenario)["Connections"]
    assert len(scenario.with_(control.changes(2)).tcp_flows()) == 3
    five = scenario.with_({"copies": 5})
    assert by_label(five)["Connections"].texts[by_label(five)["Connections"].place] == "5"
    # A path names all copies of a link by the name with `*`.
    apart = by_label(five.with_({"wired.w1-*.delay": "3 ms"}))
    assert apart["One-way delay of w1-*"].paths == ("wired.w1-*.delay",)


def test_directions_with_different_errors_have_separate_sliders() -> None:
    errors = [
        {"kind": "bernoulli", "fer": 0.1, "direction": "bs->d"},
        {"kind": "bernoulli", "loss": 0.2, "direction": "d->bs"},
    ]
    scenario = last_hop(wlan__cell__errors=errors)
    found = by_label(scenario)
    assert found["Frame error rate of bs->d"].paths == ("wlan.cell.errors.0.fer",)
    back = found["Loss rate of d->bs"]
    changed = scenario.with_(back.changes(0)).to_dict()["wlan"][0]["errors"]
    assert [model.get("fer", model.get("loss")) for model in changed] == [0.1, 0.0]


@pytest.mark.parametrize(
    ("value_s", "text"), [(0.0, "0 s"), (1e-9, "1 ns"), (0.0015, "1.5 ms"), (0.3, "300 ms"), (2.0, "2 s")]
)
def test_durations_are_printed_in_a_readable_unit(value_s: float, text: str) -> None:
    assert duration(value_s) == text
