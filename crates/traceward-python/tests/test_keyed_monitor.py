"""Monitors that follow each key of a stream: as `check` answers by key, whenever they are told."""

import random
import time
from datetime import datetime, timedelta, timezone

import pandas
import polars
import pyarrow
import pytest

from traceward import LimitError, Monitor, TraceError, TraceWarning, UsageError, Verdict, check

SPEC = "property answered = G(p -> F q)\nproperty low = G x < 8\nproperty asked = F p\nquery most = max(x)"


def stream(chance, rows, keys):
    return {
        "k": [chance.choice(keys) for _ in range(rows)],
        "p": [chance.random() < 0.3 for _ in range(rows)],
        "q": [chance.random() < 0.3 for _ in range(rows)],
        "x": [chance.randrange(10) for _ in range(rows)],
        "last": [chance.random() < 0.1 for _ in range(rows)],
    }


def states_of(columns):
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def rows_of(report):
    """A row for each trace of a key."""
    return pyarrow.table(report.keys_to_arrow()).to_pylist()


def followed(columns, way, **options):
    """What a monitor has come to that took a stream in one of several ways."""
    monitor = Monitor(SPEC, by="k", **options)
    if way == "states":
        changes = list(monitor.follow(states_of(columns)))
    else:
        cut = len(columns["k"]) // 3
        halves = [{name: values[:cut] for name, values in columns.items()}]
        halves.append({name: values[cut:] for name, values in columns.items()})
        make = {"lists": dict, "PyArrow": pyarrow.table, "pandas": pandas.DataFrame, "Polars": polars.DataFrame}[way]
        changes = [change for half in halves for change in monitor.step_batch(make(half), only_final=False)]
    return monitor, changes


@pytest.mark.parametrize("way", ["states", "lists", "PyArrow", "pandas", "Polars"])
@pytest.mark.parametrize("ends", [{}, {"end_when": "last"}], ids=["at the end", "by a marker"])
def test_each_key_is_judged_as_check_judges_it(way, ends):
    chance = random.Random(f"{way} {ends}")
    for keys in [["a", "b", "c"], [1, 2, -3], [1.5, 2.0], [True, False], ["é ü", "日本", "a b"]]:
        columns = stream(chance, 120, keys)
        report = check(SPEC, columns, by="k", **ends)
        monitor, changes = followed(columns, way, **ends)
        known = {}
        for change in changes:
            known[change.property, change.key, change.trace] = change
        told = monitor.end()
        for one in report.properties:
            assert told.verdicts[one.name] == one.verdict
            assert told.keys[one.name]["checked"] == one.keys.checked
            assert told.keys[one.name]["violated"] == one.keys.violated
        # At its end a trace is what it held, or owed, before.
        for one, row in ((one, row) for one in report.properties for row in rows_of(report)):
            key, _, number = row["key"].partition(" (trace ")
            change = known[one.name, key, int(number.rstrip(")") or 1)]
            is_satisfied = change.verdict in (Verdict.SATISFIED, Verdict.HOLDING)
            assert row[one.name] == ("satisfied" if is_satisfied else "violated"), (row, change)
            assert not change.is_final or change.verdict == row[one.name]
        values = [row["most"] for row in rows_of(report)]
        assert told.summaries["most"]["count"] == len(values) and told.summaries["most"]["max"] == max(values)


def test_a_state_says_whose_it_is():
    told = []
    monitor = Monitor("G x < 3", by="who", on_verdict=told.append)
    assert [(one.key, one.trace, one.position) for one in monitor.step(who="ann", x=1)] == [("ann", 1, 0)]
    assert [(one.key, one.verdict) for one in monitor.step({"who": 7}, x=9)] == [("7", "violated")]
    assert monitor.position == 2 and monitor.live == 2
    assert monitor.verdicts == {"p1": Verdict.VIOLATED}
    assert monitor.verdicts_of("ann") == {"p1": Verdict.HOLDING} and monitor.verdicts_of(7) == monitor.verdicts_of("7")
    assert monitor.verdicts_of("bob") is None
    assert [one.to_dict().get("key") for one in told] == ["ann", "7"]
    assert told[1].values == {"x": 9} and repr(told[1]) == "<Change: 7: p1 is violated at position 0, final>"
    assert str(monitor.end()) == "2 states\np1: violated (1 of 2 violated)"


@pytest.mark.parametrize("key", [None, float("nan"), "", ["a"], {"a": 1}])
def test_a_state_without_a_key_is_refused_and_has_not_happened(key):
    monitor = Monitor("G x < 3", by="who")
    monitor.step(who="ann", x=1)
    with pytest.raises(TraceError, match="who"):
        monitor.step(who=key, x=9)
    with pytest.raises(TraceError, match="no `who`"):
        monitor.step(x=9)
    assert monitor.position == 1 and monitor.end().ok


def test_rows_without_a_key_do_not_pass_in_silence():
    monitor = Monitor("G x < 3", by="who")
    with pytest.warns(TraceWarning, match="1 record has no `who`"):
        monitor.step_batch({"who": ["a", None, "a"], "x": [1, 9, 2]})
    assert monitor.position == 2


@pytest.mark.parametrize(
    ("key", "same"),
    [
        (datetime(2026, 1, 2, tzinfo=timezone.utc), pyarrow.array([datetime(2026, 1, 2, tzinfo=timezone.utc)])),
        (2.5, pyarrow.array([2.5])),
        (2.0, pyarrow.array([2.0])),
        (True, pyarrow.array([True])),
        (-(2**62), pyarrow.array([-(2**62)])),
        ("a,b\n", pyarrow.array(["a,b\n"])),
    ],
)
def test_a_key_has_the_same_name_as_in_a_table(key, same):
    monitor = Monitor("G x < 3", by="who")
    (change,) = monitor.step(who=key, x=1)
    (row,) = rows_of(check("G x < 3", pyarrow.table({"who": same, "x": [1]}), by="who"))
    assert change.key == row["key"]
    assert monitor.step_batch(pyarrow.table({"who": same, "x": [9]}))[0].key == change.key and monitor.live == 1


def test_silence_ends_a_trace_by_timestamps():
    monitor = Monitor("F x > 3", by="who", time="t:s", idle="10s")
    monitor.step(who="ann", t=0, x=1)
    changes = monitor.step(who="bob", t=11, x=1)
    assert [(one.key, one.verdict, one.ended) for one in changes if one.is_final] == [("ann", "violated", "silence")]
    assert [(one.key, one.ended) for one in monitor.advance_to(30)] == [("bob", "silence")]
    (again,) = monitor.step(who="ann", t=31, x=9)
    assert (again.trace, again.verdict, repr(again)) == (
        2, "satisfied", "<Change: ann (trace 2): p1 is satisfied at position 0, final>"
    )
    assert monitor.end().keys["p1"]["checked"] == 3


def test_silence_ends_a_trace_by_the_clock_where_there_are_no_timestamps():
    monitor = Monitor("F x > 3", by="who", idle="20ms")
    monitor.step(who="ann", x=1)
    time.sleep(0.05)
    with pytest.raises(TraceError):
        monitor.step(x=1)
    changes = monitor.step(who="bob", x=1)
    assert [(one.key, one.ended) for one in changes if one.is_final] == [("ann", "silence")]


def test_deadlines_of_all_keys_pass():
    monitor = Monitor("G(p -> F[0,5s] q)", by="who", time="t")
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    for second, who in enumerate(["ann", "bob"]):
        monitor.step(who=who, t=start + timedelta(seconds=second), p=True, q=False)
    assert monitor.deadline is not None
    assert [one.key for one in monitor.advance_to(start + timedelta(seconds=5.5))] == ["ann"]
    assert [one.key for one in monitor.advance_to(start + timedelta(seconds=7))] == ["bob"]


def test_one_key_too_many_is_an_error_and_no_wrong_verdict():
    monitor = Monitor("G x < 3", by="who", max_keys=2)
    monitor.step(who="a", x=1)
    monitor.step(who="b", x=1)
    with pytest.raises(LimitError, match="2"):
        monitor.step(who="c", x=1)
    assert monitor.position == 2 and monitor.end().ok


def test_a_spec_may_name_the_key():
    with Monitor("trace { by who } property low = G x < 3") as monitor:
        monitor.step(who="a", x=1)
        monitor.step_batch(polars.DataFrame({"who": ["b", "b"], "x": [2, 5]}))
    assert monitor.report.keys["low"]["first_violations"][0]["key"] == "b"


def test_what_is_not_told_of_keys_is_said():
    with pytest.raises(UsageError, match="idle ends the traces of keys"):
        Monitor("G x < 3", idle="1s")
    with pytest.raises(UsageError, match="max_keys limits keys"):
        Monitor("G x < 3", max_keys=5)
    with pytest.raises(UsageError, match="coverage"):
        Monitor("G x < 3", by="who", coverage=True)
    with pytest.raises(UsageError, match="end"):
        Monitor("G x < 3", end_when="x == 3")
    with pytest.raises(UsageError, match="there are no keys"):
        Monitor("G x < 3").verdicts_of("a")
    with pytest.raises(TraceError, match="empty"):
        Monitor("G x < 3", by="who").end()


@pytest.mark.parametrize("options", [{}, {"end_when": "last"}, {"idle": "9s", "time": "t:s"}])
def test_a_restored_monitor_tells_the_same(options):
    """Cut anywhere: what is told of states, and of the end."""
    chance = random.Random(f"{options}")
    columns = stream(chance, 60, ["a", "b", 3, 4.5, True])
    now = 0
    columns["t"] = [now := now + chance.choice([0, 1, 4]) for _ in columns["k"]]
    states = states_of(columns)

    def told(monitor, states):
        changes = [change.to_dict() for state in states for change in monitor.step(state)]
        left = [str(monitor.verdicts), monitor.live, monitor.position, monitor.deadline]
        return changes, left, monitor.end().to_dict()

    for cut in (0, 1, 7, 30, 59, 60):
        monitor = Monitor(SPEC, by="k", **options)
        for state in states[:cut]:
            monitor.step(state)
        saved = monitor.save()
        assert Monitor.restore(SPEC, saved, by="k", **options).save() == saved
        seen = []
        again = Monitor.restore(SPEC, saved, by="k", on_verdict=seen.append, **options)
        assert told(again, states[cut:]) == told(monitor, states[cut:])
        assert seen or cut > 30


def test_silence_by_the_clock_goes_on_where_it_was_saved():
    """There is room for slow machines between the pauses and the silence that ends a trace."""
    monitor = Monitor("F x > 3", by="who", idle="6s")
    monitor.step(who="ann", x=1)
    time.sleep(3.5)
    saved = monitor.save()
    # Nobody was silent while nobody listened.
    time.sleep(3)
    monitor = Monitor.restore("F x > 3", saved, by="who", idle="6s")
    assert [one.ended for one in monitor.step(who="bob", x=1) if one.ended] == []
    assert monitor.live == 2
    # What was listened to before counts.
    time.sleep(3.5)
    assert {one.key for one in monitor.step(who="eve", x=1) if one.ended} == {"ann"}


def test_what_silence_has_brought_is_told_behind_a_restart():
    spec, options = ["F x > 3", "G x < 3"], dict(by="who", idle="20ms")
    monitor = Monitor(spec, **options)
    monitor.step(who="ann", x=1)
    time.sleep(0.05)
    with pytest.raises(TraceError):
        monitor.step(x=1)
    for asked in [monitor.save(), monitor.save()]:
        again = Monitor.restore(spec, asked, **options)
        assert again.live == 0
        told = [(one.key, one.property, one.verdict, one.position, one.trace, one.ended) for one in again.step(who="bob", x=1)]
        assert told[:2] == [("ann", "p1", "violated", 0, 1, "silence"), ("ann", "p2", "satisfied", 0, 1, "silence")]
        assert {one[0] for one in told[2:]} == {"bob"}
        assert again.end().keys["p1"]["checked"] == 2
    # Nothing was asked in between: saving alone has found out.
    monitor = Monitor(spec, **options)
    monitor.step(who="ann", x=1)
    time.sleep(0.05)
    saved = monitor.save()
    assert Monitor.restore(spec, saved, **options).step(who="bob", x=1)[0].key == "ann"
    for wrong in [saved[:-1], saved[:30], saved[:15], saved[:12] + b"\xff" * 8 + saved[20:], saved[:20] + b"?" + saved[21:]]:
        with pytest.raises(UsageError, match="saved monitor"):
            Monitor.restore(spec, wrong, **options)
    with pytest.raises(UsageError, match="other options for keys"):
        Monitor.restore(spec, saved)


def test_what_was_saved_otherwise_is_refused():
    saved = Monitor("G x < 3", by="who", idle="1s").save()
    for wrong, options in [
        (saved, dict(by="who", idle="2s")),
        (saved, dict(by="who")),
        (saved[:-1], dict(by="who", idle="1s")),
        (saved[:40], dict(by="who", idle="1s")),
        (b"", dict(by="who", idle="1s")),
        (saved, dict(by="other", idle="1s")),
        (saved, {}),
        (Monitor("G x < 3").save(), dict(by="who")),
    ]:
        with pytest.raises(UsageError, match="saved"):
            Monitor.restore("G x < 3", wrong, **options)
    assert Monitor.restore("G x < 3", saved, by="who", idle="1s", max_keys=3).position == 0


def test_keys_whose_traces_have_ended_are_let_go():
    """What has ended is summed up: memory does not grow with it."""
    monitor = Monitor("G(p -> F q)", by="who", end_when="q", max_keys=10)
    for start in range(0, 20_000, 1000):
        keys = [key for key in range(start, start + 1000) for _ in range(2)]
        monitor.step_batch({"who": keys, "p": [True, False] * 1000, "q": [False, True] * 1000})
        assert monitor.live == 0
    assert monitor.end().keys["p1"]["checked"] == 20_000
