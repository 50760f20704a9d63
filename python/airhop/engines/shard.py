"""Part of a study (shard) that one of many independent processes computes."""

from __future__ import annotations

from dataclasses import dataclass

from airhop.errors import InputError


@dataclass(frozen=True)
class Shard:
    """Part `index` (from 1) of a study that is divided into `count` disjoint parts."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse "I/N", such as "2/8". Raises InputError for other texts and for missing parts."""
        words = text.split("/")
        # Only ASCII digits: `int` would also accept digits of other scripts, underscores and signs.
        if len(words) != 2 or not all(word.isascii() and word.isdecimal() for word in words):
            raise InputError(f"`{text}` is not I/N: two whole numbers, as in 2/8, the second part of eight")
        index, count = map(int, words)
        if not 1 <= index <= count:
            raise InputError(f"there is no part {index} of {count}: parts are numbered from 1/N to N/N")
        return cls(index, count)

    def owns(self, key: int) -> bool:
        """Return whether this part includes the item with number `key`, 0 or more."""
        return key % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
