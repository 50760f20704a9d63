"""The reference of the Python API is complete: every public name, with its parameters."""

import importlib

import pytest

import airhop
import api_pages
import table_pages


def test_every_public_name_of_the_package_is_in_the_reference() -> None:
    assert set(airhop.__all__) - {"__version__", "layouts", "plugins"} <= set(api_pages.public())


@pytest.mark.parametrize("package", ["engines", "live", "plots", "store", "study", "verify"])
def test_every_public_name_of_a_subpackage_is_in_the_reference(package: str) -> None:
    there = {api_pages.found(path).path for path in api_pages.public()}
    names = importlib.import_module(f"airhop.{package}").__all__
    assert [name for name in names if api_pages.found(f"{package}.{name}").path not in there] == []


def test_no_public_name_is_on_two_reference_pages() -> None:
    names = api_pages.public()
    assert len(names) == len(set(names))


def test_functions_have_descriptions_of_parameters_and_returns() -> None:
    assert list(api_pages.undescribed()) == []


def test_every_column_of_a_trace_is_described() -> None:
    assert table_pages.unmatched() == []
