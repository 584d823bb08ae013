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
from traceward.testing import Recorder

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


def test_scalars_of_pyarrow_are_what_they_hold():
    monitor = Monitor("G x < 3", by="k")
    (change,) = monitor.step(k=pyarrow.scalar("a"), x=pyarrow.scalar(5))
    assert (change.key, change.verdict) == ("a", "violated")
    assert Monitor("G defined(x)").step(x=pyarrow.scalar(None))[0].verdict == "violated"


@pytest.mark.parametrize(
    ("values", "formula"),
    [
        ([decimal.Decimal("1.5"), decimal.Decimal("2.5")], "G x < 2"),
        ([decimal.Decimal("1"), decimal.Decimal("5")], "G x < 2"),
        ([datetime.timedelta(seconds=1), datetime.timedelta(seconds=3)], "G x < 2000000000"),
        ([datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)], "G x < 1767312000000000000"),
        ([datetime.time(0, 0, 1), datetime.time(1, 2, 3, 4)], "G x < 3723000004000"),
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

    class Named:
        def __fspath__(self):
            return str(path).encode()

    assert failing(Named()) == [1]

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


def test_what_nobody_asks_for_may_be_anything():
    """As in a file: what the spec does not mention is not looked at."""
    for odd in [[1, "a"], [object(), None], [2**70, 1], numpy.zeros((2, 2)), [{}, []], iter(())]:
        assert failing({"odd": odd, "x": [1, 5]}) == [1]
        with pytest.raises((TypeError, ValueError), match="the column `odd`|differ in length"):
            check("G odd == 1", {"odd": odd, "x": [1, 5]})
    with pytest.raises(SpecError, match="did you mean `odd`"):
        check("G od == 1", {"odd": [1, "a"], "x": [1, 5]})
    with pytest.raises(ValueError, match="differ in length: `odd` has 3 rows, not 2"):
        check("G x < 3", {"odd": [1, 2, 3], "x": [1, 5]})
    assert check("G door.open", {"door": pyarrow.array([{"open": True}]), "x": [1]}).ok
    assert check("G x < 9", {"x": [1, 2], "k": ["a", "b"], "t": [1, 2], "end": [0, 1]}, by="k", time="t:s", end_when="end").ok


def test_what_is_masked_is_missing():
    for values in [[1, 2], [1.0, 2.0], [True, True], numpy.array(["2026-01-01", "2026-01-02"], "M8[ns]")]:
        assert failing({"x": numpy.ma.masked_array(values, mask=[0, 1])}, "G defined(x)") == [1]
        assert failing({"x": numpy.ma.masked_array(values)}, "G defined(x)") == []
    dates = numpy.ma.masked_array(numpy.array(["NaT", "2026-01-01", "2026-01-02"], "M8[ns]"), mask=[0, 1, 0])
    assert failing({"x": dates}, "G defined(x)") == [0, 1]


@pytest.mark.parametrize("code", ["<M8[ns]", ">M8[ns]", "<M8[D]", ">M8[s]", "<M8[12h]", "<m8[ns]", ">m8[us]", "<m8[D]"])
def test_times_of_every_unit(code):
    days = numpy.array([0, 86_400 * 10**9], f"{code[1]}8[ns]").astype(code)
    assert traceward.query("last(t)", {"t": days}).values["q1"] == 86_400 * 10**9
    assert check("G(x -> F[1d,1d] !x)", {"t": days, "x": [True, False]}, time="t").ok


@pytest.mark.parametrize("code", ["M8[ps]", "m8[as]", "m8[Y]", "m8[M]", ">M8[ps]", ">m8[as]", ">m8[Y]"])
def test_times_that_are_no_nanoseconds(code):
    with pytest.raises(ValueError, match="no whole number of nanoseconds"):
        check("G t > 3", {"t": numpy.array([1, 2]).astype(code)})


@pytest.mark.parametrize("code", ["M8[Y]", "M8[D]", "M8[h]", "m8[D]", "m8[h]"])
def test_times_beyond_64_bits_do_not_wrap(code):
    # Of some of these NumPy makes a small number.
    for far in [10**15, 213_503_982_334_601 * 10]:
        times = numpy.array([far, 1]).astype(code)
        with pytest.raises((ValueError, TraceError), match="out of range|does not fit|no date|beyond"):
            check("G t > 3", {"t": times})
        with pytest.raises(TraceError, match="64 bits"):
            Monitor("G t > 3").step(t=times[0])


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns"])
def test_moments_of_numpy_are_moments_whatever_their_unit(unit):
    moment = numpy.datetime64("1970-01-02").astype(f"M8[{unit}]")
    with Monitor("G x", time="t") as monitor:
        monitor.step(t=numpy.datetime64("1970-01-01"), x=True)
        monitor.step(t=moment, x=True)
        with pytest.raises(TraceError, match="1970|day|backwards"):
            monitor.step(t=moment - numpy.timedelta64(1, "D"), x=True)
    assert check("G(x -> F[1d,1d] !x)", {"t": [numpy.datetime64("1970-01-01"), moment], "x": [True, False]}, time="t").ok
    assert traceward.query("last(x)", {"x": [numpy.timedelta64(1, "D").astype(f"m8[{unit}]")]}).values["q1"] == 86_400 * 10**9
    missing = numpy.datetime64("NaT", unit)
    assert Monitor("G defined(x)").step(x=missing)[0].verdict == "violated"


def test_no_value_of_numpy_is_taken_for_another():
    for odd in [numpy.timedelta64(5, "Y"), numpy.timedelta64(5, "ps"), numpy.datetime64(5, "ps")]:
        with pytest.raises(TraceError, match="no whole number of nanoseconds"):
            Monitor("G x < 9").step(x=odd)


def test_a_series_of_polars_is_what_it_is_in_a_frame():
    columns = {
        "x": polars.Series([1_763_433_600_000_000_001, None], dtype=polars.Datetime("ns")),
        "d": polars.Series([1_001, 2], dtype=polars.Duration("ns")),
        "s": polars.Series(["a", "b"], dtype=polars.Categorical),
        "n": polars.Series([None, None]),
        "l": polars.Series([[1, 2], [3]]),
        "e": polars.Series([decimal.Decimal("1.50"), None]),
    }
    formulas = ["x == 1763433600000000001", "d == 1001", 's == "a"', "defined(n)", "l.1 == 2", "e == 1.5"]
    frame = polars.DataFrame(columns)
    for formula, first in zip(formulas, [True, True, True, False, True, True]):
        for data in [frame, columns]:
            assert check(formula, data).ok is first, formula
    assert failing({"x": polars.Series([], dtype=polars.Int64)}, "G x < 3", allow_empty=True) == []
    # Those that it does not hand over are taken one by one.
    assert failing({"x": polars.Series([1, 5], dtype=polars.Object)}) == [1]
    assert failing({"x": polars.Series([1, 5], dtype=polars.Int128)}) == [1]
    assert failing({"x": polars.concat([polars.Series([1]), polars.Series([5])], rechunk=False)}) == [1]


def test_large_integers_beside_missing_ones_are_not_rounded():
    large = 2**53 + 1
    assert traceward.query("first(x)", {"x": pandas.Series([large, None], dtype="Int64")}).values == {"q1": large}
    with pytest.raises(ValueError, match="beyond 64 bits"):
        check("G x > 3", {"x": pandas.Series([2**64 - 1, None], dtype="UInt64")})
    with pytest.raises(TypeError, match="floats beside integers that a float would round"):
        check("G x > 3", {"x": [large, 0.5]})
    with pytest.raises(TypeError, match="floats beside integers that a float would round"):
        check("G x > 3", {"x": [2**63 - 1, 0.5]})
    assert traceward.query("max(x)", {"x": [2**62, 0.5]}).values == {"q1": 2.0**62}
    by_key = traceward.query("max(x)", {"x": [large, 5], "k": ["a", "b"]}, by="k").keys_to_arrow()
    assert pyarrow.table(by_key)["q1"].to_pylist() == [large, 5]


def test_integers_beyond_64_bits_have_a_way_out():
    large = str(2**64 - 1)
    for ids in [pyarrow.table({"x": pyarrow.array([2**64 - 1, 5], "uint64")}), f"x\n{large}\n5\n".encode()]:
        with pytest.raises(TraceError, match="does not fit 64 bits") as caught:
            check("G x > 3", ids)
        assert 'type={"x": "string"}' in str(caught.value)
        assert check(f'x == "{large}"', ids, type={"x": "string"}).ok


def test_names_of_pandas_need_not_be_texts():
    assert failing(pandas.DataFrame([[1, 9], [1, 1]]), "G `1` < 5") == [0]
    columns = pandas.MultiIndex.from_tuples([("x", "a"), ("x", "b")])
    assert failing(pandas.DataFrame([[1, 9]], columns=columns), "G `('x', 'b')` < 5") == [0]


def test_nulls_without_a_type_inside_of_columns():
    frame = polars.DataFrame({"x": [{"a": None, "b": {"c": 1, "d": None}}, {"a": None, "b": {"c": 9, "d": None}}], "l": [[None], []]})
    assert failing(frame, "G x.b.c < 5") == failing(frame.lazy(), "G x.b.c < 5") == [1]
    assert failing(frame, "G defined(x.a)") == failing(frame, "G defined(l.0)") == [0, 1]


def test_lists_that_are_their_own_members():
    own = []
    own.append(own)
    with pytest.raises(TypeError, match="no list of lists"):
        check(own, {"x": [1]})
    with pytest.raises(TypeError, match="null: .* not list"):
        check("G x < 3", {"x": [1]}, null=own)
    assert check([["G x < 3"], ("F x > 0", ["true"])], {"x": [1]}, null=["a", "b"]).ok


def test_options_may_be_integers_of_others():
    assert failing({"x": [5, 5, 5]}, max_violations=numpy.int64(2)) == [0, 1]
    assert failing({"x": [5, 5, 5]}, max_violations=numpy.array(2)) == [0, 1]
    assert check("F x > 5", {"x": [5]}, prefix=numpy.True_)["p1"].verdict == "pending"
    assert not check("F x > 5", {"x": [5]}, prefix=numpy.False_).ok


@pytest.mark.parametrize("null", [numpy.array(["NA", "-"]), numpy.array([1, 2]), pandas.Series(["NA"]), {"NA"}])
def test_an_array_is_no_option(null):
    with pytest.raises(TypeError, match=f"^null: .* not {type(null).__name__}"):
        check("G x < 3", {"x": [1]}, null=null)


def test_no_name_or_key_controls_the_terminal():
    key = "\x1b[2Ja"
    report = check("G x < 3", {"x": [5], "k": [key]}, by="k")
    assert "\x1b" not in repr(report["p1"].keys.first_violations)
    assert "\x1b" not in repr(Monitor("G x < 3", by="k").step(x=5, k=key))
    assert "\x1b" not in repr(inspect({key: [1]}).columns)
    with Monitor("query q = last(s)") as monitor:
        monitor.step(s=key)
    assert "\x1b" not in str(monitor.report) + repr(monitor.report)
    trace = Recorder()
    trace.event(key, note=key)
    assert "\x1b" not in str(trace)


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


def test_a_report_that_was_copied_has_its_tables():
    report = check("G x < 3", {"x": [1, 5], "k": ["a", "b"]}, by="k")
    for again in [copy.copy(report), copy.deepcopy(report)]:
        assert pyarrow.table(again.to_arrow()) == pyarrow.table(report.to_arrow())
        assert pyarrow.table(again.keys_to_arrow()) == pyarrow.table(report.keys_to_arrow())


def test_answers_are_found_by_their_names():
    report = check(["G x < 3", "max(x) < 9"], {"x": [1]})
    monitor = Monitor("G x < 3")
    monitor.step(x=1)
    for one, name in [(report, "p1"), (traceward.query("max(x)", {"x": [1]}), "q1"), (monitor.end(), "p1")]:
        assert name in one and "p9" not in one and 0 not in one
        with pytest.raises(TypeError, match="not iterable"):
            list(one)
    assert "x" in inspect({"x": [1]}) and "y" not in inspect({"x": [1]})
    assert repr(traceward.lint("F p | G !p").findings) == "(<Finding: valid p1>,)"


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
