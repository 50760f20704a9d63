"""Storage of finished runs: a Parquet dataset that survives crashes of its writer.

The store is the folder DIR/runs. `add` writes a finished run as a line of the *journal*, a text file of the
writing process. `save` converts the journal to a *part*, an immutable Parquet file, and removes the journal.
The parts have one row per flow and run (`schema.COLUMNS`), without duplicates.
"""

from airhop.store.errors import StoreError
from airhop.store.memory import MemoryStore
from airhop.store.schema import COLUMNS
from airhop.store.store import Store, read_rows

__all__ = ["COLUMNS", "MemoryStore", "Store", "StoreError", "read_rows"]
