"""Generated blocks in hand-written pages, from `<!-- NAME: BLOCK -->` to `<!-- end -->`."""

from collections.abc import Iterable, Mapping, Sequence

from airhop.errors import InputError

END = "<!-- end -->"


def fill(page: str, name: str, blocks: Mapping[str, str]) -> str:
    """Replace the text of each block. Raises InputError if the page lacks a block."""
    for block, text in blocks.items():
        before, begin, rest = page.partition(f"<!-- {name}: {block} -->\n")
        if not begin:
            raise InputError(f"the page has no block `{name}: {block}`")
        page = before + begin + text + END + rest.partition(END)[2]
    return page


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Write a table in Markdown; its first `left` columns contain text, all others numbers."""
    lines = [head, [*("---" for _ in head[:left]), *("--:" for _ in head[left:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
