"""The N of the ELN filter against the examples of Yun 2009 §4.2."""

from __future__ import annotations

import pytest

from airhop.analysis.eln_filter import largest_noise_run
from airhop.experiments.yun2009.equations import failures_in_succession


def test_the_filters_n_equals_that_of_the_papers_example() -> None:
    # p = 20 %, r = 1: two in succession with 4 %, three with 0.8 %, "rather rare": N = 2.
    assert largest_noise_run(0.2) == 2
    assert failures_in_succession(0.2, 1, [2, 3]) == pytest.approx([0.04, 0.008])
    # "For more conservative operation, we can increase N."
    assert largest_noise_run(0.2, rare=0.005) == 3


@pytest.mark.parametrize("fer", [0.001, 0.09, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("attempts", [1, 4, 7])
@pytest.mark.parametrize("rare", [1e-4, 0.01, 0.1])
def test_n_is_the_longest_run_of_failures_that_is_not_rare(fer: float, attempts: int, rare: float) -> None:
    n = largest_noise_run(fer, attempts, rare=rare)
    assert failures_in_succession(fer, attempts, n + 1) <= rare * (1 + 1e-9)
    assert n == 1 or failures_in_succession(fer, attempts, n) > rare


def test_a_run_of_failures_with_exactly_the_threshold_probability_is_rare() -> None:
    # 0.1^3 is 0.001, up to the last bit of a float.
    assert largest_noise_run(0.1, rare=0.001) == 2
    assert largest_noise_run(0.1, 3, rare=1e-6) == 1


def test_a_single_loss_on_a_lossless_link_is_no_disconnection() -> None:
    assert largest_noise_run(0.0) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fer": 1.0}, "to below 1, not 1"),
        ({"fer": -0.1}, "to below 1"),
        ({"fer": 0.1, "attempts": 0}, "so it is at least 1, not 0"),
        ({"fer": 0.1, "rare": 0.0}, "above 0"),
        ({"fer": 0.1, "rare": 1.0}, "below 1"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        largest_noise_run(**arguments)  # type: ignore[arg-type]
