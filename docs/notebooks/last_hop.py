"""A lossy last hop, in a marimo notebook: `marimo edit docs/notebooks/last_hop.py`. Also runs as a script."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo

    import airhop

    return airhop, mo


@app.cell
def _(mo):
    fer = mo.ui.slider(0.0, 0.1, value=0.01, step=0.01, label="frame error rate")
    attempts = mo.ui.slider(1, 7, value=1, label="attempts per frame")
    mo.vstack([mo.md("# Who wins on this last hop?"), fer, attempts])
    return attempts, fer


@app.cell
def _(airhop, attempts, fer):
    scenario = airhop.Scenario.load("last-hop").with_(
        {"duration": "20 s", "wlan.cell.errors.fer": fer.value, "wlan.cell.attempts": attempts.value}
    )
    comparison = airhop.compare(scenario, ["reno", "sack", "snoop", "ll-elsn"], reps=5)
    comparison.frame()
    return comparison, scenario


@app.cell
def _(comparison, mo):
    best = max(comparison.rows(), key=lambda row: row.metrics["goodput_mbps"].mean)
    value = best.metrics["goodput_mbps"]
    mo.md(f"**{best.scheme}**: {value.mean:.2f} ± {value.half_width or 0:.2f} Mbit/s over {value.n} runs")
    return


@app.cell
def _(airhop, scenario):
    traced = airhop.run(scenario, scheme="ll-elsn", trace=True)
    traced.tables["window"]
    return


if __name__ == "__main__":
    app.run()
