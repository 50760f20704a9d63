"""The pages of scenario files are correct: every example runs, and accepts the line of every kind."""

from pathlib import Path

import pytest

import scenario_pages
from airhop import Scenario

EXAMPLES = sorted(scenario_pages.EXAMPLES.glob("*.toml"))
SETTINGS = list(scenario_pages.settings())


def test_every_scenario_page_has_an_example_and_every_example_a_page() -> None:
    shown = set(scenario_pages.PAGES) | {"scenario"}
    assert {file.stem for file in EXAMPLES} == shown


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_example_of_a_scenario_page_loads(file: Path) -> None:
    assert Scenario.load(file).duration_s > 0


@pytest.mark.parametrize(("page", "kind", "setting"), SETTINGS, ids=lambda one: one)
def test_a_documented_line_selects_its_kind(page: str, kind: str, setting: str) -> None:
    path, _, word = setting.partition("=")
    scenario = Scenario.load(scenario_pages.EXAMPLES / f"{page}.toml", sets=[setting])
    link, name, key = path.split(".")
    (table,) = [table for table in scenario.to_dict()[link] if table["name"] == name]
    assert table[key]["kind"] == kind.rpartition(" ")[2], word


def test_every_kind_of_the_simulator_is_documented() -> None:
    _, sections = scenario_pages.parts()
    text = "\n".join(scenario_pages.pages().values())
    assert '`kind = "' in "\n".join(sections.values())
    assert '\n`kind = "' not in text


def test_no_table_cell_contains_braces_outside_code() -> None:
    rows = [
        row for text in scenario_pages.pages().values() for row in text.splitlines() if row.startswith("|")
    ]
    outside = {row: "".join(row.split("`")[::2]) for row in rows}
    assert any("`{ bs = [0, 0], d = [30, 0] }`" in row for row in rows)
    assert [row for row, text in outside.items() if "{" in text] == []
