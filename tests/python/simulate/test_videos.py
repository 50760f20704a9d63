"""Documents, tables, comparisons and traces contain the quality of videos."""

from __future__ import annotations

from typing import Any

import pytest

import airhop
from airhop import Scenario, sweep
from airhop.results import Result
from airhop.verify import LAWS, Finding, Trace, verify
from command_line import Cli

NUMBERS = ("startup_s", "stalls", "stalled_s", "stalled_pct", "played_s", "bitrate_mbps", "switches",
           "segments")  # fmt: skip
APP = {"kind": "video", "ladder": ["1 Mbit/s", "2.5 Mbit/s", "5 Mbit/s"]}
SHORT = {"segment": "1 s", "buffer": "12 s"}
"""Keys of a video whose buffer is full within seconds."""


def video(rate: str = "3 Mbit/s", duration: str = "60 s", warmup: str = "0 s", **keys: Any) -> Scenario:
    """Return a scenario: a video over a wire with this rate and a delay of 20 ms."""
    link = {"name": "w", "ends": ["a", "b"], "rate": rate, "delay": "20 ms"}
    flow = {"name": "tv", "from": "a", "to": "b", "scheme": "cubic", "app": APP | keys}
    return Scenario.load(
        {"name": "video", "duration": duration, "warmup": warmup, "wired": [link], "flow": [flow]}
    )


def contradictions(scenario: Scenario, run: Result) -> list[Finding]:
    """Check a traced run against the law of videos alone."""
    return list(LAWS["video"].check(Trace(scenario.to_dict(), run.document, run.tables)))


def test_a_video_has_its_quality_in_the_run_document() -> None:
    """Flow and class have the same numbers, and the flow of requests has none."""
    run = airhop.run(video())
    tv, requests = run.document["flows"]
    found = tv["video"]
    assert tuple(found) == NUMBERS
    assert found["startup_s"] + found["played_s"] + found["stalled_s"] == pytest.approx(60)
    assert (requests["name"], "video" in requests) == ("tv requests", False)
    (group,) = run.document["classes"]
    assert (group["name"], group["video"]) == ("video", found)
    assert run.flows["video_bitrate_mbps"].to_list() == [found["bitrate_mbps"], None]
    assert run.classes["video_segments"].to_list() == [found["segments"]]


@pytest.mark.parametrize("choice", ["throughput", "buffer", "hybrid"])
def test_the_bitrate_of_a_video_approaches_the_rate_of_the_link(choice: str) -> None:
    """A link of 3.5 Mbit/s carries 2.5 Mbit/s without stalls.

    A choice by buffer level also requests 5 Mbit/s.
    """
    found = airhop.run(video("3.5 Mbit/s", "200 s", choice=choice)).document["flows"][0]["video"]
    assert found["stalls"] == found["stalled_pct"] == 0
    assert 2.3 < found["bitrate_mbps"] < 3.5
    assert (found["switches"] == 1) == (choice == "throughput")


@pytest.mark.parametrize("warmup", ["0 s", "7 s"])
@pytest.mark.parametrize(
    "keys",
    [
        SHORT | {"choice": "throughput", "rate": "5 Mbit/s"},
        SHORT | {"choice": "buffer", "request": "5 kB"},
        SHORT | {"startup": "3 s", "rate": "1.2 Mbit/s"},
        {"rate": "900 kbit/s"},
        {"rate": "300 kbit/s", "startup": "28 s"},
    ],
)
def test_the_verifier_plays_the_video_again(keys: dict[str, Any], warmup: str) -> None:
    """A wrong number of a flow or class is detected, and so is a document without the quality."""
    scenario = video(duration="30 s", warmup=warmup, **keys)
    run = airhop.run(scenario, trace=True)
    assert list(verify(scenario, run)) == []
    for place, part in (("tv", run.document["flows"][0]), ("class video", run.document["classes"][0])):
        true = part["video"]
        for key in NUMBERS:
            part["video"] = true | {key: (true[key] or 0) + 1}
            found = contradictions(scenario, run)
            assert any(finding.place == place and f"video.{key}" in finding.text for finding in found)
        del part["video"]
        assert any(finding.place == place for finding in contradictions(scenario, run))
        part["video"] = true


def test_the_verifier_finds_another_choice_of_bitrates() -> None:
    """Requests of another choice, of a smaller buffer or of other bitrates contradict the trace."""
    keys: dict[str, Any]
    ours = SHORT | {"rate": "5 Mbit/s", "choice": "throughput"}
    run = airhop.run(video(**ours), trace=True)
    for keys in (
        {"choice": "buffer"},
        {"buffer": "4 s"},
        {"safety": 0.5},
        {"ladder": ["1 Mbit/s", "2 Mbit/s"]},
    ):
        other = video(**(ours | keys))
        texts = [finding.text for finding in contradictions(other, run)]
        assert any("by its choice" in text or "ns early" in text for text in texts), keys


def test_commands_print_videos_only_if_there_are_any(cli: Cli) -> None:
    short = ("--set", "duration=20 s")
    app = '{ kind = "video", ladder = ["500 kbit/s", "1 Mbit/s"] }'
    shown = cli("run", "last-hop", *short, "--set", f"flow.ftp.app={app}").out
    assert "videos" in shown and "bitrate" in shown
    assert "videos" not in cli("run", "last-hop", *short).out
    compared = cli(
        "compare", "last-hop", "reno", "cubic", *short, "-n", "2", "--set", f"flow.ftp.app={app}"
    ).out
    assert "class video down" in compared and "stalls" in compared
    assert "starve" not in compared, "the flow of requests does not compete for an equal share"
    assert "stalls" not in cli("compare", "last-hop", "reno", "cubic", *short, "-n", "2").out


def test_studies_have_the_quality_of_videos() -> None:
    """Measures of videos are metrics of a run, of a flow and of a class."""
    found = sweep(video(**SHORT), {"scheme": ["reno"]}, reps=2)
    (point,) = found.study.points()
    tv = airhop.run(video(**SHORT), scheme="reno").document["flows"][0]["video"]
    for metric in ("video_bitrate_mbps", "flow.tv.video_bitrate_mbps", "class.video.video_bitrate_mbps"):
        assert found.values(point, metric)[0] == tv["bitrate_mbps"]
    assert found.values(point, "video_segments")[0] == tv["segments"]
