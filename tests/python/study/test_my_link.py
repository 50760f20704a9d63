"""The tool of the page "Which for my link", and the page itself."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import my_link
from airhop import InputError, Study, sweep
from airhop.analysis.goals import Goal
from airhop.analysis.verdict import verdict
from airhop.study import Table

PAGE = my_link.PAGE.read_text(encoding="utf-8")
STUDIES = [*(f"{name}-queues" for name in my_link.NETWORKS), my_link.CALLS]


FELT = ("calls", "pages")
"""Goals of every network that depend on delay."""


def block(name: str) -> list[list[str]]:
    """Read a table of the page: its cells, heading first."""
    text = PAGE.split(f"<!-- link: {name} -->\n")[1].split("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return [rows[0], *rows[2:]]


@pytest.fixture(scope="module")
def office() -> Table:
    """Run two schemes over the queues of an office, two replications of 8 s each."""
    return sweep(
        Study.load("office-queues").scenario.with_({"duration": "8 s", "warmup": "2 s"}),
        {
            "scheme": ["reno", "cubic"],
            "wlan.cell.queue": [
                {"kind": "drop-tail", "packets": 100},
                {"kind": "drop-tail", "packets": 1000},
                {"kind": "fq-codel"},
            ],
        },
        reps=2,
    )


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_of_the_page_has_few_runs_and_linux_senders(name: str) -> None:
    study = Study.load(name)
    assert study.reps == 5
    assert len(study.points()) <= 16
    assert study.baseline == my_link.USUAL


@pytest.mark.parametrize("name", STUDIES[:-1])
def test_the_settings_of_a_study_are_the_named_queues_in_order(name: str) -> None:
    settings = Study.load(name).settings
    assert len(settings) == len(my_link.QUEUES)
    assert [point.scheme for point in settings[0]] == list(my_link.SCHEMES)
    short, long, fair = (bottleneck(setting[0].scenario.to_dict()) for setting in settings)
    assert {queue["kind"] for queue in short + long} == {"drop-tail"}
    assert {queue["kind"] for queue in fair} == {"fq-codel"}
    # The long queues are those of the packaged scenario.
    assert long == bottleneck(Study.load(name).scenario.to_dict())
    assert sum(queue["packets"] for queue in short) < sum(queue["packets"] for queue in long)


def bottleneck(tables: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the queues of all links except wires of 1 Gbit/s."""
    links = [one for kind in ("wired", "radio", "wlan") for one in tables.get(kind, ())]
    found = [one["queue"] for one in links if one["rate"] != "1 Gbit/s"]
    return [queue for one in found for queue in (one if isinstance(one, list) else [one])]


@pytest.mark.parametrize("name", my_link.BLOCKS)
def test_the_page_has_every_block_with_numbers(name: str) -> None:
    head, *rows = block(name)
    assert rows
    assert all(len(row) == len(head) for row in rows)


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_has_the_command_of_every_table(name: str) -> None:
    assert f"airhop sweep {name} --out my-link" in PAGE


def test_the_table_of_numbers_has_the_means_of_the_runs(office: Table) -> None:
    rows = my_link.numbers("office", my_link.BULK, {"office-queues": office}).splitlines()
    head, *lines = [[cell.strip() for cell in row.strip("|").split("|")] for row in (rows[0], *rows[2:])]
    assert [line[:2] for line in lines] == [
        [queue, scheme] for queue in my_link.QUEUES for scheme in ("Reno", "CUBIC")
    ]
    point = office.study.settings[my_link.LONG][1]
    values = office.values(point, "class.bulk down.goodput_mbps").values()
    printed = lines[3][head.index(my_link.DOWN.heading)].split()[0]
    assert printed == f"{sum(values) / len(values):.1f}"
    # An office has no game.
    assert my_link.known(office, my_link.FELT) == [one for one in my_link.FELT if one is not my_link.GAME]


@pytest.mark.parametrize(
    ("samples", "answer"),
    [
        # Means of 4.7 and 5 Mbit/s, with differences of both signs.
        ({"one": (1.0, 9.0, 4.0), "two": (7.0, 2.0, 6.0)}, "open"),
        ({"one": (5.0, 5.1, 4.9), "two": (5.0, 5.1, 4.9)}, "all alike"),
        ({"one": (9.0, 9.1, 8.9), "two": (5.0, 5.1, 4.9)}, "**one** 9"),
        # `two` is significantly worse than `one`, but by less than 5 %; `four` is worse by more than 5 %, but
        # not significantly.
        (
            {"one": (9.0, 9.1, 8.9), "two": (8.8, 8.9, 8.7), "three": (5, 5, 5), "four": (9.5, 2.0, 9.5)},
            "**one** 9; as good: two; open: four",
        ),
    ],
)
def test_a_recommendation_names_the_best_arms_or_none(
    samples: dict[str, tuple[float, ...]], answer: str
) -> None:
    aim = my_link.Aim("downloads first", my_link.DOWN, is_higher_better=True)
    values = {arm: dict(enumerate(sample)) for arm, sample in samples.items()}
    (standing,) = verdict(
        {Goal("throughput", my_link.DOWN.column, my_link.DOWN.of): values}, {}, {}
    ).standings
    assert my_link.told(aim, standing) == answer


def test_a_recommendation_prefers_the_better_direction(office: Table) -> None:
    points = my_link.by_queue(office)
    of_aim = {aim.words: my_link.ranked(office, aim, points) for aim in my_link.AIMS}
    calls, pages = of_aim["calls first"], of_aim["pages first"]
    assert calls is not None and pages is not None
    rated, loaded = ([mean.mean for mean in one.means.values() if mean] for one in (calls, pages))
    assert rated == sorted(rated, reverse=True)
    assert loaded == sorted(loaded)
    assert of_aim["game first"] is None


def test_the_tool_keeps_the_prose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(my_link, "BLOCKS", {"one": lambda _: "new\n"})
    page = "Before.\n<!-- link: one -->\nold\n<!-- end -->\nAfter.\n"
    assert my_link.filled(page, {}) == page.replace("old", "new")


def test_a_folder_without_the_studies_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(InputError, match="has no complete study home-queues, "):
        my_link.found_in(tmp_path)


@pytest.mark.parametrize("section", ["Home", "Café", "Office", "Train"])
def test_decimal_numbers_of_the_prose_are_in_the_tables_of_their_section(section: str) -> None:
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    tables = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    prose = re.sub(r"```.*?```|<!-- link.*?<!-- end -->|`[^`]*`", "", text, flags=re.DOTALL)
    # Numbers of the scenario, and the largest R.
    given = {"0.3", "2.4", "5.5", "93.2", "802.11"}
    said = set(re.findall(r"(?<![\w.])\d+\.\d+", prose)) - given
    assert len(said) >= 3
    measured = re.findall(r"(?<![\w.])\d+\.\d+", tables)
    assert said - set(measured) == set()


def answer(name: str, goal: str, column: str) -> str:
    """Read a cell of a table of recommendations."""
    head, *rows = block(f"advice-{name}")
    (row,) = [row for row in rows if row[0].startswith(f"{goal} first:")]
    return row[head.index(column)]


def test_the_summary_of_the_page_agrees_with_the_tables_of_recommendations() -> None:
    fair, long, queue = "scheme, FQ-CoDel", "scheme, long drop-tail", "queue, with CUBIC"
    for name, goal in [("home", "game"), *((name, g) for name in ("home", "cafe", "train") for g in FELT)]:
        assert re.search(r"^\*\*FQ-CoDel|as good: FQ-CoDel|all alike", answer(name, goal, queue)), (
            name,
            goal,
        )
    assert "all alike" in answer("calls", "calls", "scheme and queue, calls in VO")
    for name in ("cafe", "office", "train"):
        assert all(answer(name, goal, long).startswith("**Copa**") for goal in FELT), name
    pages = answer("home", "pages", long)
    assert set(re.findall("Reno|CUBIC|BBRv3|BBR|Copa", pages)) == {"Reno", "CUBIC", "BBR", "BBRv3"}
    assert all("open" not in answer(name, "calls", long) for name in ("cafe", "train"))
    for name in ("home", "train"):
        assert answer(name, "downloads", fair).startswith("**BBR**")
    for name in ("home", "cafe", "train"):
        assert answer(name, "downloads", queue).startswith("**long drop-tail**")
    for name in my_link.NETWORKS:
        head, *rows = block(f"felt-{name}")
        place = head.index(my_link.PAGES.heading)
        loaded = {row[1]: float(row[place].split()[0]) for row in rows if row[0] == "short drop-tail"}
        assert max(loaded, key=loaded.__getitem__) == "BBR", name


@pytest.mark.parametrize("queue", [my_link.LONG, my_link.FAIR])
def test_numbers_on_the_page_equal_those_of_runs(queue: int) -> None:
    study = Study.load("cafe-queues")
    (point,) = [point for point in study.settings[queue] if point.scheme == my_link.USUAL]
    table = sweep(point.scenario, {"scheme": [my_link.USUAL]}, reps=5)
    expected = my_link.cells(table, my_link.known(table, my_link.FELT), table.study.points()[0])
    (printed,) = [
        row[2:]
        for row in block("felt-cafe")
        if row[:2] == [my_link.QUEUES[queue], my_link.SCHEMES[my_link.USUAL]]
    ]
    assert printed == expected
