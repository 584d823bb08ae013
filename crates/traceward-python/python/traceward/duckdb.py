"""Answers about traces in DuckDB as relations, for queries that go on with them.

>>> import duckdb
>>> import traceward.duckdb
>>> connection = duckdb.connect()
>>> _ = connection.execute("create table log as select * from (values ('a', 1), ('a', 5), ('b', 2)) t(node, x)")
>>> answers = traceward.duckdb.check(connection, "select * from log", "G x < 3", by="node")
>>> answers.filter("p1 = 'violated'").fetchall()
[('a', 2, 'violated')]

`traceward.check` takes a relation as it is, and answers with a report:

>>> traceward.check("G x < 3", connection.table("log"), by="node").ok
False

Either way DuckDB computes only the columns that the spec, the key and the time need, and hands them
over batch by batch. With ``sort=True`` it puts rows in order of time first. The tables of a report can
be named in a query of DuckDB like any other variable:

>>> keys = traceward.check("G x < 3", connection.table("log"), by="node").keys_to_arrow()
>>> connection.sql("select count(*) from keys where p1 = 'satisfied'").fetchall()
[(1,)]

Python cannot give DuckDB functions that return tables, so there is none to call from SQL alone.
"""

from __future__ import annotations

from typing import Any, Union

from . import Report
from . import check as _check
from . import query as _query

__all__ = ["check", "query"]


def check(connection: Any, trace: Union[str, Any], spec: Any, /, **options: Any) -> Any:
    """Checks the properties of a spec on the rows of a query or a relation.

    The answer is a relation with a row for each key if the trace is split, ``key``, ``states`` and the
    verdict on each property by its name, and otherwise with a row for each property.
    """
    return _relation(connection, _check(spec, _rows(connection, trace), **options))


def query(connection: Any, trace: Union[str, Any], spec: Any, /, **options: Any) -> Any:
    """Measures the queries of a spec on the rows of a query or a relation, for each key.

    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> rows = "select * from (values ('a', 1), ('a', 5), ('b', 2)) t(node, x)"
    >>> query(connection, rows, "max(x)", by="node").order("key").fetchall()
    [('a', 2, 5.0), ('b', 1, 2.0)]

    What is measured of a trace that is not split is one value: `traceward.query` has it.
    """
    report = _query(spec, _rows(connection, trace), **options)
    return connection.from_arrow(report.keys_to_arrow())


def _rows(connection: Any, trace: Union[str, Any]) -> Any:
    return connection.sql(trace) if isinstance(trace, str) else trace


def _relation(connection: Any, report: Report) -> Any:
    is_split = any(one.keys is not None for one in report.properties)
    return connection.from_arrow(report.keys_to_arrow() if is_split else report.to_arrow())
