"""Traces in tests: `assert_trace` for a trace that there is, `Recorder` for one that a test makes.

Nothing here needs pytest. With pytest, the fixture ``trace`` is a `Recorder`, and properties stand on
the test that records it::

    @pytest.mark.traceward("G(request -> F[0,100ms] grant)")
    def test_grants(trace, server):
        server.on_request = lambda: trace.event("request")
        server.on_grant = lambda: trace.event("grant")
        server.serve(3)
"""

from __future__ import annotations

import logging
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple, Union

from . import _native
from ._errors import SpecError, TraceError, TraceWarning
from ._frames import narrowed
from ._logging import fields_of
from ._native import Spec
from ._report import Report

__all__ = ["Recorder", "assert_trace"]

_Scalar = Union[None, bool, int, float, str]

#: The columns of a recorded trace that are the recorder's own.
_EVENT, _TIME = "event", "time"

#: The number of states that are listed of a trace.
_MOST_LISTED = 30

#: The number of events whose names are offered where a name is not known.
_MOST_OFFERED = 100


class _State(NamedTuple):
    """Something that was recorded."""

    nanoseconds: int
    event: Optional[str]
    fields: Mapping[str, _Scalar]
    #: The values that were set, and those that they leave as they were.
    values: Mapping[str, _Scalar]

    def __str__(self) -> str:
        told = self.fields if self.event is not None else self.values
        shown = ", ".join(f"{name}={value!r}" for name, value in told.items())
        what = f"{self.event} {shown}" if self.event is not None else shown
        # What was logged must not reach the terminal of whoever sees the test fail as it is.
        safe = _native.shown(what.encode(errors="backslashreplace").decode())
        return f"{self.nanoseconds / 1e6:12.3f} ms  {safe}".rstrip()


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _checked(given: Mapping[str, Any]) -> Dict[str, _Scalar]:
    for name, value in given.items():
        if name in (_EVENT, _TIME):
            raise ValueError(f"`{name}` is a column that every recorded trace has; give yours another name")
        if not _is_scalar(value):
            kind = type(value).__name__
            raise TypeError(f"`{name}` is a {kind}; values are booleans, numbers and texts: str() makes one of it")
    return dict(given)


class Recorder:
    """Collects what happens in a test as a trace: events, values of variables, and what is logged.

    >>> trace = Recorder()
    >>> trace.event("request", client=1)
    >>> trace.event("grant", client=1)
    >>> trace.check("G(request -> F[0,10s] grant)").ok
    True

    Each event is a state. In a property its name is a variable that is true in this state and false in
    all others, and a string is the same: ``G(request -> F grant)`` or ``G("request" -> F "grant")``.
    Fields of an event are variables that its state alone has. Values that ``state`` sets stay until
    they are set again. The time is that of a monotonic clock, in nanoseconds since the recorder was
    made. Threads and tasks may record at the same time; states stand in the order of their time.

    A property that speaks of a name that never occurred is an error, since it may be misspelt. What
    need not occur is declared:

    >>> trace.check("G !error")
    Traceback (most recent call last):
        ...
    traceward._errors.SpecError: the trace has no `error`
    ...
    >>> trace.declare("error")
    >>> trace.check("G !error").ok
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begin = time.monotonic_ns()
        self._states: List[_State] = []
        self._values: Dict[str, _Scalar] = {}
        self._declared: Set[str] = set()
        self._handlers: List[Tuple[logging.Logger, logging.Handler, Optional[int]]] = []
        self._is_closed = False

    def event(self, name: str, /, **fields: Any) -> None:
        """Something has happened."""
        if not isinstance(name, str) or not name:
            raise TypeError(f"the name of an event is a text that is not empty, not {name!r}")
        self._add(name, _checked(fields), {})

    def state(self, values: Optional[Mapping[str, Any]] = None, /, **more: Any) -> None:
        """Variables have new values: those of a dict, or of keywords.

        >>> trace = Recorder()
        >>> trace.state(level=3, valve="open")
        >>> trace.state(level=4)
        >>> trace.check('G valve == "open"').ok
        True
        """
        given = _checked({**(values or {}), **more})
        if not given:
            raise TypeError("a state needs a value: trace.state(level=3)")
        self._add(None, {}, given)

    def declare(self, *names: str) -> None:
        """Names events that may happen and need not."""
        with self._lock:
            self._declared.update(names)

    def capture_logging(self, logger: Union[str, logging.Logger] = "", level: Optional[int] = None) -> None:
        """Makes an event of everything that a logger, or one below it, is given from now on.

        The message is the event's name; ``level``, ``logger`` and what is plain in ``extra`` are its
        fields, except for ``event`` and ``time``, which are the trace's own. A ``level`` is given to
        the logger until the test ends: without one, it keeps its own.

        >>> trace = Recorder()
        >>> trace.capture_logging("shop", logging.INFO)
        >>> logging.getLogger("shop.till").info("paid", extra={"amount": 12})
        >>> trace.check('G("paid" -> amount > 10 & level == "INFO")').ok
        True
        >>> trace.close()
        """
        taken = logging.getLogger(logger) if isinstance(logger, str) else logger
        handler = _Handler(self)
        # A level that is not given is the logger's own, and whoever sets it meanwhile means it.
        self._handlers.append((taken, handler, None if level is None else taken.level))
        taken.addHandler(handler)
        if level is not None:
            taken.setLevel(level)

    def close(self) -> None:
        """Ends the trace: nothing is captured any more, and whoever records something is told so."""
        self._is_closed = True
        for logger, handler, level in reversed(self._handlers):
            logger.removeHandler(handler)
            if level is not None:
                logger.setLevel(level)
        self._handlers.clear()

    def _add(self, event: Optional[str], fields: Dict[str, _Scalar], values: Dict[str, _Scalar]) -> None:
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the trace has ended: join threads and tasks that record before the test ends")
            if values:
                self._values = {**self._values, **values}
            self._states.append(_State(time.monotonic_ns() - self._begin, event, fields, self._values))

    def __len__(self) -> int:
        return len(self._states)

    def __str__(self) -> str:
        states = self._snapshot()
        lines = [f"{position:4} {state}" for position, state in enumerate(states)]
        if len(lines) > _MOST_LISTED:
            left_out = len(lines) - _MOST_LISTED
            lines[: -_MOST_LISTED + 1] = [f"     … {left_out + 1} states before"]
        return "\n".join(lines)

    def _snapshot(self) -> List[_State]:
        with self._lock:
            return list(self._states)

    def columns(self) -> Dict[str, List[_Scalar]]:
        """The trace as `check` takes it: a list of values for each column.

        >>> trace = Recorder()
        >>> trace.event("request", client=1)
        >>> trace.event("grant")
        >>> columns = trace.columns()
        >>> columns["event"], columns["client"], columns["request"]
        (['request', 'grant'], [1, None], [True, False])
        """
        return self._columns(())

    def _columns(self, wanted: Tuple[str, ...]) -> Dict[str, List[_Scalar]]:
        states = self._snapshot()
        columns: Dict[str, List[_Scalar]] = {_TIME: [state.nanoseconds for state in states]}
        # Names in the order in which they came up, each once.
        named = dict.fromkeys(name for state in states for name in (*state.values, *state.fields))
        happened = dict.fromkeys(state.event for state in states if state.event is not None)
        told = [{**state.values, **state.fields} if state.fields else state.values for state in states]
        for name in named:
            if name in happened:
                raise TraceError(f"`{name}` is an event and a variable: give one of them another name")
            columns[name] = [values.get(name) for values in told]
        if happened or self._declared:
            columns[_EVENT] = [state.event for state in states]
        offered = [*happened][:_MOST_OFFERED]
        offered += [name for name in wanted if name in happened or name in self._declared]
        for name in dict.fromkeys(offered):
            columns.setdefault(name, [state.event == name for state in states])
        return columns

    def check(self, spec: Any, /, **options: Any) -> Report:
        """Checks properties on what was recorded so far; options are those of `traceward.check`."""
        return _asked(self, spec, options)


class _Handler(logging.Handler):
    """Makes an event of every log record."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def emit(self, record: logging.LogRecord) -> None:
        try:
            extra = fields_of(record).items()
            fields = {name: value for name, value in extra if name not in (_EVENT, _TIME) and _is_scalar(value)}
            fields.update(level=record.levelname, logger=record.name)
            self._recorder._add(record.getMessage() or "(empty)", fields, {})
        except Exception:
            self.handleError(record)


def _asked(data: Any, spec: Any, options: Dict[str, Any]) -> Report:
    if isinstance(data, Recorder):
        return _asked_of_recorder(data, spec, options)
    if not isinstance(spec, (Spec, str, list, tuple, Path)):
        raise TypeError(f"a spec is no {type(spec).__name__}: the trace comes first, assert_trace(data, spec)")
    data, options = narrowed(spec, data, False, options)
    return Report(_native.check(spec, data, False, options, False, False))


def _asked_of_recorder(recorder: Recorder, spec: Any, options: Dict[str, Any]) -> Report:
    if not len(recorder):
        raise TraceError(
            "nothing was recorded, so nothing can be said of it: trace.event(…) and trace.state(…) record, and "
            "trace.capture_logging(…) only what the logger's level lets through"
        )
    texts = spec if isinstance(spec, Spec) else Spec(spec, event=_EVENT, dialect=options.get("dialect"))
    columns = recorder._columns(tuple(texts.variables))
    own = {"time": f"{_TIME}:ns", **({"event": _EVENT} if _EVENT in columns else {})}
    try:
        report = Report(_native.check(texts, columns, False, {**own, **options}, False, False))
    except SpecError as error:
        unknown = [f'"{name}"' for name in texts.variables if name not in columns]
        if not unknown:
            raise
        way_out = f"if it is an event that need not happen: trace.declare({', '.join(unknown)})"
        raise SpecError(f"{error}\n  = help: {way_out}", error._members) from None
    for warning in report.warnings:
        # A string of which nobody said that it may be absent is a slip until somebody does.
        if warning["kind"] == "string-never-occurs":
            _refuse_unknown(recorder, warning["message"])
    return report


def _refuse_unknown(recorder: Recorder, message: str) -> None:
    if not any(f'"{name}"' in message for name in recorder._declared):
        raise SpecError(f"{message}; what need not happen is declared: trace.declare(…)")


def doubts(report: Report) -> List[str]:
    """What is to be said of a report in which nothing is violated."""
    found = [one for one in report.properties if one.ok and one.vacuous is not None]
    vacuous = [f"{one.name} is satisfied, vacuously: `{one.vacuous}` never holds in `{one.formula}`" for one in found]
    native = report._native
    return vacuous + (list(native.asides) if native is not None else [])


def evidence(data: Any, report: Report) -> str:
    """What a failure shows: the program's report, and what was recorded."""
    if isinstance(data, Recorder):
        # Its first line speaks of a table that nobody has seen.
        _, _, said = str(report).partition("\n")
        return f"{said}\n\nwhat was recorded, by position:\n{data}"
    return str(report)


def assert_trace(data: Any, spec: Any, /, **options: Any) -> Report:
    """Fails unless all properties hold on a trace, and shows what is wrong with it.

    >>> assert_trace({"request": [True, False], "grant": [False, True]}, "G(request -> F grant)").ok
    True
    >>> assert_trace({"x": [1, 5]}, "G x < 3")
    Traceback (most recent call last):
        ...
    AssertionError: <table>: 2 states; a line is a row of the table
    ✗ violated  p1  G x < 3
        fails at 1 of 2 positions:
          position 1 (line 2): x = 5

    ``data`` is a `Recorder`, or whatever `traceward.check` takes; options are those of ``check``. A
    property that holds only because nothing was asked of it is warned of (`TraceWarning`).
    """
    __tracebackhide__ = True
    report = _asked(data, spec, options)
    if not report.ok:
        raise AssertionError(evidence(data, report))
    for doubt in doubts(report):
        warnings.warn(doubt, TraceWarning, stacklevel=2)
    return report
