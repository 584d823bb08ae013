"""Monitors inside of a program."""

import gc
import logging
import os
import threading
import warnings
import weakref
from datetime import datetime, timedelta, timezone

import numpy
import pandas
import polars
import pyarrow
import pytest

from traceward import Monitor, MonitorHandler, SpecError, TraceError, TraceWarning, UsageError, Verdict, check


def test_states_come_one_by_one():
    with Monitor("G(request -> F grant)") as monitor:
        changes = monitor.step(request=True, grant=False)
        assert [(one.property, one.verdict, one.position, one.is_final) for one in changes] == [
            ("p1", Verdict.PENDING, 0, False)
        ]
        assert monitor.step({"request": False}, grant=False) == ()
        assert monitor.step(request=False, grant=True)[0].verdict is Verdict.HOLDING
        assert monitor.position == 3 and not monitor.has_ended
    assert monitor.report.ok and monitor.report.verdicts == {"p1": Verdict.SATISFIED}
    assert monitor.report.to_dict()["states"] == 3
    with pytest.raises(UsageError, match="has ended"):
        monitor.step(request=True, grant=True)


def test_a_final_verdict_tells_the_state_that_made_it():
    monitor = Monitor("G x < 3")
    assert monitor.step(x=1)[0].values is None
    change = monitor.step(x=7)[0]
    assert change.is_final and change.verdict == "violated" and change.values == {"x": 7}
    assert change.to_dict()["position"] == 1 and change.to_dict()["final"] is True


def test_whoever_wants_to_know_is_told_and_may_ask():
    told = []

    def on_verdict(change):
        told.append((change.property, str(change.verdict), monitor.position))

    monitor = Monitor(["G x < 3", "F x > 5"], on_verdict=on_verdict)
    for x in [1, 9]:
        monitor.step(x=x)
    assert told == [("p1", "holding", 1), ("p2", "pending", 1), ("p1", "violated", 2), ("p2", "satisfied", 2)]


def test_a_callback_that_raises_leaves_the_monitor_as_it_is():
    def on_verdict(change):
        raise RuntimeError("no")

    monitor = Monitor("G x < 3", on_verdict=on_verdict)
    with pytest.raises(RuntimeError, match="no"):
        monitor.step(x=1)
    assert monitor.position == 1
    assert monitor.step(x=2) == ()
    with pytest.raises(TypeError, match="on_verdict"):
        Monitor("G x < 3", on_verdict=7)


def test_names_that_are_no_identifiers_and_members():
    monitor = Monitor("G(`a b` > 0 & door.open & list.1 == 5)")
    monitor.step({"a b": 1, "door": {"open": True}, "list": [4, 5]})
    assert monitor.verdicts == {"p1": Verdict.HOLDING}
    monitor.step({"a b": 1, "door.open": True, "list": (4, 6)})
    assert monitor.verdicts == {"p1": Verdict.VIOLATED}


def test_values_of_all_kinds():
    monitor = Monitor('G(b & i == 3 & f == 0.5 & s == "x" & !defined(n))')
    monitor.step(b=numpy.True_, i=numpy.int64(3), f=numpy.float32(0.5), s=numpy.str_("x"), n=float("nan"))
    monitor.step(b=True, i=3, f=0.5, s="x", n=None, other=object())
    assert monitor.verdicts == {"p1": Verdict.HOLDING}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (2**70, "an integer beyond 64 bits"),
        ("\udc80", "a text that is no Unicode"),
        (object(), "object is no value of a state"),
        (b"x", "bytes is no value"),
        (1j, "complex is no value"),
    ],
    ids=["large", "surrogate", "object", "bytes", "complex"],
)
def test_what_is_no_value_is_refused_and_has_not_happened(value, reason):
    monitor = Monitor("G x < 3")
    monitor.step(x=1)
    with pytest.raises(TraceError, match=f"`x`: {reason}"):
        monitor.step(x=value)
    assert monitor.position == 1 and monitor.end().ok


def test_types_are_checked_as_in_a_file():
    monitor = Monitor("G x < 3")
    with pytest.raises(TraceError) as caught:
        monitor.step(x="many")
    assert caught.value.diagnostics[0].variable == "x"
    assert monitor.position == 0


@pytest.mark.parametrize("state", [7, "x", [1], object()], ids=repr)
def test_what_is_no_state(state):
    with pytest.raises(TypeError, match="a state is a dict"):
        Monitor("G x < 3").step(state)


def test_a_variable_that_is_never_seen_is_no_answer():
    monitor = Monitor("G !error")
    with pytest.warns(TraceWarning, match="did you mean `eror`"):
        monitor.step(eror=True)
    with pytest.raises(TraceError, match="never seen"):
        monitor.end()
    with pytest.raises(TraceError, match="empty"):
        Monitor("G !error").end()
    with pytest.raises(TraceError, match="empty"):
        with Monitor("G !error"):
            pass
    assert Monitor("G !error", allow_empty=True).end().ok


def test_an_exception_inside_is_not_hidden_by_the_end():
    with pytest.raises(ZeroDivisionError):
        with Monitor("G !error") as monitor:
            1 / 0
    assert monitor.has_ended


def test_time_passes():
    monitor = Monitor("G(ask -> F[0,5s] answer)", time="t:s")
    monitor.step(t=10, ask=True, answer=False)
    assert monitor.deadline == 15_000_000_000
    assert monitor.advance_to(15) == ()
    change = monitor.advance_to(15.5)[0]
    assert change.verdict == "violated" and change.to_dict()["missed"][0]["obligation"] == "F[0,5s] answer"
    with pytest.raises(TraceError):
        monitor.step(t=12, ask=False, answer=False)


def test_time_as_dates():
    begin = datetime(2026, 11, 18, 12, tzinfo=timezone(timedelta(hours=2)))
    for moment in [begin, begin.replace(tzinfo=None), pandas.Timestamp(begin), begin.isoformat()]:
        monitor = Monitor("G(ask -> F[0,5s] answer)", time="t")
        monitor.step(t=moment, ask=True, answer=False)
        late = pandas.Timestamp(moment) + timedelta(seconds=6)
        monitor.step(t=late.isoformat() if isinstance(moment, str) else late, ask=False, answer=True)
        assert monitor.verdicts == {"p1": Verdict.VIOLATED}
    with pytest.raises(TraceError, match="give a datetime"):
        monitor.advance_to(7)


def test_a_monitor_goes_on_where_it_was():
    spec = "G(request -> F[0,3] grant)"
    monitor = Monitor(spec)
    monitor.step(request=True, grant=False)
    monitor.step(request=False, grant=False)
    again = Monitor.restore(spec, monitor.save())
    assert isinstance(again, Monitor) and again.position == 2
    for _ in range(2):
        again.step(request=False, grant=False)
    assert again.verdicts == {"p1": Verdict.VIOLATED} and monitor.verdicts == {"p1": Verdict.PENDING}
    with pytest.raises(UsageError, match="another spec"):
        Monitor.restore("G grant", monitor.save())
    with pytest.raises(UsageError):
        Monitor.restore(spec, b"nonsense")


def test_queries_are_measured():
    with Monitor("query most = max(x)\nproperty p = G x > 0") as monitor:
        for x in [3, 9, 4]:
            monitor.step(x=x)
    assert monitor.report.values == {"most": 9} and monitor.report["most"] == 9


COLUMNS = {
    "request": [True, False, False, True, False],
    "grant": [False, False, True, False, False],
    "x": [1, 2, 3, 4, 5],
    "s": ["a", None, "b", "a", "c"],
}


@pytest.mark.parametrize(
    "batch",
    [
        COLUMNS,
        {name: numpy.array(values) for name, values in COLUMNS.items() if name != "s"} | {"s": COLUMNS["s"]},
        pyarrow.table(COLUMNS),
        pyarrow.RecordBatch.from_pydict(COLUMNS),
        polars.DataFrame(COLUMNS),
        pandas.DataFrame(COLUMNS),
    ],
    ids=["dict", "numpy", "table", "batch", "polars", "pandas"],
)
def test_batches_are_states_one_by_one(batch):
    spec = ["G(request -> F grant)", "G x < 4", 'F s == "c"']
    whole, single = Monitor(spec), Monitor(spec)
    told = whole.step_batch(batch, only_final=False)
    rows = [dict(zip(COLUMNS, row)) for row in zip(*COLUMNS.values())]
    steps = [change for row in rows for change in single.step(row)]
    assert [change.to_dict() for change in told] == [change.to_dict() for change in steps]
    assert whole.end() == single.end()
    assert whole.end().verdicts == {one.name: one.verdict for one in check(spec, COLUMNS).properties}


def test_batches_go_on():
    monitor = Monitor("G(defined(past(x)) -> x > past(x))")
    monitor.step_batch({"x": numpy.arange(5)})
    assert monitor.step_batch({"x": numpy.arange(5, 9)}) == ()
    change = monitor.step_batch({"x": [9, 3, 10]})[0]
    assert change.position == 10 and change.is_final
    with pytest.raises(TypeError, match="a batch is"):
        monitor.step_batch([1, 2])
    with pytest.raises(ValueError, match="differ in length"):
        monitor.step_batch({"x": [1], "y": []})


def test_timestamps_in_batches():
    begin = numpy.datetime64("2026-11-18T00:00:00", "ms")
    times = begin + numpy.array([0, 1000, 9000], dtype="timedelta64[ms]")
    monitor = Monitor("G(a -> F[0,5s] b)", time="t")
    told = monitor.step_batch({"t": times, "a": [True, False, False], "b": [False, False, True]})
    assert [(one.verdict, one.position) for one in told] == [(Verdict.VIOLATED, 2)]


def test_rows_before_one_that_is_refused_are_told():
    """In a table of several pieces, too, and rows are counted from its first."""
    heard = []
    monitor = Monitor("G x < 3", on_verdict=heard.append, time="t:ms", type={"x": "number"})
    texts = pyarrow.chunked_array([["1", "7"], ["2", "what"]])
    with pytest.raises(TraceError, match="row 4: `x`") as caught:
        monitor.step_batch(pyarrow.table({"x": texts, "t": [1, 2, 3, 4]}))
    assert caught.value.diagnostics[0].row == 4 and monitor.position == 2
    assert [(one.verdict, one.position) for one in heard] == [("violated", 1)]
    times = pyarrow.table({"x": pyarrow.chunked_array([["1"], ["1", "1"]]), "t": [5, 7, 6]})
    with pytest.raises(TraceError, match="row 3: time goes backwards.*on row 2 before it"):
        monitor.step_batch(times)


def test_a_source_that_fails_does_not_swallow_what_was_told():
    def batches():
        yield pyarrow.record_batch({"x": [7]})
        raise RuntimeError("the source is gone")

    heard = []
    monitor = Monitor("G x < 3", on_verdict=heard.append)
    with pytest.raises(TraceError, match="the source is gone"):
        monitor.step_batch(pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"x": pyarrow.int64()}), batches()))
    assert [one.verdict for one in heard] == ["violated"]


def test_values_that_nobody_speaks_of_may_be_their_own_members():
    own = {}
    own["own"] = own
    deep = []
    for _ in range(100_000):
        deep = [deep]
    monitor = Monitor("G x < 3 & door.open")
    for odd in [own, deep]:
        monitor.step({"x": 1, "odd": odd, "door": {"open": True, "odd": odd}})
    assert monitor.end().ok


@pytest.mark.parametrize("value", [{"a": 5}, [5], (5, 6)])
def test_a_value_with_members_is_no_single_value(value):
    monitor = Monitor("G x < 3")
    monitor.step(x=1)
    with pytest.raises(TraceError, match=f"`x` is a {type(value).__name__}, not a single value"):
        monitor.step(x=value)
    assert monitor.position == 1


def test_a_monitor_that_its_own_callback_holds_is_freed():
    class Holder:
        def __init__(self):
            self.monitor = Monitor("G x < 3", on_verdict=self.heard)

        def heard(self, change):
            pass

    holder = Holder()
    known = weakref.ref(holder)
    del holder
    gc.collect()
    assert known() is None


def test_a_batch_that_is_refused_in_the_middle():
    monitor = Monitor("G x < 100", missing="error")
    with pytest.raises(TraceError):
        monitor.step_batch({"x": [1, 2, None, 4]})
    assert monitor.position == 2


def test_log_records_are_states():
    monitor = Monitor(['G(message == "open" -> F message == "shut")', 'G(level != "ERROR")', "G user > 0"])
    logger = logging.getLogger("traceward.tests")
    handler = MonitorHandler(monitor)
    logger.addHandler(handler)
    logger.propagate = False
    try:
        logger.warning("open", extra={"user": 7})
        logger.error("shut", extra={"user": 8})
    finally:
        logger.removeHandler(handler)
    assert monitor.end().verdicts == {"p1": "satisfied", "p2": "violated", "p3": "satisfied"}


def test_time_of_log_records():
    monitor = Monitor('G(message == "a" -> F[0,1h] message == "b")', time="at:s")
    handler = MonitorHandler(monitor, time="at")
    record = logging.LogRecord("x", logging.INFO, "", 0, "a", (), None)
    handler.emit(record)
    record = logging.LogRecord("x", logging.INFO, "", 0, "b", (), None)
    record.created += 7200
    handler.emit(record)
    assert monitor.verdicts == {"p1": "violated"}


def test_log_records_of_threads_may_come_in_another_order():
    monitor = Monitor('F message == "b"', time="at:s")
    handler = MonitorHandler(monitor, time="at")
    for message, created in [("a", 100.0), ("b", 99.9), ("c", 100.1)]:
        record = logging.LogRecord("x", logging.INFO, "", 0, message, (), None)
        record.created = created
        handler.handle(record)
    assert monitor.end().ok and monitor.position == 3


def test_threads_share_a_monitor():
    monitor = Monitor("G x < 1000000")
    monitor.step(x=0)

    def run():
        for x in range(2000):
            monitor.step(x=x)

    threads = [threading.Thread(target=run) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert monitor.position == 8001 and monitor.end().ok


def test_a_process_that_forks_has_a_monitor_of_its_own():
    monitor = Monitor("G x < 3")
    monitor.step(x=1)
    child = os.fork()
    if child == 0:
        changed = monitor.step(x=9)
        os._exit(7 if changed and changed[0].verdict == "violated" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert monitor.verdicts == {"p1": "holding"}


def test_nothing_is_kept_of_states():
    class Text(str):
        pass

    monitor = Monitor('G(x == "a")')
    monitor.step(x="a")
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(1000):
        monitor.step(x=Text("a"))
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_specs_that_cannot_be_followed():
    with pytest.raises(SpecError):
        Monitor("G(a -> )")
    with pytest.raises(UsageError):
        Monitor("query q = quantile(0.5, latency(a -> b))\nproperty p = G a", time="t:s", engine="reverse").step(a=True)
    with pytest.raises(TypeError, match="there is no option"):
        Monitor("G a", listen="tcp://127.0.0.1:0")


def test_a_first_value_that_is_null_is_no_slip():
    monitor = Monitor("G(defined(x) -> x < 3)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monitor.step(x=None)
        monitor.step(x=1)
    assert monitor.end().states == 2


@pytest.mark.parametrize("by", [None, "k"])
def test_what_is_named_and_never_has_a_value_is_missing(by):
    """As a column of nothing but nulls is to `check`."""
    columns = {"k": ["a", "a"], "x": pyarrow.array([None, None], pyarrow.int64()), "n": [{"m": None}, None]}
    table = pyarrow.table({**columns, "n": pyarrow.array(columns["n"], pyarrow.struct({"m": pyarrow.int64()}))})
    spec = ["G !(x > 3)", "F x > 3", "G n.m < 3"]
    expected = {one.name: one.verdict for one in check(spec, table, by=by).properties}
    with Monitor(spec, by=by) as monitor:
        monitor.step_batch(table)
    assert monitor.report.verdicts == expected
    with Monitor(spec, by=by) as monitor:
        for _ in range(2):
            monitor.step(k="a", x=None, n={"m": None})
    assert monitor.report.verdicts == expected


@pytest.mark.parametrize("by", [None, "k"])
def test_what_is_named_and_never_has_a_value_is_no_slip_behind_a_restart(by):
    """As a stream of Spark restores it with each micro-batch."""
    table = pyarrow.table({"k": ["a"], "x": [1], "y": pyarrow.array([None], pyarrow.int64())})
    monitor = Monitor("G(x > 0 -> !(y > 3))", by=by)
    monitor.step_batch(table)
    again = Monitor.restore("G(x > 0 -> !(y > 3))", monitor.save(), by=by)
    assert again.end().ok
    slip = Monitor("G(x > 0 -> !(y > 3))", by=by)
    with pytest.warns(TraceWarning, match="`y` is not in the first state"):
        slip.step_batch(table.drop(["y"]))
    with pytest.raises(TraceError, match="`y` was never seen"):
        Monitor.restore("G(x > 0 -> !(y > 3))", slip.save(), by=by).end()


def test_all_are_told_before_a_callback_that_raises_is_heard():
    told = []

    def on_verdict(change):
        told.append(change.property)
        raise RuntimeError(change.property)

    monitor = Monitor(["G x < 3", "F x > 5", "x < 3"], on_verdict=on_verdict)
    for tell in [lambda: monitor.step(x=1), lambda: monitor.step_batch({"x": [9]})]:
        told.clear()
        with pytest.raises(RuntimeError, match="p1"):
            tell()
        assert told[:2] == ["p1", "p2"]
    told.clear()
    timed = Monitor(["G F[0,1s] x", "F[0,1s] x"], time="t:s", on_verdict=on_verdict)
    with pytest.raises(RuntimeError):
        timed.step(t=0, x=False)
    told.clear()
    with pytest.raises(RuntimeError, match="p1"):
        timed.advance_to(5)
    assert told == ["p1", "p2"]


def test_warnings_that_are_errors_swallow_no_change():
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monitor = Monitor("G(x < 3 & !y)", on_verdict=told.append)
        with pytest.raises(TraceWarning, match="`y` is not in the first state"):
            monitor.step(x=9)
        assert [one.verdict for one in told] == ["violated"]
        monitor = Monitor("G(x < 3 & !y)", by="k", on_verdict=told.append)
        with pytest.raises(TraceWarning, match="1 record has no `k`"):
            monitor.step_batch({"x": [9, 9], "k": ["a", None]})
        assert [one.key for one in told] == [None, "a"] and monitor.position == 1
        monitor.step(x=1, k="a", y=False)
        told_at_end = Monitor('G(s == "on" -> x < 3)')
        told_at_end.step(s="off", x=1)
        with pytest.raises(TraceWarning, match="on"):
            told_at_end.end()
        assert told_at_end.report.ok and told_at_end.end() is told_at_end.report


def test_columns_that_nobody_speaks_of_may_be_anything():
    monitor = Monitor("G x < 3", by="k")
    assert monitor.step_batch({"odd": [1, "a"], "x": [1, 9], "k": ["a", "b"]})[0].key == "b"
    objects = polars.Series([{1}, {2}], dtype=polars.Object)
    monitor.step_batch(polars.DataFrame({"odd": objects, "x": [1, 2], "k": ["a", "b"]}))
    with pytest.raises(TraceError, match="`x` has objects of Python"):
        monitor.step_batch(polars.DataFrame({"x": objects, "k": ["a", "b"]}))
    assert monitor.position == 4
    odd = pandas.DataFrame({"odd": [1, "a"], "x": [1, 2], "k": ["a", "b"]})
    for frame in [odd, polars.DataFrame({"odd": [2**70, 1], "x": [1, 2], "k": ["a", "b"]}, {"odd": polars.Int128, "x": int, "k": str})]:
        monitor.step_batch(frame)
    monitor.step_batch(polars.LazyFrame({"x": [1, 2], "k": ["a", "b"]}))
    assert monitor.position == 10
    with pytest.warns(TraceWarning, match="`why` is not in the first state.*did you mean `who`"):
        Monitor("G(x < 3 -> why)").step_batch(pandas.DataFrame({"x": [1], "who": [True]}))
