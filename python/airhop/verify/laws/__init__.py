"""Laws of every run, a file for each subject; `check` of a law yields the contradictions."""
