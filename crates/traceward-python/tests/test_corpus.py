"""The project's cases through the wheel, as tables of each library: the corpus, and the corner cases.

What cannot be said with a table is counted with its reason, and the counts are part of what is tested."""

import io
import json
import math
import warnings
from collections import Counter

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.csv
import pytest

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings it
    import tomli as tomllib

import traceward
from traceward import Spec, SpecError, check, compare, query

from conftest import ROOT


# To begin a database takes longer than to ask a short trace of it.
DATABASE = duckdb.connect()


def of_duckdb(table):
    DATABASE.register("given", table)
    return DATABASE.sql("select * from given")


LIBRARIES = {
    "PyArrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas with NumPy": lambda table: table.to_pandas(),
    "Polars": polars.from_arrow,
    "DuckDB": of_duckdb,
}


@pytest.fixture(params=LIBRARIES, name="library")
def each_library(request):
    return LIBRARIES[request.param]


def corpus():
    files = sorted((ROOT / "testdata" / "corpus").glob("*.toml"))
    assert files
    return [case for file in files for case in tomllib.loads(file.read_text())["case"]]


def corners(*kinds):
    lines = (ROOT / "testdata" / "vectors" / "corners.jsonl").read_text().splitlines()
    every = [json.loads(line) for line in lines if line]
    known = {"same", "error", "empty", "csv", "by", "time", "query", "query-error"}
    assert {case["kind"] for case in every} == known, "a kind that nobody asks about"
    return [case for case in every if case["kind"] in kinds]


def table_of(text):
    """A CSV as PyArrow reads it: types are those of whole columns, and an empty field is null."""
    options = pyarrow.csv.ConvertOptions(strings_can_be_null=True, null_values=[""])
    return pyarrow.csv.read_csv(io.BytesIO(text.encode()), convert_options=options)


def truth(formula, data, **options):
    with warnings.catch_warnings():
        # That something never happens is no news in so short a trace.
        warnings.simplefilter("ignore", traceward.TraceWarning)
        return check(formula, data, positions=True, **options)["p1"].truth


def test_the_corpus(library):
    asked = Counter()
    for case in corpus():
        assert set(case) <= {"name", "formula", "trace", "time", "truth"}, case
        columns = {name: [bit == "1" for bit in bits] for name, bits in case["trace"].items()}
        options = {}
        if "time" in case:
            columns["moment"] = case["time"]
            options["time"] = "moment:ns"
        assert truth(case["formula"], library(pyarrow.table(columns)), **options) == case["truth"], case
        asked["time" in case] += 1
    assert asked == {False: 37, True: 5}


def test_corners_with_a_truth_at_each_position(library):
    asked = Counter()
    for case in corners("csv", "time"):
        options = {"time": f"{case['time']}:{case['unit']}"} if case["kind"] == "time" else {}
        assert truth(case["formula"], case["csv"].encode(), **options) == case["truth"], case
        assert truth(case["formula"], library(table_of(case["csv"])), **options) == case["truth"], case
        asked[case["kind"]] += 1
    assert asked == {"csv": 22, "time": 11}


def test_corners_by_key(library):
    asked = 0
    for case in corners("by"):
        for data in [case["csv"].encode(), library(table_of(case["csv"]))]:
            report = check(case["formula"], data, by=case["key"])
            rows = pyarrow.table(report.keys_to_arrow()).to_pylist()
            assert {row["key"]: row["p1"] == "satisfied" for row in rows} == case["satisfied"], case
        asked += 1
    assert asked == 5


def test_corners_of_queries(library):
    asked = 0
    for case in corners("query"):
        for data in [case["csv"].encode(), library(table_of(case["csv"]))]:
            found, expected = query(case["query"], data).queries[0].value, case["value"]
            is_close = isinstance(expected, float) and math.isclose(found, expected, rel_tol=1e-9)
            assert is_close or found == expected, (case, found)
        asked += 1
    assert asked == 43


def is_refused(ask, text, data):
    """Whether the text is wrong, or wrong for this trace, with its place underlined."""
    with pytest.raises((SpecError, traceward.TraceError)) as caught:
        ask(text, data)
    return "--> <spec>:1:" in str(caught.value)


def test_corners_of_queries_that_are_refused(library):
    asked = 0
    for case in corners("query-error"):
        for data in [case["csv"].encode(), library(table_of(case["csv"]))]:
            assert is_refused(query, case["query"], data), case
        asked += 1
    assert asked == 4


def test_corners_of_formulas_that_are_refused(library):
    asked = 0
    kinds = {"bool": pyarrow.bool_(), "int": pyarrow.int64()}
    for case in corners("error"):
        values = {"bool": [True, False], "int": [1, 2]}
        columns = {name: pyarrow.array(values[kind], kinds[kind]) for name, kind in case["variables"].items()}
        assert is_refused(check, case["text"], library(pyarrow.table(columns))), case
        asked += 1
    assert asked == 24


def test_corners_without_a_state(library):
    asked = 0
    for case in corners("empty"):
        # Libraries have no table without a column.
        names = Spec(case["formula"]).variables or ["other"]
        table = pyarrow.table({name: pyarrow.array([], pyarrow.bool_()) for name in names})
        with pytest.raises(traceward.TraceError, match="empty"):
            check(case["formula"], library(table))
        for data in [",".join(names).encode() + b"\n", library(table)]:
            assert check(case["formula"], data, allow_empty=True).ok == case["satisfied"], case
        asked += 1
    assert asked == 26


def test_corners_that_are_no_traces():
    """Formulas that mean the same have no trace, so no table says them; they are compared as formulas."""
    asked = 0
    for case in corners("same"):
        assert compare(case["text"], case["as_"]).equal, case
        asked += 1
    assert asked == 48
