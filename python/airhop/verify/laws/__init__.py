"""Laws that every run obeys, a file for each subject; `check` looks for what breaks one."""
