"""`airhop completion`."""

from __future__ import annotations

from typing import Literal

from airhop.cli.common.app import application


def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print a script that completes commands, options and names in a shell.

    Parameters
    ----------
    shell
        Shell of the script. Source the script from ~/.bashrc, store it as _airhop in a folder of zsh's
        $fpath, or store it as ~/.config/fish/completions/airhop.fish.
    """
    print(application().generate_completion(shell=shell))
    return 0
