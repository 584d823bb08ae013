"""Tables of other libraries: their answers are those of the program on the same data as CSV."""

import asyncio
import decimal
import io
import json
import os
import random
import subprocess
import sys
import warnings
from datetime import datetime, timedelta, timezone

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import traceward
from traceward import check, inspect, query

from conftest import ROOT

VECTORS = ROOT / "testdata" / "vectors"


def vectors(name):
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines() if line]


# To begin a database takes longer than to ask a short trace of it.
DATABASE = duckdb.connect()


def of_duckdb(table):
    DATABASE.register("given", table)
    return DATABASE.sql("select * from given")


LIBRARIES = {
    "pyarrow": lambda table: table,
    "batch": lambda table: table.combine_chunks().to_batches()[0] if table.num_rows else table,
    "reader": lambda table: table.to_reader(),
    "chunks": lambda table: pyarrow.concat_tables([table.slice(at, 1) for at in range(table.num_rows)] or [table]),
    "polars": polars.from_arrow,
    "pandas": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "duckdb": of_duckdb,
}


@pytest.fixture(params=LIBRARIES, name="library")
def each_library(request):
    return LIBRARIES[request.param]


def told(ask, *arguments, **options):
    """What is answered, or why nothing is, without the name of the trace and without what is worded by it."""
    try:
        document = ask(*arguments, **options).to_dict()
    except traceward.Error as error:
        return type(error).__name__, error.message.split(": ")[-1]
    return {name: document[name] for name in ("properties", "queries")}


def in_rows(found):
    """Lines of a CSV have a header before them, and rows of a table have not."""
    if isinstance(found, dict):
        return {name: in_rows(one) if name not in ("line", "lines") else row(one) for name, one in found.items()}
    return [in_rows(one) for one in found] if isinstance(found, list) else found


def row(line):
    return [one - 1 for one in line] if isinstance(line, list) else line - 1


def test_the_vectors_of_formulas(library):
    every = vectors("formulas.jsonl")
    random.Random(7).shuffle(every)
    for vector in every[:400]:
        columns = {name: [bit == "1" for bit in bits] for name, bits in vector["trace"].items()}
        table = pyarrow.table(columns)
        report = check(vector["formula"], library(table), positions=True)
        assert report["p1"].truth == vector["truth"], vector


def test_all_vectors_of_formulas_from_columns():
    for vector in vectors("formulas.jsonl"):
        columns = {name: numpy.array([bit == "1" for bit in bits]) for name, bits in vector["trace"].items()}
        assert check(vector["formula"], columns, positions=True)["p1"].truth == vector["truth"], vector


def test_the_vectors_of_queries(library):
    asked = 0
    for vector in vectors("queries.jsonl"):
        states = vector["trace"]
        if not states:
            continue
        names = sorted({name for state in states for name in state})
        table = pyarrow.table({name: pyarrow.array([state.get(name) for state in states]) for name in names})
        value = query(vector["query"], library(table)).queries[0].value
        expected = vector["value"]
        expected = expected[0] / expected[1] if isinstance(expected, list) and is_fraction(vector) else expected
        assert value == pytest.approx(expected) if isinstance(expected, float) else value == expected, vector
        asked += 1
    assert asked > 100


def is_fraction(vector):
    value = vector["value"]
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value)


def random_table(chance, rows):
    """A table of all types that CSV can write as well."""
    return pyarrow.table(
        {
            "a": pyarrow.array([chance.choice([True, False, None]) for _ in range(rows)], pyarrow.bool_()),
            "b": pyarrow.array([chance.random() < 0.5 for _ in range(rows)]),
            "n": pyarrow.array([chance.choice([None, *range(-3, 4)]) for _ in range(rows)], pyarrow.int16()),
            "x": pyarrow.array([chance.choice([0.5, 1.25, -2.0, 7.5]) for _ in range(rows)], pyarrow.float64()),
            "s": pyarrow.array([chance.choice(["on", "off", "a b", None]) for _ in range(rows)]),
            "k": pyarrow.array([chance.choice(["k1", "k2", "k3"]) for _ in range(rows)]),
            "t": pyarrow.array([1000 * at + chance.randrange(900) for at in range(rows)]),
        }
    )


FORMULAS = [
    "G(b -> F a)",
    "G(n > 0 -> F[0,2] x > 1)",
    'G(s == "on" -> X !b)',
    "F(x + n > 3)",
    "G(b -> F[0,2s] a)",
    "(a S b) | G defined(s)",
    'G(s in {"on", "off"})',
    "G m > 3",
    "G s > 3",
    "G 10 / n > 0",
]


def test_random_tables_are_answered_as_the_same_csv(library, tmp_path):
    chance = random.Random(20261118)
    for number in range(40):
        table = random_table(chance, chance.choice([1, 2, 7, 30]))
        path = tmp_path / f"{number}.csv"
        pyarrow.csv.write_csv(table, path)
        formulas = chance.sample(FORMULAS[:-3] if number % 4 else FORMULAS, 2)
        options = {"time": "t:ms"}
        if chance.random() < 0.4:
            options["by"] = "k"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", traceward.TraceWarning)
            of_file = told(check, formulas, path, **options)
            of_table = told(check, formulas, library(table), **options)
        assert of_table == in_rows(of_file), (formulas, options, table.to_pydict())


def test_the_wheel_and_the_program_say_the_same(tmp_path):
    chance = random.Random(5)
    for number in range(12):
        path = tmp_path / f"{number}.csv"
        pyarrow.csv.write_csv(random_table(chance, 9), path)
        formulas = chance.sample(FORMULAS, 2)
        words = [word for formula in formulas for word in ("-e", formula)]
        command = [sys.executable, "-m", "traceward", "check", *words, "--time", "t:ms", "--format", "json", str(path)]
        printed = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", traceward.TraceWarning)
            try:
                assert check(formulas, path, time="t:ms").to_dict() == printed
            except traceward.Error as error:
                assert error.message in printed["error"]


def test_types_of_arrow():
    moment = datetime(2026, 11, 18, tzinfo=timezone.utc)
    texts = ["a", "b", None, "a"]
    for kind in [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())]:
        table = pyarrow.table({"s": pyarrow.array(texts).cast(kind)})
        assert check('G(s != "c")', table)["p1"].verdict == check('G(s != "c")', {"s": texts})["p1"].verdict
        assert list(check('G(s == "a")', table)["p1"].violations) == [1, 2]
    numbers = [decimal.Decimal("1.50"), decimal.Decimal("2.25")]
    assert list(check("G d < 2", pyarrow.table({"d": numbers}))["p1"].violations) == [1]
    for unit in ["s", "ms", "us", "ns"]:
        for zone in [None, "UTC", "Europe/Berlin"]:
            moments = [moment, moment + timedelta(seconds=9)]
            column = pyarrow.array(moments, pyarrow.timestamp("us", "UTC")).cast(pyarrow.timestamp(unit, "UTC"))
            column = column.cast(pyarrow.timestamp(unit, zone))
            table = pyarrow.table({"t": column, "a": [True, False], "b": [False, True]})
            assert check("G(a -> F[0,9s] b)", table, time="t").ok
            assert not check("G(a -> F[0,8s] b)", table, time="t").ok
    nested = pyarrow.table({"door": [{"open": True, "n": 1}, {"open": None, "n": 2}], "list": [[1, 2], [3]]})
    assert list(check("G door.open", nested)["p1"].violations) == [1]
    assert list(check("G list.0 < 3", nested)["p1"].violations) == [1]
    for width in ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]:
        assert list(check("G x < 3", {"x": numpy.array([1, 3], width)})["p1"].violations) == [1], width


def test_slices_have_offsets():
    table = pyarrow.table({"x": list(range(100)), "s": [str(x) for x in range(100)], "b": [x % 2 == 0 for x in range(100)]})
    part = table.slice(37, 11)
    assert list(check(["G x < 40"], part, max_violations=20)["p1"].violations) == list(range(3, 11))
    assert list(check(['G s != "40"'], part)["p1"].violations) == [3]
    assert check("G(b <-> X !b) | true", part).states == 11
    assert list(check("G x < 40", polars.from_arrow(part))["p1"].violations)[0] == 3


def test_empty_batches_are_no_states():
    schema = pyarrow.schema({"x": pyarrow.int64()})
    batches = [pyarrow.record_batch({"x": pyarrow.array(part, pyarrow.int64())}) for part in [[], [1], [], [5], []]]
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches)
    report = check("G x < 3", reader)
    assert report.states == 2 and list(report["p1"].violations) == [1]
    with pytest.raises(traceward.TraceError, match="empty"):
        check("G x < 3", reader)


def test_a_stream_that_raises_in_the_middle():
    schema = pyarrow.schema({"x": pyarrow.int64()})

    def batches(rows):
        yield pyarrow.record_batch({"x": list(range(rows))})
        raise RuntimeError("the source is gone")

    for rows in [3, 200_000]:
        with pytest.raises(traceward.TraceError, match="the source is gone"):
            check("G x >= 0", pyarrow.RecordBatchReader.from_batches(schema, batches(rows)))


def test_categories_inside_of_structs_that_are_not_there():
    kind = pyarrow.struct([("a", pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))])
    nothing = pyarrow.table({"x": pyarrow.array([None, {"a": None}], kind)})
    assert list(check("G defined(x.a)", nothing)["p1"].violations) == [0, 1]


def failing_source(failure, rows):
    """A reader whose generator fails behind so many rows."""

    def batches():
        yield pyarrow.record_batch({"x": [1] * rows})
        raise failure

    return pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"x": pyarrow.int64()}), batches())


class OfSomebodyElse:
    """A reader of which nothing is known but that it hands over a stream, and texts of exceptions."""

    def __init__(self, reader):
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader.__arrow_c_stream__(requested_schema)


ASK = [lambda rows: check("G x >= 0", rows), inspect, lambda rows: traceward.Monitor("G x >= 0").step_batch(rows)]


@pytest.mark.parametrize("ask", ASK, ids=["check", "inspect", "monitor"])
@pytest.mark.parametrize("rows", [3, 200_000])
def test_what_ends_a_program_does_so_in_a_source(ask, rows):
    for failure in [KeyboardInterrupt(), KeyboardInterrupt("by hand"), SystemExit(3), asyncio.CancelledError("late")]:
        with pytest.raises(type(failure)) as raised:
            ask(failing_source(failure, rows))
        assert raised.value is failure
    for failure in [KeyboardInterrupt(), KeyboardInterrupt("by hand"), SystemExit(3), SystemExit("why")]:
        with pytest.raises(type(failure)) as raised:
            ask(OfSomebodyElse(failing_source(failure, rows)))
        assert raised.value.args == failure.args


@pytest.mark.parametrize("ask", ASK, ids=["check", "inspect", "monitor"])
def test_what_a_source_raises_is_known_as_the_cause(ask):
    for failure in [TimeoutError("too\nlate"), ValueError("SystemExit: 3"), StopAsyncIteration(), traceward.LimitError("no room")]:
        with pytest.raises(traceward.TraceError, match="there are no more rows") as raised:
            ask(failing_source(failure, 3))
        assert raised.value.__cause__ is failure
        with pytest.raises(traceward.TraceError, match="there are no more rows"):
            ask(OfSomebodyElse(failing_source(failure, 3)))


def test_a_reader_of_pyarrow_is_read_to_its_end():
    table = pyarrow.table({"x": [1, 5, 2], "u": pyarrow.array([None, "a", "b"])})
    for reader in [table.to_reader(1), pyarrow.ipc.open_stream(in_memory(table)), pyarrow.csv.open_csv(io.BytesIO(b"x\n1\n5\n2\n"))]:
        assert list(check("G x < 5", reader)["p1"].violations) == [1]
    assert check("G x < 3", pyarrow.schema({"x": pyarrow.int64()}).empty_table().to_reader(), allow_empty=True).ok
    assert inspect(table.select([]).to_reader()).states == 3
    lying = pyarrow.RecordBatchReader.from_batches(table.schema, iter([pyarrow.record_batch({"y": ["a"], "z": [1]})]))
    with pytest.raises(traceward.TraceError, match="other columns than the schema says"):
        check("G x < 5", lying)


DAMAGED = """
import io, random
import pyarrow, pyarrow.parquet
import traceward

sink = io.BytesIO()
table = pyarrow.table({"t": pyarrow.array(range(300), pyarrow.timestamp("ns")), "s": [str(n % 9) for n in range(300)]})
pyarrow.parquet.write_table(table, sink, compression="none", use_deprecated_int96_timestamps=True)
chance, damaged = random.Random(1), 0
for _ in range(2000):
    bytes_ = bytearray(sink.getvalue())
    for _ in range(4):
        bytes_[chance.randrange(len(bytes_))] = chance.randrange(256)
    try:
        traceward.check('G s != "a" & t >= 0', bytes(bytes_))
    except traceward.Error as error:
        damaged += "damaged" in str(error)
print(damaged)
"""


def test_a_damaged_table_is_an_error_and_prints_nothing():
    environment = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
    done = subprocess.run([sys.executable, "-c", DAMAGED], capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0 and done.stderr == "", done.stderr[:2000]
    assert int(done.stdout) > 500


def in_memory(table):
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_columns_whose_names_are_no_identifiers():
    table = pyarrow.table({"Case ID": ["a", "b"], "x y": [1, 2], "": [1, 1], "é": [1, 1]})
    assert check("G `x y` < 3", table, by="Case ID").ok
    assert check("G é == 1", table).ok


def test_capsules_are_taken_once():
    class Rows:
        def __init__(self, schema, array):
            self.pair = schema, array

        def __arrow_c_array__(self, requested_schema=None):
            return self.pair

    def capsules():
        return pyarrow.record_batch({"x": [1]}).__arrow_c_array__()

    rows = Rows(*capsules())
    assert check("G x == 1", rows).ok
    for again in [rows, Rows(rows.pair[0], capsules()[1]), Rows(capsules()[0], rows.pair[1]), {"x": rows}]:
        with pytest.raises(ValueError, match="handed over before"):
            check("G x == 1", again)
    with pytest.raises(TypeError, match="PyCapsule"):
        check("G x == 1", Rows(1, 2))


def test_one_column_is_no_table():
    with pytest.raises(TypeError, match="no trace"):
        check("G x", pyarrow.array([1, 2]))


def test_tables_as_bytes_and_files(tmp_path):
    table = pyarrow.table({"x": [1, 5, 2]})
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(table, path)
    for data in [path, path.read_bytes()]:
        assert list(check("G x < 3", data)["p1"].violations) == [1]
    assert inspect(path.read_bytes()).states == 3
    assert inspect(polars.DataFrame({"x": [1, 2]}))["x"].type == "int"


def test_answers_are_tables_for_all():
    report = check(["G x < 3", "F x > 1"], {"x": [1, 5]})
    assert polars.DataFrame(report.to_arrow())["verdict"].to_list() == ["violated", "satisfied"]
    assert pyarrow.table(report.to_arrow()).to_pandas()["name"].tolist() == ["p1", "p2"]
    made = report.to_arrow()
    assert duckdb.sql("select count(*) from made").fetchall() == [(2,)]
    assert len(made) == 2 and "verdict" in made.column_names
