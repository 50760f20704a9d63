"""LL-ELSN over RLP, the other link layer of Yun 2009 §3.1: what the base station tells is what the frames on the air say."""

from typing import Any

import polars as pl
import pytest

import airhop
from airhop import verify

_FEW = {"kind": "rlp", "rounds": [1]}
_ERRORS = {"kind": "bernoulli", "loss": 0.1}


def _run(**settings: Any) -> airhop.Result:
    scenario = airhop.Scenario.load("yun2009-rlp").with_({"duration": "60 s", **settings})
    assert not list(verify.check(scenario, seed=1))
    return airhop.run(scenario, seed=1, trace=True)


def _seqs(frame: pl.DataFrame) -> list[int]:
    return sorted(frame["seq"].to_list())


@pytest.mark.parametrize("rounds", [[1, 2, 3], [1]])
def test_notices_over_rlp(rounds: list[int]) -> None:
    result = _run(**{"radio.air.arq.rounds": rounds, "radio.air.errors": _ERRORS})
    print(result.tables["notices"], result.tables["air"], result.tables["drops"])
