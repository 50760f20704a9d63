"""Real packets over an emulated 802.11n cell with A-MPDUs and Block Ack.

The tests pass also on a busy machine, because they check the order and contents of frames, but no times.
"""

from __future__ import annotations

import hashlib
import shlex
import sys
from pathlib import Path

import polars as pl
import pytest

import airhop
from airhop import Scenario
from airhop.verify import verify
from live_machine import needs

pytestmark = pytest.mark.alone

SIZE = 2_000_000
SERVE = """
import socket, sys
with socket.create_server(("", 8000)) as listening:
    connection, _ = listening.accept()
    with connection:
        connection.sendall(bytes(i * i % 251 for i in range(int(sys.argv[1]))))
"""
ASK = """
import hashlib, socket, sys
with socket.create_connection((sys.argv[1], 8000)) as connection, connection.makefile("rb") as stream:
    print(hashlib.sha256(stream.read()).hexdigest())
"""


@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_real_packets_cross_a_cell_in_a_mpdus_and_their_replay_is_verified(
    tmp_path: Path, loss: float
) -> None:
    needs("namespaces", "tun")
    changes = {"warmup": "0 s", "wlan.cell.errors": {"kind": "bernoulli", "loss": loss}}
    network = Scenario.load("wifi-n").with_(changes)
    python = [sys.executable, "-c"]
    commands = {
        "server": shlex.join([*python, SERVE, str(SIZE)]),
        "sta": f"{shlex.join([*python, ASK])} {{server}}",
    }
    log = tmp_path / "a.log"
    emulation = airhop.emulate(network, commands, ready={"server": 8000}, log=log)
    assert emulation.failures == []
    sent = bytes(i * i % 251 for i in range(SIZE))
    assert emulation.live["commands"][1]["stdout"].split() == [hashlib.sha256(sent).hexdigest()]

    replayed = airhop.replay(log, trace=True)
    assert replayed.fingerprint == emulation.fingerprint
    assert replayed.document["flows"] == emulation.document["flows"]
    assert verify(network, replayed) == []

    # Segments share A-MPDUs, whose lengths the verifier checked, and BlockAcks answer them.
    air, mpdus = replayed.tables["air"], replayed.tables["mpdus"]
    data = mpdus.filter(pl.col("packet") == "data")
    most = data.group_by("ppdu").len()["len"].max()
    assert isinstance(most, int) and most > 1
    assert {"a-mpdu", "block-ack"} <= set(air["kind"].cast(str))
    # The link layer repairs its losses: TCP gets every segment.
    assert (replayed.drops["channel"] > 0) == (loss > 0.0)
    assert replayed.drops["retries"] == 0
    assert 1448 * data.height >= SIZE
