"""Comparisons: pairs, partial results and warnings, from synthetic run documents."""

import json
import re
from typing import Any

import numpy as np
import pytest
import scipy.stats

from airhop import Comparison, InputError, Result, Scenario, compare, run
from airhop.cli import main
from airhop.comparison import METRICS
from airhop.comparison.arms import arms


def result(goodput: float, rep: int) -> Result:
    """Return a run of two flows that classify each loss as wireless, as are 3 of 4, or all 8 (rep 1)."""
    lost = {"channel": 8} if rep == 1 else {"channel": 3, "queue": 1}
    flow = dict.fromkeys(METRICS, 1) | {
        "name": "a",
        "transport": "tcp",
        "goodput_mbps": goodput,
        "srtt_ms": 50.0,
    }
    flow |= {"judgements": {"wireless": lost, "congestion": {"queue": 0}}}
    udp = flow | {"transport": "udp", "goodput_mbps": 9.0, "srtt_ms": None}
    return Result(json.dumps({"seed": 1, "rep": rep, "flows": [flow, flow | {"name": "b"}, udp]}))


def comparison(goodputs: dict[str, list[float]], reps: int) -> Comparison:
    results = {
        (scheme, rep): result(goodput, rep)
        for scheme, values in goodputs.items()
        for rep, goodput in enumerate(values)
    }
    scenario = Scenario.load("last-hop")
    return Comparison(scenario, arms(scenario, list(goodputs), {}), seed=1, reps=reps, results=results)


def test_goodputs_of_tcp_flows_are_summed_and_ratios_are_paired() -> None:
    found = comparison({"reno": [1.5, 2.0, 2.5], "sack": [3.0, 4.0, 5.0]}, reps=3)
    reno, sack = found.rows()
    assert reno.goodput.mean == pytest.approx(4.0)  # two TCP flows; the UDP flow does not count
    assert sack.goodput_ratio.value == pytest.approx(2.0)
    # Every pair has exactly the ratio 2: the scatter of the channel must not widen the interval.
    assert sack.goodput_ratio.low == pytest.approx(2.0)
    assert sack.goodput_ratio.high == pytest.approx(2.0)
    srtt = reno.metrics["srtt_ms"]
    assert srtt is not None and srtt.mean == 50.0


def test_unpaired_replications_are_excluded_from_a_comparison() -> None:
    found = comparison({"reno": [1.0, 2.0, 30.0], "sack": [2.0, 4.0]}, reps=4)
    assert found.paired_reps == [0, 1]
    assert not found.complete
    assert found.rows()[0].goodput.mean == pytest.approx(3.0)
    assert found.frame().height == 5


def test_a_comparison_without_finished_runs_has_no_rows() -> None:
    found = comparison({"reno": [1.0], "sack": []}, reps=2)
    assert found.rows() == []
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_document_of_a_comparison_is_strict_json() -> None:
    found = comparison({"reno": [0.0, 0.0], "sack": [2.0, 4.0]}, reps=2)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["schemes"][1]["goodput_ratio"] == {"to": "reno", "value": None, "low": None, "high": None}
    assert document["complete"] is True
    # Every loss has equal weight: 2 × (3 + 8) of 2 × (4 + 8), over both flows and replications.
    assert document["schemes"][0]["judged_right"]["value"] == pytest.approx(22 / 24)
    assert document["schemes"][0]["judgements"]["wireless"] == {
        "queue": 2, "aqm": 0, "channel": 22, "collision": 0, "none": 0,
    }  # fmt: skip
    assert len(document["runs"]) == 4


def test_too_few_or_equal_replications_cause_a_warning() -> None:
    assert "too few" in comparison({"reno": [1.0, 2.0]}, reps=2).warnings()[0]
    assert "identical" in comparison({"reno": [1.0, 1.0, 1.0]}, reps=3).warnings()[0]
    assert comparison({"reno": [1.0, 2.0, 1.5]}, reps=3).warnings() == []


def test_an_interval_wider_than_its_mean_causes_a_warning() -> None:
    """By hand: 1, 1, 7 has a mean of 3 and a deviation of 3.46, so 3 ± 4.30 · 3.46/√3 = 3 ± 8.6."""
    (told,) = comparison({"reno": [1.0, 2.0, 1.5], "sack": [1.0, 1.0, 7.0]}, reps=3).warnings()
    assert told.startswith("half-width above the mean: sack goodput_mbps, sack ratio;")


def test_the_repr_of_a_comparison_has_means_and_refers_to_the_hints() -> None:
    found = comparison({"reno": [1.0, 2.0, 1.5]}, reps=3)
    title, *table = repr(found).splitlines()
    assert title == "last-hop: 3 replications, seed 1; 1 hint, see .hints"
    assert [re.split(" {3,}", line)[:2] for line in table] == [
        ["scheme", "goodput Mbit/s"],
        ["reno", "3.0 ± 2.5"],
    ]
    assert "attempts = 1" in found.hints[1]
    once = run(found.scenario.with_({"duration": "1 s"}))
    assert repr(once).startswith("last-hop: 1 s, seed 1, replication 0; 1 hint, see .hints\nflow   scheme")
    assert once.hints == found.hints


def test_compare_runs_every_scheme_on_the_same_replications() -> None:
    found = compare(Scenario.load("last-hop").with_({"duration": "2 s"}), ["reno", "sack"], reps=3, seed=5)
    assert found.complete
    frame = found.frame()
    assert frame["rep"].to_list() == [0, 0, 1, 1, 2, 2]
    assert frame["scheme"].to_list() == ["reno", "sack"] * 3
    assert set(frame["seed"]) == {5}


@pytest.mark.parametrize(
    ("schemes", "reps", "message"),
    [
        (["reno", "reno"], 3, "named twice"),
        ([], 3, "at least one scheme"),
        (["reno"], 0, "expected 1 to 100000 replications"),
    ],
)
def test_incomparable_schemes_are_refused(schemes: list[str], reps: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(Scenario.load("last-hop"), schemes, reps=reps)


def test_intervals_and_paired_ratios_equal_the_textbook_formulas() -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "5 s"})
    found = compare(scenario, ["reno", "sack"], reps=6)
    goodput = {
        scheme: np.array([run(scenario, scheme=scheme, rep=rep).goodput_mbps for rep in range(6)])
        for scheme in ("reno", "sack")
    }
    t = scipy.stats.t.ppf(0.975, df=5)
    for row in found.rows():
        x = goodput[row.scheme]
        assert row.goodput.mean == pytest.approx(x.mean())
        assert row.goodput.half_width == pytest.approx(t * x.std(ddof=1) / np.sqrt(6))
    x, y = goodput["sack"], goodput["reno"]
    ratio = found.rows()[1].goodput_ratio
    assert ratio.value == pytest.approx(x.mean() / y.mean())
    # Fieller: the ends of the interval are the ratios r for which x - r y just differs from 0 significantly.
    for end in (ratio.low, ratio.high):
        assert end is not None
        d = x - end * y
        assert abs(d.mean()) / (d.std(ddof=1) / np.sqrt(6)) == pytest.approx(t)


def test_schemes_with_different_parameters_are_distinguished() -> None:
    tables: list[str | dict[str, Any]] = [{"name": "ll-elsn", "n": 0}, {"name": "ll-elsn", "n": 2}, "ll-elsn"]
    scenario = Scenario.load("last-hop").with_({"duration": "20 s", "wlan.cell.errors.fer": 0.3})
    found = compare(scenario, tables, reps=3)
    assert found.schemes == ["ll-elsn(n=0)", "ll-elsn(n=2)", "ll-elsn"]
    none, two, default = (row.goodput.mean for row in found.rows())
    assert none != two == default  # 2 is the default (Yun 2009 §4.2)


@pytest.mark.parametrize(
    ("word", "told"),
    [("{ name = ", "expected a name, or a table"), ('{ name = "ll-elsn", m = 3 }', 'no parameter "m"')],
)
def test_a_malformed_scheme_argument_is_refused(
    word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["compare", "last-hop", "reno", word])
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_values_of_a_varied_key_form_arms() -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "5 s"})
    found = compare(scenario, ["reno", "cubic"], vary={"wlan.cell.attempts": [1, 7]}, reps=2)
    assert found.schemes == ["reno, 1", "reno, 7", "cubic, 1", "cubic, 7"]
    assert found.heading == "scheme, attempts"
    frame = found.frame()
    assert frame.columns[:2] == ["scheme", "wlan.cell.attempts"]
    once = run(scenario.with_({"scheme": "cubic", "wlan.cell.attempts": 7}), rep=1)
    assert frame.row(-1, named=True)["goodput_mbps"] == once.goodput_mbps
    assert found.to_dict()["schemes"][3]["changes"] == {"scheme": "cubic", "wlan.cell.attempts": 7}


def test_a_varied_key_without_a_path_applies_to_all_links_that_have_it() -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "1 s"})
    found = compare(scenario, vary={"queue": ["drop-tail", {"kind": "pie", "packets": 50}]}, reps=1)
    assert found.schemes == ["drop-tail", "pie(packets=50)"]
    effective = found.arms[1].scenario.to_dict()
    kinds = [link["queue"]["kind"] for kind in ("wired", "wlan") for link in effective[kind]]
    assert kinds == ["pie", "pie", "pie"]
    only = compare(scenario, vary={"attempts": [2, 3]}, reps=1)
    assert only.arms[0].changes == {"wlan.cell.attempts": 2}
    copies = Scenario.load("dumbbell").with_({"duration": "100 ms", "copies": 2})
    assert len(compare(copies, vary={"queue": ["drop-tail", "codel"]}, reps=1).arms[1].changes) == 3
    assert compare(scenario, vary={"duration": ["1 s", "2 s"]}, reps=1).heading == "duration"


def test_a_word_is_a_kind_of_queue_also_where_the_file_has_a_queue_per_direction() -> None:
    """The file `home` lists two queues of its line; the word replaces the list by one kind for both."""
    home = Scenario.load("home")
    assert isinstance(next(link for link in home.to_dict()["wired"] if link["name"] == "line")["queue"], list)
    pie, codel = arms(home, [], {"queue": ["pie", "codel"]})
    assert set(codel.changes) == {"wired.core.queue", "wired.line.queue", "wlan.cell.queue"}
    assert [link["queue"]["kind"] for link in pie.scenario.to_dict()["wired"]] == ["pie", "pie"]


def test_a_word_for_the_kind_of_the_scenario_keeps_its_settings() -> None:
    """FQ-CoDel is compared with the buffers of `home`, and not with buffers of 50 packets."""
    home = Scenario.load("home")
    own, fair = arms(home, [], {"queue": ["drop-tail", "fq-codel"]})
    assert own.name == "drop-tail" and own.changes == {}
    assert own.scenario.to_dict() == home.to_dict()
    assert set(fair.columns.values()) == {"fq-codel"}
    short = home.with_({"duration": "7 s"})
    assert compare(short, ["cubic"], vary={"queue": ["drop-tail", "pie"]}, reps=1).heading == "scheme, queue"
    # A table is a value in full, as with `--set`.
    (plain,) = arms(home, [], {"wlan.cell.queue": [{"kind": "drop-tail"}]})
    assert plain.scenario.to_dict()["wlan"][0]["queue"]["packets"] == 50
    # One link of three has the kind.
    (mixed,) = arms(home.with_({"wlan.cell.queue": {"kind": "pie", "packets": 9}}), [], {"queue": ["pie"]})
    assert set(mixed.changes) == {"wired.core.queue", "wired.line.queue"}
    assert mixed.scenario.to_dict()["wlan"][0]["queue"]["packets"] == 9


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({"atempts": [1]}, "no link of last-hop has the key `atempts`. Did you mean `attempts`"),
        ({"attempts": [1, 1]}, "vary.wlan.cell.attempts: 1 is listed twice"),
        ({"attempts": []}, "the list is empty"),
        ({"attempts": 3}, "expected a list of values"),
    ],
)
def test_values_that_cannot_be_varied_are_refused(vary: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        compare(Scenario.load("last-hop"), vary=vary)
