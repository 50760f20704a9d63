"""Laws of every run, one module per subject; `check` of a law yields the violations."""
