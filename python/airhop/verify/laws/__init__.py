"""Laws of every run, one module per subject; the function `check` of a module yields violations."""
