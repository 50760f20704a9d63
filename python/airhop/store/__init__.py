"""Storage of finished runs: a Parquet dataset that survives crashes of its writer.

DIR/runs contains the store. `add` writes a finished run as a line of the *journal*, a text file of the
writing process. `save` converts the journal into a *part*, an immutable Parquet file, and removes the
journal. All Parquet files below DIR together contain one row per flow and run (`schema.COLUMNS`), each run
once.
"""

from airhop.store.errors import StoreError
from airhop.store.memory import MemoryStore
from airhop.store.schema import COLUMNS
from airhop.store.store import Store, read_rows

__all__ = ["COLUMNS", "MemoryStore", "Store", "StoreError", "read_rows"]
