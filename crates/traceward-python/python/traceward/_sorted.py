"""Answers about keys whose rows come in batches, sorted by key and time.

What shuffles and sorts hands over batches of Arrow data in which a key may begin and end anywhere.
Keys that fit into a bounded number of rows are checked together by one call, which is fast; a key
that does not is followed by a monitor, batch by batch, so that it is never in memory as a whole.
Which of the two happens depends on the number of its rows alone, not on how batches were cut.
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
from ._monitor import Monitor
from ._native import Spec
from ._report import MonitorReport
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

#: Options that a monitor does not have, since they make no difference to it.
_OF_CHECK_ALONE = ("prefix", "trace_memory")

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
    #: The number of rows that are held; a key that has more is followed.
    rows: int = 250_000
    #: Whether violations are looked at for where and why.
    evidence: bool = True
    options: Dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> List[str]:
        """The names of the columns of batches."""
        return [KEY, *([TIME] if self.has_time else []), *self.variables]

    @property
    def time_option(self) -> Dict[str, str]:
        if not self.has_time:
            return {}
        return {"time": TIME if self.unit is None else f"{TIME}:{self.unit}"}


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
        self._followed: Optional[_Followed] = None
        self._nulls: Optional[Tuple[pa.DataType, int]] = None

    def answers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        time_type = None
        for batch in batches:
            if self._question.has_time:
                time_type = batch.schema.field(TIME).type
            batch = self._without_null_keys(batch)
            if self._followed is not None:
                batch = yield from self._follow(batch)
            if batch.num_rows:
                self._held.append(batch)
                self._count += batch.num_rows
            if self._count > self._question.rows:
                yield from self._answer_held(is_end=False)
        yield from self._answer_held(is_end=True)
        if self._followed is not None:
            yield self._followed.ended()
        if self._nulls is not None:
            key_type, count = self._nulls
            text = f"the key is null in {count} rows; leave them out, or give them a key"
            yield _failed(self._question, pa.nulls(1, key_type), count, text, time_type)

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

    def _follow(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Follows the key that began in an earlier batch; returns what is left of this one."""
        followed = self._followed
        assert followed is not None
        end = followed.end_in(batch)
        followed.step(batch.slice(0, end))
        if end < batch.num_rows:
            yield followed.ended()
            self._followed = None
        return batch.slice(end)

    def _answer_held(self, is_end: bool) -> Iterator[pa.RecordBatch]:
        """Answers for the keys that are known to have ended."""
        if not self._held:
            return
        rows = pa.Table.from_batches(self._held).combine_chunks()
        batch = rows.to_batches()[0]
        self._held, self._count = [], 0
        starts = _starts(batch.column(KEY))
        ends = starts[1:] + [batch.num_rows]
        begin = 0
        for index, (start, end) in enumerate(zip(starts, ends)):
            may_go_on = end == batch.num_rows and not is_end
            is_long = end - start > self._question.rows
            if not is_long and not may_go_on:
                continue
            yield from self._answer_together(batch, starts[begin:index], start)
            begin = index + 1
            part = batch.slice(start, end - start)
            if not is_long:
                self._held, self._count = [part], part.num_rows
                continue
            followed = _Followed(self._question, part)
            followed.step(part)
            if may_go_on:
                self._followed = followed
            else:
                yield followed.ended()
        yield from self._answer_together(batch, starts[begin:], batch.num_rows)

    def _answer_together(self, batch: pa.RecordBatch, starts: List[int], end: int) -> Iterator[pa.RecordBatch]:
        """Answers for neighbouring keys, whose rows end before a certain one."""
        if starts:
            part = batch.slice(starts[0], end - starts[0])
            yield from _together(self._question, part, [start - starts[0] for start in starts])


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


class _Run:
    """A key whose rows go on from batch to batch."""

    def __init__(self, keys: pa.Array) -> None:
        self._key = keys.slice(0, 1)

    def end_in(self, batch: pa.RecordBatch) -> int:
        """The number of first rows of a batch that have the key."""
        if batch.num_rows == 0:
            return 0
        keys = pa.concat_arrays([self._key, batch.column(KEY)])
        changed = pc.indices_nonzero(_changes(keys))
        return changed[0].as_py() if len(changed) else batch.num_rows


def _together(question: Question, rows: pa.RecordBatch, starts: List[int]) -> Iterator[pa.RecordBatch]:
    """Answers for all keys of some rows by one call.

    If there is no answer for one of them, the call fails for all: halves are asked then, so that the
    others have their answers.
    """
    try:
        yield from _Together(question, rows, starts).answers()
    except Error as error:
        if len(starts) == 1:
            key = rows.column(KEY).slice(0, 1)
            if question.stops:
                raise _about(key, error) from error
            time_type = rows.column(TIME).type if question.has_time else None
            yield _failed(question, key, rows.num_rows, _worded(error), time_type)
            return
        middle = len(starts) // 2
        cut = starts[middle]
        yield from _together(question, rows.slice(0, cut), starts[:middle])
        yield from _together(question, rows.slice(cut), [start - cut for start in starts[middle:]])


class _Together:
    """Some keys that are answered for together."""

    def __init__(self, question: Question, rows: pa.RecordBatch, starts: List[int]) -> None:
        self._question = question
        self._keys = rows.column(KEY).take(pa.array(starts, pa.int64()))
        self._count = len(starts)
        self._time_type = rows.column(TIME).type if question.has_time else None
        self._rows = _numbered(rows, starts)
        if question.has_time and rows.column(TIME).null_count:
            raise TraceError(f"the time is null in {rows.column(TIME).null_count} of {rows.num_rows} rows")

    def answers(self) -> List[pa.RecordBatch]:
        if self._question.goal == "query":
            return self._values()
        report = self._asked(self._rows, 1)
        document = report.to_dict()["properties"]
        table = pa.table(report.keys_to_arrow())
        table = table.take(pc.sort_indices(table.column(0).cast(pa.int64())))
        found = self._violations(document, table)
        if self._question.goal == "summary":
            return [self._summary(document, found)]
        states = table.column(1)
        return [
            self._verdicts(name, table.column(2 + index), states, found[index])
            for index, name in enumerate(self._question.names)
        ]

    def _asked(self, rows: pa.RecordBatch, most: int) -> Any:
        ask = _query if self._question.goal == "query" else _check
        options = {**self._question.options, **self._question.time_option}
        return ask(self._question.spec, rows, progress=False, by=KEY, max_violations=most, **options)

    def _violations(self, document: List[Dict[str, Any]], table: pa.Table) -> List[Dict[int, Dict[str, Any]]]:
        """For each property, what the report says of each key that violates it."""
        violated = max((one["keys"]["violated"] for one in document), default=0)
        if violated == 0 or not self._question.evidence:
            return [{} for _ in document]
        if violated > 1:
            # Reports are about the first keys only, and to ask for more makes them long. So those
            # are asked again that there is something to say of.
            is_violated = pa.array([False] * self._count, pa.bool_())
            for index in range(len(document)):
                is_violated = pc.or_(is_violated, pc.equal(table.column(2 + index).combine_chunks(), "violated"))
            numbers = pc.indices_nonzero(is_violated)
            rows = self._rows.filter(pc.is_in(self._rows.column(KEY), numbers.cast(pa.int64())))
            document = self._asked(rows, violated).to_dict()["properties"]
        return [{int(key["key"]): key for key in one["keys"]["first_violations"]} for one in document]

    def _verdicts(
        self, name: str, verdicts: pa.ChunkedArray, states: pa.ChunkedArray, found: Dict[int, Dict[str, Any]]
    ) -> pa.RecordBatch:
        places: List[Optional[Dict[str, Any]]] = [None] * self._count
        evidence: List[Optional[str]] = [None] * self._count
        for number, violation in found.items():
            places[number] = _place(violation)
            evidence[number] = _evidence(violation)
        positions = pa.array([place and place["position"] for place in places], pa.int64())
        columns = {
            "key": self._keys,
            "property": _constant(name, self._count),
            "verdict": _whole(verdicts),
            "position": positions,
        }
        if self._time_type is not None:
            times = [place and place.get("time_ns") for place in places]
            columns["time"] = _times(times, self._time_type, self._question.unit)
        columns["states"] = _whole(states)
        columns["evidence"] = pa.array(evidence, pa.string())
        columns["error"] = pa.nulls(self._count, pa.string())
        return pa.RecordBatch.from_pydict(columns)

    def _summary(self, document: List[Dict[str, Any]], found: List[Dict[int, Dict[str, Any]]]) -> pa.RecordBatch:
        rows = []
        for one, violations in zip(document, found):
            keys = one["keys"]
            counts = sorted((-_violation_count(key), number) for number, key in violations.items())[:_WORST]
            rows.append(
                _summed(
                    one["name"],
                    keys=keys["checked"],
                    vacuous=keys["vacuous"],
                    verdicts=keys["verdicts"],
                    worst=[(self._keys[number], -count) for count, number in counts],
                )
            )
        return _summary_batch(rows, self._keys.type)

    def _values(self) -> List[pa.RecordBatch]:
        report = self._asked(self._rows, 1)
        table = pa.table(report.keys_to_arrow())
        table = table.take(pc.sort_indices(table.column(0).cast(pa.int64())))
        batches = []
        for query in report.to_dict()["queries"]:
            values: List[Any] = [None] * self._count
            for one in query.get("values") or ():
                values[int(one["key"])] = one["value"]
            states = _whole(table.column(1))
            batches.append(_value_batch(self._keys, query["name"], values, states, [None] * self._count))
        return batches


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


class _Followed(_Run):
    """A key that a monitor follows, since it has more rows than are held."""

    def __init__(self, question: Question, rows: pa.RecordBatch) -> None:
        super().__init__(rows.column(KEY))
        self._question = question
        self._time_type = rows.column(TIME).type if question.has_time else None
        self._last_time: Any = None
        self._states = 0
        self._error: Optional[str] = None
        self._decided: Dict[str, Dict[str, Any]] = {}
        self._monitor: Optional[Monitor] = None
        options = {name: one for name, one in question.options.items() if name not in _OF_CHECK_ALONE}
        try:
            self._monitor = Monitor(question.spec, **options, **question.time_option)
        except Error as error:
            self._fail(error, self._way_out())

    def _fail(self, error: Error, help: str = "") -> None:
        if self._question.stops:
            raise _about(self._key, error, help) from error
        self._error = _worded(error) + (f"\n  {help}" if help else "")
        self._monitor = None

    def _way_out(self) -> str:
        return (
            f"help: the key has more than {self._question.rows} rows and is followed; "
            "with rows=N keys of up to N rows are held instead"
        )

    def step(self, rows: pa.RecordBatch) -> None:
        """Takes the next rows of the key."""
        self._states += rows.num_rows
        if self._monitor is None or rows.num_rows == 0:
            return
        try:
            if self._question.has_time and rows.column(TIME).null_count:
                raise TraceError("the time is null in some rows")
            for change in self._monitor.step_batch(rows.drop_columns([KEY])):
                self._decided[change.property] = change.to_dict()
        except Error as error:
            self._fail(error)
        if self._question.has_time:
            self._last_time = rows.column(TIME).slice(rows.num_rows - 1)

    def ended(self) -> pa.RecordBatch:
        """What the key has come to."""
        question = self._question
        if self._monitor is None:
            return _failed(question, self._key, self._states, self._error or "", self._time_type)
        verdicts = self._monitor.verdicts
        try:
            report = self._monitor.end()
        except Error as error:
            self._fail(error, self._way_out())
            return _failed(question, self._key, self._states, self._error or "", self._time_type)
        if question.goal == "query":
            return self._values(report.values)
        if not question.options.get("prefix"):
            verdicts = report.verdicts
        if question.goal == "summary":
            return self._summary(verdicts, report)
        return pa.concat_batches([self._verdict(name, verdicts[name]) for name in question.names])

    def _verdict(self, name: str, verdict: Verdict) -> pa.RecordBatch:
        decided = self._decided.get(name) if verdict is Verdict.VIOLATED and self._question.evidence else None
        position, evidence = None, None
        if decided is not None:
            position, evidence = decided["position"], _decision(decided)
        elif verdict is Verdict.VIOLATED and self._question.evidence:
            position, evidence = self._states - 1, "it was certain at the end only"
        columns = {
            "key": self._key,
            "property": _constant(name, 1),
            "verdict": pa.array([str(verdict)]),
            "position": pa.array([position], pa.int64()),
        }
        if self._time_type is not None:
            is_last = position is not None and decided is None
            time = _times([decided and decided.get("time_ns")], self._time_type, self._question.unit)
            columns["time"] = self._last_time if is_last else time
        columns["states"] = pa.array([self._states], pa.int64())
        columns["evidence"] = pa.array([evidence], pa.string())
        columns["error"] = pa.nulls(1, pa.string())
        return pa.RecordBatch.from_pydict(columns)

    def _summary(self, verdicts: Dict[str, Verdict], report: MonitorReport) -> pa.RecordBatch:
        rows = []
        unmet = {one["name"] for one in report.to_dict()["properties"] if "vacuous" in one}
        for name in self._question.names:
            verdict = verdicts[name]
            worst = [(self._key[0], 1)] if verdict is Verdict.VIOLATED else []
            vacuous = int(verdict is Verdict.SATISFIED and name in unmet)
            rows.append(_summed(name, keys=1, verdicts={str(verdict): 1}, vacuous=vacuous, followed=1, worst=worst))
        return _summary_batch(rows, self._key.type)

    def _values(self, values: Dict[str, Any]) -> pa.RecordBatch:
        batches = []
        states = pa.array([self._states], pa.int64())
        for name in self._question.names:
            error = None if name in values else f"`{name}` cannot be followed\n  {self._way_out()}"
            if error is not None and self._question.stops:
                raise _about(self._key, TraceError(error))
            batches.append(_value_batch(self._key, name, [values.get(name)], states, [error]))
        return pa.concat_batches(batches)


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
    name: str,
    *,
    keys: int = 0,
    vacuous: int = 0,
    errors: int = 0,
    followed: int = 0,
    verdicts: Optional[Dict[str, int]] = None,
    worst: Iterable[Tuple[Any, int]] = (),
) -> Dict[str, Any]:
    counts = verdicts or {}
    row: Dict[str, Any] = {"property": name, "keys": keys}
    for verdict in Verdict:
        row[str(verdict)] = counts.get(str(verdict), 0)
    row.update(vacuous=vacuous, errors=errors, followed=followed, worst=list(worst))
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
    combined = column.combine_chunks()
    return combined.chunk(0) if isinstance(combined, pa.ChunkedArray) else combined


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


def _decision(decided: Dict[str, Any]) -> str:
    """What made a violation certain for a monitor."""
    parts = [_valued(decided["values"])] if decided.get("values") else []
    for one in decided.get("missed") or ():
        parts.append(f"`{one['obligation']}` from position {one['since']}: it did not come in time")
    return "; ".join(parts)


def _worded(error: Error) -> str:
    """What is wrong with the rows of a key. They have no name but that of the key."""
    return re.sub(r"^<table>(:\d+)?: ", "", str(error))


def _about(key: pa.Array, error: Error, help: str = "") -> Error:
    """The error with the key that it is about."""
    text = f"key {key[0].as_py()!r}: {_worded(error)}" + (f"\n  {help}" if help else "")
    text += '\n  help: on_error="row" gives such keys a row with the reason, and answers for the others'
    return type(error)(text)
