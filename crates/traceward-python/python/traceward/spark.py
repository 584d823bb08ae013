"""Traceward on Spark: each key of a DataFrame is a trace of its own.

    import traceward.spark
    verdicts = traceward.spark.check(events, "G(request -> F[0,5s] answer)", by="user", time="at")
    verdicts.where("verdict = 'violated'").show()

Rows are partitioned by key and sorted by key and time, and go through the workers in batches. Only the
columns that the spec speaks of are shuffled. The workers need the packages ``traceward`` and ``pyarrow``.
"""

from __future__ import annotations

import datetime
import difflib
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from . import check as _check
from . import query as _query
from ._errors import TraceError, UsageError
from ._monitor import Monitor
from ._native import Spec
from ._sorted import TIME, UNITS, Question, answers, own_key
from ._verdict import Verdict

__all__ = ["check", "monitor", "query", "summary"]

#: The options of the program that have a meaning here.
_OPTIONS = (
    "accuracy",
    "approximate",
    "changes",
    "dialect",
    "engine",
    "event",
    "memory_limit",
    "missing",
    "no_simplify",
    "node_limit",
    "null",
    "prefix",
    "search_limit",
    "slice_limit",
    "trace_memory",
    "type",
    "work_limit",
)

#: What options do whose place is taken by something else.
_INSTEAD = {
    "sort": "rows are sorted by time anyway",
    "lateness": "rows are sorted by time anyway; of a stream, monitor(…, watermark=…) takes it",
    "late": "rows are sorted by time anyway; of a stream, monitor(…, watermark=…) takes it",
    "end_when": "make the number of the trace a part of the key",
    "max_violations": "each key has rows of its own",
    "allow_empty": "a key has at least one row",
}

#: The same for streams.
_INSTEAD_IN_STREAMS = {
    "prefix": "it is always the beginning of a longer one",
    "trace_memory": "what is kept of a key is a monitor, and no states",
}

_Names = Union[str, Sequence[str]]


def check(
    df: DataFrame,
    spec: Any,
    *,
    by: _Names,
    time: Optional[str] = None,
    order: _Names = (),
    on_error: str = "stop",
    evidence: bool = True,
    rows: int = 250_000,
    partitions: Optional[int] = None,
    **options: Any,
) -> DataFrame:
    """Checks the properties of a spec on each key of a DataFrame.

    Returns a row for each key and property:

    - ``key``, of the type of the column ``by``, or a struct of several columns;
    - ``property``: its name;
    - ``verdict``: ``satisfied`` or ``violated``; with ``prefix=True`` also ``holding`` and ``pending``;
    - ``position``: of the first state, counted from 0, that violates it;
    - ``time``: of that state, of the type of the time column; not there without ``time``;
    - ``states``: how many rows the key has;
    - ``evidence``: what speaks for the violation;
    - ``error``: why there is no verdict, with ``on_error="row"``.

    ``time`` names the column of timestamps; plain numbers need a unit, as in ``time="t:ms"``. Rows of the
    same moment are in the order of the columns ``order``, and those that have even these in common in the
    order of the values of the spec's variables, by name. Nulls come first. So the order never depends on
    how rows were partitioned. Without ``time`` rows are in the order of ``order``.

    ``on_error="stop"`` fails the job if there is no answer for a key: its time is null somewhere, its
    key is null, or the evaluation fails. With ``"row"`` such a key has rows that say so.

    Keys of up to ``rows`` rows are held in memory and checked together. A longer one is checked by itself
    while its rows are read; those that take more than ``trace_memory`` MiB (128) wait in a temporary file of the
    worker. Answers do not depend on either.

    ``evidence=False`` leaves out where and why, which is faster if many keys violate something.
    ``partitions`` is the number of partitions; Spark's setting otherwise. Spark may ask after each row how
    many bytes a batch has, which can take longer than all else; without that limit it does not:
    ``spark.conf.set("spark.sql.execution.arrow.maxBytesPerBatch", str(2**31 - 1))``. Further options are those of
    `traceward.check`, such as ``missing="error"`` or ``event="activity"``.
    """
    asked = _Asked.of(df, spec, "check", by, time, order, options)
    fields = [
        T.StructField("key", asked.key_type),
        T.StructField("property", T.StringType()),
        T.StructField("verdict", T.StringType()),
        T.StructField("position", T.LongType()),
        *([T.StructField("time", asked.time_type)] if asked.time_type is not None else []),
        T.StructField("states", T.LongType()),
        T.StructField("evidence", T.StringType()),
        T.StructField("error", T.StringType()),
    ]
    question = asked.question("check", on_error, rows, evidence)
    return asked.answered(question, T.StructType(fields), partitions)


def query(
    df: DataFrame,
    spec: Any,
    *,
    by: _Names,
    time: Optional[str] = None,
    order: _Names = (),
    on_error: str = "stop",
    rows: int = 250_000,
    partitions: Optional[int] = None,
    **options: Any,
) -> DataFrame:
    """Measures the queries of a spec on each key of a DataFrame.

    Returns a row for each key and query: ``key``, ``query``, ``value`` as a double if it is a number,
    ``text`` with the value as it is, which is JSON if it is no text, ``states`` and ``error``. Both are null
    for a key for which there is no value. The other arguments are those of `check`. A query needs the columns
    that it speaks of of all rows of a key in memory, and so does an assert.
    """
    asked = _Asked.of(df, spec, "query", by, time, order, options)
    fields = [
        T.StructField("key", asked.key_type),
        T.StructField("query", T.StringType()),
        T.StructField("value", T.DoubleType()),
        T.StructField("text", T.StringType()),
        T.StructField("states", T.LongType()),
        T.StructField("error", T.StringType()),
    ]
    question = asked.question("query", on_error, rows, False)
    return asked.answered(question, T.StructType(fields), partitions)


def summary(
    df: DataFrame,
    spec: Any,
    *,
    by: _Names,
    time: Optional[str] = None,
    order: _Names = (),
    on_error: str = "stop",
    rows: int = 250_000,
    partitions: Optional[int] = None,
    **options: Any,
) -> DataFrame:
    """Checks the properties of a spec on each key of a DataFrame, and counts.

    Returns a row for each property, in the spec's order: ``property``, how many ``keys`` there are, for how
    many it is ``satisfied``, ``violated``, ``holding``, ``pending`` and ``unknown``, how many of those for which
    it is satisfied are ``vacuous`` as its trigger never happened, and for how many there were ``errors``.
    ``worst`` has the five keys with the most violations, and how many these are. The other arguments are those
    of `check`.
    """
    asked = _Asked.of(df, spec, "check", by, time, order, options)
    counts = ["keys", *map(str, Verdict), "vacuous", "errors"]
    one = T.StructType([T.StructField("fewer", T.LongType()), T.StructField("key", asked.key_type)])
    fields = [
        T.StructField("property", T.StringType()),
        *(T.StructField(name, T.LongType()) for name in counts),
        T.StructField("worst", T.ArrayType(one)),
    ]
    question = asked.question("summary", on_error, rows, True)
    parts = asked.answered(question, T.StructType(fields), partitions)
    worst = F.slice(F.sort_array(F.flatten(F.collect_list("worst"))), 1, 5)
    summed = parts.groupBy("property").agg(*(F.sum(name).alias(name) for name in counts), worst.alias("worst"))
    # A property has a row even if there is no key at all.
    names = [(index, name) for index, name in enumerate(question.names)]
    properties = df.sparkSession.createDataFrame(names, "number int, property string")
    joined = F.broadcast(properties).join(summed, "property", "left").orderBy("number")
    told = F.transform("worst", lambda one: F.struct(one["key"].alias("key"), (-one["fewer"]).alias("violations")))
    return joined.select(
        "property",
        *(F.coalesce(F.col(name), F.lit(0).cast("long")).alias(name) for name in counts),
        F.coalesce(told, F.array().cast(T.ArrayType(_worst_type(asked.key_type)))).alias("worst"),
    )


def monitor(
    df: DataFrame,
    spec: Any,
    *,
    by: str,
    time: str,
    watermark: str,
    order: _Names = (),
    idle: Optional[datetime.timedelta] = None,
    on_error: str = "stop",
    **options: Any,
) -> DataFrame:
    """Follows each key of a stream, and tells verdicts as they change.

    Returns a stream, for the output mode ``append``, with a row each time a verdict is another one at the
    end of a micro-batch: ``key``, ``property``, ``verdict`` (``holding``, ``pending``, ``satisfied`` or
    ``violated``), ``position`` and ``time`` of the state that decided it, or the last one so far, ``final``
    where nothing can change it any more, and ``error``. So the last row of a key and property is what is known.

    ``watermark`` is how late a row may be, such as ``"10 minutes"``. A row waits until the watermark, the
    largest time of the stream less that much, has reached its time, and then goes in the order that
    `check` gives the whole trace: by time, ``order``, and variables by name. Rows that are later still are dropped
    by Spark. Whatever the micro-batches were, and wherever the stream was stopped and went on from its
    checkpoint, verdicts are those of the trace up to the watermark. The rows behind it have not been judged yet.

    A deadline that is missed is told once the watermark has passed it, also if the key has no more rows.
    With ``idle``, the trace of a key ends where no row comes for longer than that, by the time of rows: all
    verdicts are final then, its state is forgotten, and a later row begins another trace. Without it a key never
    ends, and its state is kept.

    ``time`` names a column of timestamps. ``on_error`` and further options are those of `check`; with ``"row"`` a
    key without an answer has final rows that say why, and its later rows are passed over.
    """
    if not isinstance(by, str):
        raise UsageError("by: one column is needed to follow a stream")
    for name in options:
        if name in _INSTEAD_IN_STREAMS:
            raise TypeError(f"there is no option `{name}` for a stream: {_INSTEAD_IN_STREAMS[name]}")
    asked = _Asked.of(df, spec, "check", by, time, order, options, is_stream=True)
    if not df.isStreaming:
        raise UsageError("the DataFrame is no stream: traceward.spark.check answers for it")
    if not isinstance(asked.time_type, T.TimestampType):
        raise UsageError(f"time: a stream needs a column of timestamps, and `{time}` is {asked.time_type.simpleString()}")
    if on_error not in ("stop", "row"):
        raise UsageError(f'on_error: "stop" or "row" is needed, not {on_error!r}')
    # What a monitor refuses is refused here, and not by a worker.
    Monitor(asked.spec, **asked.options, time=TIME, **own_key(asked.spec))
    return _followed(asked, watermark, idle, on_error == "stop")


def _followed(asked: _Asked, watermark: str, idle: Optional[datetime.timedelta], stops: bool) -> DataFrame:
    # Needs pandas, which what is not streamed does not.
    from ._stream import EXACT, STATE, StreamQuestion

    assert asked.time is not None
    order = [(name, found.column, found.type) for name, found in asked.order_columns]
    carried = [("", F.unix_micros(asked.time).cast("decimal(19,0)"), EXACT, pa.int64())]
    for name, column, kind in [*asked.variables, *order]:
        arrow = _arrow(kind)
        if isinstance(kind, T.LongType):
            carried.append((name, column.cast("decimal(19,0)"), EXACT, pa.int64()))
        elif isinstance(kind, T.TimestampType):
            exact = F.unix_micros(column).cast("decimal(19,0)")
            carried.append((name, exact, EXACT, pa.timestamp("us", "UTC")))
        elif arrow is None or isinstance(kind, (T.ArrayType, T.StructType, T.TimestampNTZType)):
            raise UsageError(
                f"`{name}` is {kind.simpleString()}, which a stream does not carry: make it a column of numbers, "
                "texts, booleans, dates or timestamps"
            )
        else:
            carried.append((name, column, arrow, arrow))
    question = StreamQuestion(
        spec=asked.spec,
        names=asked.names,
        options=asked.options,
        columns=tuple((name, arriving, kind) for name, _, arriving, kind in carried),
        variables=len(asked.variables),
        idle=None if idle is None else idle // datetime.timedelta(microseconds=1),
        stops=stops,
    )
    columns = [column.alias(f"v{index}") for index, (_, column, _, _) in enumerate(carried)]
    rows = asked.df.select(asked.key.alias("key"), asked.time.alias("moment"), *columns)
    schema = T.StructType(
        [
            T.StructField("key", asked.key_type),
            T.StructField("property", T.StringType()),
            T.StructField("verdict", T.StringType()),
            T.StructField("position", T.LongType()),
            T.StructField("time", T.TimestampType()),
            T.StructField("final", T.BooleanType()),
            T.StructField("error", T.StringType()),
        ]
    )
    # The function has a name that Spark can show.
    follow = question.__call__
    late = rows.withWatermark("moment", watermark).groupBy("key")
    return late.applyInPandasWithState(follow, schema, STATE, "append", "EventTimeTimeout")


def _worst_type(key_type: T.DataType) -> T.StructType:
    return T.StructType([T.StructField("key", key_type), T.StructField("violations", T.LongType())])


class _Asked:
    """A spec, and what it needs of a DataFrame. Whatever can be wrong with them is found out here."""

    def __init__(self, df: DataFrame, spec: Spec, columns: _Columns, options: Dict[str, Any]) -> None:
        self.df = df
        self.spec = spec
        self.options = options
        self._columns = columns
        self.names: Tuple[str, ...] = ()
        self.key: Column = F.lit(None)
        self.key_type: T.DataType = T.NullType()
        self.time: Optional[Column] = None
        self.time_type: Optional[T.DataType] = None
        self.unit: Optional[str] = None
        self.order_columns: List[Tuple[str, _Found]] = []
        self.variables: List[Tuple[str, Column, T.DataType]] = []

    @classmethod
    def of(
        cls,
        df: DataFrame,
        spec: Any,
        goal: str,
        by: _Names,
        time: Optional[str],
        order: _Names,
        options: Dict[str, Any],
        is_stream: bool = False,
    ) -> _Asked:
        if not hasattr(df, "mapInArrow"):
            raise TypeError(f"a DataFrame of Spark is needed, not {type(df).__name__}")
        if df.isStreaming and not is_stream:
            raise UsageError("the DataFrame is a stream, which has no end: traceward.spark.monitor follows it")
        _refuse_unknown(options)
        columns = _Columns(df)
        read = {name: options[name] for name in ("event", "dialect") if options.get(name) is not None}
        asked = cls(df, Spec(spec, **read) if read or not isinstance(spec, Spec) else spec, columns, options)
        asked._find_key(by)
        asked._find_time(time)
        names = [order] if isinstance(order, str) else list(order)
        asked.order_columns = [(name, columns.found(name, "order")) for name in names]
        if time is None and not names:
            raise UsageError(
                "rows of a DataFrame have no order: name the column of timestamps with time=, or columns that "
                "order the rows of a key with order="
            )
        asked._find_variables()
        asked._probe(goal, time)
        return asked

    def _find_key(self, by: _Names) -> None:
        names = [by] if isinstance(by, str) else list(by)
        if not names:
            raise UsageError("by= names the column of keys, or several of them")
        found = [self._columns.found(name, "by") for name in names]
        for name, one in zip(names, found):
            if not _is_simple(one.type):
                raise UsageError(f"by: the column `{name}` is {one.type.simpleString()}, which cannot be a key")
        # Texts that a collation takes for the same are two keys, as they are everywhere else.
        columns = [_binary(one) for one in found]
        self.key, self.key_type = columns[0]
        if not isinstance(by, str):
            is_whole = F.lit(True)
            for column, _ in columns:
                is_whole = is_whole & column.isNotNull()
            self.key = F.when(is_whole, F.struct(*(one.alias(name) for name, (one, _) in zip(names, columns))))
            self.key_type = T.StructType([T.StructField(name, kind) for name, (_, kind) in zip(names, columns)])

    def _find_time(self, time: Optional[str]) -> None:
        if time is None:
            return
        name, unit = _name_and_unit(time)
        found = self._columns.found(name, "time")
        kind = found.type.simpleString()
        if isinstance(found.type, T.NumericType):
            if unit is None:
                raise UsageError(f'time: `{name}` holds plain numbers: say their unit, as in time="{name}:ms"')
        elif not isinstance(found.type, (T.TimestampType, T.TimestampNTZType, T.DateType)):
            raise UsageError(
                f"time: the column `{name}` is {kind}, which does not sort by time: make it a timestamp first, "
                f'as in df.withColumn("{name}", to_timestamp("{name}"))'
            )
        self.time, self.time_type = found.column, found.type
        self.unit = unit if isinstance(found.type, T.NumericType) else None

    def _find_variables(self) -> None:
        selected: Dict[str, _Found] = {}
        for name in self.spec.variables:
            found = self._columns.find(name)
            if found is not None:
                selected[found.name] = found
        self.variables = [(name, selected[name].column, selected[name].type) for name in sorted(selected)]

    def _probe(self, goal: str, time: Optional[str]) -> None:
        """Asks the spec of a table with the same columns and no rows: names are compared before a job runs."""
        options = dict(self.options)
        if time is not None:
            name, unit = _name_and_unit(time)
            escaped = name.replace("\\", "\\\\").replace("+", "\\+") if "+" in name else name
            options["time"] = escaped if unit is None else f"{escaped}:{unit}"
        ask = _query if goal == "query" else _check
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                report = ask(self.spec, self._columns.empty(), allow_empty=True, progress=False, **options)
            except TraceError as error:
                if time is None and "time column" in str(error):
                    raise UsageError(f"{error}\n  help: name it with time=, also if the spec does") from error
                raise
        found = report.queries if goal == "query" else report.properties
        self.names = tuple(one.name for one in found)
        if not self.names:
            other = "check answers for properties" if goal == "query" else "query measures"
            what = "query" if goal == "query" else "property"
            raise UsageError(f"the spec has no {what}; traceward.spark.{other}")

    def question(self, goal: str, on_error: str, rows: int, evidence: bool) -> Question:
        if on_error not in ("stop", "row"):
            raise UsageError(f'on_error: "stop" or "row" is needed, not {on_error!r}')
        if rows < 1:
            raise UsageError("rows: at least one row has to be held")
        return Question(
            spec=self.spec,
            names=self.names,
            variables=tuple(name for name, _, _ in self.variables),
            goal=goal,
            unit=self.unit,
            has_time=self.time is not None,
            stops=on_error == "stop",
            rows=rows,
            evidence=evidence,
            options=self.options,
        )

    def answered(self, question: Question, schema: T.StructType, partitions: Optional[int]) -> DataFrame:
        return self.sorted(partitions).mapInArrow(partial(answers, question), schema)

    def sorted(self, partitions: Optional[int]) -> DataFrame:
        """What the spec needs of the DataFrame, partitioned by key and sorted by key and time."""
        # Names of variables have dots, which Spark takes for members. So columns have numbers here.
        columns = [self.key]
        columns += [self.time] if self.time is not None else []
        columns += [column for _, column, _ in self.variables]
        names = [f"c{index}" for index in range(len(columns))]
        order = [f"o{index}" for index in range(len(self.order_columns))]
        columns += [found.column for _, found in self.order_columns]
        aliased = [column.alias(name) for column, name in zip(columns, names + order)]
        rows = self.df.select(*aliased)
        rows = rows.repartition("c0") if partitions is None else rows.repartition(partitions, "c0")
        first = len(names) - len(self.variables)
        ties = [name for name, (_, _, kind) in zip(names[first:], self.variables) if _is_ordered(kind)]
        return rows.sortWithinPartitions(*names[:first], *order, *ties).select(*names)


@dataclass(frozen=True)
class _Found:
    """A column that a name means, or a member of one."""

    name: str
    column: Column
    type: T.DataType


class _Columns:
    """The columns of a DataFrame by the names that specs give them."""

    def __init__(self, df: DataFrame) -> None:
        self._fields = {one.name: one for one in df.schema.fields}
        if len(self._fields) < len(df.columns):
            twice = sorted({name for name in df.columns if df.columns.count(name) > 1})
            raise UsageError(f"several columns are called {', '.join(f'`{name}`' for name in twice)}: rename them")

    def find(self, name: str) -> Optional[_Found]:
        """The column that a name means: ``a.b`` is a column of that name, or the member ``b`` of ``a``."""
        columns = (_Found(one.name, _quoted(one.name), one.dataType) for one in self._fields.values())
        found = [one for column in columns for one in _members(column, name)]
        if sum(one.name == name for one in found) > 1:
            # As whoever reads tables says it.
            raise TraceError(f"the DataFrame has `{name}` more than once\n  help: rename one of these columns")
        return max(found, key=lambda one: len(one.name), default=None)

    def found(self, name: str, option: str) -> _Found:
        """The column that an option names."""
        if not isinstance(name, str):
            raise TypeError(f"{option}: the name of a column is needed, not {type(name).__name__}")
        found = self.find(name)
        if found is None or found.name != name:
            near = difflib.get_close_matches(name, self._fields, 1)
            known = ", ".join(f"`{one}`" for one in self._fields)
            help = f"did you mean `{near[0]}`?" if near else f"there are {known}"
            raise UsageError(f"{option}: there is no column `{name}`\n  help: {help}")
        return found

    def empty(self) -> pa.Table:
        """A table with these columns, and no rows."""
        fields = [(field.name, _arrow(field.dataType)) for field in self._fields.values()]
        return pa.schema([(name, kind) for name, kind in fields if kind is not None]).empty_table()


#: Types of Spark by the names of their classes, as Arrow has them.
_ARROW = {
    "BooleanType": pa.bool_(),
    "ByteType": pa.int8(),
    "ShortType": pa.int16(),
    "IntegerType": pa.int32(),
    "LongType": pa.int64(),
    "FloatType": pa.float32(),
    "DoubleType": pa.float64(),
    "StringType": pa.string(),
    "CharType": pa.string(),
    "VarcharType": pa.string(),
    "BinaryType": pa.binary(),
    "DateType": pa.date32(),
    "TimestampType": pa.timestamp("us", "UTC"),
    "TimestampNTZType": pa.timestamp("us"),
    "DayTimeIntervalType": pa.duration("us"),
    "NullType": pa.null(),
}


def _arrow(kind: T.DataType) -> Optional[pa.DataType]:
    """The type that a column has in Arrow; none if it has none, which is no matter unless it is asked for."""
    if isinstance(kind, T.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, T.ArrayType):
        element = _arrow(kind.elementType)
        return None if element is None else pa.list_(element)
    if isinstance(kind, T.StructType):
        members = [(one.name, _arrow(one.dataType)) for one in kind.fields]
        return pa.struct([(name, member) for name, member in members if member is not None])
    return _ARROW.get(type(kind).__name__)


def _members(found: _Found, path: str) -> List[_Found]:
    """What a path means that begins with a column: it, or members of it; elements of lists are left to whoever has the
    list."""
    if path != found.name and not path.startswith(found.name + "."):
        return []
    if path == found.name or not isinstance(found.type, T.StructType):
        return [found]
    members = (
        _Found(f"{found.name}.{one.name}", found.column.getField(one.name), one.dataType) for one in found.type.fields
    )
    return [inside for member in members for inside in _members(member, path)] or [found]


def _quoted(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


def _binary(found: _Found) -> Tuple[Column, T.DataType]:
    collation = getattr(found.type, "collation", "UTF8_BINARY")
    if isinstance(found.type, T.StringType) and collation != "UTF8_BINARY":
        return F.collate(found.column, "UTF8_BINARY"), T.StringType()
    return found.column, found.type


def _is_simple(kind: T.DataType) -> bool:
    return isinstance(kind, T.AtomicType) and type(kind).__name__ != "VariantType"


def _is_ordered(kind: T.DataType) -> bool:
    if isinstance(kind, T.ArrayType):
        return _is_ordered(kind.elementType)
    if isinstance(kind, T.StructType):
        return all(_is_ordered(one.dataType) for one in kind.fields)
    return _is_simple(kind)


def _name_and_unit(time: str) -> Tuple[str, Optional[str]]:
    name, colon, unit = time.rpartition(":")
    return (name, unit) if colon and unit in UNITS else (time, None)


def _refuse_unknown(options: Dict[str, Any]) -> None:
    for name in options:
        if name in _INSTEAD:
            raise TypeError(f"there is no option `{name}` on Spark: {_INSTEAD[name]}")
        if name not in _OPTIONS:
            near = difflib.get_close_matches(name, _OPTIONS, 1)
            help = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(_OPTIONS)}"
            raise TypeError(f"there is no option `{name}` on Spark: {help}")
