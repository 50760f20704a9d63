"""Congestion controls of Linux as BPF objects: loading, simulation, rejection, and digests."""

import shutil
from pathlib import Path

import polars as pl
import pytest

import airhop
from airhop import InputError, Scenario, plugins
from airhop.crosscheck.against_kernel import emulated
from airhop.errors import SchemeError
from airhop.simulate import Job, run_many
from airhop.stats import ratio
from airhop.verify import verify
from command_line import Cli

OBJECTS = Path(airhop.__file__).parent / "bpf"
WRITTEN = Path(__file__).parents[3] / "crates/bpf/tests/objects"
DELAYED = {"flow.ftp.tcp.delayed_ack": {"segments": 2, "timeout": "40 ms"}, "flow.ftp.tcp.preset": "linux"}
NAMES: dict[str, tuple[str, object]] = {
    "reno": ("bpf_reno", "reno"),
    "cubic": ("bpf_cubic", {"name": "cubic", "form": "rfc", "slow_start": "hystart++"}),
    "htcp": ("bpf_htcp", "htcp"),
    "illinois": ("bpf_illinois", "illinois"),
    "veno": ("bpf_veno", "veno"),
    "westwood_nr": ("bpf_westwood_nr", "westwood-nr"),
    "westwood_vt": ("bpf_westwood_vt", "westwood-vt"),
    "bbr": ("bpf_bbr", "bbr"),
}


def goodputs(scheme: object, reps: int = 10) -> list[float]:
    document = emulated("wire", "loss=0.01", "reno")
    document["flow"][0]["scheme"] = scheme
    jobs = [Job(Scenario.load(document), 1, rep) for rep in range(reps)]
    return [run.goodput_mbps for run in run_many(jobs)]


@pytest.mark.parametrize("file", NAMES)
def test_an_object_behaves_like_the_scheme_of_the_same_name(file: str) -> None:
    """Two implementations of a paper, with the same sender and losses, differ by at most 2.5 % of goodput.

    An object computes in fixed point, a scheme in floating point. If reductions kept fractions of segments,
    the schemes CUBIC, H-TCP and Veno would deliver 4 % more than their objects.
    """
    (name,) = plugins.load(OBJECTS / f"{file}.bpf.o")
    assert name == NAMES[file][0]
    beside = ratio(goodputs(name), goodputs(NAMES[file][1]))
    within = 0.06 if file == "westwood_nr" else 0.025  # 4 % less goodput: the round trip of the SYN counts
    assert beside.value == pytest.approx(1.0, abs=within)


def over_chain(scheme: str) -> list[airhop.Result]:
    changes = {"flow.ftp.tcp": {"preset": "linux"}, "flow.ftp.scheme": scheme, "duration": "40 s"}
    scenario = Scenario.load("cheng2008-chain").with_(changes)
    return [airhop.run(scenario, rep=rep) for rep in range(10)]


# Two implementations of Cheng and Lin 2008 over eight hops. The kernel's SACK recovery repairs the object's
# losses, but NAKs and Reno's recovery those of the Rust scheme, hence a tolerance of 10 % of goodput. Both
# avoid most reductions.
def test_tcp_cl_as_an_object_has_the_goodput_of_the_scheme_over_eight_hops() -> None:
    plugins.load(OBJECTS / "tcp_cl.bpf.o")
    runs = {scheme: over_chain(scheme) for scheme in ("bpf_tcp_cl", "tcp-cl", "reno")}
    mean = {scheme: sum(run.goodput_mbps for run in all_) / 10 for scheme, all_ in runs.items()}
    assert mean["bpf_tcp_cl"] == pytest.approx(mean["tcp-cl"], rel=0.1)
    assert mean["bpf_tcp_cl"] > 1.2 * mean["reno"]
    one = runs["bpf_tcp_cl"][0].document["flows"][0]
    assert one["notices"]["nak"] > 3 * one["window_cuts"]


STEP = {"kind": "congestion-warning", "packets": 200, "weight": 1.0}
BOTTLENECK = {
    "name": "marks",
    "duration": "8 s",
    "warmup": "2 s",
    "wired": [
        {"name": "a", "ends": ["s", "r"], "rate": "100 Mbit/s", "delay": "1 ms"},
        {"name": "w", "ends": ["r", "d"], "rate": "20 Mbit/s", "delay": "5 ms", "queue": STEP},
    ],
    "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "dctcp", "tcp": {"preset": "linux"}}],
}


def waiting(run: airhop.Result) -> float:
    """Return the mean length of the queue that marks, packets, after the warm-up."""
    rows = run.tables["queue"].filter(pl.col("place") == "r->d", pl.col("time_s") > 2)
    lasts = rows["time_s"].diff().shift(-1).fill_null(0)
    return float((rows["packets"] * lasts).sum()) / float(lasts.sum())


# Two implementations of RFC 8257 §3.3, as BPF object in fixed point and as scheme in floating point, fill a
# link with a marking threshold, and keep the queue at the threshold. The tolerance has a twentieth, because
# the kernel's window decreases over a round trip (PRR) without growing meanwhile, and one packet, because it
# has whole segments.
@pytest.mark.parametrize("threshold", [10, 40])
def test_dctcp_as_an_object_keeps_the_queue_at_the_marking_threshold(threshold: int) -> None:
    (name,) = plugins.load(OBJECTS / "dctcp.bpf.o")
    step = {"wired.w.queue.threshold": threshold}
    scenarios = [Scenario.load(BOTTLENECK).with_({"scheme": scheme, **step}) for scheme in (name, "dctcp")]
    one, other = (airhop.run(scenario, trace=True) for scenario in scenarios)
    assert one.goodput_mbps == pytest.approx(other.goodput_mbps, rel=0.01)
    assert waiting(one) == pytest.approx(waiting(other), rel=0.05, abs=1.0)
    assert waiting(one) == pytest.approx(threshold, abs=0.2 * threshold + 1.0)
    assert one.document["flows"][0]["window_cuts"] > 10
    assert verify(scenarios[0], one) == []


def test_a_run_with_an_object_is_repeatable_on_any_thread() -> None:
    (name,) = plugins.load(OBJECTS / "bbr.bpf.o")  # this object draws random numbers
    scenario = Scenario.load("last-hop").with_({"flow.ftp.scheme": name, "duration": "5 s"})
    jobs = [Job(scenario, 1, rep) for rep in range(4)]
    one, two = ([run.fingerprint for run in airhop.run_many(jobs, threads=n)] for n in (1, 2))
    assert one == two
    assert len(set(one)) == 4


def test_an_object_requires_the_preset_linux() -> None:
    plugins.load(OBJECTS / "reno.bpf.o")
    flow = {"flow.ftp.scheme": "bpf_reno"}
    scenario = Scenario.load("last-hop").with_(flow)
    assert scenario.to_dict()["flow"][0]["tcp"]["preset"] == "linux"
    with pytest.raises(airhop.ScenarioError, match=r'expected "linux", which "bpf_reno" requires'):
        Scenario.load("last-hop").with_({**flow, "flow.ftp.tcp.preset": "ns2"})


@pytest.mark.usefixtures("nothing_added")
def test_a_changed_object_changes_the_digest_of_the_scenario(tmp_path: Path) -> None:
    mine = tmp_path / "mine.bpf.o"
    shutil.copy(OBJECTS / "hybla.bpf.o", mine)
    plugins.load(mine)
    scenario = {"flow.ftp.scheme": "bpf_hybla"}
    before = Scenario.load("last-hop").with_(scenario).digest
    mine.write_bytes(mine.read_bytes() + b"\0")
    plugins.load(mine)
    assert Scenario.load("last-hop").with_(scenario).digest != before


def test_a_fault_of_an_object_names_function_and_instruction() -> None:
    names = plugins.load(WRITTEN / "reaches.bpf.o")
    scenario = Scenario.load("last-hop").with_({"flow.ftp.scheme": names[0], "duration": "5 s"})
    with pytest.raises(SchemeError, match=r"reaches\.bpf\.o: \w+, instruction \d+") as fault:
        airhop.run(scenario)
    assert str(fault.value).count("reaches.bpf.o") == 1


def test_objects_that_the_kernel_rejects_are_refused() -> None:
    with pytest.raises(InputError, match=r"deep, instruction 0 .*720 bytes of stack"):
        plugins.load(WRITTEN / "refused.bpf.o")


@pytest.mark.parametrize("control", ["reno", "bbr"])
def test_the_window_of_an_object_is_limited_by_the_send_buffer(control: str) -> None:
    """Linux (tcp_wmem): a socket stores at most 4 MiB of unacknowledged data, with any snd_cwnd."""
    names = plugins.load(OBJECTS / f"{control}.bpf.o")
    flow = {"scheme": names[0], "tcp": {"preset": "linux", "initial_window": 1e6}, "segment": "1448 B"}
    wire = {"name": "w", "ends": ["s", "d"], "rate": "10 Gbit/s", "delay": "1 s"}
    queue = {"kind": "drop-tail", "packets": 100_000}
    described = {"name": "long", "duration": "1 s", "wired": [wire | {"queue": queue}]}
    run = airhop.run(Scenario.load(described | {"flow": [{"name": "f", "from": "s", "to": "d", **flow}]}))
    assert run.document["flows"][0]["sent_segments"] <= 4 * 2**20 // 1448


def test_an_object_name_that_no_kernel_accepts_is_refused(tmp_path: Path) -> None:
    """Linux, kernel/bpf/syscall.c, bpf_obj_name_cpy: letters, digits, underscores and dots."""
    shipped = (OBJECTS / "veno.bpf.o").read_bytes()
    assert shipped.count(b"\0bpf_veno\0") == 1
    for name, fits in {
        b"Bpf.ve_9": True,
        b"bpf:veno": False,
        b"bpf-veno": False,
        b"bpf veno": False,
        b"bpf_ve\xe9o": False,
    }.items():
        mine = tmp_path / "named.bpf.o"
        mine.write_bytes(shipped.replace(b"\0bpf_veno\0", b"\0" + name + b"\0"))
        if fits:
            assert plugins.load(mine) == [name.decode()]
        else:
            with pytest.raises(InputError, match=r'expected letters, digits, "_" or "\."'):
                plugins.load(mine)


def test_an_error_of_an_object_names_its_file_once(tmp_path: Path) -> None:
    shipped = (OBJECTS / "veno.bpf.o").read_bytes()
    for damaged in (b"", shipped[:1000], shipped.replace(b"\0bpf_veno\0", b"\0reno\0\0\0\0\0")):
        mine = tmp_path / "damaged.bpf.o"
        mine.write_bytes(damaged)
        with pytest.raises(InputError) as refused:
            plugins.load(mine)
        assert str(refused.value).count("damaged.bpf.o") == 1, refused.value


def test_compare_accepts_an_object_beside_built_in_schemes(cli: Cli) -> None:
    words = ("compare", "last-hop", "reno", "bpf_veno", "--with", str(OBJECTS / "veno.bpf.o"))
    ended = cli(*words, "--reps", "2", "--set", "duration=2 s")
    assert ended.code == 0
    assert "bpf_veno" in ended.out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "expected"),
        (b"\x7fELF" + bytes(60), "expected"),
        (Path("/bin/true").read_bytes(), "expected"),
    ],
)
def test_files_that_are_no_bpf_objects_are_refused(
    cli: Cli, tmp_path: Path, content: bytes, told: str
) -> None:
    file = tmp_path / "bad.bpf.o"
    file.write_bytes(content)
    ended = cli("run", "last-hop", "--with", str(file))
    assert ended.code == 2
    assert str(file) in ended.err
    assert told in ended.err


def test_a_missing_object_file_exits_with_code_2(cli: Cli) -> None:
    ended = cli("run", "last-hop", "--with", "none.bpf.o")
    assert (ended.code, "there is no file none.bpf.o" in ended.err) == (2, True)


def test_two_object_files_with_the_same_name_are_refused(tmp_path: Path) -> None:
    plugins.load(OBJECTS / "vegas.bpf.o")
    other = tmp_path / "vegas.bpf.o"
    shutil.copy(OBJECTS / "vegas.bpf.o", other)
    with pytest.raises(InputError, match="has registered one of this name already"):
        plugins.load(other)
