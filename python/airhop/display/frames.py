"""Conversion of polars data frames into pandas data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

NO_PANDAS = "pandas is not installed: pip install 'airhop[pandas]'"


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Convert a frame. Whole numbers with missing values become floating-point numbers with NaN.

    Raises InputError if pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise InputError(NO_PANDAS) from None
    return pd.DataFrame({column.name: column.to_numpy() for column in frame.iter_columns()})
