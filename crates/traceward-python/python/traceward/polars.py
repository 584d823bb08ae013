"""Frames of Polars with a namespace: ``df.traceward.check("G x < 3", by="node")``.

>>> import polars as pl
>>> import traceward.polars
>>> df = pl.DataFrame({"node": ["a", "a", "b"], "x": [1, 5, 2]})
>>> report = df.traceward.check("G x < 3", by="node")
>>> report["p1"].keys
<Keys: 1 of 2 violated>
>>> pl.DataFrame(report.keys_to_arrow()).rows()
[('a', 2, 'violated'), ('b', 1, 'satisfied')]

A lazy frame computes only the columns that the spec, the key and the time need, batch by batch. With
``sort=True`` it puts its rows in order of time first.

>>> lazy = df.lazy().with_columns(t=pl.Series([30, 10, 20]))
>>> lazy.traceward.query("max(x)", time="t:ms", sort=True).values
{'q1': 5}

The namespace is there once this module has been imported; `traceward.check` takes frames without it.
"""

from __future__ import annotations

from typing import Any

import polars

from . import Inspection, Report
from . import check as _check
from . import inspect as _inspect
from . import query as _query

__all__ = ["Namespace"]


@polars.api.register_lazyframe_namespace("traceward")
@polars.api.register_dataframe_namespace("traceward")
class Namespace:
    """What can be asked of a frame whose rows are the states of a trace."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def check(self, spec: Any, /, **options: Any) -> Report:
        """Checks the properties of a spec, as `traceward.check` does."""
        return _check(spec, self._frame, **options)

    def query(self, spec: Any, /, **options: Any) -> Report:
        """Measures the queries of a spec, as `traceward.query` does."""
        return _query(spec, self._frame, **options)

    def inspect(self, **options: Any) -> Inspection:
        """Tells what the frame holds, as `traceward.inspect` does."""
        return _inspect(self._frame, **options)
