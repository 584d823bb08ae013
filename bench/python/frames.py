"""What a check costs beside the sorting that it asks of DuckDB or Polars.

    pip install . duckdb polars pyarrow && python bench/python/frames.py

A table of 10^6 rows and 10^4 keys is out of order. `traceward.check` of a relation or a lazy frame sorts it there; the
same rows are put in order by DuckDB or Polars alone and handed over batch by batch, to nobody. How many keys are violated
is computed by DuckDB's window functions, and verified, before anything is timed. All take turns, and the fastest of seven
turns counts: seconds of processor time, of all threads, and seconds on the clock.
"""

import platform
import time

import duckdb
import polars
import pyarrow

import traceward

ROWS, KEYS, BOUND = 10**6, 10**4, 3 * 10**6
TURNS = 7
FORMULA = f"G(p -> F[0,{BOUND}ms] q)"
OPTIONS = {"by": "k", "time": "t:ms", "sort": True}

# Timestamps are those of a permutation: no two are the same, so that there is one order.
LOG = f"""
create table log as
select ((range * 7368787) % {ROWS}) * 10 as t, 'key' || (hash(range) % {KEYS}) as k, hash(range + 1) % 4 = 0 as p,
       hash(range + 2) % 4 = 0 as q, 'what nobody asks for, in row ' || range as note
from range({ROWS})
"""

EXPECTED = f"""
with answers as (
    select k, p, t, min(case when q then t end) over
        (partition by k order by t rows between current row and unbounded following) as answered
    from log
)
select count(distinct k) from answers where p and (answered is null or answered - t > {BOUND})
"""


def drained(stream):
    """Takes all batches, and does nothing with them."""
    rows = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(stream))
    assert rows == ROWS, rows


def fastest(works):
    """The least processor time and the least time on the clock of each work; they take turns."""
    found = {name: [] for name in works}
    for _ in range(TURNS):
        for name, work in works.items():
            begin, begun = time.perf_counter(), time.process_time()
            work()
            found[name].append((time.process_time() - begun, time.perf_counter() - begin))
    return {name: tuple(map(min, zip(*times))) for name, times in found.items()}


def main():
    connection = duckdb.connect()
    connection.execute(LOG)
    table = connection.table("log").to_arrow_table()
    lazy = polars.from_arrow(table).lazy()
    spec = traceward.Spec(FORMULA)
    (expected,) = connection.sql(EXPECTED).fetchall()[0]
    for data in (connection.table("log"), lazy, table):
        keys = traceward.check(spec, data, **OPTIONS)["p1"].keys
        assert (keys.checked, keys.violated) == (KEYS, expected), (keys, expected)
    print(f"traceward {traceward.__version__}, DuckDB {duckdb.__version__}, Polars {polars.__version__}, "
          f"Python {platform.python_version()}; {expected} of {KEYS} keys are violated\n")

    columns = ["k", "t", "p", "q"]
    ordered = "select k, t, p, q from log order by "
    # What a check asks for: rows of the same time stay in order.
    numbered = "select k, t, p, q from (select k, t, p, q, row_number() over () as n from log) order by t, n"
    found = fastest({
        "DuckDB: `order by k, t` alone": lambda: drained(connection.sql(ordered + "k, t")),
        "DuckDB: `order by t` alone": lambda: drained(connection.sql(ordered + "t")),
        "DuckDB: `order by t` and the number of the row": lambda: drained(connection.sql(numbered)),
        "DuckDB: check with `sort=True`": lambda: traceward.check(spec, connection.table("log"), **OPTIONS),
        "Polars: `sort(k, t)` alone": lambda: drained(lazy.select(columns).sort("k", "t").collect_batches()),
        "Polars: `sort(t)` alone": lambda: drained(lazy.select(columns).sort("t").collect_batches()),
        "Polars: check with `sort=True`": lambda: traceward.check(spec, lazy, **OPTIONS),
        "PyArrow: check with `sort=True`, sorted by Traceward": lambda: traceward.check(spec, table, **OPTIONS),
    })
    print("| what | processor | clock | against sorting by key and time: processor, clock |\n| --- | --- | --- | --- |")
    for name, (processor, clock) in found.items():
        library = name.partition(":")[0]
        base = next((times for other, times in found.items() if other.startswith(library) and "k, t" in other), None)
        ratio = f"{processor / base[0]:.2f}, {clock / base[1]:.2f}" if base else ""
        print(f"| {name} | {processor:.3f} s | {clock:.3f} s | {ratio} |")


if __name__ == "__main__":
    main()
