"""How the Python package compares with the library in Rust, on the same columns.

    cargo build --release -p traceward-bench
    pip install . pyarrow polars && python bench/python/ratio.py target/release/traceward-bench [ROWS]

The columns of `speed.py` are a table of PyArrow and a frame of Polars in memory, and record batches in the memory of a
Rust program. All take turns. Each answer is verified; seconds on the clock are the fastest of all turns, those of
processor time the mean, since Linux counts them in hundredths for other processes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy
import polars
import pyarrow
from pyarrow import ipc

from traceward import Spec, check

FORMULAS = ["G(request -> F[0,3] grant)", "G x < 1000", "G(x > 998 -> F x < 2)"]
TURNS = 25


def columns(rows):
    chance = numpy.random.default_rng(1)
    request = chance.random(rows) < 0.1
    grant = numpy.roll(request, 3)
    grant[:3] = False
    return {"request": request, "grant": grant, "x": chance.integers(0, 1000, rows)}


def expected(made):
    """By NumPy: a grant comes three states behind each request, but for those of the last three."""
    last = int(numpy.flatnonzero(made["request"])[-1])
    large, small = numpy.flatnonzero(made["x"] > 998), numpy.flatnonzero(made["x"] < 2)
    return [last < len(made["x"]) - 3, True, bool(large[-1] < small[-1])]


class Library:
    """The library in a process of its own, asked line by line."""

    def __init__(self, program, table, folder):
        path = os.path.join(folder, "columns.arrow")
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        command = [program, "tables", path, *FORMULAS]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["holds"], answer["seconds"]

    def processor(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Package:
    """The Python package on some data."""

    def __init__(self, data):
        self.data, self.spec, self.used = data, Spec(FORMULAS), 0.0

    def ask(self):
        begin, begun = time.perf_counter(), time.process_time()
        report = check(self.spec, self.data)
        seconds = time.perf_counter() - begin
        self.used += time.process_time() - begun
        return [one.ok for one in report.properties], seconds

    def processor(self):
        return self.used


def main():
    program, rows = sys.argv[1], int((sys.argv[2:] or ["10000000"])[0])
    made = columns(rows)
    right, table = expected(made), pyarrow.table(made)
    with tempfile.TemporaryDirectory() as folder:
        asked = {
            "the library in Rust": Library(program, table, folder),
            "PyArrow": Package(table),
            "Polars": Package(polars.DataFrame(made)),
        }
        clock = {name: [] for name in asked}
        for turn in range(TURNS + 1):
            for name, one in asked.items():
                holds, seconds = one.ask()
                assert holds == right, (name, holds, right)
                clock[name].append(seconds)
            if turn == 0:
                # The first turn warms up.
                before = {name: one.processor() for name, one in asked.items()}
        used = {name: (one.processor() - before[name]) / TURNS for name, one in asked.items()}
        asked["the library in Rust"].process.stdin.close()
        asked["the library in Rust"].process.wait()
    print(f"{rows:,} rows, three formulas, {TURNS} turns\n")
    print("| who | clock, fastest | processor, mean | against the library: clock, processor |\n| --- | --- | --- | --- |")
    fastest = {name: min(all_of[1:]) for name, all_of in clock.items()}
    base = "the library in Rust"
    for name in asked:
        ratio = f"{fastest[name] / fastest[base]:.2f}, {used[name] / used[base]:.2f}"
        print(f"| {name} | {fastest[name] * 1e3:.1f} ms | {used[name] * 1e3:.1f} ms | {ratio} |")


if __name__ == "__main__":
    main()
