"""Prose begins with the noun of the field: few openings lack a noun, and their number only falls."""

from __future__ import annotations

from pathlib import Path

import pytest

import words

COUNTED = words.counted()
CEILINGS = words.ceilings()
ALLOWED_TYPES = {"Error", "Config", "Plan", "Kind"}
"""Names with an equal meaning in every crate: an error, settings, a planned object, a variant."""


def test_every_crate_and_kind_of_description_has_a_ceiling() -> None:
    assert CEILINGS.keys() == COUNTED.keys()


@pytest.mark.parametrize("where", COUNTED)
@pytest.mark.parametrize("habit", ["headless", "speech"])
def test_numbers_of_counted_openings_equal_their_ceilings(where: str, habit: str) -> None:
    """If the count is higher, a comment must be rewritten; if it is lower, the ceiling must be lowered."""
    count, ceiling = getattr(COUNTED[where], habit), getattr(CEILINGS[where], habit)
    found = [
        f"{one.place}: {one.text.splitlines()[0]}"
        for one in words.openings()[where]
        if (words.is_headless(where, one) if habit == "headless" else words.is_speech(one))
    ]
    assert count <= ceiling, f"{habit} openings in {where}, at most {ceiling}:\n" + "\n".join(found)
    assert count == ceiling, f"only {count} {habit} openings in {where}: run `python tools/words.py`"


def test_a_public_type_name_is_declared_in_two_crates_at_most() -> None:
    shared = words.shared_types()
    assert {name: homes for name, homes in shared.items() if name not in ALLOWED_TYPES} == {}


def test_a_type_name_declared_in_three_crates_is_detected(tmp_path: Path) -> None:
    for crate, text in {"a": "pub struct Row;\n", "b": "pub enum Row {}\n", "c": ""}.items():
        (tmp_path / crate / "src").mkdir(parents=True)
        (tmp_path / crate / "src/lib.rs").write_text(text + "pub(crate) struct Own;\n")
    (tmp_path / "c/src/lib.rs").write_text("struct Row;\n")
    assert words.shared_types(tmp_path) == {}
    (tmp_path / "c/src/lib.rs").write_text("pub trait Row {}\n")
    assert words.shared_types(tmp_path) == {"Row": {"a", "b", "c"}}


@pytest.mark.parametrize(
    ("text", "headless"),
    [
        ("What a receiver holds", True),
        ("how many packets wait", True),
        ("`true`: whether it is", False),
        ("The same, to be changed", True),
        ("So many packets may wait", True),
        ("One that drops", True),
        ("If it is full", True),
        ("Itself", False),
        ("Someone", False),
        ("Whatsoever", False),
        ("Queue capacity, packets", False),
        ("True if the queue is full", False),
    ],
)
def test_an_opening_without_a_noun_is_counted_as_headless(text: str, headless: bool) -> None:
    assert words.is_headless("base", words.Opening("", text)) is headless


def test_verbs_of_speech_are_detected_as_whole_words() -> None:
    found = [text for text in ("Gives a", "Take it", "Given that", "Holder", "Returns") if speaks(text)]
    assert found == ["Gives a", "Take it"]


def speaks(text: str) -> bool:
    """Return whether a text begins with a verb of speech."""
    return words.is_speech(words.Opening("", text))


def test_counted_openings_of_rust_are_first_lines_of_doc_comments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "lib.rs").write_text(
        "//! Crate.\n//! More.\n\n/// One.\n///\n/// More.\nfn f() {} // no\n//// no\n"
    )
    assert [one.text for one in words.rust_comments(tmp_path)] == ["Crate.", "One."]


def test_openings_of_python_include_docstrings_of_attributes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(
        '"""Module."""\nX = 1\n"""Attribute."""\ndef f():\n    """Run."""\n    "".join([])\n'
    )
    assert [one.text for one in words.docstrings(tmp_path)] == ["Module.", "Attribute.", "Run."]


def test_counted_openings_of_pages_are_paragraphs_items_and_cells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    page = "# What\n\nOne\nrow.\n- Item\n\n| a | b |\n```sh\nwhat\n```\n"
    (folder / "page.md").write_text(page)
    assert [one.text for one in words.pages(folder)] == ["One", "- Item", "a", "b"]


def test_the_tool_lowers_ceilings_and_never_raises_them(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    now = {"base": words.Counts(5, 1), "new": words.Counts(3, 0)}
    file.write_text(words.lowered({"base": words.Counts(4, 2)}, now))
    assert words.ceilings(file) == {"base": words.Counts(4, 1), "new": words.Counts(0, 0)}
