"""Explanation of equal runs: variants of a comparison with identical results."""

from __future__ import annotations

from airhop.comparison.comparison import Comparison
from airhop.scenario import Scenario

RENO = ("reno", "newreno", "sack")
"""Schemes with Reno's window (RFC 5681). The schemes differ only in their loss recovery."""
OWN_RECOVERY = "duplicates"
"""Value of `loss_detection` that leaves each scheme its own loss recovery. With any other value, all schemes
have the same loss recovery.
"""


def equal_runs(comparison: Comparison) -> list[str]:
    """Return a sentence for each group of arms with equal runs, bit for bit, in every replication."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in comparison.schemes:
        runs = tuple(comparison.results[name, rep].fingerprint for rep in comparison.paired_reps)
        groups.setdefault(runs, []).append(name)
    return [
        f"{', '.join(names)}: all runs are equal. {_reason(names, comparison.scenario)}"
        for runs, names in groups.items()
        if runs and len(names) > 1
    ]


def _reason(names: list[str], scenario: Scenario) -> str:
    flows = [flow["tcp"] for flow in scenario.to_dict()["flow"] if "tcp" in flow]
    found = {flow["loss_detection"]: flow["preset"] for flow in flows}
    if set(names) <= set(RENO) and found and OWN_RECOVERY not in found:
        base = " and ".join(f"preset {preset} (loss_detection = {kind})" for kind, preset in found.items())
        return f"They differ only in their loss recovery, and here {base} recovers the losses of all schemes"
    return "No event of these runs distinguishes the schemes"
