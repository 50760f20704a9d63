"""Engines: threads of this process, a dask cluster, or the parts of a batch system."""

from airhop.engines.cluster import ClusterError, DaskEngine
from airhop.engines.engine import Engine, open_engine
from airhop.engines.local import LocalEngine
from airhop.engines.shard import Shard

__all__ = ["ClusterError", "DaskEngine", "Engine", "LocalEngine", "Shard", "open_engine"]
