"""Tables that compute: only the columns that a spec needs are asked of them, in order if that is wanted.

A relation of DuckDB and a lazy frame of Polars are plans. What is selected and sorted here is selected and sorted
there, and comes over batch by batch. None of the libraries is imported: whoever has a frame has its library.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Protocol, Sequence, Tuple

from . import _native
from ._errors import Error, SpecError, TraceError

#: How the names of types begin whose order is that of time. Texts are not among them: their order is that of letters.
_ORDERED_IN_DUCKDB = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
    "DATE",
    "TIMESTAMP",
)

#: The name of the column that keeps rows of the same time in order.
_ROW = "traceward row"


def narrowed(spec: Any, data: Any, measures: bool, options: Dict[str, Any]) -> Tuple[Any, Dict[str, Any]]:
    """The data and the options, or as much of both as is left to be done here."""
    make = _FRAMES.get((type(data).__module__.partition(".")[0], type(data).__name__))
    if make is None:
        return data, options
    frame = make(data)
    variables, time, key = _native.needs(spec, measures, options)
    names = frame.names()
    if len(set(names)) < len(names):
        # Which one is meant is for the reader to say.
        return data, options
    wanted = [*variables, *time, *([] if key is None else [key])]
    roots = [_roots(names, name) for name in wanted]
    if [] in roots:
        _refuse_unknown(spec, frame, measures, options)
    # If there are several, which one is meant is for the reader to say, too.
    columns = [name for name in names if any(name in each for each in roots)]
    if type(data).__module__.startswith("polars."):
        refuse_objects(data, columns)
    # A table without columns has no rows.
    frame.select(columns or names[:1])
    # What is inside of a column, or is not there, is for the reader to find.
    if options.get("sort") is True and len(time) == 1 and time[0] in names and frame.sort(time[0]):
        options = {name: value for name, value in options.items() if name != "sort"}
    return frame.table(), options


def chosen(data: Any, wanted: Sequence[str]) -> Tuple[Any, Optional[List[str]]]:
    """A frame with no columns but those that are wanted, and all names that it had; or the data as it is."""
    make = _FRAMES.get((type(data).__module__.partition(".")[0], type(data).__name__))
    if make is None:
        return data, None
    frame = make(data)
    names = frame.names()
    columns = [column for column in names if any(column in _roots(names, name) for name in wanted)]
    if len(set(names)) < len(names) or not columns:
        # Which one is meant, and that none is there, is for the reader to say.
        return data, None
    if type(data).__module__.startswith("polars."):
        refuse_objects(data, columns)
    frame.select(columns)
    return frame.table(), names


def whole(data: Any) -> Any:
    """The data with all columns, computed if they are not yet."""
    make = _FRAMES.get((type(data).__module__.partition(".")[0], type(data).__name__))
    if make is None:
        return data
    frame = make(data)
    if type(data).__module__.startswith("polars."):
        refuse_objects(data, frame.names())
    return frame.table()


def _refuse_unknown(spec: Any, frame: _Frame, measures: bool, options: Dict[str, Any]) -> None:
    """Says that something is not there before all rows are computed, with all names in the message. What may be
    absent, as in `defined(x)`, is no mistake."""
    try:
        _native.check(spec, frame.first(), measures, options, False, False)
    except SpecError:
        raise
    except Error:
        pass  # It may be about this row alone.


def _roots(known: Sequence[str], name: str) -> List[str]:
    """The columns that a variable is, or may be a member of: `status.code` may be one of `status`."""
    return [column for column in known if name == column or name.startswith(f"{column}.")]


def refuse_objects(frame: Any, columns: Sequence[str]) -> None:
    """Refuses columns of Python's objects: Polars hands over where they are in memory, which looks like texts."""
    kinds = frame.collect_schema()
    for name in columns:
        if str(kinds[name]) == "Object":
            raise TraceError(
                f"<table>: `{_native.shown(name)}` has objects of Python, which Polars does not hand over\n"
                "  help: make texts or numbers of them, for example with map_elements(str, return_dtype=polars.String)"
            )


class _Frame(Protocol):
    """A table that computes."""

    def names(self) -> List[str]:
        """The names of its columns."""

    def first(self) -> Any:
        """Its first row."""

    def select(self, names: List[str]) -> None:
        """Leaves out all other columns."""

    def sort(self, time: str) -> bool:
        """Puts rows in order of time, those of the same time as they are; tells whether it could."""

    def table(self) -> Any:
        """What is left of it, as Arrow data."""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class _Relation:
    """A relation of DuckDB."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        self._names: Optional[List[str]] = None
        self._time: Optional[str] = None

    def names(self) -> List[str]:
        return list(self._relation.columns)

    def first(self) -> Any:
        return self._relation.limit(1)

    def select(self, names: List[str]) -> None:
        self._names = names

    def sort(self, time: str) -> bool:
        types = dict(zip(self._relation.columns, map(str, self._relation.types)))
        if not types[time].startswith(_ORDERED_IN_DUCKDB):
            return False
        self._time = time
        return True

    def table(self) -> Any:
        if self._names is None and self._time is None:
            return self._relation
        columns = ", ".join(map(_quoted, self._names or self.names()))
        if self._time is None:
            return self._relation.project(columns)
        # Sorting keeps no order among equals unless it is told of one. Rows are numbered where they are
        # scanned, which both threads do; after a projection of its own, one thread would count them.
        row = _quoted(_ROW)
        numbered = self._relation.project(f"{columns}, row_number() over () as {row}")
        # A connection may have another order than this for whoever names none.
        return numbered.order(f"{_quoted(self._time)} asc nulls last, {row} asc").project(columns)


class _Lazy:
    """A lazy frame of Polars."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def names(self) -> List[str]:
        return list(self._frame.collect_schema().names())

    def first(self) -> Any:
        return self._frame.head(1).collect()

    def select(self, names: List[str]) -> None:
        self._frame = self._frame.select(names)

    def sort(self, time: str) -> bool:
        kind = self._frame.collect_schema()[time]
        if not (kind.is_numeric() or kind.is_temporal()):
            return False
        self._frame = self._frame.sort(time, maintain_order=True)
        return True

    def table(self) -> Any:
        self._give_types()
        # Batches come one by one from version 1.34 on, and as a stream of Arrow's later.
        if hasattr(self._frame, "collect_batches"):
            batches = self._frame.collect_batches(maintain_order=True, engine="streaming")
            if hasattr(batches, "__arrow_c_stream__"):
                return batches
        return self._frame.collect(engine="streaming")

    def _give_types(self) -> None:
        """Gives columns of nothing but nulls a type: nobody takes them as Polars hands them over."""
        self._frame = typed(self._frame)


def typed(frame: Any) -> Any:
    """The frame of Polars with a type for what has none, which are nulls alone: in columns, and inside of them."""
    types = {name: (kind, _typed(kind)) for name, kind in frame.collect_schema().items()}
    casts = {name: after for name, (before, after) in types.items() if before != after}
    return frame.cast(casts) if casts else frame


def _typed(kind: Any) -> Any:
    import polars

    if kind == polars.Null:
        return polars.Boolean()
    if isinstance(kind, polars.Struct):
        return polars.Struct({field.name: _typed(field.dtype) for field in kind.fields})
    if isinstance(kind, polars.List):
        return polars.List(_typed(kind.inner))
    if isinstance(kind, polars.Array):
        return polars.Array(_typed(kind.inner), kind.size)
    return kind


class _InMemory:
    """A frame whose columns are there already; to leave some out saves to convert them."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def names(self) -> List[str]:
        return list(self._frame.columns)

    def first(self) -> Any:
        return self._frame.head(1)

    def select(self, names: List[str]) -> None:
        self._frame = self._frame[names]

    def sort(self, time: str) -> bool:
        return False

    def table(self) -> Any:
        return self._frame


class _Pandas(_InMemory):
    """A frame of pandas, whose index is a column if it has a name. Names need not be texts there: they become texts
    where the frame is handed over."""

    def names(self) -> List[str]:
        return [*map(str, self._frame.columns), *(str(name) for name in self._frame.index.names if name is not None)]

    def select(self, names: List[str]) -> None:
        self._frame = self._frame.loc[:, [str(name) in names for name in self._frame.columns]]


_FRAMES: Dict[Tuple[str, str], Callable[[Any], _Frame]] = {
    ("duckdb", "DuckDBPyRelation"): _Relation,
    ("_duckdb", "DuckDBPyRelation"): _Relation,
    ("polars", "LazyFrame"): _Lazy,
    ("polars", "DataFrame"): _InMemory,
    ("pandas", "DataFrame"): _Pandas,
}
