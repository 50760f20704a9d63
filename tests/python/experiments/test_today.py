"""Today's senders on the papers' paths: settings, answers to questions, and the page."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest

import synthetic
from airhop import Scenario, stats
from airhop.errors import InputError
from airhop.experiments import Calculation, Experiment, Value, Values, lookup, registry
from airhop.experiments.experiment import X
from airhop.experiments.today import CONTROLS, LABELS, SENDERS, delay
from airhop.experiments.today.beside import KINDS, LOSSY, RELIABLE
from airhop.experiments.today.beside_cubic import EXPERIMENT as BESIDE_CUBIC
from airhop.experiments.today.beside_reno import EXPERIMENT as BESIDE_RENO
from airhop.experiments.today.buffers import EXPERIMENT as BUFFERS
from airhop.experiments.today.fades import EXPERIMENT as FADES
from airhop.experiments.today.fades_11b import EXPERIMENT as FADES_11B
from airhop.experiments.today.fairness import EXPERIMENT as FAIRNESS
from airhop.experiments.today.fer import EXPERIMENT as FER
from airhop.experiments.today.flows import EXPERIMENT as FLOWS
from airhop.experiments.today.rtt import EXPERIMENT as RTT
from airhop.experiments.today.short import EXPERIMENT as SHORT
from airhop.numerals import half_width_text, interval
from airhop.simulate import Job, run, run_many

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "what-wins-where.md").read_text(encoding="utf-8")
ALL = lookup(["airhop/today"], registry())
STUDIES = [one for one in ALL if isinstance(one, Experiment)]
LAST_HOP = (FER, RTT, FLOWS, FAIRNESS, FADES_11B, BUFFERS)


@cache
def scenarios(id_: str) -> list[Scenario]:
    """List the scenarios of an experiment in the order of its grid: the axis, slower, times the curves."""
    (experiment,) = (one for one in STUDIES if one.id == id_)
    return [point.scenario for point in experiment.study("full").points()]


def scenario(experiment: Experiment, curve: str, x: X) -> Scenario:
    """Return the scenario of a cell."""
    place = experiment.axis.full.index(x) * len(experiment.labels) + list(experiment.labels).index(curve)
    return scenarios(experiment.id)[place]


def document(experiment: Experiment, curve: str, x: X | None = None) -> dict[str, Any]:
    """Return the scenario of a cell as a document, by default at the first x."""
    return scenario(experiment, curve, experiment.axis.full[0] if x is None else x).to_dict()


def name(scheme: str | dict[str, Any]) -> str:
    """Return the name of a scheme, which is a table if it has parameters."""
    return scheme if isinstance(scheme, str) else str(scheme["name"])


# ---- settings -----------------------------------------------------------------------------------------


def test_the_group_airhop_today_contains_all_its_experiments() -> None:
    names = ["fer", "rtt", "flows", "fairness", "beside-reno", "beside-cubic", "short", "fades", "fades-11b"]
    names += ["buffers", "delay"]
    assert [one.id for one in ALL] == [f"airhop/today/{name}" for name in names]


def test_every_comparison_on_the_last_hop_includes_the_required_senders() -> None:
    # The compared senders: CUBIC, BBR and similar senders, notices, Snoop and plain link ARQ.
    asked = {"cubic", "bbr", "bbr3", "copa", "ll-elsn", "eln-cubic", "snoop", "reno", "cubic-arq", "bbr-arq"}
    assert asked <= set(LABELS)
    for experiment in LAST_HOP:
        assert tuple(experiment.labels)[: len(SENDERS)] == tuple(sender.name for sender in SENDERS)


@pytest.mark.parametrize("experiment", LAST_HOP, ids=lambda one: one.id)
def test_every_sender_has_its_own_tcp_preset_and_retry_limit(experiment: Experiment) -> None:
    for sender in (*SENDERS, *CONTROLS):
        if sender.name in experiment.labels:
            made = document(experiment, sender.name)
            (flow, *_), (cell,) = made["flow"], made["wlan"]
            papers = sender.name in ("reno", "snoop", "ll-elsn")
            assert flow["tcp"]["preset"] == ("ns2" if papers else "linux")
            assert cell["attempts"] == (7 if sender.name.endswith("-arq") else 1)
            assert made["duration"] == "60 s"


def test_short_transfers_all_have_linux_tcp() -> None:
    for curve in SHORT.labels:
        (flow,) = document(SHORT, curve, 300)["flow"]
        assert (flow["tcp"]["preset"], flow["app"]["kind"], flow["app"]["size"]) == (
            "linux",
            "transfer",
            "300 kB",
        )


def test_fades_equal_kounavis_and_only_his_senders_have_his_timeout_estimator() -> None:
    # Kounavis 1996 §5: 10 and 4 s, 19.2 kbit/s; EBSN and Tahoe with the paper's estimator and window.
    for curve in FADES.labels:
        made = document(FADES, curve, 4)
        (air,), (flow,) = made["radio"], made["flow"]
        assert (air["errors"]["good"], air["errors"]["bad"], air["rate"]) == ("10 s", "4 s", "19.2 kbit/s")
        assert air["arq"]["kind"] == ("go-back-n" if curve == "ebsn" or curve.endswith("-arq") else "none")
        of_paper = curve in ("tahoe", "tahoe-arq", "ebsn")
        assert flow["tcp"]["rto"]["kind"] == ("single-gain" if of_paper else "linux")
        assert flow["tcp"]["receive_window"] == ("2816 B" if of_paper else "unlimited")


def test_rivals_and_the_measured_connection_have_their_own_tcp_presets() -> None:
    for experiment, scheme, preset in ((BESIDE_RENO, "reno", "ns2"), (BESIDE_CUBIC, "cubic", "linux")):
        for kind in KINDS:
            one, *rivals = document(experiment, LOSSY, kind.name)["flow"]
            assert (name(one["scheme"]), one["tcp"]["preset"]) == (scheme, preset)
            assert len(rivals) == 10
            for rival in rivals:
                assert name(rival["scheme"]) == kind.scheme
                assert rival["tcp"]["preset"] == kind.preset
        assert document(experiment, RELIABLE)["wlan"][0]["attempts"] == 7


def test_every_queue_has_the_size_of_the_axis_value() -> None:
    made = document(BUFFERS, "bbr", 500)
    assert {link["queue"]["packets"] for link in (*made["wired"], *made["wlan"])} == {500}
    assert delay.scenario(SENDERS[0], 500).digest == scenario(BUFFERS, SENDERS[0].name, 500).digest


@pytest.mark.parametrize("experiment", STUDIES, ids=lambda one: one.id)
def test_full_mode_has_at_least_ten_replications(experiment: Experiment) -> None:
    assert experiment.replications.full >= 10
    assert delay.REPLICATIONS["full"] >= 10


# ---- waiting times -------------------------------------------------------------------------------


def traced(
    segments: list[tuple[float, int]], air: list[tuple[float, int, str, str]]
) -> dict[str, pl.DataFrame]:
    """Make the tables of a trace: sendings (time, seq), frames (start, seq, kind, packet)."""
    return {
        "segments": pl.DataFrame(
            [{"time_s": t, "flow": "ftp1", "seq": seq} for t, seq in segments]
            + [{"time_s": 0.0, "flow": "other", "seq": 1}]
        ),
        "air": pl.DataFrame(
            [
                {"start_s": t, "flow": "ftp1", "seq": seq, "kind": kind, "packet": packet}
                for t, seq, kind, packet in air
            ]
        ),
    }


def test_a_wait_lasts_from_transmission_to_first_frame_minus_the_shortest_wait() -> None:
    tables = traced(
        [(0.0, 1), (0.001, 1001), (0.002, 2001), (0.003, 3001), (0.4, 2001)],
        [
            (0.034, 1001, "ack", "data"),  # the link's ACK
            (0.034, 1001, "data", "ack"),  # an ACK of TCP's
            (0.033, 1, "data", "data"),
            (0.036, 1001, "data", "data"),
            (0.050, 1001, "data", "data"),  # retransmission of the link: the wait has ended
            (0.038, 2001, "data", "data"),  # sent twice: the copy is ambiguous
            (0.046, 3001, "data", "data"),
        ],
    )
    assert delay.waits_ms(tables, "ftp1").to_list() == pytest.approx([0.0, 2.0, 10.0])


def test_waits_of_simultaneous_segments_are_listed_in_a_fixed_order() -> None:
    # A burst is sent at one instant; another order could change the last bits of the mean.
    burst = range(1, 20)
    tables = traced([(0.0, seq) for seq in burst], [(0.01 * seq, seq, "data", "data") for seq in burst])
    waits = {tuple(delay.waits_ms(tables, "ftp1").round(6).to_list()) for _ in range(20)}
    assert waits == {tuple(10.0 * place for place in range(19))}


def test_waits_in_the_queue_obey_littles_law() -> None:
    # A window of 40 kB without losses: no segment is retransmitted, and a standing queue precedes the air.
    made = Scenario.load("yun2009-downlink").with_(
        {
            "duration": "5 s",
            "scheme": "cubic",
            "wlan.cell.attempts": 7,
            "wlan.cell.errors.fer": 0.0,
            "flow.ftp*.tcp.receive_window": "40 kB",
        }
    )
    tables = run(made, trace=True).tables
    waits = delay.waits_ms(tables, "ftp1")
    waiting = 0.0
    for (place,), rows in tables["queue"].group_by("place"):
        if str(place) in ("s1->r1", "r1->r2", "r2->bs", "bs->d1"):
            spans = rows.select(pl.col("time_s").diff().shift(-1).fill_null(5.0 - rows["time_s"][-1]))[
                "time_s"
            ]
            waiting += float((spans * rows["packets"]).sum()) / 5.0
    # L = lambda W. In addition to the queues, packets wait for channel access: 0 to 31 slots of 20 us,
    # doubled after a collision.
    queued_ms = 1e3 * waiting / (len(waits) / 5.0)
    assert 10.0 < queued_ms < waits.mean() < queued_ms + 1.0  # type: ignore[operator]


# ---- questions and answers -------------------------------------------------------------------------------

Row = dict[str, float]
ASKED: list[tuple[Experiment, str, Row, X, Row]] = [
    # Experiment, question, means for which the answer is yes at every x, and a change after which it is no.
    (FER, "fer-cubic", {"ll-elsn": 1.6}, 1e-4, {"ll-elsn": 1.4}),
    (FER, "fer-bbr", {"ll-elsn": 1.1}, 1e-2, {"ll-elsn": 0.98}),
    (FER, "fer-bbr-as-good", {"bbr": 0.98}, 9e-2, {"bbr": 0.93}),
    (FER, "fer-bbr3", {"ll-elsn": 1.1}, 1e-4, {"bbr3": 1.08}),
    (FER, "fer-copa", {}, 1e-2, {"copa": 0.9}),
    (FER, "fer-eln-cubic", {}, 3e-2, {"eln-cubic": 0.9}),
    (FER, "fer-snoop", {"snoop": 0.98}, 1e-2, {"snoop-linux": 0.9}),
    (FER, "fer-arq", {"cubic-arq": 1.1}, 1e-2, {"cubic-arq": 1.03}),
    (FER, "fer-told-over-arq", {"ll-elsn-arq": 1.1}, 1e-4, {"ll-elsn-arq": 1.03}),
    (FER, "fer-bbr-over-arq", {"bbr-arq": 0.9}, 9e-2, {"bbr-arq": 1.1}),
    (FER, "fer-stack", {}, 9e-2, {"ll-elsn-linux": 0.9}),
    (RTT, "rtt-bbr", {"ll-elsn": 1.1}, 30, {"ll-elsn": 1.03}),
    (RTT, "rtt-eln-cubic", {"eln-cubic": 1.1}, 60, {"eln-cubic": 1.03}),
    (RTT, "rtt-bbr-as-good", {}, 60, {"bbr": 0.9}),
    (RTT, "rtt-arq", {}, 60, {"cubic-arq": 0.9}),
    (FLOWS, "flows-enough", {}, 10, {"cubic": 0.9}),
    (FLOWS, "flows-bbr", {}, 1, {"bbr": 0.9}),
    (FLOWS, "flows-arq", {}, 2, {"cubic-arq": 0.9}),
    (FAIRNESS, "fairness-told", {}, 10, {"ll-elsn": 0.9}),
    (FAIRNESS, "fairness-bbr", {}, 10, {"bbr-arq": 0.9}),
    (FAIRNESS, "fairness-told-nothing", {}, 10, {"copa-arq": 0.9}),
    (FAIRNESS, "fairness-cubic", {}, 4, {"cubic": 0.9}),
    (SHORT, "short-cubic", {"ll-elsn": 0.6}, 300, {"ll-elsn": 0.7}),
    (SHORT, "short-bbr", {"ll-elsn": 0.9}, 30, {"ll-elsn": 0.97}),
    (SHORT, "short-arq", {"ll-elsn": 1.1}, 3000, {"ll-elsn": 1.03}),
    (SHORT, "short-tail", {"cubic-arq": 0.9}, 30, {"bbr": 0.92}),
    (FADES, "fades-ebsn", {"ebsn": 1.1}, 4, {"bbr-arq": 1.08}),
    (FADES, "fades-local", {"tahoe-arq": 1.1}, 4, {"bbr": 1.2}),
    (FADES_11B, "fades-11b-bbr", {"ll-elsn": 1.1}, 4, {"ll-elsn": 1.03}),
    (FADES_11B, "fades-11b-bbr-half", {"ll-elsn": 1.1}, 0.5, {"ll-elsn": 1.03}),
    (FADES_11B, "fades-11b-arq", {"ll-elsn-arq": 1.1}, 4, {"ll-elsn-arq": 1.03}),
    (FADES_11B, "fades-11b-bbr-arq", {"bbr-arq": 1.1}, 4, {"bbr-arq": 0.9}),
    (BUFFERS, "buffers-bbr", {}, 500, {"bbr": 0.9}),
    (BUFFERS, "buffers-arq", {}, 10, {"cubic-arq": 0.9}),
    (BUFFERS, "buffers-small", {"bbr-arq": 1.1}, 10, {"bbr-arq": 0.9}),
    (BESIDE_RENO, "beside-reno-told", {LOSSY: 1.0}, "ll-elsn", {LOSSY: 0.8}),
    (BESIDE_RENO, "beside-reno-cubic", {RELIABLE: 1.0}, "cubic", {RELIABLE: 0.8}),
    (BESIDE_RENO, "beside-reno-bbr3", {}, "bbr3", {LOSSY: 0.8}),
    (BESIDE_RENO, "beside-reno-copa", {}, "copa", {RELIABLE: 0.8}),
    (BESIDE_CUBIC, "beside-cubic-bbr3", {}, "bbr3", {RELIABLE: 0.8}),
    (BESIDE_CUBIC, "beside-cubic-copa", {}, "copa", {LOSSY: 0.8}),
    (BESIDE_CUBIC, "beside-cubic-told-reliable", {RELIABLE: 1.0}, "ll-elsn", {RELIABLE: 0.8}),
]
NOT_FRIENDLY = [
    (BESIDE_RENO, "beside-reno-bbr", "bbr"),
    (BESIDE_CUBIC, "beside-cubic-bbr", "bbr"),
    (BESIDE_CUBIC, "beside-cubic-told", "ll-elsn"),
]


def answer(experiment: Experiment, question: str, means: dict[X, Row], reps: int = 10) -> bool | None:
    """Answer a question on synthetic means, by x and curve."""
    (claim,) = (claim for claim in experiment.claims if claim.id == question)
    made = synthetic.samples(means, reps=reps)  # type: ignore[arg-type]
    made.also = {metric.name: made for metric in experiment.also}
    return claim.check(made).holds


@pytest.mark.parametrize(("experiment", "question", "yes", "x", "no"), ASKED, ids=[case[1] for case in ASKED])
def test_a_question_is_answered_by_the_confidence_interval(
    experiment: Experiment, question: str, yes: Row, x: X, no: Row
) -> None:
    row = dict.fromkeys(experiment.labels, 1.0) | yes
    means = {at: dict(row) for at in experiment.axis.full}
    assert answer(experiment, question, means) is True
    assert answer(experiment, question, means, reps=1) is None
    means[x] |= no
    assert answer(experiment, question, means) is False


@pytest.mark.parametrize(
    ("experiment", "question", "rival"), NOT_FRIENDLY, ids=[q for _, q, _ in NOT_FRIENDLY]
)
def test_rivals_that_leave_reno_less_than_90_percent_are_aggressive(
    experiment: Experiment, question: str, rival: str
) -> None:
    means: dict[X, Row] = {at: {LOSSY: 1.0, RELIABLE: 1.0} for at in experiment.axis.full}
    assert answer(experiment, question, means) is False
    means[rival] = {LOSSY: 0.8, RELIABLE: 0.8}
    assert answer(experiment, question, means) is True


def test_every_question_of_every_study_has_a_test_case() -> None:
    tried = {case[1] for case in ASKED} | {case[1] for case in NOT_FRIENDLY}
    assert {claim.id for study in STUDIES for claim in study.claims} == tried


def waited(less: Mapping[str, float], half: float | None = 1.0) -> Values:
    """Make differences of waiting times to both references, in ms, for every buffer."""
    return Values(
        Value(curve, {"packets": packets}, delay.less_than(reference), stats.Estimate(mean, half, 10))
        for packets in delay.BUFFERS
        for curve, mean in less.items()
        for reference in delay.REFERENCES
    )


def test_waits_are_compared_by_their_paired_differences() -> None:
    (experiment,) = (one for one in ALL if isinstance(one, Calculation))

    def answered(values: Values) -> list[bool | None]:
        return [claim.check(values).holds for claim in experiment.claims]

    shorter = {"bbr": -5.0, "copa": -5.0, "bbr-arq": -5.0}
    assert answered(waited(shorter)) == [True] * 5
    assert answered(waited(shorter, None)) == [None] * 5
    assert answered(waited(shorter | {"bbr": 5.0})) == [False, True, False, True, True]
    assert answered(waited(shorter | {"copa": 5.0})) == [True, False, True, True, True]
    assert answered(waited(shorter | {"bbr-arq": -0.5})) == [True, True, True, None, None]
    # Quick mode has only the usual buffer; other buffers are not decided.
    usual = Values(value for value in waited(shorter) if value.x["packets"] == delay.USUAL)
    assert answered(usual) == [True, True, None, True, None]


# ---- the page --------------------------------------------------------------------------------------------


def wins() -> ModuleType:
    """Load the tool that makes the page's tables."""
    spec = importlib.util.spec_from_file_location("wins", ROOT / "tools" / "wins.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["wins"] = module
    spec.loader.exec_module(module)
    return module


def block(name: str) -> list[list[str]]:
    """Read a table of the page: its cells, heading first, without bold marks."""
    text = PAGE.split(f"<!-- wins: {name} -->\n")[1].split("<!-- end -->")[0].replace("**", "")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return [rows[0], *rows[2:]]


def printed(name: str, row: str, column: str) -> str:
    """Read a cell of a table of the page."""
    head, *rows = block(name)
    (found,) = (line[head.index(column)] for line in rows if line[0] == row)
    return found


def measured(experiment: Experiment, curve: str, x: X) -> list[float]:
    """Run a cell as in full mode."""
    made, reps = scenario(experiment, curve, x), range(experiment.replications.full)
    flows = [result.tcp_flows[0] for result in run_many([Job(made, 1, rep) for rep in reps])]
    key, factor = {
        "goodput_mbps": ("goodput_mbps", 1.0),
        SHORT.metric.name: ("completion_s", 1.0),
        "1000 * flow.ftp.goodput_mbps": ("goodput_mbps", 1000.0),
        "flow.reno.goodput_mbps": ("goodput_mbps", 1.0),
    }[experiment.metric.name]
    return [factor * flow[key] for flow in flows]


@pytest.mark.parametrize(
    ("name", "experiment", "curve", "x"),
    [
        ("goodput", FER, "cubic", 9e-2),
        ("goodput", FER, "ll-elsn", 9e-2),
        ("round-trip", RTT, "bbr", 60),
        ("connections", FLOWS, "cubic", 1),
        ("short", SHORT, "bbr", 30),
        ("short", SHORT, "cubic-arq", 300),
        ("fades", FADES, "ebsn", 4),
        ("fades", FADES, "bbr-arq", 16),
        ("fades-11b", FADES_11B, "reno", 4),
        ("buffers", BUFFERS, "bbr", 10),
    ],
)
def test_goodputs_on_the_page_equal_goodputs_of_a_run(
    name: str, experiment: Experiment, curve: str, x: X
) -> None:
    found = stats.estimate(measured(experiment, curve, x))
    expected = f"{found.mean:.2f} {half_width_text(found, 2)}"
    assert printed(name, experiment.labels[curve], experiment.axis.text(x)) == expected


def test_goodput_left_by_rivals_on_the_page_equals_that_of_a_run() -> None:
    with_bbr, with_cubic = (measured(BESIDE_CUBIC, LOSSY, rivals) for rivals in ("bbr", "cubic"))
    expected = interval(stats.ratio(with_bbr, with_cubic))
    assert printed("beside", "BBR", f"CUBIC, {LOSSY}") == expected


def test_waits_on_the_page_equal_waits_of_a_run() -> None:
    (cubic,) = (sender for sender in SENDERS if sender.name == "cubic")
    runs = [delay.measure(cubic, 50, 1, rep) for rep in range(delay.REPLICATIONS["full"])]
    mean, tail = (stats.estimate([one[metric] for one in runs]) for metric in (delay.MEAN, delay.TAIL))
    assert (
        printed("waits", "CUBIC", "50 packets")
        == f"{mean.mean:.1f} {half_width_text(mean, 1)}, {tail.mean:.0f}"
    )


def test_every_question_is_listed_on_the_page_with_its_answer() -> None:
    asked = [(f"`{claim.id}`", claim.text) for one in ALL for claim in one.claims]
    assert [(row[0], row[1]) for row in block("questions")[1:]] == asked
    assert {row[2] for row in block("questions")[1:]} <= {"yes", "no", "open"}


def test_answers_in_the_prose_agree_with_the_table_of_questions() -> None:
    answered = {row[0].strip("`"): row[2] for row in block("questions")[1:]}
    words = {"confirmed": "yes", "contradicted": "no", "undecided": "open"}
    said = [(name, words[word]) for name, word in re.findall(rf"`([a-z0-9-]+)` ({'|'.join(words)})\b", PAGE)]
    assert len(said) >= 12
    assert [(question, word) for question, word in said if answered[question] != word] == []


def test_the_tool_rewrites_generated_blocks_and_keeps_the_prose(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = wins()
    monkeypatch.setattr(tool, "BLOCKS", {"one": lambda _: "new\n"})
    page = "Before.\n<!-- wins: one -->\nold\n<!-- end -->\nAfter.\n"
    assert tool.filled(page, {}) == page.replace("old", "new")


def test_schemes_not_significantly_worse_than_the_best_are_listed_as_best() -> None:
    tool = wins()
    found = synthetic.samples({1.0: {"a": 1.0, "b": 0.97, "c": 0.8}})
    assert tool.unbeaten(found, ("a", "b", "c"), 1.0, 0.95) == ["a", "b"]
    assert tool.unbeaten(found, ("a", "b", "c"), 1.0) == ["a"]
    # For completion times, the lowest value is best.
    assert tool.unbeaten(found, ("a", "b", "c"), 1.0, 0.8, low=True) == ["c", "b"]


def test_a_folder_without_a_full_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no full run of airhop/today/fer, "):
        wins().found_in(tmp_path)
