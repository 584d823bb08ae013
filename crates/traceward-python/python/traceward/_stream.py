"""A monitor for each key of a stream of Spark, which is kept as bytes between micro-batches.

Rows arrive in any order that the stream's watermark allows. A row waits in the key's state until the
watermark has reached its time: none that is earlier can follow then, and the monitor takes rows in
the order that they have in the whole trace.
"""

from __future__ import annotations

import datetime
import json
import warnings
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ._errors import Error, TraceError
from ._monitor import Monitor
from ._native import Change, Spec
from ._sorted import KEY, TIME, _about, _worded, own_key

#: The state of a key, as Spark keeps it.
STATE = "saved binary, waiting binary, told string, last long, deadline long"

#: A type that pandas keeps exact where values are missing, for integers of 64 bits.
EXACT = pa.decimal128(19, 0)

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class _Kept(NamedTuple):
    """What is known of a key between micro-batches."""

    saved: Optional[bytes] = None
    #: The rows whose time the watermark has not reached.
    waiting: Optional[bytes] = None
    #: The verdicts that were told last, by property, as JSON; or the reason why there are none.
    told: str = "{}"
    #: The time of the last state, in microseconds.
    last: Optional[int] = None
    #: The time that may bring a verdict once it has passed, in nanoseconds.
    deadline: Optional[int] = None


@dataclass(frozen=True)
class StreamQuestion:
    """What is asked of each key of a stream."""

    spec: Spec
    names: Tuple[str, ...]
    options: Dict[str, Any]
    #: Columns by name, with the type that they arrive in and the one that they have; time first.
    columns: Tuple[Tuple[str, pa.DataType, pa.DataType], ...]
    #: How many of them are variables of the spec; those that come behind only order rows.
    variables: int
    #: After how many microseconds without a row a key's trace ends; never if none.
    idle: Optional[int]
    stops: bool

    def __call__(self, key: Tuple[Any, ...], frames: Iterable[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        """What Spark calls for a key that has rows, or whose time has come."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = _Key(self, key[0], state).taken(frames)
        if rows:
            yield _frame(key[0], rows)


class _Key:
    """A key during a micro-batch."""

    def __init__(self, question: StreamQuestion, key: Any, state: Any) -> None:
        self._question = question
        self._key = key
        self._state = state
        self._watermark = state.getCurrentWatermarkMs()
        kept = _Kept(*state.get) if state.exists else _Kept()
        self._waiting = kept.waiting
        self._saved = kept.saved
        self._told: Dict[str, Any] = json.loads(kept.told)
        self._last = kept.last
        self._deadline = kept.deadline
        # It takes longer to restore a monitor than to find out that nothing has happened.
        self._monitor: Optional[Monitor] = None
        self._rows: List[Dict[str, Any]] = []

    def taken(self, frames: Iterable[pd.DataFrame]) -> List[Dict[str, Any]]:
        """Takes new rows, and returns what there is to tell."""
        if "error" in self._told:
            return []
        try:
            if _is_null(self._key):
                raise TraceError("the key is null in some rows; leave them out, or give them a key")
            tables = [self._table(frame) for frame in frames if len(frame)]
            if self._waiting:
                tables.insert(0, pa.ipc.open_stream(self._waiting).read_all())
            self._follow(pa.concat_tables(tables) if tables else None)
        except Error as error:
            self._fail(error)
        return self._rows

    def _table(self, frame: pd.DataFrame) -> pa.Table:
        columns = {}
        for index, (_, arriving, kind) in enumerate(self._question.columns):
            values = pa.array(frame.iloc[:, 2 + index], from_pandas=True)
            columns[f"{index}"] = values.cast(arriving).cast(kind)
        if columns["0"].null_count:
            raise TraceError("the time is null in some rows")
        return pa.table(columns)

    def _follow(self, rows: Optional[pa.Table]) -> None:
        if rows is not None:
            is_due = pc.less_equal(rows.column(0), self._watermark * 1000)
            due, rows = rows.filter(is_due), rows.filter(pc.invert(is_due))
            for part in self._parts(due):
                self._end_before(part.column(0)[0].as_py())
                self._step(part)
        # Rows that wait are behind the watermark.
        self._end_before(self._watermark * 1000)
        self._advance()
        self._keep(rows if rows is not None and rows.num_rows else None)

    def _parts(self, due: pa.Table) -> Iterator[pa.Table]:
        """The rows in order, cut where nothing came for so long that a trace has ended."""
        if due.num_rows == 0:
            return
        order = [(name, "ascending") for name in self._order(due)]
        due = due.take(pc.sort_indices(due, sort_keys=order, null_placement="at_start"))
        start = 0
        if self._question.idle is not None:
            moments = due.column(0).combine_chunks()
            gaps = pc.subtract(moments.slice(1), moments.slice(0, len(moments) - 1))
            for index in pc.indices_nonzero(pc.greater(gaps, self._question.idle)).to_pylist():
                yield due.slice(start, index + 1 - start)
                start = index + 1
        yield due.slice(start)

    def _followed(self) -> Monitor:
        if self._monitor is None:
            options = dict(self._question.options, time=TIME, **own_key(self._question.spec))
            if self._saved:
                self._monitor = Monitor.restore(self._question.spec, bytes(self._saved), **options)
            else:
                self._monitor = Monitor(self._question.spec, **options)
        return self._monitor

    def _step(self, rows: pa.Table) -> None:
        monitor = self._followed()
        changes = monitor.step_batch(self._named(rows))
        self._last = rows.column(0)[-1].as_py()
        self._tell_changes(monitor, changes)

    def _advance(self) -> None:
        """Lets the time pass up to the watermark."""
        has_passed = self._deadline is not None and self._watermark * 1_000_000 > self._deadline
        if self._monitor is not None or has_passed:
            monitor = self._followed()
            moment = _EPOCH + datetime.timedelta(milliseconds=self._watermark)
            self._tell_changes(monitor, monitor.advance_to(moment))

    def _tell_changes(self, monitor: Monitor, changes: Iterable[Change]) -> None:
        decided = {change.property: change.to_dict() for change in changes if change.is_final}
        for name, verdict in monitor.verdicts.items():
            found = decided.get(name)
            if found is not None:
                time = found.get("time_ns")
                self._tell(name, str(verdict), found["position"], self._last if time is None else time // 1000, True)
            elif not self._is_final(name):
                self._tell(name, str(verdict), monitor.position - 1, self._last, False)

    def _end_before(self, moment: int) -> None:
        """Ends the trace if nothing came for too long before a moment."""
        idle = self._question.idle
        if idle is None or self._last is None or moment <= self._last + idle:
            return
        monitor = self._followed()
        position = monitor.position - 1
        for name, verdict in monitor.end().verdicts.items():
            if not self._is_final(name):
                self._tell(name, str(verdict), position, self._last, True)
        self._monitor, self._saved, self._last, self._deadline, self._told = None, None, None, None, {}

    def _keep(self, rows: Optional[pa.Table]) -> None:
        if self._monitor is not None:
            self._saved, self._deadline = self._monitor.save(), self._monitor.deadline
        if self._saved is None and rows is None:
            if self._state.exists:
                self._state.remove()
            return
        waiting = None if rows is None else _bytes(rows)
        self._state.update(tuple(_Kept(self._saved, waiting, json.dumps(self._told), self._last, self._deadline)))
        self._wait_for(rows)

    def _order(self, rows: pa.Table) -> List[str]:
        """Time, then what orders rows of the same moment, then variables, as in a batch."""
        names = rows.column_names
        split = 1 + self._question.variables
        return [names[0], *names[split:], *names[1:split]]

    def _named(self, rows: pa.Table) -> pa.Table:
        split = 1 + self._question.variables
        names = [name for name, _, _ in self._question.columns[1:split]]
        moments = rows.column(0).cast(pa.timestamp("us", "UTC"))
        named = pa.table([moments, *rows.columns[1:split]], names=[TIME, *names])
        if self._question.spec.by is None:
            return named
        # A spec that splits traces itself has one here.
        return named.append_column(KEY, pa.repeat(0, named.num_rows))

    def _tell(self, name: str, verdict: str, position: int, time: Optional[int], is_final: bool) -> None:
        if self._told.get(name) == [verdict, is_final]:
            return
        self._told[name] = [verdict, is_final]
        self._rows.append(dict(property=name, verdict=verdict, position=position, time=time, final=is_final))

    def _is_final(self, name: str) -> bool:
        return name in self._told and self._told[name][1]

    def _wait_for(self, rows: Optional[pa.Table]) -> None:
        """Has the key called again once the watermark brings something."""
        moments = []
        if rows is not None:
            moments.append(pc.min(rows.column(0)).as_py() // 1000)
        if self._deadline is not None:
            moments.append(self._deadline // 1_000_000)
        if self._question.idle is not None and self._last is not None:
            moments.append((self._last + self._question.idle) // 1000)
        if moments:
            self._state.setTimeoutTimestamp(max(min(moments), self._watermark + 1))

    def _fail(self, error: Error) -> None:
        if self._question.stops:
            raise _about(pa.array([self._key]), error) from error
        self._rows = [dict(property=name, final=True, error=_worded(error)) for name in self._question.names]
        kept = _Kept(told=json.dumps({"error": _worded(error)}))
        self._state.update(tuple(kept))


def _is_null(key: Any) -> bool:
    return key is None or key is pd.NaT or key is pd.NA


def _bytes(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()


def _frame(key: Any, rows: List[Dict[str, Any]]) -> pd.DataFrame:
    columns = {
        "key": pd.Series([key] * len(rows)),
        "property": pd.Series([row["property"] for row in rows]),
        "verdict": pd.Series([row.get("verdict") for row in rows], dtype=object),
        "position": pd.Series([row.get("position") for row in rows], dtype="Int64"),
        "time": pd.to_datetime(pd.Series([row.get("time") for row in rows], dtype="Int64"), unit="us", utc=True),
        "final": pd.Series([row["final"] for row in rows]),
        "error": pd.Series([row.get("error") for row in rows], dtype=object),
    }
    return pd.DataFrame(columns)
