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
    fer = mo.ui.slider(0.0, 0.1, value=0.01, step=0.01, label="frame error rate", show_value=True)
    attempts = mo.ui.slider(1, 7, value=1, label="attempts per frame", show_value=True)
    mo.vstack([mo.md("# Which scheme is best on this last hop?"), fer, attempts])
    return attempts, fer


@app.cell
def _(airhop, attempts, fer, mo):
    scenario = airhop.Scenario.load("last-hop").with_(
        {"duration": "20 s", "wlan.cell.errors.fer": fer.value, "wlan.cell.attempts": attempts.value}
    )
    comparison = airhop.compare(scenario, ["reno", "sack", "snoop", "ll-elsn"], reps=5)
    mo.as_html(comparison)
    return comparison, scenario


@app.cell
def _(comparison, mo):
    mo.hstack([comparison.plot(), comparison.plot("delay_p95_ms")], justify="start", wrap=True)
    return


@app.cell
def _(airhop, mo, scenario):
    traced = {name: airhop.run(scenario, scheme=name, trace=True) for name in ("reno", "ll-elsn")}
    windows = [
        mo.vstack([mo.md(f"Window of {name}"), run.plot("window", between=(0.0, 10.0))])
        for name, run in traced.items()
    ]
    mo.hstack(windows, justify="start", wrap=True)
    return


@app.cell
def _(airhop, scenario):
    study = airhop.sweep(
        scenario, {"scheme": ["reno", "snoop", "ll-elsn"], "wlan.cell.errors.fer": [0.001, 0.01, 0.1]}, reps=3
    )
    study.plot()
    return (study,)


@app.cell
def _(study):
    study.cells_frame().select("scheme", "wlan.cell.errors.fer", "n", "^goodput_mbps.*$")
    return


if __name__ == "__main__":
    app.run()
