"""A query on a CSV file by a peer, timed.

queries.py PEER THREADS FILE QUERY RUNS prints one line of JSON: the version of the peer, its answer,
and the seconds of the fastest run. The start of Python, and what it takes to load the peer, are not
counted; every run reads the file anew.
"""

import json
import os
import sys
import time

peer, threads, path, query, runs = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads

# What `latency` means: the next state with a grant, at the request's own state or later.
GRANTED = """
with states as materialized (
    select row_number() over () as pos, t, request, "grant" from {file}
), granted as (
    select g.pos - r.pos as positions, g.t - r.t as milliseconds
    from (select pos, t from states where request = 1) r
    asof join (select pos, t from states where "grant" = 1) g on r.pos <= g.pos
)
"""

SQL = {
    "avg(x)": "select avg(x) from {file}",
    "avg(y)": "select avg(y) from {file}",
    "count(request)": "select count(*) from {file} where request = 1",
    "max(x)": "select max(x) from {file}",
    "quantile(0.99, x)": "select quantile_disc(x, 0.99) from {file}",
    "quantile(0.99, y)": "select quantile_disc(y, 0.99) from {file}",
    "max(latency(request -> grant))": GRANTED + "select max(positions) from granted",
    "quantile(0.99, latency(request -> grant))": GRANTED + "select quantile_disc(milliseconds, 0.99) from granted",
}


def with_duckdb():
    import duckdb

    sql = SQL[query].format(file="read_csv('" + path.replace("'", "''") + "')")

    def run():
        with duckdb.connect(config={"threads": int(threads)}) as connection:
            return connection.execute(sql).fetchone()[0]

    return duckdb.__version__, run


def with_polars():
    import polars as pl

    def at_grant(value):
        """The value at the next state with a grant."""
        return pl.when(pl.col("grant") == 1).then(value).otherwise(None).backward_fill()

    position = pl.int_range(pl.len())
    asked = pl.col("request") == 1
    expressions = {
        "avg(x)": pl.col("x").mean(),
        "avg(y)": pl.col("y").mean(),
        "count(request)": asked.sum(),
        "max(x)": pl.col("x").max(),
        "quantile(0.99, x)": pl.col("x").quantile(0.99, "lower"),
        "quantile(0.99, y)": pl.col("y").quantile(0.99, "lower"),
        "max(latency(request -> grant))": (at_grant(position) - position).filter(asked).max(),
        "quantile(0.99, latency(request -> grant))": (at_grant(pl.col("t")) - pl.col("t"))
        .filter(asked)
        .quantile(0.99, "higher"),
    }

    def run():
        return pl.scan_csv(path).select(expressions[query]).collect().item()

    return pl.__version__, run


version, run = {"duckdb": with_duckdb, "polars": with_polars}[peer]()
answer = run()
seconds = []
for _ in range(int(runs)):
    start = time.perf_counter()
    run()
    seconds.append(time.perf_counter() - start)
print(json.dumps({"version": version, "answer": float(answer), "seconds": min(seconds)}))
