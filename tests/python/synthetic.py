"""Synthetic measurements and traces for tests of claims, figures and reports."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import polars as pl

from airhop.experiments import Experiment, Outcome
from airhop.experiments.experiment import Curve
from airhop.experiments.samples import Samples
from airhop.report import TracedRun
from airhop.simulate import Job
from airhop.store import MemoryStore
from airhop.study import Table
from made_documents import blank_flow
from synthetic_study import judged

Means = dict[float, dict[str, float]]

REST = ("veno", "westwood-plus", "jersey", "jtcp", "tibet", "hack", "lhp", "dcr")


def everyone(reno: float, sack: float, snoop: float, ll_elsn: float) -> dict[str, float]:
    """Return a value for each of Yun's twelve schemes; unnamed schemes lie evenly between Reno and SACK."""
    rest = {scheme: reno + (sack - reno) * (place + 3) / 10 for place, scheme in enumerate(REST)}
    return {"reno": reno, "sack": sack, "snoop": snoop, "ll-elsn": ll_elsn, **rest}


# Mbit/s by FER and scheme: numbers for which every claim of Figure 6 is true.
FIGURE6: Means = {
    1e-4: everyone(1.0, 1.2, 2.4, 3.5),
    1e-3: everyone(0.9, 1.1, 2.3, 3.5),
    1e-2: everyone(0.7, 0.9, 2.0, 3.4),
    3e-2: everyone(0.5, 0.7, 1.6, 3.2),
    9e-2: everyone(0.2, 0.3, 1.0, 2.7),
}
# By delay and by connections: numbers for which every claim of Figures 7 and 9 is true.
FIGURE7: Means = {
    2: everyone(2.0, 2.4, 2.9, 3.1) | {"tibet": 1.8, "westwood-plus": 1.9},
    10: everyone(0.9, 1.1, 2.3, 3.05),
    20: everyone(0.5, 0.6, 1.5, 2.9),
    30: everyone(0.3, 0.4, 1.1, 2.7),
}
FIGURE9: Means = {
    1: everyone(0.9, 1.1, 2.3, 3.4),
    2: everyone(1.8, 2.1, 3.0, 3.4),
    10: everyone(3.2, 3.3, 3.4, 3.3),
}


def changed(means: Means, x: float | None = None, **values: float) -> Means:
    """Replace some schemes' numbers, at one x or everywhere."""
    update = {scheme.replace("_", "-"): value for scheme, value in values.items()}
    return {at: {**row, **update} if x is None or at == x else row for at, row in means.items()}


def run_document(scheme: str, goodput_mbps: float, rep: int = 0, seed: int = 1) -> dict[str, Any]:
    """Write a run document as `airhop run --json` does."""
    return {
        "scenario": "yun2009-downlink",
        "seed": seed,
        "rep": rep,
        "duration_s": 200.0,
        "warmup_s": 0.0,
        "events": 1_300_000,
        "wall_s": 0.1,
        "fingerprint": f"{scheme}-{rep}",
        "flows": [
            blank_flow()
            | {
                "name": "ftp",
                "scheme": scheme,
                "transport": "tcp",
                "from": "s",
                "to": "d",
                "route_hops": 3,
                "goodput_mbps": goodput_mbps,
                "delivered_bytes": round(goodput_mbps * 25e6),
                "sent_segments": 26_100,
                "retransmissions": 365,
                "timeouts": 46,
                "fast_recoveries": 310,
                "window_cuts": 356,
                "srtt_ms": 71.2,
                "delay_ms": {"mean": 60.0, "p50": 40.0, "p95": 180.0, "p99": 300.0, "max": 900.0},
                "notices": {"eln": 7, "ersn": 0, "ebsn": 0, "rttn": 0, "nak": 0},
                "judgements": judged(scheme, rep),
                "duplicates": 3,
                "lateness": None,
            }
        ],
        "drops": {
            "queue": 0,
            "aqm": 0,
            "channel": 250,
            "collision": 110,
            "retries": 360,
            "agent": 0,
            "route": 0,
        },
    }


COUNTS: dict[str, Callable[[float, float], float]] = {
    "timeouts": lambda x, goodput: (10.0 + 100.0 * x) / max(goodput, 0.01),
    "spurious_timeouts": lambda x, goodput: (5.0 + 50.0 * x) / max(goodput, 0.01),
    "drops_collision / (drops_collision + drops_channel)": lambda *_: 0.9,
    "delay_mean_ms": lambda x, goodput: (50.0 + 100.0 * x) / max(goodput, 0.01),
    "srtt_ms": lambda _, goodput: 100.0 / max(goodput, 0.01),
}
"""Further metrics for synthetic goodputs, by index on the axis and goodput, in agreement with the papers."""


def samples(
    means: dict[float, dict[str, float]] = FIGURE6, reps: int = 5, common: float = 0.02, own: float = 0.005
) -> Samples:
    """Return replications that scatter around the means: by `common` for all schemes, by `own` for each."""
    made = Samples("goodput_mbps")
    for x, schemes in means.items():
        for place, (scheme, mean) in enumerate(schemes.items()):
            for rep in range(reps):
                channel = common * (2 * rep % reps - (reps - 1) / 2) / reps
                # A pattern that differs between schemes and cancels over the replications.
                luck = own * (1 if (rep + place) % 2 else -1) * (1 if rep < reps - 1 or reps % 2 == 0 else 0)
                made.cells.setdefault((scheme, x), {})[rep] = mean * (1 + channel + luck)
    for name, of in COUNTS.items():
        counts = {
            (curve, x): {
                rep: of(x if isinstance(x, int | float) else 0.0, value) for rep, value in values.items()
            }
            for (curve, x), values in made.cells.items()
        }
        made.also[name] = Samples(name, counts)
    return made


def outcome(experiment: Experiment, measured: Samples | None = None) -> Outcome:
    """Check synthetic goodputs, as if quick mode had measured them on its grid."""
    measured = measured or samples()
    experiment = replace(
        experiment,
        axis=replace(experiment.axis, coarse=tuple(measured.xs)),
        replications=replace(experiment.replications, quick=measured.reps),
    )
    return Outcome.of(experiment, "quick", 1, table(experiment, measured))


def table(experiment: Experiment, measured: Samples) -> Table:
    """Put synthetic goodputs into the rows of the experiment's quick study."""
    study, store = experiment.study("quick"), MemoryStore()
    grid = product(measured.xs, experiment.labels)
    for point, (x, scheme) in zip(study.points(), grid, strict=True):
        for rep, goodput in measured.cells[scheme, x].items():
            document = run_document(scheme, goodput, rep)
            store.add(Job(point.scenario, study.seed, rep), json.dumps(document), point.values)
    return Table(study, store.rows(), computed=len(store.known()))


def traced_run(scheme: str = "ll-elsn", label: str = "LL-ELSN") -> TracedRun:
    """Make the trace of a short synthetic run with every kind of row that the report draws."""
    flow = {"flow": "ftp"}
    first = [(0.001 * n, 1 + 1000 * n, "new") for n in range(12)]
    # A recovery retransmits, and sends new data to sustain the ACK clock (RFC 6675, NextSeg rules 1 and 2).
    first.append((0.11, 12001, "recovery"))
    again = [(0.08, 2001, "notice"), (0.09, 4001, "fast"), (0.10, 5001, "recovery"), (0.40, 6001, "timeout")]
    tables = {
        "segments": [
            {"time_s": t, **flow, "seq": seq, "bytes": 1000, "retransmission": sent, "cause": cause}
            for sent, rows in ((False, first), (True, again))
            for t, seq, cause in rows
        ],
        "acks": [
            {"time_s": 0.06 + 0.001 * n, **flow, "ack": 2001, "sacked_bytes": 1000 * n, "duplicate": n > 0}
            for n in range(4)
        ],
        "window": [
            {
                "time_s": 0.01 * n,
                **flow,
                "cwnd": 2.0 + n,
                "ssthresh": math.inf if n < 8 else 6.0,
                "flight": 1000 * n,
                "srtt_ms": 65.0 if n else math.nan,
                "rto_ms": 200.0 if n else 3000.0,
            }
            for n in range(10)
        ],
        "drops": [
            {"time_s": t, **flow, "place": place, "cause": cause, "kind": kind, "seq": seq, "bytes": 1000}
            for t, place, cause, kind, seq in [
                (0.050, "bs->d", "channel", "data", 2001),
                (0.0501, "bs->d", "retries", "data", 2001),
                (0.052, "bs->d", "collision", "data", 4001),
                (0.0521, "bs->d", "retries", "data", 4001),
                (0.053, "r1->r2", "queue", "data", 5001),
                (0.054, "d->bs", "collision", "ack", 2001),
                (0.055, "r2->r1", "queue", "notice", 4001),
                (0.058, "agent", "agent", "ack", 2001),
                (0.0625, "bs->d", "channel", "control", 1),
            ]
        ],
        "notices": [
            {"time_s": t, **flow, "kind": kind, "event": event, "seq": 2001}
            for t, kind, event in [
                (0.0501, "eln", "sent"),
                (0.080, "eln", "received"),
                (0.0502, "ersn", "sent"),
                (0.081, "ersn", "received"),
            ]
        ],
        "deliveries": [{"time_s": 0.05, **flow, "bytes": 2000}],
    }
    frames = {name: pl.DataFrame(rows) for name, rows in tables.items()}
    return TracedRun(scheme, label, run_document(scheme, 3.4), frames, f"airhop run x --scheme {scheme}")


def four_schemes(experiment: Experiment) -> Outcome:
    """Return a synthetic outcome of Figure 6 with four of its schemes; twelve curves would overlap."""
    labels = {"reno": "Reno", "sack": "SACK", "snoop": "Snoop", "ll-elsn": "LL-ELSN"}
    means = {x: {scheme: row[scheme] for scheme in labels} for x, row in FIGURE6.items()}
    claims = tuple(claim for claim in experiment.claims if claim.id == "yun-1")
    few = replace(
        experiment, curves=Curve.of_schemes(labels), claims=claims, also=(), panels=(), questions=()
    )
    return outcome(few, samples(means))
