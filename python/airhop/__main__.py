"""`python -m airhop` is the `airhop` command."""

from airhop.cli import main

main()
