"""Run the variants of a scenario that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airhop.boundary.arguments import checked
from airhop.comparison.arms import arms
from airhop.comparison.comparison import Comparison, InterruptedComparison
from airhop.errors import InputError
from airhop.progress import SILENT, Reporter
from airhop.scenario import Scenario
from airhop.simulate import Interrupted, Job, run_many
from airhop.study.axis import text

MOST_REPS = 100_000
"""Maximum number of replications. A larger number is probably a typing error, because the interval shrinks
only with the square root of the number.
"""


@checked
def compare(
    scenario: Scenario,
    schemes: Sequence[str | Mapping[str, Any]] = (),
    *,
    vary: Mapping[str, object] | None = None,
    reps: int = 10,
    seed: int = 1,
    threads: int | None = None,
    reporter: Reporter = SILENT,
) -> Comparison:
    """Run a scenario `reps` times with each scheme, each combination of values, or both.

    An arm is a scheme with a combination of values. Replication k of every arm has the same channel errors.
    Ratios are therefore computed over pairs.

    Parameters
    ----------
    scenario
        Scenario to simulate, with at least one TCP flow.
    schemes
        Names, or tables such as {"name": "ll-elsn", "n": 3}. Results call this table `ll-elsn(n=3)`. A text
        such as "bulk=bbr,web=cubic" assigns schemes by class of flows. Other flows keep their scheme. The
        first entry is the baseline of ratios.
    vary
        Values by path, as in {"wlan.cell.attempts": [1, 4, 7]}, or by a key of links, as in {"queue":
        ["drop-tail", "fq-codel"]}. A key of links changes all links with the key. A link that already has the
        kind of a word keeps its settings. If `schemes` is given too, or `vary` has several keys, every
        combination is an arm. The first is the baseline of ratios.
    reps
        Replications of each arm, from 1 to 100,000.
    seed
        Seed of every random stream.
    threads
        Worker threads; by default one per core.
    reporter
        Receives the progress.

    Returns
    -------
    Comparison
        All runs. Its method `rows` returns means, 95 % intervals and paired ratios of each arm.

    Raises
    ------
    InputError
        When a scheme or value occurs twice, when `schemes` and `vary` are both empty, when a class is
        unknown, or when `reps` is out of range.
    InterruptedComparison
        On Ctrl-C; the exception contains the finished runs.
    """
    if not scenario.tcp_flows():
        raise InputError(f"{scenario.name} has no TCP flow, and a comparison needs the scheme of a TCP flow")
    if not 1 <= reps <= MOST_REPS:
        raise InputError(f"reps is {reps}; expected 1 to {MOST_REPS} replications")
    if not schemes and not vary:
        raise InputError("name at least one scheme to compare, or values to vary")
    names = [text(scheme) for scheme in schemes]
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise InputError(f"scheme `{twice[0]}` is named twice")
    found = arms(scenario, schemes, vary or {}, seed)
    # Runs are ordered by replication, so that an interrupted comparison leaves complete pairs.
    keys = [(arm.name, rep) for rep in range(reps) for arm in found]
    jobs = [Job(arm.scenario, seed, rep) for rep in range(reps) for arm in found]
    with reporter.task(f"{scenario.name}: {'; '.join(arm.name for arm in found)}", len(jobs)) as task:
        try:
            results = dict(enumerate(run_many(jobs, threads=threads, on_done=lambda _i, _r: task.advance())))
        except Interrupted as interrupted:
            partial = {keys[index]: result for index, result in sorted(interrupted.results.items())}
            comparison = Comparison(scenario, found, seed, reps, partial)
            raise InterruptedComparison(comparison, interrupted) from None
    finished = {keys[index]: result for index, result in results.items()}
    return Comparison(scenario, found, seed, reps, finished)
