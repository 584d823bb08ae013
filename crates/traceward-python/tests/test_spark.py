"""`traceward.spark`: what the program says of each key, whatever Spark does with the rows."""

import contextlib
import csv
import datetime
import decimal
import io
import json
import math
import os
import random
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import traceward

from conftest import ROOT

# Workers run the interpreter that the tests run, and nothing listens to other machines.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
# Tables are small here and machines begin anew: to compile well takes longer than it saves.
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
QUICK = {"spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false"}
# It says in each session that pandas 3 is new to it.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning")

SCHEMA = "k int, t long, x long, s string, d decimal(6,2), n struct<m: int, o: string>, r boolean, g boolean, unused string"
PROPERTIES = [
    "G x < 8",
    "G(r -> F[0,3s] g)",
    'F s == "b"',
    "G(d > 1.5 -> n.m < 3)",
    "G(r -> F g)",
    "!g U r",
    "G(g -> O[0,4s] r)",
    "G x > past(x) - 9",
]
QUERIES = ["max(x)", "count(r)", "first(s)", "avg(d)", "latency(r -> g)", "last(n.m)"]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.session.timeZone", "America/St_Johns")
        .config(map=QUICK)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def on_spark(spark):
    import traceward.spark

    return traceward.spark


def random_rows(seed, keys, most):
    """Rows of keys, in no order, with moments that several rows share."""
    source = random.Random(seed)
    rows = []
    for key in range(keys):
        for _ in range(source.randint(1, most)):
            rows.append(
                dict(
                    k=key,
                    t=source.randint(0, 12),
                    x=source.choice([None, *range(10)]),
                    s=source.choice(["a", "b", "ä", None]) if source.random() < 0.5 else "a",
                    d=source.choice([None, decimal.Decimal("1.50"), decimal.Decimal("2.25"), decimal.Decimal("0.10")]),
                    n=source.choice([None, dict(m=None, o="o"), dict(m=2, o=None), dict(m=3, o="o")]),
                    r=source.random() < 0.4,
                    g=source.random() < 0.4,
                    unused="u" * source.randint(0, 3),
                )
            )
    source.shuffle(rows)
    return rows


def flat(row):
    return {**{name: row[name] for name in "tdgrsx"}, "n.m": row["n"] and row["n"]["m"]}


def declared_order(row):
    """Time, and then the variables by name, nulls first; texts are in the order of their bytes."""
    values = flat(row)
    values["s"] = values["s"] and values["s"].encode()
    return [values["t"]] + [(values[name] is not None, values[name] or 0) for name in ["d", "g", "n.m", "r"]] + [
        (values["s"] is not None, values["s"] or b""),
        (values["x"] is not None, values["x"] or 0),
    ]


def as_csv(rows, path):
    names = ["k", "t", "x", "s", "d", "n.m", "r", "g"]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in sorted(rows, key=declared_order):
            values = {"k": row["k"], **flat(row)}
            cells = [values[name] for name in names]
            writer.writerow(["" if one is None else str(one).lower() if isinstance(one, bool) else one for one in cells])
    return path


def told_by_program(program, command, texts, path, folder, *more):
    """What the program says of each key: the file of verdicts, and where violations are."""
    expressions = [word for text in texts for word in ("-e", text)]
    keys_to = folder / "keys.csv"
    words = ["--by", "k", "--time", "t:s", "--keys-to", keys_to, "--max-violations", "10000", "--format", "json"]
    done = program(command, *expressions, *words, *more, path)
    assert done.returncode in (0, 1), done.stderr
    with open(keys_to, newline="") as file:
        return list(csv.DictReader(file)), json.loads(done.stdout)


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """Some sets of rows, with what the program says of each."""
    folder = tmp_path_factory.mktemp("traces")

    def program(*arguments):
        command = [sys.executable, "-m", "traceward", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    made = []
    for seed, (keys, most) in enumerate([(1, 1), (9, 6), (25, 14)]):
        rows = random_rows(seed, keys, most)
        path = as_csv(rows, folder / f"{seed}.csv")
        expected, states = {}, {}
        table, document = told_by_program(program, "check", PROPERTIES, path, folder)
        for line in table:
            states[line["key"]] = int(line["states"])
            for index in range(len(PROPERTIES)):
                expected[line["key"], f"p{index + 1}"] = [line[f"p{index + 1}"], None, None]
        for one in document["properties"]:
            for key in one["keys"]["first_violations"]:
                place = (key.get("violations") or {"states": [key.get("judged_at")]})["states"][0]
                expected[key["key"], one["name"]][1:] = [place["position"], place["time_ns"] // 10**9]
        values = {}
        table, document = told_by_program(program, "query", QUERIES, path, folder)
        for query in document["queries"]:
            for one in query["values"]:
                values[one["key"], query["name"]] = one["value"]
        made.append((rows, expected, states, values))
    assert {verdict for _, expected, _, _ in made for verdict, _, _ in expected.values()} == {"satisfied", "violated"}
    return made


def frame(spark, rows, partitions=2):
    return spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA).repartition(partitions)


@pytest.fixture
def batches_of(spark):
    """Sets how many rows Spark hands over at once."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    yield lambda count: spark.conf.set(name, str(count))
    spark.conf.set(name, before)


@pytest.mark.parametrize("partitions, batch", [(1, 1), (2, 2), (3, 7), (4, 10000)])
def test_verdicts_are_those_of_the_program(spark, on_spark, traces, batches_of, partitions, batch):
    batches_of(batch)
    for rows, expected, states, _ in traces:
        df = frame(spark, rows, 5 - partitions)
        verdicts = on_spark.check(df, PROPERTIES, by="k", time="t:s", partitions=partitions, rows=20)
        found = verdicts.collect()
        assert verdicts.columns == ["key", "property", "verdict", "position", "time", "states", "evidence", "error"]
        told = {(str(row.key), row.property): [row.verdict, row.position, row.time] for row in found}
        assert told == expected and len(found) == len(expected)
        assert {str(row.key): row.states for row in found} == states
        for row in found:
            assert row.error is None and (row.evidence is not None) == (row.verdict == "violated")


@pytest.mark.parametrize("limit, batch", [(1, 2), (3, 7), (7, 1)])
def test_how_many_rows_are_held_makes_no_difference(spark, on_spark, traces, batches_of, limit, batch):
    batches_of(batch)
    rows, expected, states, _ = traces[2]
    df = frame(spark, rows)

    def told(limit):
        found = on_spark.check(df, PROPERTIES, by="k", time="t:s", rows=limit, on_error="row").collect()
        return {(str(row.key), row.property): row for row in found}

    found = told(limit)
    assert found == told(1000)
    assert {at: [row.verdict, row.position, row.time] for at, row in found.items()} == expected
    assert max(states.values()) > limit


@pytest.mark.parametrize("limit, batch", [(1000, 3), (2, 2)])
def test_values_are_those_of_the_program(spark, on_spark, traces, batches_of, limit, batch):
    batches_of(batch)
    for rows, _, states, expected in traces:
        values = on_spark.query(frame(spark, rows), QUERIES, by="k", time="t:s", rows=limit, on_error="row")
        assert values.columns == ["key", "query", "value", "text", "states", "error"]
        found = values.collect()
        assert len(found) == len(expected)
        for row in found:
            value = expected[str(row.key), row.query]
            assert row.error is None and row.states == states[str(row.key)]
            if isinstance(value, (int, float)):
                assert row.value == pytest.approx(value) and json.loads(row.text) == pytest.approx(value)
            else:
                assert row.value is None and row.text == value


def test_summary_counts_what_check_tells(spark, on_spark, traces):
    rows, expected, _, _ = traces[2]
    df = frame(spark, rows)
    found = on_spark.summary(df, PROPERTIES, by="k", time="t:s", partitions=3).collect()
    assert [row.property for row in found] == [f"p{index + 1}" for index in range(len(PROPERTIES))]
    columns = {name: [row[name] for row in sorted(rows, key=declared_order)] for name in "kxsrg"}
    columns["t"] = [row["t"] for row in sorted(rows, key=declared_order)]
    columns["d"] = [None if row["d"] is None else float(row["d"]) for row in sorted(rows, key=declared_order)]
    columns["n.m"] = [row["n"] and row["n"]["m"] for row in sorted(rows, key=declared_order)]
    report = traceward.check(PROPERTIES, columns, by="k", time="t:s", max_violations=1000)
    for row, one in zip(found, report.properties):
        of = [verdict for (_, name), (verdict, _, _) in expected.items() if name == row.property]
        assert (row["keys"], row.violated, row.satisfied) == (len(of), of.count("violated"), of.count("satisfied"))
        assert (row.vacuous, row.errors) == (one.keys.vacuous, 0)
        counted = [
            ((key.to_dict().get("violations") or {"count": 1})["count"], int(key.key)) for key in one.keys.first_violations
        ]
        worst = sorted(counted, key=lambda pair: (-pair[0], pair[1]))[:5]
        assert [(one.violations, one.key) for one in row.worst] == worst
    assert any(row.vacuous for row in found)
    assert on_spark.summary(df, PROPERTIES, by="k", time="t:s", rows=2).collect() == found


BERLIN = datetime.timezone(datetime.timedelta(hours=1))
KEYS = {
    "string": lambda n: ["", "a", "A", "ä", "a,b", 'say "so"', " a"][n],
    "string collate UTF8_LCASE": lambda n: ["a", "A", "b", "B", "c", "C", "d"][n],
    "tinyint": lambda n: n - 3,
    "long": lambda n: 2**63 - 1 - n,
    "double": lambda n: [math.nan, math.inf, -math.inf, 0.1, -5.0, 1e300, 5e-324][n],
    "boolean": lambda n: n % 2 == 0,
    "decimal(38,10)": lambda n: decimal.Decimal(n).scaleb(-10),
    "date": lambda n: datetime.date(1969, 12, 29) + datetime.timedelta(days=n),
    "timestamp": lambda n: datetime.datetime(2024, 10, 27, 2 + n // 4, 30, 0, n % 4, tzinfo=BERLIN),
    "timestamp_ntz": lambda n: datetime.datetime(2024, 3, 10, 2, 30, 0, n),
    "binary": lambda n: bytes([n, 255]),
}


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Chatham"])
@pytest.mark.parametrize("kind", KEYS)
def test_keys_keep_their_type(spark, on_spark, kind, zone):
    if zone != "UTC" and "timestamp" not in kind:
        return
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        keys = [KEYS[kind](n) for n in range(7)]
        rows = [(key, moment, 5 if n == 3 else 1) for n, key in enumerate(keys) for moment in (1, 2)]
        df = spark.createDataFrame(rows, f"k {kind}, t long, x int")
        found = on_spark.check(df, "G x < 4", by="k", time="t:s", partitions=2)
        kept = df.schema["k"].dataType.typeName()
        assert found.schema["key"].dataType.typeName() == kept
        rows = found.collect()
        original = {str(row.k) for row in df.select("k").distinct().collect()} if "collate" not in kind else set(keys)
        assert {str(row.key) for row in rows} == original and len(rows) == len(original)
        violated = {str(row.key) for row in rows if row.verdict == "violated"}
        assert violated == {str(row.k) for row in df.where("x = 5").collect()}
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_several_columns_make_a_key(spark, on_spark):
    rows = [("a", 1, 1, 5), ("a", 2, 1, 1), ("b", 1, 1, 1), ("a", 1, 2, 1), (None, 1, 2, 1)]
    df = spark.createDataFrame(rows, "a string, b int, t int, x int")
    found = on_spark.check(df, "G x < 4", by=["a", "b"], time="t:s", rows=1, on_error="row").collect()
    told = {row.key and (row.key.a, row.key.b): (row.verdict, row.states) for row in found}
    assert told == {("a", 1): ("violated", 2), ("a", 2): ("satisfied", 1), ("b", 1): ("satisfied", 1), None: (None, 1)}


TIMES = {
    "timestamp": datetime.datetime(2024, 10, 27, 2, 30, tzinfo=datetime.timezone.utc),
    "timestamp_ntz": datetime.datetime(1960, 10, 27, 2, 30, 0, 5),
    "date": datetime.date(1969, 10, 27),
    "double": 12.25,
    "decimal(20,3)": decimal.Decimal("12.125"),
    "int": -5,
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("limit", [10, 1])
def test_times_keep_their_type(spark, on_spark, kind, limit):
    first = TIMES[kind]
    step = datetime.timedelta(days=1) if isinstance(first, datetime.date) else 1
    rows = [("a", first + step, 1, {"t": first}), ("a", first + 2 * step, 5, None), ("a", first, 1, None)]
    df = spark.createDataFrame(rows, f"k string, t {kind}, x int, n struct<t: {kind}>")
    unit = "" if isinstance(first, datetime.date) else ":s"
    found = on_spark.check(df, "G x < 4", by="k", time=f"t{unit}", rows=limit)
    assert found.schema["time"].dataType == df.schema["t"].dataType
    expected = df.where("x = 5").collect()[0].t
    assert [(row.position, row.time) for row in found.collect()] == [(2, expected)]
    nested = on_spark.check(df.where("n is not null"), "G x < 4", by="k", time=f"n.t{unit}").collect()
    assert [row.verdict for row in nested] == ["satisfied"]


def test_ties_are_in_the_order_that_is_asked_for(spark, on_spark):
    rows = [("a", 1, number, number == 2, number == 7) for number in range(10)]
    random.Random(1).shuffle(rows)
    df = spark.createDataFrame(rows, "k string, t int, number int, r boolean, g boolean").repartition(4)
    forward = on_spark.check(df, "F(r & F g)", by="k", time="t:s", order="number").collect()
    assert [row.verdict for row in forward] == ["satisfied"]
    backward = df.selectExpr("k", "t", "-number as number", "r", "g")
    assert on_spark.check(backward, "F(r & F g)", by="k", time="t:s", order=["number"]).collect()[0].verdict == "violated"
    assert on_spark.check(df, "F(r & F g)", by="k", order="number").collect()[0].verdict == "satisfied"


def test_only_what_is_needed_is_shuffled(spark, on_spark):
    df = spark.createDataFrame([("a", 1, 2, "long", (1, "o"))], "k string, t int, x int, u string, n struct<m: int, o: string>")
    checked = on_spark.check(df, "G(x < 4 & n.m == 1)", by="k", time="t:s")
    plan = checked._jdf.queryExecution().optimizedPlan().toString()
    shuffled = plan[plan.index("RepartitionByExpression") :].splitlines()[1]
    assert "n#4.m AS" in re.sub(r"n#\d+", "n#4", shuffled) and "x#" in shuffled
    assert "u#" not in shuffled and ".o AS" not in shuffled


def test_mistakes_are_told_before_a_job_runs(spark, on_spark):
    df = spark.createDataFrame([("a", 1, "x", 2)], "k string, t int, text string, x int")
    for empty in (df, df.limit(0)):
        with pytest.raises(traceward.SpecError, match="the trace has no `y`"):
            on_spark.check(empty, "G y < 3", by="k", time="t:s")
    cases = [
        (dict(by="kk", time="t:s"), "by: there is no column `kk`\n  help: did you mean `k`"),
        (dict(by="k", time="tt:s"), "time: there is no column `tt`"),
        (dict(by="k", time="t"), 'say their unit, as in time="t:ms"'),
        (dict(by="k", time="text"), "to_timestamp"),
        (dict(by="k", time="t:s", order="z"), "order: there is no column `z`"),
        (dict(by="k"), "have no order"),
        (dict(by="k", time="t:s", on_error="ignore"), "on_error"),
        (dict(by=[], time="t:s"), "names the column of keys"),
        (dict(by="k", time="t:s", rows=0), "at least one row"),
        (dict(by="k", time="t:s", engine="steam"), "engine"),
    ]
    for options, text in cases:
        with pytest.raises(traceward.UsageError, match=text):
            on_spark.check(df, "G x < 3", **options)
    for options, text in [(dict(sort=True), "sorted by time anyway"), (dict(mising="error"), "did you mean `missing`")]:
        with pytest.raises(TypeError, match=text):
            on_spark.check(df, "G x < 3", by="k", time="t:s", **options)
    with pytest.raises(traceward.SpecError, match="needs timestamps"):
        on_spark.check(df, "G F[0,3s] x < 3", by="k", order="t")
    with pytest.raises(traceward.UsageError, match="has no property"):
        on_spark.check(df, "max(x)", by="k", time="t:s")
    with pytest.raises(traceward.UsageError, match="has no query"):
        on_spark.query(df, "property a = G x < 3", by="k", time="t:s")
    with pytest.raises(traceward.UsageError, match="cannot be a key"):
        on_spark.check(df.selectExpr("map(k, t) as k", "t", "x"), "G x < 3", by="k", time="t:s")
    with pytest.raises(traceward.UsageError, match="several columns are called `x`"):
        on_spark.check(df.selectExpr("*", "1 as x"), "G x < 3", by="k", time="t:s")
    with pytest.raises(TypeError, match="a DataFrame of Spark is needed"):
        on_spark.check({"x": [1]}, "G x < 3", by="k", time="t:s")
    assert on_spark.check(df.limit(0), "G x < 3", by="k", time="t:s").collect() == []
    empty = on_spark.summary(df.limit(0), ["G x < 3", "F x > 1"], by="k", time="t:s").collect()
    assert [(row.property, row["keys"], row.worst) for row in empty] == [("p1", 0, []), ("p2", 0, [])]


BAD = [
    (dict(t=None), "G x < 4", {}, "the time is null"),
    (dict(x=2), "G 1 / (x - 2) < 9", {}, "division by zero"),
    (dict(x=None), "G x < 4", dict(missing="error"), "has no value"),
]


@pytest.mark.parametrize("change, formula, options, text", BAD)
@pytest.mark.parametrize("limit", [100, 2])
def test_a_key_without_an_answer_stops_or_says_so(spark, on_spark, change, formula, options, text, limit):
    from pyspark.errors import PythonException

    rows = [dict(k=key, t=moment, x=1) for key in range(9) for moment in range(3)]
    rows[13].update(change)
    df = spark.createDataFrame([tuple(row.values()) for row in rows], "k int, t int, x int")
    ask = dict(by="k", time="t:s", rows=limit, partitions=2, **options)
    found = on_spark.check(df, [formula, "F x == 1"], on_error="row", **ask).collect()
    assert len(found) == 18
    for row in found:
        if row.key == 4:
            assert row.verdict is None and text in row.error and "<table>" not in row.error and row.states == 3
        else:
            assert row.verdict == "satisfied" and row.error is None
    with pytest.raises(PythonException, match=f"(?s)key 4: .*{text}.*on_error"):
        on_spark.check(df, [formula, "F x == 1"], **ask).collect()
    values = on_spark.query(df, "max(x)", on_error="row", **ask).collect()
    assert {row.key for row in values if row.error is not None} == ({4} if text != "division by zero" else set())
    summed = on_spark.summary(df, [formula], on_error="row", **ask).collect()[0]
    assert (summed["keys"], summed.errors, summed.satisfied) == (9, 1, 8)


@pytest.mark.parametrize("limit", [100, 1])
def test_null_keys(spark, on_spark, limit):
    from pyspark.errors import PythonException

    df = spark.createDataFrame([(None, 1, 1), ("a", 1, 1), (None, 2, 9), ("b", 1, 9)], "k string, t int, x int")
    with pytest.raises(PythonException, match="the key is null"):
        on_spark.check(df, "G x < 4", by="k", time="t:s", rows=limit).collect()
    found = on_spark.check(df, "G x < 4", by="k", time="t:s", rows=limit, on_error="row").collect()
    told = {row.key: (row.verdict, row.states, row.error is None) for row in found}
    assert told == {"a": ("satisfied", 1, True), "b": ("violated", 1, True), None: (None, 2, False)}


def test_options_have_their_effect(spark, on_spark):
    df = spark.createDataFrame([("a", 1, "go", "1"), ("a", 2, "stop", "x")], "k string, t int, activity string, code string")
    found = on_spark.check(df, 'G("go" -> F "stop")', by="k", time="t:s", event="activity").collect()
    assert [row.verdict for row in found] == ["satisfied"]
    for limit in (100, 1):
        ask = dict(by="k", time="t:s", rows=limit, prefix=True)
        found = on_spark.check(df, ['F activity == "never"', 'G activity != "never"'], **ask).collect()
        assert [row.verdict for row in found] == ["pending", "holding"]
    found = on_spark.check(df, ['G activity != "stop"'], by="k", time="t:s", evidence=False).collect()
    assert [(row.verdict, row.position, row.evidence) for row in found] == [("violated", None, None)]


def test_a_small_stack_of_batches_without_spark():
    """Keys that straddle batches in every way, through the part that knows nothing of Spark."""
    from traceward._sorted import Question, answers

    keys = [1] * 3 + [2] + [3] * 5 + [4] * 2
    values = [0, 9, 0, 9, 0, 0, 0, 0, 9, 0, 0]
    rows = pa.RecordBatch.from_pydict({"a": keys, "b": list(range(11)), "c": values})
    expected = {1: ("violated", 1, 3), 2: ("violated", 0, 1), 3: ("violated", 4, 5), 4: ("satisfied", None, 2)}
    for size in range(1, 12):
        for limit in (1, 2, 3, 4, 5, 100):
            ask = dict(spec=traceward.Spec("G x < 5"), names=("p1",), variables=("x",), goal="check")
            question = Question(**ask, has_time=True, unit="s", rows=limit)
            batches = [rows.slice(start, size) for start in range(0, 11, size)]
            found = [row for batch in answers(question, batches) for row in batch.to_pylist()]
            told = {row["key"]: (row["verdict"], row["position"], row["states"]) for row in found}
            assert told == expected and len(found) == 4


def test_rows_are_put_together_and_never_lost():
    from traceward._sorted import _one_batch, _whole

    for size in range(1, 6):
        batches = [pa.RecordBatch.from_pydict({"k": [index] * size, "s": ["ä" * index] * size}) for index in range(size)]
        whole = _one_batch(batches)
        assert whole.num_rows == size * size and whole.column("k").to_pylist() == sorted(list(range(size)) * size)
    assert _whole(pa.chunked_array([["a"], [], ["b", None]])).to_pylist() == ["a", "b", None]
    assert _whole(pa.chunked_array([], pa.string())).to_pylist() == []


@pytest.mark.parametrize("held", [1, 200, 3000])
def test_how_many_bytes_are_held_makes_no_difference(monkeypatch, held):
    """Many rows of long texts do not fit into a batch together."""
    from traceward import _sorted

    expected = {}
    for seed in range(6):
        rows = sorted_rows(seed)
        expected[seed] = [asked_of(rows, *asked, 250_000, seed) for asked in ASKED]
    monkeypatch.setattr(_sorted, "_HELD_BYTES", held)
    monkeypatch.setattr(_sorted, "_PART_BYTES", held // 4)
    for seed, answered in expected.items():
        assert [asked_of(sorted_rows(seed), *asked, 250_000, seed) for asked in ASKED] == answered


#: What can be asked of sorted rows: goal, names, options.
ASKED = [
    ("check", ["G x < 8", "G(r -> F[0,3s] g)", "G(r -> F g)", "F g", "O r", "G x > past(x) - 6", 's != "b" U g'], {}),
    ("check", ["G(r -> F[0,3s] g)", "F g", "G(g -> O[0,4s] r)"], dict(prefix=True, trace_memory=0)),
    ("check", ["max(x) < 9", "count(r) <= 2", "G 12 / (x - 4) < 9", "G pos < 12"], {}),
    ("check", ["trace { by who } property a = G(r -> F g)", "G 12 / (x - 4) < 9"], {}),
    ("check", ["G x < 8"], dict(missing="error", trace_memory=0)),
    ("check", ["G x < 8", "F g"], dict(missing="hold", changes=True)),
    ("summary", ["G x < 8", "G(r -> F g)", "G(s == \"c\" -> F r)", "F x == 3", "G(r -> F[0,3s] g)"], {}),
    ("query", ["max(x)", "count(r)", "first(s)", "latency(r -> g)", "last(x) while r", "sum(12 / (x - 4))"], {}),
]


def sorted_rows(seed):
    """Rows of keys, sorted by key and time; some have no key, no time, or a time that goes back."""
    source = random.Random(seed)
    columns = {name: [] for name in ("k", "t", "g", "r", "s", "x")}
    for key in sorted(source.sample(range(50), 9)):
        now = 0
        for _ in range(source.choice([1, 2, 3, 4, 5, 8, 13, 30])):
            now += source.choice([0, 1, 1, 4])
            time = source.choice([None, -1]) if source.random() < 0.01 else now
            x = source.choice([None, *range(10)])
            row = dict(k=key, t=time, g=source.random() < 0.3, r=source.random() < 0.3, s=source.choice("abb"), x=x)
            for name, value in row.items():
                columns[name].append(value)
    if source.random() < 0.3:
        columns["k"][:2] = [None, None]
    return pa.RecordBatch.from_pydict(columns)


def in_batches(rows, seed):
    """The rows in batches of any size."""
    source = random.Random(seed)
    start = 0
    while start < rows.num_rows:
        size = source.choice([0, 1, 2, 5, 40])
        yield rows.slice(start, size)
        start += size


def asked_of(rows, goal, texts, options, limit, batches):
    from traceward._sorted import Question, answers

    spec = traceward.Spec(texts)
    names = tuple(spec.queries if goal == "query" else spec.properties)
    chosen = ["k", "t", *sorted(set(spec.variables) & {"g", "r", "s", "x"})]
    ask = dict(spec=spec, names=names, variables=tuple(chosen[2:]), goal=goal, unit="s", has_time=True, stops=False)
    question = Question(**ask, rows=limit, options=options)
    found = [row for batch in answers(question, in_batches(rows.select(chosen), batches)) for row in batch.to_pylist()]
    return summed_up(found) if goal == "summary" else sorted(found, key=repr)


def summed_up(rows):
    """The rows of a summary, added up as Spark does."""
    sums = {}
    for row in rows:
        one = sums.setdefault(row["property"], {name: [] if name == "worst" else 0 for name in row if name != "property"})
        for name in one:
            one[name] += row[name]
    worst = {name: sorted((key["fewer"], key["key"]) for key in one["worst"])[:5] for name, one in sums.items()}
    return {name: {**one, "worst": worst[name]} for name, one in sums.items()}


@pytest.mark.parametrize("asked", range(len(ASKED)))
def test_long_keys_and_short_ones_have_the_same_answers(asked):
    """Through the part that knows nothing of Spark: places, evidence, counts, values and errors."""
    failed = violated = 0
    for seed in range(15):
        rows = sorted_rows(seed)
        expected = asked_of(rows, *ASKED[asked], 250_000, seed)
        for limit in (1, 3, 7):
            assert asked_of(rows, *ASKED[asked], limit, seed + limit) == expected, (seed, limit)
        if ASKED[asked][0] != "summary":
            failed += sum(row["error"] is not None for row in expected)
            violated += sum(row.get("verdict") == "violated" for row in expected)
        else:
            failed += sum(row["errors"] for row in expected.values())
            violated += sum(row["violated"] * row["vacuous"] for row in expected.values())
    assert failed > 5 and (violated > 5 or ASKED[asked][0] == "query")


def test_what_stops_does_so_in_the_same_words():
    from traceward._sorted import Question, answers

    rows = pa.RecordBatch.from_pydict({"k": [1, 1, 2, 2, 2, 3], "t": [1, 2, 3, None, None, 1], "x": [1] * 6})
    ask = dict(spec=traceward.Spec("G x < 5"), names=("p1",), variables=("x",), goal="check", unit="s", has_time=True)
    for limit in (1, 2, 100):
        with pytest.raises(traceward.TraceError, match="^key 2: the time is null in 2 of 3 rows\n  help: on_error"):
            list(answers(Question(**ask, rows=limit), [rows.slice(start, 1) for start in range(6)]))


def test_what_whoever_hands_over_rows_raises_is_raised():
    """A key that is long pulls its rows through the reader, which knows exceptions of Python as texts."""
    from traceward._sorted import Question, answers

    class Lost(Exception):
        pass

    def batches(failure, before):
        for index in range(before):
            yield pa.RecordBatch.from_pydict({"k": [1] * 9000, "x": [index] * 9000})
        raise failure

    ask = dict(spec=traceward.Spec("G x < 5"), names=("p1",), variables=("x",), goal="check", rows=10_000)
    for failure in (Lost("executor"), traceward.LimitError("no room"), KeyboardInterrupt()):
        for before in (2, 9):
            for stops in (False, True):
                with pytest.raises(type(failure)) as raised:
                    list(answers(Question(**ask, stops=stops), batches(failure, before)))
                assert raised.value is failure


def test_a_column_that_is_called_like_a_member_is_for_nobody_to_guess(spark, on_spark):
    """As in tables of others, whether it is a variable, the key, the time or an order."""
    df = spark.createDataFrame([("k", 1, (9,), 1, ((9,), 4))], "k string, t long, a struct<b:int>, `a.b` int, c struct<d:struct<e:int>,`d.e`:int>")
    asked = [
        ("G a.b < 5", dict(by="k", time="t:s")),
        ("G t < 5", dict(by="a.b", time="t:s")),
        ("G t < 5", dict(by="k", time="a.b:s")),
        ("G t < 5", dict(by="k", order="a.b")),
        ("G c.d.e < 5", dict(by="k", time="t:s")),
    ]
    for spec, options in asked:
        with pytest.raises(traceward.TraceError, match="more than once"):
            on_spark.check(df, spec, **options)
    plain = spark.createDataFrame([("k", 1, 7, 1, (2,))], "k string, t long, a int, `a.b` int, c struct<`d.e`:int>")
    assert on_spark.check(plain, ["G a.b < 5", "G c.d.e == 2"], by="a.b", time="t:s").collect()[1].verdict == "satisfied"


def test_a_null_key_behind_a_long_one_stops():
    from traceward._sorted import Question, answers

    rows = pa.RecordBatch.from_pydict({"k": [1] * 5 + [None], "x": [1] * 6})
    ask = dict(spec=traceward.Spec("G x < 5"), names=("p1",), variables=("x",), goal="check")
    for limit in (2, 100):
        with pytest.raises(traceward.TraceError, match="^the key is null in some rows"):
            list(answers(Question(**ask, rows=limit), [rows.slice(start, 2) for start in (0, 2, 4)]))


MORNING = datetime.datetime(2024, 3, 31, 0, 59, tzinfo=datetime.timezone.utc)
STREAM_SCHEMA = "k string, at timestamp, x long, s string, r boolean, g boolean, seen timestamp"


def write_file(folder, number, rows):
    """A file of a stream. Sources take files in the order of their age."""
    lines = [json.dumps({**row, "at": row["at"].isoformat(), "seen": row["at"].isoformat()}) for row in rows]
    path = folder / f"{number:03}.json"
    path.with_suffix(".tmp").write_text("\n".join(lines) + "\n")
    os.utime(path.with_suffix(".tmp"), (1_700_000_000 + number, 1_700_000_000 + number))
    path.with_suffix(".tmp").rename(path)


def followed(spark, on_spark, folder, spec, **options):
    """Runs a stream until it has read all files that there are; returns all rows that it ever told."""
    source = spark.readStream.schema(STREAM_SCHEMA).option("maxFilesPerTrigger", 2).option("pathGlobFilter", "*.json")
    monitored = on_spark.monitor(source.json(str(folder / "in")), spec, by="k", time="at", **options)
    sink = monitored.writeStream.format("parquet").outputMode("append").option("path", str(folder / "out"))
    running = sink.option("checkpointLocation", str(folder / "state")).trigger(availableNow=True).start()
    running.awaitTermination()
    return spark.read.parquet(str(folder / "out")).collect()


def test_a_stream_comes_to_what_its_trace_comes_to(spark, on_spark, tmp_path):
    source = random.Random(7)
    rows = []
    for second in range(60):
        for key in "abcd":
            if source.random() < 0.5:
                at = MORNING + datetime.timedelta(seconds=second, microseconds=source.choice([0, 1, 999_999]))
                x = source.choice([None, 2**53, 2**53 + 1])
                rows.append(dict(k=key, at=at, x=x, s=source.choice("pq"), r=source.random() < 0.2, g=source.random() < 0.4))
    spec = [f"G x != {2**53 + 1}", "G(r -> F[0,4s] g)", "G(r -> F g)", 'F(s == "q" & x > 0)', "!g U r", "F x == 3"]
    # No row comes more than 5 seconds later than one that is 5 seconds younger.
    arriving = sorted(rows, key=lambda row: row["at"] + datetime.timedelta(seconds=source.uniform(0, 5)))
    (tmp_path / "in").mkdir()
    cuts = [0, 10, 11, 40, 60, 90, len(arriving)]
    for number, (start, end) in enumerate(zip(cuts, cuts[1:])):
        if number == 3:
            # The stream is stopped in the middle, and goes on from its checkpoint.
            followed(spark, on_spark, tmp_path, spec, watermark="10 seconds")
        write_file(tmp_path / "in", number, arriving[start:end])
    later = dict(k="later", x=1, s="p", r=False, g=False, at=MORNING + datetime.timedelta(hours=1))
    write_file(tmp_path / "in", 10, [later])
    told = followed(spark, on_spark, tmp_path, spec, watermark="10 seconds")
    last = {}
    for row in told:
        one = last.get((row.key, row.property))
        assert row.error is None and (one is None or not (one.final and row.final))
        # Rows of later micro-batches are about later states, or say that it is final.
        if one is None or (row.final, row.position) > (one.final, one.position):
            last[row.key, row.property] = row
    whole = spark.createDataFrame([tuple(row.values()) for row in rows], "k string, at timestamp, x long, s string, r boolean, g boolean")
    expected = on_spark.check(whole, spec, by="k", time="at", prefix=True).collect()
    # Where a deadline has passed without a row, a stream knows more than the rows do.
    known = {(row.key, row.property): row.verdict for row in expected}
    complete = {(row.key, row.property): row.verdict for row in on_spark.check(whole, spec, by="k", time="at").collect()}
    assert {key for key in last} == set(known) and len(known) == 24
    for key, row in last.items():
        assert row.verdict == known[key] or (key[1] == "p2" and row.final and row.verdict == complete[key]), key
        assert row.final == (row.verdict in ("satisfied", "violated"))
    assert {row.verdict for row in last.values()} >= {"satisfied", "violated", "pending"}
    invariant = {row.key: (row.position, row.time) for row in on_spark.check(whole, spec[:1], by="k", time="at").collect()}
    for key in "abcd":
        assert (last[key, "p1"].position, last[key, "p1"].time) == invariant[key]


def test_deadlines_ends_and_late_rows_of_a_stream(spark, on_spark, tmp_path):
    def row(key, second, **values):
        at = MORNING + datetime.timedelta(seconds=second)
        return {**dict(k=key, at=at, x=1, s="p", r=False, g=False), **values}

    (tmp_path / "in").mkdir()
    spec = ["G(r -> F[0,4s] g)", "G(1 / (x - 7) < 5)", "F g"]
    first = [row("asks", 0, r=True), row("fails", 1, x=7), row("ends", 2), row("late", 3)]
    write_file(tmp_path / "in", 0, first)
    write_file(tmp_path / "in", 1, [row("clock", 30)])
    options = dict(watermark="1 second", idle=datetime.timedelta(seconds=60), on_error="row")
    told = followed(spark, on_spark, tmp_path, spec, **options)
    asks = [one for one in told if one.key == "asks" and one.property == "p1" and one.final]
    assert [(one.verdict, one.position) for one in asks] == [("violated", 0)], "nobody but the watermark said so"
    failed = [one for one in told if one.key == "fails"]
    assert [one.property for one in failed] == ["p1", "p2", "p3"]
    assert all("division by zero" in one.error and one.verdict is None for one in failed)
    assert not any(one.final for one in told if one.key == "ends")
    # What is before the watermark is dropped, and one that is idle ends.
    write_file(tmp_path / "in", 2, [row("late", 4, g=True), row("clock", 200)])
    write_file(tmp_path / "in", 3, [row("ends", 300, g=True), row("clock", 400)])
    told = followed(spark, on_spark, tmp_path, spec, **options)
    ends = [(one.property, one.verdict) for one in told if one.key == "ends" and one.final]
    assert ends.count(("p3", "violated")) == 1 and ends.count(("p3", "satisfied")) == 1
    assert [one.verdict for one in told if one.key == "late" and one.property == "p3" and one.final] == ["violated"]


@pytest.mark.parametrize("by", ["k", "x"])
def test_a_spec_of_a_stream_may_split_traces_itself(spark, on_spark, tmp_path, by):
    """The key of the stream counts, as it does for tables."""
    (tmp_path / "in").mkdir()
    rows = [dict(k=key, at=MORNING + datetime.timedelta(seconds=n), x=n, s="p", r=False, g=False) for n in range(9) for key in "ab"]
    for number, start in enumerate((0, 7)):
        write_file(tmp_path / "in", number, rows[start : start + 7])
    write_file(tmp_path / "in", 2, rows[14:])
    told = followed(spark, on_spark, tmp_path, f"trace {{ by {by} }} property low = G x < 5", watermark="1 second")
    assert {(one.key, one.position, one.time.second) for one in told if one.final} == {("a", 5, 5), ("b", 5, 5)}
    assert all(one.error is None for one in told)


def test_mistakes_about_streams(spark, on_spark, tmp_path):
    stream = spark.readStream.schema("k string, at timestamp, t long, x int, l array<int>").json(str(tmp_path))
    batch = spark.createDataFrame([("a", MORNING, 1)], "k string, at timestamp, x int")
    ask = dict(by="k", time="at", watermark="1 second")
    with pytest.raises(traceward.UsageError, match="traceward.spark.monitor follows it"):
        on_spark.check(stream, "G x < 3", by="k", time="at")
    with pytest.raises(traceward.UsageError, match="is no stream"):
        on_spark.monitor(batch, "G x < 3", **ask)
    with pytest.raises(traceward.SpecError, match="the trace has no `y`"):
        on_spark.monitor(stream, "G y < 3", **ask)
    with pytest.raises(traceward.UsageError, match="needs a column of timestamps"):
        on_spark.monitor(stream, "G x < 3", **{**ask, "time": "t:s"})
    with pytest.raises(traceward.UsageError, match="which a stream does not carry"):
        on_spark.monitor(stream, "G l.0 < 3", **ask)
    with pytest.raises(TypeError, match="no option `prefix`"):
        on_spark.monitor(stream, "G x < 3", prefix=True, **ask)
    with pytest.raises(TypeError, match="no option `trace_memory` for a stream"):
        on_spark.monitor(stream, "G x < 3", trace_memory=64, **ask)
    with pytest.raises(traceward.UsageError, match="engine"):
        on_spark.monitor(stream, "G x < 3", engine="naive", **ask)


def test_memory_is_bounded_on_a_key_with_most_of_the_rows():
    """A worker keeps a bit for each comparison and row of a key of eight million rows, and what it was told to keep."""

    def grown(trace_memory):
        command = [sys.executable, str(ROOT / "bench" / "python" / "long_key.py"), "measure", "8000000", trace_memory, "timed"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        before, most = map(int, done.stdout.split())
        return most - before

    # Both have timestamps, of 64 MB, and bits.
    bounded, whole = grown("4"), grown("1000")
    assert bounded < whole - 30, f"{bounded} MiB and {whole} MiB"


def listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def cluster(tmp_path):
    """A master and a worker on this machine, which listen to it alone, and are stopped whatever happens."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(tmp_path), "SPARK_DAEMON_MEMORY": "256m"}
    deploy = [str(home / "bin" / "spark-class"), "org.apache.spark.deploy"]
    quiet = dict(env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running = []
    try:
        master = ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        running.append(subprocess.Popen([deploy[0], f"{deploy[1]}.{master[0]}", *master[1:]], **quiet))
        for _ in range(300):
            if listening(port):
                break
            time.sleep(0.1)
        worker = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "512m"]
        worker += ["--work-dir", str(tmp_path / "work"), f"spark://127.0.0.1:{port}"]
        running.append(subprocess.Popen([deploy[0], f"{deploy[1]}.worker.Worker", *worker], **quiet))
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


ON_A_CLUSTER = """
import json, sys
from pyspark.sql import SparkSession
import traceward.spark

session = (
    SparkSession.builder.master(sys.argv[1])
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.executor.memory", "512m")
    .config("spark.executorEnv.PYTHONPATH", sys.argv[2])
    .config("spark.sql.shuffle.partitions", "3")
    .getOrCreate()
)
df = session.range(3000).selectExpr("id % 30 as k", "id as t", "id % 90 = 7 as bad").repartition(4)
found = traceward.spark.check(df, "G !bad", by="k", time="t:s", rows=int(sys.argv[3])).collect()
executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
session.stop()
print(json.dumps({"told": [[row.key, row.verdict, row.position, row.states] for row in found], "executors": executors}))
"""


def test_a_cluster_says_the_same(cluster, tmp_path):
    package = str(Path(traceward.__file__).resolve().parents[1])
    command = [sys.executable, "-c", ON_A_CLUSTER, cluster, package, "50"]
    environment = {**os.environ, "PYTHONPATH": package}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["executors"] == 2, "the driver and the worker's"
    expected = [[key, "violated" if key == 7 else "satisfied", 0 if key == 7 else None, 100] for key in range(30)]
    assert sorted(answer["told"]) == expected


def test_the_page_on_scale_runs(spark, tmp_path):
    """The blocks of code in docs/scale.md run, one after the other, and print what stands below them."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "scale.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", page, re.DOTALL)
    assert len(blocks) >= 4
    names = {"spark": spark}
    for code, expected in blocks:
        # Spark writes where its own process was started, which may be the project.
        code = re.sub(r'"(log|state|told)"', lambda folder: repr(str(tmp_path / folder[1])), code)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/scale.md", "exec"), names)
        assert printed.getvalue().strip() == expected.strip(), code
