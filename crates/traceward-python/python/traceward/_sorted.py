"""Answers about keys whose rows come in batches, sorted by key and time.

What shuffles and sorts hands over batches of Arrow data in which a key may begin and end anywhere.
Keys that fit into a bounded number of rows are asked about together by one call, which is fast. A key
that does not is asked about by itself, and its rows are pulled while they are read, so that what does
not fit into memory goes to a temporary file. Answers are those of the same call, and so the same.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import pyarrow as pa
import pyarrow.compute as pc

from . import check as _check
from . import query as _query
from ._errors import Error, TraceError
from ._native import Spec
from ._verdict import Verdict

#: The column of keys. Names of variables cannot be mistaken for it.
KEY = "traceward key"

#: The column of timestamps.
TIME = "traceward time"

#: Nanoseconds of the units of plain numbers.
UNITS = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}

#: How many MiB of states are kept in memory. Several workers share a machine.
_TRACE_MEMORY = 128

#: How many bytes of rows are held: behind twice as many, offsets of texts have no room.
_HELD_BYTES = 1 << 30

#: The bytes from which on a batch is taken in parts.
_PART_BYTES = 1 << 28

#: The number of keys with the most violations that a summary names.
_WORST = 5


@dataclass(frozen=True)
class Question:
    """What is asked of each key, and how."""

    spec: Spec
    #: The names of the properties, or of the queries.
    names: Tuple[str, ...]
    #: The names of the variables, in the order of their columns.
    variables: Tuple[str, ...]
    #: ``check``, ``query`` or ``summary``.
    goal: str
    #: The unit of plain numbers as timestamps; none if dates are, or there are no timestamps.
    unit: Optional[str] = None
    has_time: bool = False
    #: Whether a key that cannot be answered stops everything; otherwise it has rows that say why.
    stops: bool = True
    #: The number of rows that are held; a key that has more is asked about by itself.
    rows: int = 250_000
    #: Whether violations are looked at for where and why.
    evidence: bool = True
    options: Dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> List[str]:
        """The names of the columns of batches."""
        return [KEY, *([TIME] if self.has_time else []), *self.variables]

    def asked(self, rows: Any, **more: Any) -> Any:
        """The report on some rows."""
        ask = _query if self.goal == "query" else _check
        options = {"trace_memory": _TRACE_MEMORY, **self.options, **more}
        if self.has_time:
            options["time"] = TIME if self.unit is None else f"{TIME}:{self.unit}"
        return ask(self.spec, rows, progress=False, **options)


def answers(question: Question, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The answers about all keys of batches that are sorted by key and time.

    A batch has a column of keys, one of timestamps if there are any, and those of the spec's variables.
    """
    named = (batch.rename_columns(question.columns) for batch in batches)
    with warnings.catch_warnings():
        # What is said beside the answer about some of the keys is said of no one key.
        warnings.simplefilter("ignore")
        yield from _Keys(question).answers(named)


class _Keys:
    """The rows that have not been answered for yet."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._held: List[pa.RecordBatch] = []
        self._count = 0
        self._bytes = 0
        self._time_type: Optional[pa.DataType] = None
        self._nulls: Optional[Tuple[pa.DataType, int]] = None

    def answers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rest = self._with_keys(batches)
        for batch in rest:
            self._hold(batch)
            while self._count > self._question.rows or self._bytes > _HELD_BYTES:
                yield from self._answer_some(rest)
        yield from self._answer_held()
        if self._nulls is not None:
            key_type, count = self._nulls
            text = f"the key is null in {count} rows; leave them out, or give them a key"
            yield _failed(self._question, pa.nulls(1, key_type), count, text, self._time_type)

    def _with_keys(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows that have a key."""
        for batch in batches:
            if self._question.has_time:
                self._time_type = batch.schema.field(TIME).type
            yield from _parts(self._without_null_keys(batch))

    def _without_null_keys(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        keys = batch.column(KEY)
        if keys.null_count == 0:
            return batch
        if self._question.stops:
            raise TraceError(
                "the key is null in some rows; leave them out, give them a key, or ask for rows that say so: "
                'on_error="row"'
            )
        self._nulls = (keys.type, (self._nulls[1] if self._nulls else 0) + keys.null_count)
        return batch.filter(keys.is_valid())

    def _answer_some(self, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answers for the keys that are held, but the last one, which may go on, only if it is too long."""
        last = self._last_key()
        yield from self._answer_held()
        if last.num_rows <= self._question.rows and last.nbytes <= _HELD_BYTES:
            self._hold(last)
            return
        rows = _OneKey(last, rest)
        # What has been read is kept by nobody.
        del last
        yield from _alone(self._question, rows)
        if rows.behind is not None:
            self._hold(rows.behind)

    def _hold(self, batch: pa.RecordBatch) -> None:
        if batch.num_rows:
            self._held.append(batch)
            self._count += batch.num_rows
            self._bytes += batch.nbytes

    def _let_go(self) -> None:
        self._held, self._count, self._bytes = [], 0, 0

    def _last_key(self) -> pa.RecordBatch:
        """Takes the rows of the last key, which may go on, from those that are held."""
        batch = _one_batch(self._held)
        start = _starts(batch.column(KEY))[-1]
        self._let_go()
        self._hold(batch.slice(0, start))
        return batch.slice(start)

    def _answer_held(self) -> Iterator[pa.RecordBatch]:
        """Answers for the keys that are held, which have ended."""
        if self._held:
            rows = _one_batch(self._held)
            self._let_go()
            yield from _together(self._question, rows, _starts(rows.column(KEY)))


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in parts that are small enough to be put together with others."""
    if batch.num_rows < 2 or batch.nbytes <= _PART_BYTES:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _parts(batch.slice(0, middle))
    yield from _parts(batch.slice(middle))


def _one_batch(batches: List[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    whole = pa.Table.from_batches(batches).combine_chunks().to_batches()
    if len(whole) != 1:
        # PyArrow leaves texts apart that are too long together.
        raise TraceError("a row has texts that are too long to be held beside others")
    return whole[0]


def _changes(keys: pa.Array) -> pa.Array:
    """Whether each key but the first differs from the one before it. None of them is null."""
    if pa.types.is_struct(keys.type):
        changed = pa.array([False] * (len(keys) - 1), pa.bool_())
        for member in keys.flatten():
            changed = pc.or_(changed, _changes(member))
        return changed
    one, other = keys.slice(0, len(keys) - 1), keys.slice(1)
    changed = pc.not_equal(one, other)
    if pa.types.is_floating(keys.type):
        # One NaN is the same key as another.
        changed = pc.and_not(changed, pc.and_(pc.is_nan(one), pc.is_nan(other)))
    return changed


def _starts(keys: pa.Array) -> List[int]:
    """The rows at which keys begin."""
    return [0] + [index + 1 for index in pc.indices_nonzero(_changes(keys)).to_pylist()]


class _OneKey:
    """The rows of a key that has too many to be held. They are pulled while somebody reads them."""

    def __init__(self, first: pa.RecordBatch, batches: Iterator[pa.RecordBatch]) -> None:
        self.key = first.column(KEY).slice(0, 1)
        self.time_type: Optional[pa.DataType] = first.schema.field(TIME).type if TIME in first.schema.names else None
        #: The number of rows so far, and of those that have no time.
        self.states = 0
        self.without_time = 0
        #: The first rows of the keys behind it, once they have come.
        self.behind: Optional[pa.RecordBatch] = None
        #: Why whoever hands over rows has none any more.
        self.failure: Optional[BaseException] = None
        self._schema = _numbered(first.slice(0, 0), []).schema
        self._parts = self._pulled([first], batches)

    def reader(self) -> pa.RecordBatchReader:
        """The rows for whoever takes a table, with a number for the key."""
        return pa.RecordBatchReader.from_batches(self._schema, self._numbered())

    def pull_all(self) -> None:
        """Pulls what whoever read them has left."""
        for _ in self._parts:
            pass

    def _numbered(self) -> Iterator[pa.RecordBatch]:
        for part in self._parts:
            if self.without_time:
                # There is no answer. What counts is how many there are, which those behind it tell.
                raise TraceError("the time is null")
            yield _numbered(part, [0])

    def _pulled(self, first: List[pa.RecordBatch], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # The list is emptied, so that nothing keeps rows that have been read.
        yield self._counted(first.pop())
        try:
            for batch in batches:
                end = self._end_in(batch)
                if end:
                    yield self._counted(batch.slice(0, end))
                if end < batch.num_rows:
                    self.behind = batch.slice(end)
                    return
        except BaseException as failure:
            # Readers know exceptions of Python only as texts.
            self.failure = failure
            raise

    def _counted(self, part: pa.RecordBatch) -> pa.RecordBatch:
        self.states += part.num_rows
        if self.time_type is not None:
            self.without_time += part.column(TIME).null_count
        return part

    def _end_in(self, batch: pa.RecordBatch) -> int:
        """The number of first rows of a batch that have the key."""
        keys = pa.concat_arrays([self.key, batch.column(KEY)])
        changed = pc.indices_nonzero(_changes(keys))
        return changed[0].as_py() if len(changed) else batch.num_rows


def _alone(question: Question, rows: _OneKey) -> Iterator[pa.RecordBatch]:
    """Answers for a key that has too many rows to be held."""
    try:
        report = question.asked(rows.reader(), max_violations=1, **own_key(question.spec))
        found = _Alone(question, rows, report).answers()
    except KeyboardInterrupt:
        # The one that whoever hands over rows has met, if that is why.
        raise rows.failure or KeyboardInterrupt from None
    except Error as error:
        found = [_unanswered(question, rows, error)]
    yield from found


def _unanswered(question: Question, rows: _OneKey, error: Error) -> pa.RecordBatch:
    if rows.failure is not None:
        raise rows.failure from None
    # All of them are counted, also if there is a mistake in one of the first.
    rows.pull_all()
    if rows.without_time:
        error = _without_time(rows.without_time, rows.states)
    if question.stops:
        raise _about(rows.key, error) from error
    return _failed(question, rows.key, rows.states, _worded(error), rows.time_type)


def own_key(spec: Spec) -> Dict[str, str]:
    """The option by which a spec that splits traces itself takes the key for one."""
    return {} if spec.by is None else {"by": KEY}


def _together(question: Question, rows: pa.RecordBatch, starts: List[int]) -> Iterator[pa.RecordBatch]:
    """Answers for all keys of some rows by one call.

    If there is no answer for one of them, the call fails for all: halves are asked then, so that the
    others have their answers. One that is left is asked about by itself, so that what is said of it
    is what is said of one that has more rows.
    """
    try:
        yield from _Together(question, rows, starts).answers()
    except Error:
        if len(starts) == 1:
            yield from _alone(question, _OneKey(rows, iter(())))
            return
        middle = len(starts) // 2
        cut = starts[middle]
        yield from _together(question, rows.slice(0, cut), starts[:middle])
        yield from _together(question, rows.slice(cut), [start - cut for start in starts[middle:]])


class _Together:
    """Some keys that are answered for together."""

    def __init__(self, question: Question, rows: pa.RecordBatch, starts: List[int]) -> None:
        self._question = question
        keys = rows.column(KEY).take(pa.array(starts, pa.int64()))
        self._rows = _numbered(rows, starts)
        time_type = rows.column(TIME).type if question.has_time else None
        self._told = _Told(question, keys, time_type)
        if question.has_time and rows.column(TIME).null_count:
            raise _without_time(rows.column(TIME).null_count, rows.num_rows)

    def answers(self) -> List[pa.RecordBatch]:
        report = self._asked(self._rows, 1)
        table = pa.table(report.keys_to_arrow())
        table = table.take(pc.sort_indices(table.column(0).cast(pa.int64())))
        states = _whole(table.column(1))
        if self._question.goal == "query":
            return [self._values(query, states) for query in report.to_dict()["queries"]]
        document = report.to_dict()["properties"]
        found = self._violations(document, table)
        if self._question.goal == "summary":
            counts = [{**one["keys"]["verdicts"], "vacuous": one["keys"]["vacuous"]} for one in document]
            return [self._told.summary(counts, found)]
        verdicts = [_whole(column) for column in table.columns[2:]]
        return self._told.verdicts(verdicts, states, found)

    def _asked(self, rows: pa.RecordBatch, most: int) -> Any:
        return self._question.asked(rows, by=KEY, max_violations=most)

    def _violations(self, document: List[Dict[str, Any]], table: pa.Table) -> _Found:
        violated = max((one["keys"]["violated"] for one in document), default=0)
        if violated == 0 or not self._question.evidence:
            return [{} for _ in document]
        if violated > 1:
            # Reports are about the first keys only, and to ask for more makes them long. So those
            # are asked again that there is something to say of.
            is_violated = pa.array([False] * table.num_rows, pa.bool_())
            for index in range(len(document)):
                is_violated = pc.or_(is_violated, pc.equal(_whole(table.column(2 + index)), "violated"))
            numbers = pc.indices_nonzero(is_violated)
            rows = self._rows.filter(pc.is_in(self._rows.column(KEY), numbers.cast(pa.int64())))
            document = self._asked(rows, violated).to_dict()["properties"]
        return [{int(key["key"]): key for key in one["keys"]["first_violations"]} for one in document]

    def _values(self, query: Dict[str, Any], states: pa.Array) -> pa.RecordBatch:
        values: List[Any] = [None] * len(states)
        for one in query.get("values") or ():
            values[int(one["key"])] = one["value"]
        return self._told.values(query["name"], values, states)


class _Alone:
    """A key that is answered for by itself: what a report says of its only trace."""

    def __init__(self, question: Question, rows: _OneKey, report: Any) -> None:
        self._question = question
        self._report = report.to_dict()
        self._states = pa.array([rows.states], pa.int64())
        self._told = _Told(question, rows.key, rows.time_type)

    def answers(self) -> List[pa.RecordBatch]:
        if self._question.goal == "query":
            return [self._value(query) for query in self._report["queries"]]
        document = self._report["properties"]
        found = [self._violation(one) for one in document]
        if self._question.goal == "summary":
            counts = [{one["verdict"]: 1, "vacuous": self._vacuous(one)} for one in document]
            return [self._told.summary(counts, found)]
        return self._told.verdicts([pa.array([one["verdict"]]) for one in document], self._states, found)

    def _violation(self, one: Dict[str, Any]) -> Dict[int, Dict[str, Any]]:
        if one["verdict"] != "violated" or not self._question.evidence:
            return {}
        return {0: one["keys"]["first_violations"][0] if "keys" in one else one}

    def _vacuous(self, one: Dict[str, Any]) -> int:
        return one["keys"]["vacuous"] if "keys" in one else int(one["vacuous"] is not None)

    def _value(self, query: Dict[str, Any]) -> pa.RecordBatch:
        values = [one["value"] for one in query["values"]] if "values" in query else [query.get("value")]
        return self._told.values(query["name"], values or [None], self._states)


#: For each property, what a report says of each key that violates it, by its number.
_Found = List[Dict[int, Dict[str, Any]]]


class _Told:
    """What is told of some keys, as rows."""

    def __init__(self, question: Question, keys: pa.Array, time_type: Optional[pa.DataType]) -> None:
        self._question = question
        self._keys = keys
        self._time_type = time_type

    def verdicts(self, verdicts: List[pa.Array], states: pa.Array, found: _Found) -> List[pa.RecordBatch]:
        told = zip(self._question.names, verdicts, found)
        return [self._of_property(name, verdict, states, violations) for name, verdict, violations in told]

    def _of_property(
        self, name: str, verdicts: pa.Array, states: pa.Array, found: Dict[int, Dict[str, Any]]
    ) -> pa.RecordBatch:
        places: List[Optional[Dict[str, Any]]] = [None] * len(self._keys)
        evidence: List[Optional[str]] = [None] * len(self._keys)
        for number, violation in found.items():
            places[number] = _place(violation)
            evidence[number] = _evidence(violation)
        positions = pa.array([place and place["position"] for place in places], pa.int64())
        columns = {
            "key": self._keys,
            "property": _constant(name, len(self._keys)),
            "verdict": verdicts,
            "position": positions,
        }
        if self._time_type is not None:
            times = [place and place.get("time_ns") for place in places]
            columns["time"] = _times(times, self._time_type, self._question.unit)
        columns["states"] = states
        columns["evidence"] = pa.array(evidence, pa.string())
        columns["error"] = pa.nulls(len(self._keys), pa.string())
        return pa.RecordBatch.from_pydict(columns)

    def summary(self, counts: List[Dict[str, int]], found: _Found) -> pa.RecordBatch:
        rows = []
        for name, count, violations in zip(self._question.names, counts, found):
            most = sorted((-_violation_count(key), number) for number, key in violations.items())[:_WORST]
            worst = [(self._keys[number], -fewer) for fewer, number in most]
            rows.append(_summed(name, keys=len(self._keys), counts=count, worst=worst))
        return _summary_batch(rows, self._keys.type)

    def values(self, name: str, values: List[Any], states: pa.Array) -> pa.RecordBatch:
        return _value_batch(self._keys, name, values, states, [None] * len(self._keys))


def _numbered(rows: pa.RecordBatch, starts: List[int]) -> pa.RecordBatch:
    """The rows with numbers for keys: keys of all types are the same then."""
    numbers = pa.array(range(len(starts)), pa.int64())
    lengths = [end - start for start, end in zip(starts, starts[1:] + [rows.num_rows])]
    if len(starts) == rows.num_rows:
        column = numbers
    else:
        parents = pa.ListArray.from_arrays(
            pa.array([0, *_running(lengths)], pa.int32()), pa.nulls(rows.num_rows, pa.null())
        )
        column = numbers.take(pc.list_parent_indices(parents))
    return rows.set_column(rows.schema.get_field_index(KEY), KEY, column)


def _running(lengths: List[int]) -> List[int]:
    total, sums = 0, []
    for length in lengths:
        total += length
        sums.append(total)
    return sums


def _failed(
    question: Question, key: pa.Array, states: int, text: str, time_type: Optional[pa.DataType]
) -> pa.RecordBatch:
    """The rows of a key that there is no answer for."""
    names = question.names
    keys = pa.concat_arrays([key] * len(names))
    if question.goal == "summary":
        return _summary_batch([_summed(name, keys=1, errors=1) for name in names], key.type)
    if question.goal == "query":
        counts = pa.array([states] * len(names), pa.int64())
        batches = [
            _value_batch(keys.slice(index, 1), name, [None], counts.slice(index, 1), [text])
            for index, name in enumerate(names)
        ]
        return pa.concat_batches(batches)
    columns = {
        "key": keys,
        "property": pa.array(names, pa.string()),
        "verdict": pa.nulls(len(names), pa.string()),
        "position": pa.nulls(len(names), pa.int64()),
    }
    if question.has_time:
        columns["time"] = pa.nulls(len(names), time_type)
    columns["states"] = pa.array([states] * len(names), pa.int64())
    columns["evidence"] = pa.nulls(len(names), pa.string())
    columns["error"] = pa.array([text] * len(names), pa.string())
    return pa.RecordBatch.from_pydict(columns)


def _value_batch(
    keys: pa.Array, name: str, values: List[Any], states: pa.Array, errors: List[Optional[str]]
) -> pa.RecordBatch:
    numbers = [float(one) if isinstance(one, (int, float)) and not isinstance(one, bool) else None for one in values]
    texts = [one if one is None or isinstance(one, str) else json.dumps(one) for one in values]
    columns = {
        "key": keys,
        "query": _constant(name, len(keys)),
        "value": pa.array(numbers, pa.float64()),
        "text": pa.array(texts, pa.string()),
        "states": states,
        "error": pa.array(errors, pa.string()),
    }
    return pa.RecordBatch.from_pydict(columns)


def _summed(
    name: str, *, keys: int, counts: Optional[Dict[str, int]] = None, errors: int = 0, worst: Iterable[Tuple[Any, int]] = ()
) -> Dict[str, Any]:
    row: Dict[str, Any] = {"property": name, "keys": keys}
    for count in [*map(str, Verdict), "vacuous"]:
        row[count] = (counts or {}).get(count, 0)
    row.update(errors=errors, worst=list(worst))
    return row


def _summary_batch(rows: List[Dict[str, Any]], key_type: pa.DataType) -> pa.RecordBatch:
    columns: Dict[str, pa.Array] = {"property": pa.array([row["property"] for row in rows], pa.string())}
    for name in rows[0]:
        if name not in ("property", "worst"):
            columns[name] = pa.array([row[name] for row in rows], pa.int64())
    worst = [[{"fewer": -count, "key": key.as_py()} for key, count in row["worst"]] for row in rows]
    # The most violations come first where the rest is sorted upwards, and of these the first key.
    worst_type = pa.list_(pa.struct([("fewer", pa.int64()), ("key", key_type)]))
    columns["worst"] = pa.array(worst, worst_type)
    return pa.RecordBatch.from_pydict(columns)


def _constant(text: str, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(text, pa.string()), count)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def _times(nanoseconds: List[Optional[int]], kind: pa.DataType, unit: Optional[str]) -> pa.Array:
    """Timestamps in the type of the column that they come from."""
    if pa.types.is_timestamp(kind):
        divisor = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}[kind.unit]
        return pa.array([one if one is None else one // divisor for one in nanoseconds], pa.int64()).cast(kind)
    if pa.types.is_date(kind):
        days = [one if one is None else one // UNITS["d"] for one in nanoseconds]
        return pa.array(days, pa.int32()).cast(pa.date32())
    divisor = UNITS[unit or "ns"]
    if pa.types.is_floating(kind):
        return pa.array([one if one is None else one / divisor for one in nanoseconds], kind)
    if pa.types.is_decimal(kind):
        step = Decimal(1).scaleb(-kind.scale)
        exact = [one if one is None else (Decimal(one) / divisor).quantize(step) for one in nanoseconds]
        return pa.array(exact, kind)
    return pa.array([one if one is None else one // divisor for one in nanoseconds], kind)


def _place(violation: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The first state that speaks for a violation; none if no state does."""
    states = (violation.get("violations") or {}).get("states") or []
    return states[0] if states else violation.get("judged_at")


def _violation_count(violation: Dict[str, Any]) -> int:
    return (violation.get("violations") or {}).get("count", 1)


def _evidence(violation: Dict[str, Any]) -> str:
    """What a report says of a violation, on one line."""
    parts = []
    place = _place(violation)
    if place is not None and place.get("values"):
        parts.append(_valued(place["values"]))
    if "value" in violation:
        compared = f", compared with {json.dumps(violation['compared_with'])}" if "compared_with" in violation else ""
        parts.append(f"its value is {json.dumps(violation['value'])}{compared}")
    for one in (violation.get("evidence") or [])[:1]:
        parts.extend(_reason(reason, one["position"]) for reason in one["reasons"])
    more = _violation_count(violation) - 1
    if more > 0:
        parts.append(f"and {more} more")
    return "; ".join(parts)


def _valued(values: Dict[str, Any]) -> str:
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())


def _reason(reason: Dict[str, Any], shown: int) -> str:
    since = reason["since"]["position"]
    word = "at" if reason["past"] else "from"
    place = "" if since == shown else f" {word} position {since}"
    return f"`{reason['formula']}`{place}: {_happened(reason)}"


def _happened(reason: Dict[str, Any]) -> str:
    """What became of a temporal operator, as the program words it, with positions for lines."""
    is_past, outcome = reason["past"], reason["outcome"]
    if outcome == "no-state":
        return "there is no state before it" if is_past else "there is no next state"
    if outcome == "settled":
        what = {(False, True): "came", (False, False): "broke", (True, True): "held"}
        return f"`{reason['operand']}` {what.get((is_past, reason['holds']), 'did not hold')} at {_at(reason['at'])}"
    if outcome == "broken":
        came = reason.get("came")
        if reason["holds"]:
            return f"`{reason['kept']}` settled it at {_at(reason['at'])}"
        if is_past:
            return f"`{reason['kept']}` did not hold at {_at(reason['at'])}, and no `{reason['goal']}` since then"
        goal = f"before `{reason['goal']}` came at position {came['position']}" if came else None
        return f"`{reason['kept']}` broke at {_at(reason['at'])}, {goal or 'and `' + reason['goal'] + '` never came'}"
    return _throughout(reason)


def _throughout(reason: Dict[str, Any]) -> str:
    operand, window, outside = reason["operand"], reason["window"], reason["outside"]
    if reason["holds"]:
        return f"`{operand}` held throughout"
    if window is None:
        return "the trace ended before" if reason["cut"] and not reason["past"] else "no state lies in that window"
    if outside is not None:
        return f"`{operand}` came outside of it, at position {outside['position']}"
    if reason["past"]:
        return f"no `{operand}` before it"
    return f"`{operand}` stayed false until the end" if reason["cut"] else f"`{operand}` stayed false"


def _at(place: Dict[str, Any]) -> str:
    values = f" ({_valued(place['values'])})" if place.get("values") else ""
    return f"position {place['position']}{values}"


def _worded(error: Error) -> str:
    """What is wrong with the rows of a key. They have no name but that of the key."""
    return re.sub(r"^<table>(:\d+)?: ", "", str(error))


def _about(key: pa.Array, error: Error) -> Error:
    """The error with the key that it is about."""
    text = f"key {key[0].as_py()!r}: {_worded(error)}"
    text += '\n  help: on_error="row" gives such keys a row with the reason, and answers for the others'
    return type(error)(text)


def _without_time(count: int, rows: int) -> TraceError:
    return TraceError(f"the time is null in {count} of {rows} rows")
