"""Engines that execute runs on threads or on a dask cluster, and shards of a study."""

from airhop.engines.cluster import ClusterError, DaskEngine
from airhop.engines.engine import Engine, open_engine
from airhop.engines.local import LocalEngine
from airhop.engines.shard import Shard

__all__ = ["ClusterError", "DaskEngine", "Engine", "LocalEngine", "Shard", "open_engine"]
