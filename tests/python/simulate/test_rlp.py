"""LL-ELSN over RLP (Yun 2009 §3.1): the base station's notices agree with the frames on the air."""

import polars as pl
import pytest

import airhop
from airhop.verify import Trace, verify
from airhop.verify.laws.rounds import asked
from airhop.verify.trace import Frame


def _scenario(rounds: list[int]) -> airhop.Scenario:
    """Return the downlink with losses of data, but not of NAKs."""
    errors = {"kind": "bernoulli", "loss": 0.2, "direction": "bs->d"}
    settings = {"duration": "60 s", "radio.air.arq.rounds": rounds, "radio.air.errors": errors}
    return airhop.Scenario.load("yun2009-rlp").with_(settings)


def _run(rounds: list[int]) -> airhop.Result:
    """Run the scenario; check that the verifier finds nothing."""
    scenario = _scenario(rounds)
    result = airhop.run(scenario, seed=1, trace=True)
    assert not verify(scenario, result)
    return result


def _sent(result: airhop.Result, kind: str) -> pl.DataFrame:
    return result.tables["notices"].filter(kind=kind, event="sent").sort("time_s")


# "first retransmission" (Yun 2009 §3.1): the ERSN is sent at the first NAK, and thus before the second
# transmission, which may have to wait.
@pytest.mark.parametrize("rounds", [[1, 2, 3], [1]])
def test_an_ersn_is_sent_for_each_retransmitted_packet(rounds: list[int]) -> None:
    result = _run(rounds)
    again = result.tables["air"].filter(pl.col("from") == "bs", kind="data", packet="data", attempt=2)
    again = again.sort("start_s")
    told = _sent(result, "ersn")
    assert len(again) > 100
    assert told["seq"].to_list()[: len(again)] == again["seq"].to_list()
    # the retransmission of the last notice may still wait
    assert len(again) >= len(told.filter(pl.col("time_s") < 59))
    lag = again["start_s"] - told["time_s"].head(len(again))
    assert (lag >= -1e-9).all()


# ELN is sent after the receiver's control frame, which waits for at most a TCP ACK, and 20 ms.
def test_an_eln_is_sent_for_each_discarded_packet() -> None:
    result = _run([1])
    lost = result.tables["drops"].filter(place="bs->d", cause="retries", kind="data").sort("time_s")
    told = _sent(result, "eln")
    assert len(lost) > 20
    assert told["seq"].to_list() == lost["seq"].to_list()[: len(told)]
    assert len(lost) - len(told) <= 1
    lag = 1e3 * (told["time_s"] - lost["time_s"].head(len(told)))
    control, ack = 6 * 8 / 153.6, 40 * 8 / 153.6
    assert lag.is_between(20 + control - 1e-6, 20 + 3 * control + 2 * ack).all()


# Seven failed transmissions have a probability of 1 in 78 000 with the rounds of the scenario.
def test_three_retransmission_rounds_discard_no_packet() -> None:
    assert _sent(_run([1, 2, 3]), "eln").is_empty()


# Faults: a copy without a NAK, and a packet that is discarded too early.
def test_the_verifier_checks_the_retransmission_rounds() -> None:
    scenario, result = _scenario([1]), _run([1])
    trace = Trace(scenario.to_dict(), result.document, result.tables)
    recovery, answers = trace.scenario["radio"][0]["arq"], trace.frames_at("d->bs")

    def found(answers: list[Frame], recovery: dict[str, object]) -> set[str]:
        findings = asked(trace, "bs->d", answers, {20_000_000}, recovery)
        return {finding.text.split()[0] for finding in findings}

    assert found(answers, recovery) == set()
    assert found(answers[40:], recovery) == {"attempt"}
    assert found(answers, recovery | {"timeout": "9 s"}) == {"data"}
