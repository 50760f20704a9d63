"""Interfaces on which other programs depend: scenario files, run documents, exit codes, Python API."""

import itertools
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airhop
from airhop import Scenario, ScenarioError
from patience import PATIENCE_S

# Every table and key that scenario files promise, as a user would write them.
EXAMPLE = """
name = "last-hop"
duration = "5 s"

[[wired]]
name = "w1"
ends = ["s", "r1"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "drop-tail", packets = 50 }

[[wired]]
name = "w2"
ends = ["r1", "bs"]
rate = "10 Mbit/s"
delay = "10 ms"
errors = { kind = "bernoulli", loss = 0.001, direction = "r1->bs" }

[[wlan]]
name = "cell"
standard = "802.11b"
rate = "11 Mbit/s"
control_rate = "11 Mbit/s"
access = "basic"
attempts = 1
stations = { bs = [0, 0], d = [30, 0] }
range = { receive = "40 m", sense = "85 m" }
queue = { kind = "drop-tail", packets = 50 }
errors = { kind = "bernoulli", fer = 0.01 }

[[flow]]
name = "ftp"
from = "s"
to = "d"
scheme = "reno"
segment = "1000 B"
app = { kind = "bulk" }
tcp = { delayed_ack = false }

[[flow]]
name = "cross"
from = "r1"
to = "d"
transport = "udp"
segment = "500 B"
app = { kind = "cbr", rate = "100 kbit/s" }
start = "1 s"
"""

RADIO = """
[[radio]]
name = "air"
ends = ["bs", "m"]
rate = "19.2 kbit/s"
delay = "10 ms"
arq = { kind = "go-back-n", window = 3 }
errors = { kind = "two-state", good = "10 s", bad = "4 s", ber_good = 1e-6, ber_bad = 1e-2 }
"""

MOBILE = """
[[flow]]
name = "mobile"
from = "s"
to = "m"
scheme = "tahoe"
segment = "88 B"
"""

WIRED = """
name = "wired"
duration = "20 s"
[[wired]]
name = "w"
ends = ["a", "b"]
rate = "2 Mbit/s"
delay = "5 ms"
ERRORS
[[flow]]
name = "f"
from = "a"
to = "b"
scheme = "sack"
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    file = tmp_path / "example.toml"
    file.write_text(EXAMPLE, encoding="utf-8")
    return file


def airhop_command(*words: str) -> subprocess.CompletedProcess[str]:
    code = "import sys\nfrom airhop.cli import main\nmain(sys.argv[1:])"
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


def test_the_example_scenario_loads_and_runs(example: Path) -> None:
    document = airhop.run(Scenario.load(example)).to_dict()
    ftp, cross = document["flows"]
    assert ftp["delivered_bytes"] > 0
    assert (cross["transport"], cross["scheme"], cross["srtt_ms"]) == ("udp", None, None)
    # 100 kbit/s for 4 of 5 seconds, minus a hundredth.
    assert cross["goodput_mbps"] == pytest.approx(0.08, rel=0.1)


def test_a_radio_link_loads_and_runs(tmp_path: Path) -> None:
    file = tmp_path / "radio.toml"
    file.write_text(EXAMPLE + RADIO + MOBILE, encoding="utf-8")
    # 100 s, because a run may begin with a fade.
    scenario = Scenario.load(file).with_({"duration": "100 s"})
    document = airhop.run(scenario).to_dict()
    assert document["flows"][-1]["delivered_bytes"] > 0
    assert document["drops"]["channel"] > 0


def test_all_errors_are_reported_with_file_line_key_and_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "typos.toml"
    file.write_text(
        EXAMPLE.replace("delay =", "dealy =", 1).replace('"11 Mbit/s"', '"11 Mbps"', 1), encoding="utf-8"
    )
    with pytest.raises(ScenarioError) as refusal:
        Scenario.load(file)
    first, second = str(refusal.value).split("\n\n")
    assert first.startswith(f"{file}:9: wired.w1.dealy: unknown key") and 'did you mean "delay"?' in first
    assert second.startswith(f"{file}:22: wlan.cell.rate:") and 'did you mean "11 Mbit/s"?' in second


def test_of_hundreds_of_errors_the_first_are_printed(tmp_path: Path) -> None:
    links = "".join(
        f'[[wired]]\nname = "x{i}"\nends = ["s", "x{i}"]\nrate = 5\ndelay = "1 ms"\n' for i in range(300)
    )
    file = tmp_path / "many.toml"
    file.write_text(EXAMPLE + links, encoding="utf-8")
    with pytest.raises(ScenarioError) as refusal:
        Scenario.load(file)
    paragraphs = str(refusal.value).split("\n\n")
    assert "wired.x0.rate" in paragraphs[0]
    assert paragraphs[-1] == "… and 280 more"


@pytest.mark.parametrize(
    "bare", ["duration=20", "wired.w1.rate=10", "wired.w1.delay=10", "flow.ftp.segment=9"]
)
def test_quantities_without_a_unit_are_refused(example: Path, bare: str) -> None:
    with pytest.raises(ScenarioError, match="without a unit"):
        Scenario.load(example, sets=[bare])


def wired(errors: str, **changes: object) -> dict[str, Any]:
    text = WIRED.replace("ERRORS", f"errors = {errors}" if errors else "")
    return airhop.run(Scenario.load(tomllib.loads(text)).with_(changes)).to_dict()


def test_errors_of_wired_links_have_loss_fer_and_direction() -> None:
    assert wired("")["drops"]["channel"] == 0
    loss = wired('{ kind = "bernoulli", loss = 0.05 }')
    assert loss["drops"]["channel"] > 0 and loss["flows"][0]["retransmissions"] > 0
    data = wired('{ kind = "bernoulli", loss = 0.05, direction = "a->b" }')
    assert data["flows"][0]["retransmissions"] > 0
    acks = wired('{ kind = "bernoulli", loss = 0.05, direction = "b->a" }')
    # The next ACK replaces a lost ACK.
    assert acks["drops"]["channel"] > 0
    assert acks["flows"][0]["retransmissions"] < data["flows"][0]["retransmissions"] / 3
    assert wired('{ kind = "bernoulli", loss = 1.0 }')["flows"][0]["delivered_bytes"] == 0


def test_fer_depends_on_the_frame_length_and_loss_does_not() -> None:
    # ACKs are 40 to 52 bytes, full frames 1052: with a bit error rate nearly all ACKs arrive, with a loss
    # rate ACKs are lost equally.
    by_bits = wired('{ kind = "bernoulli", fer = 0.2, direction = "b->a" }')["drops"]["channel"]
    alike = wired('{ kind = "bernoulli", loss = 0.2, direction = "b->a" }')["drops"]["channel"]
    assert 0 < by_bits * 5 < alike


def test_keys_of_tables_are_addressed_by_the_name_of_the_table(example: Path) -> None:
    changed = Scenario.load(example, sets=["wlan.cell.errors.fer=0.02", "flow.ftp.scheme=ll-elsn"]).to_dict()
    assert changed["wlan"][0]["errors"]["fer"] == 0.02
    assert changed["flow"][0]["scheme"] == {"name": "ll-elsn", "n": 2.0, "ersn": "heeded"}
    every = Scenario.load(example, sets=["wired.all.queue.packets=7"]).to_dict()
    assert [link["queue"]["packets"] for link in every["wired"]] == [7, 7]


def test_a_preset_changes_every_default_that_it_implies(example: Path) -> None:
    rfc = Scenario.load(example)
    ns2 = rfc.with_({"flow.ftp.tcp.preset": "ns2"})
    written = EXAMPLE.replace("{ delayed_ack = false }", '{ delayed_ack = false, preset = "ns2" }')
    assert ns2 == Scenario.load(tomllib.loads(written))
    moved = ns2.to_dict()["flow"][0]["tcp"]
    before = rfc.to_dict()["flow"][0]["tcp"]
    assert (before["initial_window"], moved["initial_window"]) == (10.0, 2.0)
    assert (before["timestamps"], moved["timestamps"]) == (True, False)
    assert (before["rto"]["kind"], moved["rto"]["kind"]) == ("rfc6298", "ns2")
    assert (before["sack_recovery"], moved["sack_recovery"]) == ("rfc6675", "pipe")
    # A later change of the preset keeps earlier changes.
    assert rfc.with_({"flow.ftp.tcp.dupthresh": 5}).with_({"flow.ftp.tcp.preset": "ns2"}) == ns2.with_(
        {"flow.ftp.tcp.dupthresh": 5}
    )


NUMBER = (int, float)
FLOW = {
    "name": str,
    "scheme": str,
    "transport": str,
    "from": str,
    "to": str,
    "class": str,
    "route_hops": int,
    "goodput_mbps": float,
    "delivered_bytes": int,
    "sent_segments": int,
    "retransmissions": int,
    "timeouts": int,
    "fast_recoveries": int,
    "window_cuts": int,
    "spurious_timeouts": int,
    "srtt_ms": float,
    "completion_s": type(None),  # of a flow without an end
    "notices": dict,
    "judgements": dict,
    "duplicates": int,
    "timeouts_warned_late": int,
    "lateness": type(None),  # without notices
    "active_mbps": float,
    "loss": type(None),  # of datagrams, as the jitter
    "delay_ms": dict,
    "jitter_ms": type(None),
    "marks": dict,
    "rtt_ms": dict,
    "completion_ms": type(None),  # of transfers and requests
    "connections": type(None),  # of requests on separate connections
}
RUN = {
    "scenario": str,
    "seed": int,
    "rep": int,
    "duration_s": float,
    "warmup_s": float,
    "events": int,
    "wall_s": float,
    "fingerprint": str,
    "flows": list,
    "classes": list,
    "drops": dict,
    "queues": list,
    "airtime_jain": float,
    "stations": list,
}


def test_run_json_has_exactly_the_specified_fields() -> None:
    ended = airhop_command("run", "last-hop", "--set", "duration=5 s", "--seed", "3", "--rep", "2", "--json")
    assert ended.returncode == 0
    document = json.loads(ended.stdout)
    assert {key: type(value) for key, value in document.items()} == RUN
    (flow,) = document["flows"]
    assert {key: type(value) for key, value in flow.items()} == FLOW
    (group,) = document["classes"]
    assert list(group) == ["name", "flows", "goodput_mbps", "jain", "delay_ms", "completion_ms"]
    assert [list(queue) for queue in document["queues"]] == [["name", "wait_ms", "marked"]] * 6
    assert [list(station) for station in document["stations"]] == [["cell", "name", "airtime"]] * 2
    assert list(document["queues"][0]["wait_ms"]) == ["mean", "p50", "p95", "p99"]
    assert list(flow["marks"]) == ["ect0", "ect1", "ce", "ece"]
    assert list(flow["notices"]) == ["eln", "ersn", "ebsn", "rttn", "nak"]
    assert list(flow["judgements"]) == ["congestion", "wireless", "undecided"]
    causes = ["queue", "aqm", "channel", "collision", "none"]
    assert all(list(row) == causes for row in flow["judgements"].values())
    assert list(document["drops"]) == ["queue", "aqm", "channel", "collision", "retries", "agent", "route"]
    assert all(type(count) is int for count in [*flow["notices"].values(), *document["drops"].values()])
    # The Python interface returns an equal document, except the computing time.
    again = airhop.run(Scenario.load("last-hop").with_({"duration": "5 s"}), seed=3, rep=2).to_dict()
    assert again | {"wall_s": 0} == document | {"wall_s": 0}


def test_queues_that_mark_packets_count_marks() -> None:
    """Other queues have null."""
    queue = {"kind": "red", "packets": 50, "min": 2, "max": 8, "weight": 0.1, "ecn": True}
    changes = {"wired.w2.queue": queue, "wired.w2.rate": "1 Mbit/s", "flow.ftp.tcp.ecn": True}
    run = airhop.run(Scenario.load("last-hop").with_({**changes, "duration": "5 s"}))
    marked = {queue["name"]: queue["marked"] for queue in run.document["queues"]}
    assert {name for name, count in marked.items() if count is not None} == {"r1->bs", "bs->r1"}
    marks = run.document["flows"][0]["marks"]
    assert marked["r1->bs"] == marks["ce"]
    assert 0 < marks["ce"] < marks["ect0"]
    assert marks["ece"] > 0 == marks["ect1"]


def test_the_flows_dataframe_has_the_specified_columns() -> None:
    flows = airhop.run(Scenario.load("last-hop").with_({"duration": "5 s"})).flows
    notices = [f"notice_{kind}" for kind in ("eln", "ersn", "ebsn", "rttn", "nak")]
    judged = [
        f"judged_{judged}_{cause}"
        for judged in ("congestion", "wireless", "undecided")
        for cause in ("queue", "aqm", "channel", "collision", "none")
    ]
    lateness = [f"lateness_{what}" for what in ("notices", "late", "mean_ms")]
    delay = [f"delay_{what}_ms" for what in ("mean", "p50", "p95", "p99", "max")]
    durations = ("delay_ms", "rtt_ms", "completion_ms")
    grouped = ("notices", "judgements", "lateness", "marks", "connections", *durations)
    plain = [k for k in FLOW if k not in grouped]
    marks = [f"marks_{what}" for what in ("ect0", "ect1", "ce", "ece")]
    round_trips = [f"rtt_{what}_ms" for what in ("min", "p50", "p95", "p99")]
    completion = ["completion_count", "completion_unfinished"]
    completion += [f"completion_{what}_ms" for what in ("mean", "p50", "p95", "p99")]
    connections = [f"connections_{what}" for what in ("opened", "closed", "time_wait")]
    rated = ("late_pct", "lost_pct", "mouth_to_ear_ms", "burst_ratio", "idd", "ie_eff", "r", "mos")
    quality = [f"call_{what}" for what in ("played", "late", "lost", *rated)]
    quality += [f"game_{what}" for what in ("in_time", "late", "lost", "late_pct", "lost_pct")]
    of_video = ("startup_s", "stalls", "stalled_s", "stalled_pct", "played_s", "bitrate_mbps", "switches")
    quality += [f"video_{what}" for what in (*of_video, "segments")]
    counted = [*notices, *lateness, *delay, *marks, *round_trips, *completion, *connections, *quality]
    assert flows.columns == [*plain, *counted, *judged]
    assert flows.schema["lateness_mean_ms"] == pl.Float64
    assert flows.schema["goodput_mbps"] == flows.schema["srtt_ms"] == pl.Float64
    assert flows.schema["completion_s"] == pl.Float64
    assert flows.schema["delivered_bytes"] == pl.Int64


@pytest.mark.parametrize("hops", [1, 3])
def test_a_flow_has_the_number_of_links_of_its_shortest_path(hops: int) -> None:
    drawn = {"flow.ftp*.between.hops": hops, "duration": "10 ms", "copies": 3}
    flows = airhop.run(Scenario.load("cheng2008-random").with_(drawn)).flows
    assert flows["route_hops"].to_list() == [hops] * 3
    # Two wires and the cell.
    wired = airhop.run(Scenario.load("last-hop").with_({"duration": "10 ms"})).flows
    assert wired["route_hops"].to_list() == [3]


def test_schemes_have_the_specified_names_and_fields() -> None:
    listed = json.loads(airhop_command("schemes", "--json").stdout)
    # This process may have more schemes: other tests add schemes written in Python.
    assert airhop.schemes()[: len(listed)] == listed
    fields = {"name", "title", "family", "preset", "cite", "needs", "parameters", "reconstructed"}
    assert all(set(entry) == fields | {"about", "helps", "flags", "verified"} for entry in listed)
    short = Scenario.load("last-hop").with_({"duration": "2 s"})
    for name in ("tahoe", "reno", "newreno", "sack", "snoop", "ll-elsn"):
        document = airhop.run(short, scheme=name).to_dict()
        assert document["flows"][0]["scheme"] == name
        assert document["flows"][0]["delivered_bytes"] > 0


def test_a_scheme_can_have_parameters() -> None:
    base = Scenario.load("last-hop")
    by_table = base.with_({"scheme": {"name": "ll-elsn", "n": 0}})
    assert by_table == Scenario.load("last-hop", sets=["scheme={ name = 'll-elsn', n = 0 }"])
    assert by_table == base.with_({"scheme": "ll-elsn", "flow.ftp.scheme.n": 0})


def test_every_scheme_has_the_same_channel_errors() -> None:
    # The TCP flow ends where the UDP flow begins, so the datagrams have the cell to themselves.
    text = EXAMPLE.replace('to = "d"\nscheme', 'to = "r1"\nscheme')
    scenario = Scenario.load(tomllib.loads(text)).with_({"wlan.cell.errors.fer": 0.5})
    lost = [
        result.tables["drops"].filter(pl.col("flow") == "cross")
        for result in (airhop.run(scenario, scheme=scheme, trace=True) for scheme in ("tahoe", "ll-elsn"))
    ]
    assert lost[0].height > 0
    assert lost[0].equals(lost[1])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--help"], 0),
        (["schemes"], 0),
        (["show", "last-hop"], 0),
        (["run", "nowhere"], 2),
        (["run", "last-hop", "--set", "duration=2"], 2),
        (["nonsense"], 2),
        ([""], 2),
        (["--json"], 2),
        (["run", "last-hop", "--seed", "1.5"], 2),
        (["run", "last-hop", "--scheme", '"'], 2),
        (["run", "x" * 5000], 2),
    ],
)
def test_commands_have_the_specified_exit_codes(words: list[str], code: int) -> None:
    ended = airhop_command(*words)
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert (ended.stdout == "") == (code != 0)


@pytest.mark.parametrize("name", ["[/x]", ":smile:", "[bold]", "a'b", 'a"b', "£€💥", "C:\\new"])
def test_names_of_scenarios_are_printed_without_changes(name: str) -> None:
    scenario = Scenario.load("last-hop").with_({"name": name, "duration": "1 s"})
    assert airhop.run(scenario).to_dict()["scenario"] == scenario.name == name
    literal = airhop.scenario.toml_literal(name)
    for words in (["run"], ["compare", "reno", "--reps", "1"]):
        command, *rest = words
        ended = airhop_command(
            command, "last-hop", *rest, "--set", f"name={literal}", "--set", "duration=1 s"
        )
        assert ended.returncode == 0
        assert name in ended.stdout


def test_json_of_a_link_without_deliveries_has_no_nan_or_infinity() -> None:
    dead = ("--set", "wlan.cell.errors.fer=1", "--set", "duration=2 s", "--json")
    for words in (("run", "last-hop"), ("compare", "last-hop", "reno", "sack", "--reps", "3")):
        ended = airhop_command(*words, *dead)
        json.loads(ended.stdout, parse_constant=lambda token: pytest.fail(token))
        assert ended.returncode == 0


def test_a_terminal_without_unicode_shows_question_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    ended = airhop_command("run", "last-hop", "--set", "duration=1 s")
    assert (ended.returncode, "s ? d" in ended.stdout) == (0, True)


def test_a_closed_or_full_output_causes_no_traceback(tmp_path: Path) -> None:
    command = "import sys\nfrom airhop.cli import main\nmain(sys.argv[1:])"
    words = ["run", "last-hop", "--set", "duration=1 s"]
    full = Path("/dev/full")
    shells = {"closed": (">&-", 0)} | ({"full": (f">{full}", 1)} if full.exists() else {})
    for (redirection, code), call in itertools.product(shells.values(), (words, ["--help"])):
        line = f'exec "$@" {redirection}'
        ended = subprocess.run(
            ["sh", "-c", line, "sh", sys.executable, "-c", command, *call],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert ended.returncode == code, (redirection, call)
        assert "Traceback" not in ended.stderr
