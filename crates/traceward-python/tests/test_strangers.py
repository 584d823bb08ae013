"""What strangers try in their first five minutes: an answer that is right, or an error that says what to do."""

import copy
import datetime
import decimal
import io
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
import threading
import uuid

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import traceward
from traceward import Monitor, Spec, SpecError, TraceError, check, inspect

UTC = datetime.timezone.utc


def failing(data, formula="G x < 3", **options):
    return list(check(formula, data, **options)["p1"].violations)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pyarrow.table, dict])
def test_a_misspelt_column(frame):
    with pytest.raises(SpecError, match="did you mean `request`"):
        check("G requst", frame({"request": [True]}))


def test_columns_of_several_types_are_said_to_be_so():
    frame = pandas.DataFrame({"x": [1, "b", 2.5], "y": [4, 5, 6]})
    with pytest.raises(TraceError, match="cannot be handed over.*column x") as caught:
        check("G x < 3", frame)
    assert "one type" in str(caught.value) and caught.value.__cause__ is not None
    assert check("G y > 3", frame).ok, "nobody asks for the other column"
    assert check("G y > 3", frame.assign(x=[object(), None, {}])).ok
    for mixed in [[1, "a"], [datetime.datetime(2026, 1, 1), 5], [datetime.datetime(2026, 1, 1), "a"], [True, 1]]:
        with pytest.raises(TypeError, match="several types"):
            check("G x == 1", {"x": mixed})


def test_columns_of_the_same_name():
    with pytest.raises(TraceError, match="Duplicate column names"):
        check("G x < 3", pandas.DataFrame([[4, 5]], columns=["x", "x"]))
    with pytest.raises(TraceError, match="more than once"):
        check("G x < 3", pyarrow.table([[4], [1]], names=["x", "x"]))
    assert check("G y < 3", pyarrow.table([[4], [1], [2]], names=["x", "x", "y"])).ok


def test_an_index_of_pandas_is_a_column():
    frame = pandas.DataFrame({"x": [1, 5, 2]}, index=pandas.Index(["a", "b", "c"], name="k"))
    assert failing(frame) == [1] and check("G x < 3", frame, by="k")["p1"].keys.violated == 1
    moments = pandas.date_range("2026-01-01", periods=3, freq="s", name="t", tz="Europe/Berlin")
    assert check("G(x > 3 -> F[0,1s] x < 3)", frame.set_index(moments), time="t").ok
    several = frame.set_index(pandas.MultiIndex.from_product([["a"], [1, 2, 3]], names=["k", "n"]))
    assert check("G n < 3", several, by="k")["p1"].keys.violated == 1


@pytest.mark.parametrize(
    "column",
    [
        pandas.Series([1, 2, 5]),
        pandas.Series([1, 2, 5], index=[7, 8, 9], dtype="Int64"),
        pandas.Series([1, 2, 5], dtype=object),
        pandas.Index([1, 2, 5]),
        pandas.array([1, 2, 5]),
        polars.Series([1, 2, 5]),
        pyarrow.array([1, 2, 5]),
        pyarrow.array([0, 1, 2, 5]).slice(1),
        pyarrow.chunked_array([[1], [2, 5]]),
        numpy.array([1, 2, 5], ">i4"),
        numpy.array([1, 2, 5], "f2"),
        numpy.array([1, 0, 2, 0, 5, 0])[::2],
        range(1, 6, 2),
        (1, 2, 5),
        (one for one in [1, 2, 5]),
        memoryview(numpy.array([1, 2, 5])),
    ],
    ids=lambda one: f"{type(one).__module__}.{type(one).__name__}",
)
def test_a_column_is_whatever_has_an_order(column):
    expected = [1, 2] if isinstance(column, range) else [2]
    assert failing({"x": column}) == expected


@pytest.mark.parametrize("column", [{1, 2}, frozenset([1]), {"a": 1}, "abc", b"abc", 5, None, numpy.zeros((2, 2))])
def test_what_is_no_column(column):
    with pytest.raises((TypeError, ValueError), match="the column `x`"):
        check("G x < 3", {"x": column})


@pytest.mark.parametrize("column", [pandas.Series([1], name="x"), polars.Series("x", [1]), pyarrow.array([1]), pyarrow.chunked_array([[1]])])
def test_a_column_alone_is_no_table(column):
    with pytest.raises(TypeError, match="single column is no trace"):
        check("G x < 3", column)


def test_missing_values_of_pandas():
    moments = [pandas.Timestamp("2026-01-01", tz="UTC"), pandas.NaT]
    assert failing({"x": pandas.Series([1, None, 5], dtype="Int64")}) == [1, 2]
    assert failing({"x": [1, pandas.NA, 5]}) == [1, 2]
    assert failing({"x": [1.0, float("nan"), 5.0]}) == [1, 2]
    for column in [moments, pandas.Series(moments), numpy.array(["2026-01-01", "NaT"], "M8[ns]")]:
        with pytest.raises(TraceError, match="no timestamp"):
            check("G(x -> F[0,2s] !x)", {"t": column, "x": [True, False]}, time="t")
        assert failing({"t": column}, "G defined(t)") == [1]
    monitor = Monitor("G defined(x)")
    assert monitor.step(x=pandas.NaT)[0].verdict == "violated"


@pytest.mark.parametrize(
    ("values", "formula"),
    [
        ([decimal.Decimal("1.5"), decimal.Decimal("2.5")], "G x < 2"),
        ([decimal.Decimal("1"), decimal.Decimal("5")], "G x < 2"),
        ([datetime.timedelta(seconds=1), datetime.timedelta(seconds=3)], "G x < 2000000000"),
        ([datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)], "G x < 1767312000000000000"),
    ],
)
def test_values_of_the_standard_library_mean_what_they_mean_in_a_table(values, formula):
    (expected,) = {tuple(failing(make({"x": values}), formula)) for make in [pyarrow.table, polars.DataFrame]}
    assert expected == (1,) and tuple(failing({"x": values}, formula)) == expected
    monitor = Monitor(formula)
    assert [monitor.step(x=value)[0].verdict for value in values] == ["holding", "violated"]


KEYS = [
    1, 1.5, True, "a", "é", decimal.Decimal("1.5"), datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=UTC),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_a_key_is_the_same_key_everywhere(key):
    columns = {"k": [key, key], "x": [1, 5]}
    tables = [columns, pyarrow.table(columns), polars.DataFrame(columns)]
    names = {pyarrow.table(check("G x < 3", one, by="k").keys_to_arrow())["key"].to_pylist()[0] for one in tables}
    monitor = Monitor("G x < 3", by="k")
    names.add(monitor.step(k=key, x=1)[0].key)
    assert len(names) == 1, names


def test_unique_numbers_are_texts():
    key = uuid.uuid4()
    assert check("G x < 3", {"k": [key, key], "x": [1, 5]}, by="k")["p1"].keys.checked == 1
    assert check(f'G k == "{key}"', {"k": [key]}).ok


def test_types_of_polars():
    assert failing(polars.DataFrame({"s": ["a", "b"]}, schema={"s": polars.Categorical}), 'G s == "a"') == [1]
    assert failing(polars.DataFrame({"s": ["a", "b"]}, schema={"s": polars.Enum(["a", "b"])}), 'G s == "a"') == [1]
    assert failing(polars.DataFrame({"x": [[1, 2], [3]]}), "G x.0 < 3") == [1]
    assert failing(polars.DataFrame({"x": [{"a": 1}, {"a": 3}]}), "G x.a < 3") == [1]
    with pytest.raises(TraceError, match=r"name one of its members: `x.0`"):
        check("G x < 3", polars.DataFrame({"x": [[1, 2], [3]]}))
    wide = polars.DataFrame({"x": [1, 5], "y": [1, 2]}, schema={"x": polars.Int128, "y": polars.Int64})
    with pytest.raises(TraceError, match="cast the column"):
        check("G x < 3", wide)
    assert check("G y < 3", wide).ok, "nobody asks for the other column"
    assert failing(polars.DataFrame({"x": [None, None]}), "G x") == [0, 1]


@pytest.mark.parametrize("empty", [{}, {"x": []}, pandas.DataFrame(), polars.DataFrame(), pandas.DataFrame({"x": []}), b""])
def test_nothing_is_no_answer(empty):
    with pytest.raises(TraceError, match="empty"):
        check("G x < 3", empty)


def test_zones():
    aware = [datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2))), datetime.datetime(2026, 1, 1, 10, 0, 1, tzinfo=UTC)]
    naive = [datetime.datetime(2026, 1, 1, 10), datetime.datetime(2026, 1, 1, 10, 0, 1)]
    for times in [aware, naive, [naive[0], aware[1]]]:
        assert check("G(x -> F[0,1s] !x)", {"t": times, "x": [True, False]}, time="t").ok
        assert not check("G(x -> F[0,999ms] !x)", {"t": times, "x": [True, False]}, time="t").ok


def test_files_that_are_open(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x\n1\n5\n")
    with open(path) as text, open(path, "rb") as raw:
        assert failing(text) == failing(raw) == failing(io.BytesIO(b"x\n1\n5\n")) == failing(io.StringIO("x\n1\n5\n")) == [1]
    assert failing(path) == failing(str(path)) == [1]
    assert inspect(io.BytesIO(b"x\n1\n")).states == 1

    class Odd:
        def read(self):
            return 7

    with pytest.raises(TypeError, match="bytes or texts, not int"):
        check("G x < 3", Odd())


def test_arguments_that_are_taken_for_others(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x\n1\n5\n")
    with pytest.raises(ValueError, match=r"text\.encode\(\)"):
        check("G x < 3", "x\n1\n5\n")
    with pytest.raises(TraceError, match="the spec comes first"):
        check(path, "G x < 3")
    with pytest.raises(TypeError, match="the spec comes first"):
        check(pandas.DataFrame({"x": [1]}), "G x < 3")
    with pytest.raises(TypeError, match="did you mean `by`"):
        check("G x < 3", path, bye="x")


def test_what_can_be_copied_and_pickled():
    spec = Spec(["G größe < 3", "F größe > 2"], event="e")
    report = check(spec, {"größe": [1, 5]})
    for one in [spec, report, inspect({"x": [1]}), traceward.lint("F p | G !p"), report["p1"], report["p1"].verdict]:
        for again in [pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)]:
            assert again == one and repr(again) == repr(one)
    with pytest.raises(SpecError) as caught:
        Spec("G (")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.diagnostics[0].span == caught.value.diagnostics[0].span
    for copied in [pickle.dumps, copy.copy, copy.deepcopy]:
        with pytest.raises(TypeError, match="save"):
            copied(Monitor("G x < 3"))


def test_a_huge_report_is_shown_in_short():
    rows = 200_000
    report = check("G x < 3", {"x": [5] * rows, "k": numpy.arange(rows)}, by="k")
    assert len(repr(report)) < 2000 and len(str(report)) < 2000
    assert len(repr(check("G x < 3", {"x": [5] * rows}))) < 2000
    assert len(repr(Spec("G x < 3" + " & x < 3" * 10_000))) < 200_000


def test_threads_share_a_spec():
    """Tables of several shapes at once: nobody gets what was made ready for another."""
    spec = Spec("G(x > past(x) -> F y)")
    tables = [
        {"x": [1, 2, 1], "y": [False, False, True]},
        {"x": [1, 2, 1], "y": [False, False, False]},
        {"x": [1.5, 2.5, 1.0], "y": [0, 0, 1]},
        {"y": [False, False, False], "x": [3, 2, 1]},
    ]
    expected = [check(Spec(str(spec)), table).to_dict() for table in tables[:3]]
    failed = []

    def ask(number):
        for turn in range(150):
            at = (turn * (number + 1)) % 3
            if check(spec, tables[at]).to_dict() != expected[at]:
                failed.append((number, turn))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def asked_in_a_worker(spec):
    return check(spec, {"x": list(range(50_000))}).to_dict()["properties"][0]["violations"]["count"]


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_processes_have_specs_of_their_own(way):
    spec = Spec("G x < 3")
    assert asked_in_a_worker(spec) == 49_997
    with multiprocessing.get_context(way).Pool(2) as pool:
        assert pool.map(asked_in_a_worker, [spec] * 4) == [49_997] * 4


def test_an_interpreter_inside_of_another_is_told():
    """It is refused, or it works; what it does not do is to end the process."""
    script = """
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        one = interpreters.create()
        try:
            interpreters.run_string(one, "import traceward; assert not traceward.check('G x < 3', {'x': [1, 5]}).ok")
        except Exception as error:
            print("refused", error)
        import traceward
        print(traceward.check("G x < 3", {"x": [1]}).ok)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.endswith("True\n"), done.stdout + done.stderr


def test_types_of_duckdb():
    assert failing(duckdb.sql("select * from (values (1::hugeint), (5::hugeint)) as t(x)")) == [1]
    with pytest.raises(TraceError, match="no value here"):
        check("G x < 3", duckdb.sql("select interval 1 second as x"))
    assert check('G x != "a"', duckdb.sql("select uuid() as x")).ok
