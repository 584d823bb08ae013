"""What checking costs on Spark beside the partitioning and sorting that it needs.

    python bench/python/spark.py [ROWS] [KEYS]

Two jobs run in turns in one session, on one machine with two threads: `traceward.spark.check` of two
properties, and the same columns partitioned by key and sorted by key and time, and then counted. The
answer is known from how rows are made and verified in each run; the fastest of five runs counts, after
one that warms up. Both are asked twice: as Spark is set by default, and with batches limited by their rows
alone. Then a single key of as many rows tells how memory goes.

Needs pyspark, pyarrow, Java 17, and the package `traceward`.
"""

import os
import sys
import time

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

from functools import partial

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import traceward.spark
from traceward._sorted import answers
from traceward.spark import _Asked

SPEC = ["G(ask -> F[0,5s] answer)", "G level < 990"]
RUNS = 5
#: Spark's limit of the bytes of a batch, and the value by which there is none.
BYTES, UNLIMITED = "spark.sql.execution.arrow.maxBytesPerBatch", str(2**31 - 1)
#: One key in a thousand asks without an answer at its end.
BAD = 1000


def rows_of(spark, rows, keys):
    """Rows of keys in turn: a key asks in every other row, and is answered in the next one."""
    step = F.floor(F.col("id") / keys)
    key = F.col("id") % keys
    steps = rows // keys
    last = step == steps - 1
    return spark.range(rows).select(
        key.alias("key"),
        (step * 2).alias("t"),
        ((step % 2 == 0) & (step < steps - 2) | (last & (key % BAD == 0))).alias("ask"),
        ((step % 2 == 1) & ~last).alias("answer"),
        (F.hash("id") % 100).alias("level"),
        F.concat(F.lit("a text that nobody asks for "), F.col("id")).alias("text"),
    )


def checked(df, keys):
    found = traceward.spark.check(df, SPEC, by="key", time="t:s")
    counted = {tuple(row[:2]): row[2] for row in found.groupBy("property", "verdict").count().collect()}
    bad = -(-keys // BAD)
    expected = {("p1", "violated"): bad, ("p1", "satisfied"): keys - bad, ("p2", "satisfied"): keys}
    assert counted == expected, (counted, expected)


def counted(df, rows):
    sorted_rows = _Asked.of(df, SPEC, "check", "key", "t:s", (), {}).sorted(None)
    # All columns are asked for, or Spark would not carry them; and a first one, or it would not sort.
    columns = [F.count(name) for name in sorted_rows.columns]
    asked = sorted_rows.agg(*columns, F.first("c1"))
    plan = asked._jdf.queryExecution().executedPlan().toString()
    assert "Sort [" in plan and "Exchange hashpartitioning" in plan, plan
    assert set(asked.collect()[0][:-1]) == {rows}


def timed(job):
    begin = time.perf_counter()
    job()
    return time.perf_counter() - begin


def status(name):
    """A figure of this process in MiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 2**10 for line in file if line.startswith(name))


def memory(df, rows):
    """The memory of a worker before a single key, and the most that it has until the key is answered for."""
    asked = _Asked.of(df, SPEC, "check", "key", "t:s", (), {})
    question = asked.question("check", "stop", 250_000, True)

    def measured(batches):
        # A worker may have done other work before: its peak begins anew.
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = status("VmRSS")
        verdicts = [row for batch in answers(question, batches) for row in batch.to_pylist()]
        if verdicts:
            columns = {"states": [verdicts[0]["states"]], "before": [before], "most": [status("VmHWM")]}
            yield pa.RecordBatch.from_pydict(columns)

    found = asked.sorted(None).mapInArrow(measured, "states long, before double, most double").collect()
    assert [row.states for row in found] == [rows]
    return found[0].before, found[0].most


def print_times(how, df, rows, keys):
    jobs = {"check": partial(checked, df, keys), "count": partial(counted, df, rows)}
    best = {}
    for run in range(RUNS + 1):
        for name, job in jobs.items():
            took = timed(job)
            if run:
                best[name] = min(took, best.get(name, took))
    print(f"{how}:")
    print(f"  partitioned, sorted and counted  {best['count']:.2f} s")
    print(f"  checked                          {best['check']:.2f} s, {best['check'] / best['count']:.2f} times as long")


def main():
    rows, keys = (int(one) for one in (sys.argv[1:] + ["5000000", "100000"][len(sys.argv) - 1 :])[:2])
    rows -= rows % (2 * keys)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    df = rows_of(spark, rows, keys).cache()
    df.count()
    print(f"{rows} rows of {keys} keys, two properties, fastest of {RUNS}, on the wall")
    print_times("as Spark is set by default", df, rows, keys)
    spark.conf.set(BYTES, UNLIMITED)
    print_times(f"with {BYTES} = {UNLIMITED}", df, rows, keys)
    spark.conf.unset(BYTES)
    df.unpersist()
    for count in (rows // 4, rows):
        before, most = memory(rows_of(spark, count, 1), count)
        print(f"one key of {count} rows: {before:.0f} MiB before, at most {most:.0f} MiB")
    spark.stop()


if __name__ == "__main__":
    main()
