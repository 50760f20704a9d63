"""Schemes in Python equal built-in schemes bit for bit; errors in a scheme are reported with their line."""

from __future__ import annotations

import traceback
from typing import ClassVar

import pytest

import airhop
from airhop import Ack, Flow, InputError, Job, Loss, Notice, Scenario, SchemeError, Window
from airhop.added import added

LAST_HOP = Scenario.load("last-hop").with_({"duration": "5 s", "wlan.cell.errors.fer": 0.02})
HELPED = LAST_HOP.with_({"wlan.cell.errors.fer": 0.2, "wlan.cell.attempts": 2})
"""Scenario whose link layer has two attempts, so that it reports retransmissions and discards."""


class Reno:
    """Congestion control of RFC 5681 §3.1, as in the built-in scheme."""

    def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
        window.cwnd += 1 if window.in_slow_start else 1 / window.cwnd

    def on_loss(self, window: Window, loss: Loss, _flow: Flow) -> None:
        window.ssthresh = loss.half
        window.cwnd = 1 if loss.signal == "timeout" else loss.window


class ElnFilter(Reno):
    """ELN filter of Yun 2009 §4.2, as in the built-in scheme."""

    def __init__(self, n: float = 2) -> None:
        self.n = n
        self.forget()

    def forget(self) -> None:
        self.consecutive, self.frozen, self.answer_next = 0, False, False

    def on_loss(self, window: Window, loss: Loss, flow: Flow) -> None:
        super().on_loss(window, loss, flow)
        if loss.signal == "timeout":
            self.forget()

    def on_progress(self, advanced: bool) -> None:
        self.consecutive = 0
        if advanced:
            self.frozen = self.answer_next = False

    def on_notice(self, notice: Notice, _flow: Flow) -> str | None:
        if notice.kind == "ersn":
            return "hold"
        self.consecutive += 1
        if self.consecutive <= self.n and not self.frozen:
            return "retransmit"
        self.frozen = True
        self.answer_next = not self.answer_next
        return "freeze" if self.answer_next else "probe"


for recovery in ("tahoe", "reno", "newreno", "sack"):
    airhop.scheme(f"py-{recovery}", recovery=recovery)(Reno)
airhop.scheme("py-ll-elsn", recovery="esack", needs=["elsn"], parameters={"n": 2})(ElnFilter)
airhop.scheme("py-deaf-esack", recovery="esack", needs=["elsn"])(Reno)


def trajectory(scenario: Scenario, scheme: object, rep: int = 0) -> dict[str, object]:
    """Return the run document, without the names of schemes and the computing time."""
    document = airhop.run(scenario.with_({"scheme": scheme}), rep=rep).to_dict()
    flows = [flow | {"scheme": None} for flow in document["flows"]]
    return document | {"flows": flows, "wall_s": 0}


# ---- the same algorithm is the same run --------------------------------------------------------------------


# The class increases the window per ACK; preset linux increases it by the delivered segments.
@pytest.mark.parametrize("preset", ["ns2", "rfc", "linux"])
@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack"])
def test_reno_in_python_equals_built_in_reno_bit_for_bit(recovery: str, preset: str) -> None:
    scenario = LAST_HOP.with_({"flow.ftp.tcp": {"preset": preset, "growth": "per-ack"}})
    built_in = trajectory(scenario, recovery)
    assert trajectory(scenario, f"py-{recovery}") == built_in
    assert airhop.run(scenario, scheme=recovery).document["flows"][0]["window_cuts"] > 3


@pytest.mark.parametrize(("n", "fer"), [(0, 0.2), (2, 0.2), (2, 0.7), (2, 1.0)])
def test_ll_elsn_in_python_equals_built_in_ll_elsn_bit_for_bit(n: int, fer: float) -> None:
    scenario = HELPED.with_({"wlan.cell.errors.fer": fer, "duration": "60 s"})
    built_in = trajectory(scenario, {"name": "ll-elsn", "n": n})
    assert trajectory(scenario, {"name": "py-ll-elsn", "n": n}) == built_in


def test_a_python_scheme_that_reacts_to_notices_has_more_goodput() -> None:
    # Yun 2009 §5: notices of the link layer prevent the sender from classifying noise as congestion.
    heeding, deaf = (airhop.run(HELPED, scheme=name) for name in ("py-ll-elsn", "py-deaf-esack"))
    notices = heeding.document["flows"][0]["notices"]
    assert notices["eln"] > 0 and notices["ersn"] > 0
    assert heeding.goodput_mbps > 1.5 * deaf.goodput_mbps


def test_schemes_that_need_link_agents_activate_them() -> None:
    def heard(scheme: str) -> int:
        return int(sum(airhop.run(HELPED, scheme=scheme).document["flows"][0]["notices"].values()))

    assert heard("py-deaf-esack") > 0
    assert heard("py-sack") == 0


def test_threads_do_not_change_a_run() -> None:
    jobs = [
        Job(LAST_HOP.with_({"scheme": f"py-{name}"}), rep=rep)
        for rep in range(4)
        for name in ("reno", "ll-elsn")
    ]
    alone, together = (
        [result.fingerprint for result in airhop.run_many(jobs, threads=threads)] for threads in (1, 4)
    )
    assert alone == together
    assert len(set(alone)) == len(jobs)


def test_every_flow_has_its_own_scheme_object() -> None:
    made: list[object] = []

    class Counted(Reno):
        def __init__(self) -> None:
            made.append(self)

        def on_ack(self, window: Window, ack: Ack, flow: Flow) -> None:
            if flow.acked > 100_000:
                raise AssertionError(f"{id(self) in map(id, made)} {len(made)}")
            super().on_ack(window, ack, flow)

    airhop.scheme("py-counted")(Counted)
    document = Scenario.load("last-hop").to_dict()
    document["flow"].append(document["flow"][0] | {"name": "second"})
    with pytest.raises(SchemeError) as failure:
        airhop.run(Scenario.load(document).with_({"scheme": "py-counted"}))
    assert str(failure.value.__cause__) == "True 2"


# ---- arguments of a scheme's methods
# --------------------------------------------------------------------------------


class Watcher(Reno):
    """Scheme that records the arguments of its methods."""

    shown: ClassVar[list[tuple[str, float, float]]] = []
    rtts: ClassVar[list[float]] = []
    srtts: ClassVar[list[float]] = []

    def on_ack(self, window: Window, ack: Ack, flow: Flow) -> None:
        self.shown.append(("ack", ack.now, flow.acked))
        assert ack.acked > 0 and flow.flight >= 0 and flow.segment == 1000
        if ack.rtt is not None and flow.srtt is not None:
            self.rtts.append(ack.rtt)
            self.srtts.append(flow.srtt)
        super().on_ack(window, ack, flow)

    def on_loss(self, window: Window, loss: Loss, flow: Flow) -> None:
        self.shown.append((loss.signal, loss.now, flow.acked))
        assert loss.half >= 2
        super().on_loss(window, loss, flow)


def test_a_python_scheme_receives_the_values_of_the_trace() -> None:
    airhop.scheme("py-watcher")(Watcher)
    traced = airhop.run(LAST_HOP.with_({"wlan.cell.errors.fer": 0.1}), scheme="py-watcher", trace=True)
    flow = traced.document["flows"][0]
    signals = [signal for signal, _, _ in Watcher.shown]
    assert signals.count("timeout") == flow["timeouts"] > 0
    assert signals.count("duplicates") == flow["fast_recoveries"] > 0
    acks = {(row["time_s"], row["ack"] - 1) for row in traced.tables["acks"].iter_rows(named=True)}
    assert {(now, acked) for signal, now, acked in Watcher.shown if signal == "ack"} <= acks
    # Two wired hops of 10 ms each way, and the air on top. The first sample, the handshake's, has no payload.
    assert min(Watcher.rtts) > min(Watcher.srtts) > 0.04 and max(Watcher.srtts) <= max(Watcher.rtts)
    before, after = Watcher.srtts[:2]
    assert after == pytest.approx(7 / 8 * before + 1 / 8 * Watcher.rtts[1])  # RFC 6298 §2 (2.3)


def test_a_parameter_is_passed_to_the_class_and_its_range_is_checked() -> None:
    class Keeper(Reno):
        def __init__(self, keep: float) -> None:
            self.keep = keep

        def on_loss(self, window: Window, loss: Loss, flow: Flow) -> None:
            super().on_loss(window, loss, flow)
            raise RuntimeError(f"keep is {self.keep}")

    airhop.scheme("py-keeper", parameters={"keep": airhop.Parameter(0.7, 0.1, 0.9, "of the window")})(Keeper)
    for scheme, keep in (("py-keeper", 0.7), ({"name": "py-keeper", "keep": 0.25}, 0.25)):
        with pytest.raises(SchemeError, match=f"keep is {keep}"):
            airhop.run(LAST_HOP.with_({"scheme": scheme}))
    with pytest.raises(airhop.ScenarioError, match=r"expected keep from 0\.1 to 0\.9, got 2"):
        LAST_HOP.with_({"scheme": {"name": "py-keeper", "keep": 2}})
    with pytest.raises(airhop.ScenarioError, match='did you mean "keep"'):
        LAST_HOP.with_({"scheme": {"name": "py-keeper", "kepe": 0.5}})


def test_the_catalogue_lists_python_schemes_after_built_in_schemes() -> None:
    listed = {entry["name"]: entry for entry in airhop.schemes()}
    mine = [name in added() for name in listed]
    assert mine == sorted(mine), "built-in schemes come first"
    entry = listed["py-ll-elsn"]
    assert list(entry) == list(listed["reno"])
    assert (entry["title"], entry["family"], entry["needs"]) == (
        "ELN filter of Yun 2009 §4.2, as in the built-in scheme.",
        "yours",
        ["elsn"],
    )
    assert entry["parameters"] == [{"name": "n", "default": 2.0, "range": [-1e9, 1e9], "about": ""}]


# ---- errors in schemes ------------------------------------------------------------------------------------


def test_an_exception_in_a_scheme_ends_the_run_with_its_traceback() -> None:
    class Broken(Reno):
        def on_loss(self, window: Window, _loss: Loss, _flow: Flow) -> None:
            self.halve(window)

        def halve(self, window: Window) -> None:
            window.cwnd /= 0

    airhop.scheme("py-broken")(Broken)
    with pytest.raises(SchemeError) as failure:
        airhop.run(LAST_HOP, scheme="py-broken", seed=3, rep=7)
    text = str(failure.value)
    words = [
        '"py-broken"',
        "on_loss",
        '"last-hop"',
        "seed 3",
        "rep 7",
        "ZeroDivisionError: float division by zero",
    ]
    assert [word for word in words if word not in text] == []
    at = float(text.split(" at ")[1].split(" s ")[0])
    traced = airhop.run(LAST_HOP, scheme="newreno", seed=3, rep=7, trace=True)
    assert at > 0 and any(abs(at - t) < 1e-6 for t in traced.tables["window"]["time_s"])
    assert isinstance(failure.value, airhop.RunError)
    cause = failure.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["on_loss", "halve"]


def test_an_exception_in_the_constructor_of_a_scheme_is_reported() -> None:
    class Unmade(Reno):
        def __init__(self) -> None:
            raise OSError("no such table")

    airhop.scheme("py-unmade")(Unmade)
    with pytest.raises(SchemeError, match=r"__init__ at 0\.0+ s .*OSError: no such table"):
        airhop.run(LAST_HOP, scheme="py-unmade")


def test_a_failing_run_keeps_the_results_of_finished_runs() -> None:
    class Late(Reno):
        def on_loss(self, _window: Window, _loss: Loss, _flow: Flow) -> None:
            raise ValueError

    airhop.scheme("py-late")(Late)
    good, bad = (LAST_HOP.with_({"scheme": name}) for name in ("reno", "py-late"))
    done: list[int] = []
    with pytest.raises(SchemeError):
        airhop.run_many(
            [Job(good), Job(bad), Job(good)], threads=1, on_done=lambda index, _: done.append(index)
        )
    assert done[:1] == [0]


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), -1.0, float("inf"), 1e7])
def test_an_invalid_window_is_refused_on_assignment(value: float) -> None:
    class Impossible(Reno):
        def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
            window.cwnd = value

    airhop.scheme("py-impossible")(Impossible)
    with pytest.raises(SchemeError, match=r"ValueError: cwnd = .*: expected") as failure:
        airhop.run(LAST_HOP, scheme="py-impossible")
    assert failure.value.__cause__ is not None
    assert traceback.extract_tb(failure.value.__cause__.__traceback__)[-1].line == "window.cwnd = value"


def test_a_window_is_never_smaller_than_a_segment() -> None:
    # RFC 5681 §3.1: the loss window is one segment. With a smaller window the sender would wait for ever.
    class Shy(Reno):
        def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
            window.cwnd = window.ssthresh = 0.25

        def on_loss(self, window: Window, _loss: Loss, _flow: Flow) -> None:
            window.cwnd = window.ssthresh = 0

    class StopAndWait(Reno):
        def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
            window.cwnd = window.ssthresh = 1

        def on_loss(self, window: Window, _loss: Loss, _flow: Flow) -> None:
            window.cwnd = window.ssthresh = 1

    airhop.scheme("py-shy")(Shy)
    airhop.scheme("py-stop-and-wait")(StopAndWait)
    assert trajectory(LAST_HOP, "py-shy") == trajectory(LAST_HOP, "py-stop-and-wait")
    assert airhop.run(LAST_HOP, scheme="py-shy").goodput_mbps > 0.01


def test_a_window_that_is_too_large_is_refused_with_the_limit() -> None:
    # A window that nothing limits grows by a segment for each ACK (RFC 5681 §3.1) until the run is over.
    window = Window(2)
    with pytest.raises(ValueError, match=r"at most 1000000 segments"):
        window.cwnd = 1_000_001
    assert (Window(0.5).cwnd, Window(9, 4).in_slow_start, Window(3).ssthresh) == (1, False, float("inf"))


@pytest.mark.parametrize("answer", ["resend", 3, True])
def test_an_unknown_return_value_of_on_notice_is_refused(answer: object) -> None:
    class Confused(ElnFilter):
        def on_notice(self, _notice: Notice, _flow: Flow) -> str | None:
            return answer  # type: ignore[return-value]

    airhop.scheme("py-confused", needs=["elsn"])(Confused)
    with pytest.raises(
        SchemeError, match=f'on_notice .* it returned {answer!r}; expected one of "ignore", "retransmit"'
    ):
        airhop.run(HELPED, scheme="py-confused")


# ---- registration ------------------------------------------------------------------------------------------


class NoLoss:
    """Scheme without a required method."""

    def on_ack(self, window: Window, ack: Ack, flow: Flow) -> None:
        """Do nothing."""


class Narrow(Reno):
    """Scheme with a method that accepts fewer parameters than it receives."""

    def on_ack(self, window: Window) -> None:  # type: ignore[override]
        """Do nothing."""


class Greedy(Reno):
    """Scheme whose constructor requires an undeclared parameter."""

    def __init__(self, beta: float) -> None:
        self.beta = beta


@pytest.mark.parametrize(
    ("name", "options", "cls", "message"),
    [
        ("reno", {}, Reno, '"reno" is a built-in scheme'),
        ("my scheme", {}, Reno, 'expected a name of letters, .* got "my scheme"'),
        ("nan", {}, Reno, "expected a name of letters"),
        ("x", {"recovery": "newrno"}, Reno, 'unknown recovery "newrno"; .*did you mean "newreno"'),
        ("x", {"needs": ["snop"]}, Reno, 'unknown service "snop" in needs; .*did you mean "snoop"'),
        ("x", {"needs": "elsm"}, Reno, 'unknown service "elsm"'),
        ("x", {"parameters": {"n": airhop.Parameter(2, 3, 4)}}, ElnFilter, "least <= default <= most"),
        ("x", {"parameters": {"n": float("nan")}}, ElnFilter, "expected a number"),
        ("x", {"parameters": {"m": 1}}, ElnFilter, "__init__ does not take its parameters"),
        ("x", {}, Greedy, "missing a required argument: 'beta'"),
        ("x", {"title": 5}, Reno, "title: expected a text or None, got 5"),
        ("x", {}, NoLoss, r"NoLoss has no method on_loss\(self, window, loss, flow\)"),
        ("x", {}, Narrow, r"Narrow\.on_ack does not take .*; expected on_ack\(self, window, ack, flow\)"),
    ],
)
def test_an_invalid_scheme_registration_is_refused(
    name: str, options: dict[str, object], cls: type, message: str
) -> None:
    before = airhop.schemes()
    with pytest.raises(InputError, match=message):
        airhop.scheme(name, **options)(cls)  # type: ignore[arg-type]
    assert airhop.schemes() == before


def test_a_scheme_registered_again_applies_to_scenarios_loaded_later() -> None:
    def register(slope: float) -> Scenario:
        class Again(Reno):
            def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
                window.cwnd += slope / window.cwnd

        airhop.scheme("py-again")(Again)
        return LAST_HOP.with_({"scheme": "py-again"})

    first = register(1)
    goodput = airhop.run(first).goodput_mbps
    second = register(0.1)
    assert airhop.run(second).goodput_mbps < goodput
    assert first.core.json() == second.core.json() and first.digest != second.digest
    assert airhop.run(first).goodput_mbps == goodput


def test_a_scheme_name_registered_by_another_module_is_refused() -> None:
    text = (
        "import airhop\n@airhop.scheme('py-reno')\nclass Other:\n"
        "    def on_ack(self, window, ack, flow): pass\n    def on_loss(self, window, loss, flow): pass\n"
    )
    with pytest.raises(InputError, match=f"{__name__} has registered one of this name"):
        airhop.plugins.load_source("other.py", text)
