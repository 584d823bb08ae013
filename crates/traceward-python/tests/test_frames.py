"""Relations of DuckDB, lazy frames of Polars, and frames: what is computed, in which order, and what is answered."""

import subprocess
import sys

import duckdb
import pandas
import polars
import pyarrow
import pytest

import traceward
import traceward.duckdb
import traceward.polars
from traceward import SpecError, TraceError, check, inspect, query

ROWS = 500


def columns():
    """A log with several keys, out of order, with states of the same time and missing values."""
    numbers = range(ROWS)
    return {
        "t": [(number * 37) % 101 for number in numbers],
        "node": ["abcde"[(number * 3) % 5] for number in numbers],
        "x": [None if number % 11 == 0 else (number * 7) % 13 for number in numbers],
        "p": [number % 4 == 0 for number in numbers],
        "q": [number % 9 == 5 for number in numbers],
        "unused": [f"text {number}" for number in numbers],
    }


def duckdb_relation(table):
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("create table log as select * from given")
    # The connection lives as long as somebody has the relation.
    return connection.table("log")


FRAMES = {
    "duckdb": duckdb_relation,
    "lazy": lambda table: polars.from_arrow(table).lazy(),
    "polars": polars.from_arrow,
    "pandas": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "relation of a query": lambda table: duckdb_relation(table).filter("t >= 0"),
    "lazy query": lambda table: polars.from_arrow(table).lazy().filter(polars.col("t") >= 0),
}

QUESTIONS = [
    ("G(p -> F q)", {}),
    ("G(p -> F[0,3] q)", {"by": "node"}),
    ("G(p -> F[0,9ms] q)", {"by": "node", "time": "t:ms", "sort": True}),
    ("G(p -> F[0,2ms] q)", {"time": "t:ms", "sort": True}),
    ("G(x < 12)", {"missing": "hold"}),
    (["G !(past(x) > x)", "F(x == 3 & p)", "G !defined(y)"], {"by": "node", "time": "t:ms", "sort": True}),
    ("trace { by node time t:ms } property p1 = G(p -> F[0,9ms] q)", {"sort": True}),
    ("G(p -> F q)", {"by": "node", "end_when": "x == 3"}),
    ("G true", {}),
]


def verdicts(report):
    """What must not depend on where the rows come from; their numbers do where somebody else has sorted them."""
    found = []
    for one in report.properties:
        keys = None if one.keys is None else (one.keys.checked, one.keys.violated, one.keys.vacuous)
        found.append((one.name, one.verdict, one.vacuous, one.violations.count, list(one.violations), keys))
    return report.states, found


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("spec", "options"), QUESTIONS, ids=range(len(QUESTIONS)))
def test_all_frames_get_the_same_answers(frame, spec, options):
    table = pyarrow.table(columns())
    expected = check(spec, table, **options)
    report = check(spec, FRAMES[frame](table), **options)
    assert verdicts(report) == verdicts(expected)
    if not expected.ok and expected.properties[0].keys is not None:
        assert pyarrow.table(report.keys_to_arrow()) == pyarrow.table(expected.keys_to_arrow())


@pytest.mark.parametrize("frame", FRAMES)
def test_queries_get_the_same_values(frame):
    table = pyarrow.table(columns())
    spec, options = ["max(x)", "count(p)", "quantile(0.5, latency(p -> q))"], {"time": "t:ms", "sort": True}
    assert query(spec, FRAMES[frame](table), **options).values == query(spec, table, **options).values


@pytest.mark.parametrize("frame", FRAMES)
def test_a_column_that_is_not_there_is_named_with_those_that_are(frame):
    with pytest.raises(SpecError, match="the trace has no `unsued`[^`]*(.|\n)*`unused`"):
        check('G unsued == "a"', FRAMES[frame](pyarrow.table(columns())))
    with pytest.raises((SpecError, TraceError), match="nod"):
        check("G p", FRAMES[frame](pyarrow.table(columns())), by="nod")


@pytest.mark.parametrize("frame", FRAMES)
def test_no_rows_are_no_answer(frame):
    with pytest.raises(TraceError, match="empty|no state"):
        check("G p", FRAMES[frame](pyarrow.table(columns()).slice(0, 0)))


def test_duckdb_computes_only_what_is_needed():
    connection = duckdb.connect()
    computed = []

    def costly(number: int) -> int:
        computed.append(number)
        return number

    connection.create_function("costly", costly, side_effects=True)
    relation = connection.sql("select range as t, range % 3 = 0 as p, costly(range) as c from range(11)")
    assert check("G(p -> X !p)", relation, time="t:ms").ok and computed == []
    assert check("G(c >= 0)", relation).ok and sorted(computed) == list(range(11))


def test_polars_computes_only_what_is_needed():
    computed = []

    def costly(number: int) -> int:
        computed.append(number)
        return number

    lazy = polars.LazyFrame({"t": range(10), "p": [True, False] * 5})
    lazy = lazy.with_columns(c=polars.col("t").map_elements(costly, return_dtype=polars.Int64))
    assert check("G(p -> X !p)", lazy, time="t:ms").ok and computed == []
    assert check("G(c >= 0)", lazy).ok and sorted(computed) == list(range(10))


@pytest.mark.parametrize("frame", ["duckdb", "lazy"])
def test_rows_of_the_same_time_stay_in_order(frame):
    # Many, so that they are sorted by several threads.
    rows = 200_000
    table = pyarrow.table({"t": [number // 1000 % 7 for number in range(rows)], "n": range(rows)})
    # Behind each other in the same millisecond, numbers grow.
    spec = "G(past(t) == t -> past(n) < n)"
    assert check(spec, FRAMES[frame](table), time="t:ms", sort=True).ok
    with pytest.raises(TraceError, match="sort"):
        check(spec, FRAMES[frame](table), time="t:ms")


@pytest.mark.parametrize("frame", ["duckdb", "lazy"])
def test_dates_as_text_are_in_order_of_time_and_not_of_letters(frame):
    # By letters the second comes before the first.
    table = pyarrow.table({"t": ["2026-01-01T11:00:00+02:00", "2026-01-01T10:00:00Z"], "x": [1, 2]})
    assert check("G(x == 1 -> F[60min,60min] x == 2)", FRAMES[frame](table), time="t", sort=True).ok


@pytest.mark.parametrize("frame", ["duckdb", "lazy"])
def test_times_inside_of_structs_and_times_that_are_not_there(frame):
    table = pyarrow.table({"at": [{"ms": 3}, {"ms": 1}, {"ms": 2}], "x": [2, 1, 7]})
    assert list(check("G x < 7", FRAMES[frame](table), time="at.ms:ms", sort=True)["p1"].violations) == [1]
    with pytest.raises(TraceError, match="no `when`.*time column"):
        check("G x < 7", FRAMES[frame](table), time="when:ms", sort=True)


def test_the_order_of_a_connection_of_duckdb_is_its_own():
    connection = duckdb.connect()
    connection.sql("set default_order = 'desc'")
    rows = connection.sql("select * from (values (3, 7), (1, 1), (2, 2)) t(t, x)")
    assert list(check("G x < 7", rows, time="t:ms", sort=True)["p1"].violations) == [2]


def test_a_column_that_is_called_like_a_member_is_for_nobody_to_guess():
    for table in [polars.DataFrame({"a": [{"b": 9}], "a.b": [1]}), polars.DataFrame({"a.b": [1], "a": [{"b": 9}]})]:
        for frame in [table, table.lazy(), duckdb_relation(table.to_arrow())]:
            with pytest.raises(TraceError, match="names `a.b` more than once"):
                check("G a.b < 5", frame)
    assert check("G a.b == 1", polars.DataFrame({"a": [1], "a.b": [1]}).lazy()).ok


def test_members_of_structs_and_odd_names():
    connection = duckdb.connect()
    relation = connection.sql("""select {'code': 200} as status, 1 as "a ""quoted"" name", 2 as "a.b", 3 as z""")
    assert check('G(status.code == 200 & `a "quoted" name` == 1 & `a.b` == 2)', relation).ok


def test_what_duckdb_cannot_compute_is_an_error():
    relation = duckdb.connect().sql("select case when range > 5 then error('bad row') else range end as x from range(9)")
    with pytest.raises(Exception, match="bad row"):
        check("G x >= 0", relation)


def test_an_index_of_pandas_with_a_name_is_a_column():
    frame = pandas.DataFrame({"x": [1, 2], "odd": [object(), 3]}, index=pandas.Index([10, 20], name="t"))
    assert check("G(x == 1 -> F[10ms,10ms] x == 2)", frame, time="t:ms").ok
    with pytest.raises(SpecError, match="the trace has no `y`"):
        check("G y", frame.drop(columns="odd"))
    frame.index.name = None
    with pytest.raises(TraceError, match="`?t`?"):
        check("G x > 0", frame.drop(columns="odd"), time="t:ms")


def test_the_namespace_of_polars():
    frame = polars.DataFrame(columns())
    for one in (frame, frame.lazy()):
        assert verdicts(one.traceward.check("G x < 3", by="node")) == verdicts(check("G x < 3", frame, by="node"))
        assert one.traceward.query("max(x)").values == {"q1": 12}
        assert [column.name for column in one.traceward.inspect().columns] == frame.columns


def test_nobody_imports_libraries_that_are_not_used():
    code = "import sys, traceward; traceward.check('G x', {'x': [1]}); print([m for m in sys.modules if m in LIBRARIES])"
    code = code.replace("LIBRARIES", "{'polars', 'duckdb', 'pandas', 'pyarrow', 'IPython', 'pytest'}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_duckdb_answers_with_relations():
    connection = duckdb.connect()
    connection.register("given", pyarrow.table(columns()))
    by_key = traceward.duckdb.check(connection, "select * from given", ["G x < 3", "F q"], by="node")
    assert by_key.columns == ["key", "states", "p1", "p2"] and len(by_key.fetchall()) == 5
    assert by_key.filter("p2 = 'satisfied'").aggregate("count(*)").fetchall() == [(5,)]
    whole = traceward.duckdb.check(connection, connection.table("given"), ["G x < 3", "F q"])
    assert [row[:3] for row in whole.fetchall()] == [("p1", "G x < 3", "violated"), ("p2", "F q", "satisfied")]
    values = traceward.duckdb.query(connection, "select * from given", "count(true)", by="node")
    assert sorted(values.fetchall()) == [(node, 100, 100.0) for node in "abcde"]
    with pytest.raises(ValueError, match="by="):
        traceward.duckdb.query(connection, "select * from given", "count(true)")


def test_what_does_not_fit_into_memory_is_checked():
    code = """if True:
    import resource, duckdb, traceward
    connection = duckdb.connect()
    connection.execute("set memory_limit = '200MB'")
    # It would be shown where what is printed is read, if the machine is busy.
    connection.execute("set enable_progress_bar = false")
    rows = "select range as t, range % 97 as x, range % 3 as y, repeat('pad', 20) as pad from range(8000000)"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = traceward.check("G(x < 97 & y < 3)", connection.sql(rows), trace_memory=64)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(report.ok, report.states, grown)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    ok, states, grown = done.stdout.split()
    assert (ok, states) == ("True", "8000000"), done.stderr
    # The rows are 670 MB, those of the columns that are needed 128.
    assert int(grown) < 400, f"{grown} MB"


def test_columns_of_nothing_but_nulls():
    lazy = polars.LazyFrame({"x": [None, None], "y": [1, 2]})
    assert lazy.collect_schema()["x"] == polars.Null
    assert check("G(!x & !defined(x) & y > 0)", lazy).ok


@pytest.mark.parametrize("plan", [False, True])
def test_objects_of_python_in_polars_are_no_texts(plan):
    frame = polars.DataFrame({"x": polars.Series([{1}, {2}], dtype=polars.Object), "n": [1, 2]})
    frame = frame.lazy() if plan else frame
    with pytest.raises(TraceError, match="`x` has objects of Python"):
        check('F x == "a"', frame)
    with pytest.raises(TraceError, match="map_elements"):
        check("G defined(x)", frame)
    assert check("G n > 0", frame)
    with pytest.raises(TraceError, match="`x` has objects of Python"):
        inspect(frame)


def test_inspect_takes_plans():
    lazy = polars.LazyFrame({"x": [1, 2]})
    assert inspect(lazy).states == 2
    assert inspect(duckdb.connect().sql("select range as x from range(3)")).states == 3
