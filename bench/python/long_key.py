"""How much memory a key takes that has too many rows to be held, without Spark.

    python bench/python/long_key.py [ROWS...]

Batches are made while they are pulled and go through `traceward._sorted.answers`, as in a worker of Spark. Each
figure is that of a process of its own: what it has before the first batch, and the most that it ever has. Answers are
known from how rows are made, and verified.

    python bench/python/long_key.py measure ROWS TRACE_MEMORY WHAT

is one of these processes, which prints both in MiB.

Needs numpy, pyarrow, and the package `traceward`.
"""

import subprocess
import sys

import numpy
import pyarrow as pa

from traceward import Spec
from traceward._sorted import Question, answers

BATCH = 10_000
#: What is asked: goal and spec, and what the answer has in its column `verdict` or `value`.
ASKED = {
    "timed": ("check", ["G(r -> F[0,5s] g)", "G x < 7", "G(r -> F g)"], ["satisfied"] * 3),
    "untimed": ("check", ["G x < 7", "G(r -> F g)"], ["satisfied"] * 2),
    "queries": ("query", ["max(x)", "max(latency(r -> g))"], [6.0, 3e9]),
}
TITLES = {"timed": "three properties, one with a bound in time", "untimed": "two properties without", "queries": "two queries"}
#: What is kept of states in memory, in MiB: little, and as it is set.
KEPT = (16, 128)


def batches(rows):
    """Rows of one key, one a second: each 64th asks, and is answered three seconds later."""
    for start in range(0, rows, BATCH):
        ids = numpy.arange(start, min(start + BATCH, rows))
        columns = {"key": numpy.zeros_like(ids), "time": ids, "g": ids % 64 == 3, "r": ids % 64 == 0, "x": ids % 7}
        yield pa.RecordBatch.from_pydict(columns)


def question(what, trace_memory):
    goal, texts, _ = ASKED[what]
    spec = Spec(texts)
    names = tuple(spec.queries if goal == "query" else spec.properties)
    ask = dict(spec=spec, names=names, variables=("g", "r", "x"), goal=goal, unit="s", has_time=True)
    return Question(**ask, options=dict(trace_memory=trace_memory))


def status(name):
    """A figure of this process, in MiB. The peak that `resource` tells has that of the parent in it."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 2**10 for line in file if line.startswith(name))


def measure(rows, trace_memory, what):
    asked = question(what, trace_memory)
    before = status("VmRSS")
    found = [row for batch in answers(asked, batches(rows)) for row in batch.to_pylist()]
    goal, _, expected = ASKED[what]
    assert [row["value" if goal == "query" else "verdict"] for row in found] == expected, found
    assert {row["states"] for row in found} == {rows}
    print(f"{before:.0f} {status('VmHWM'):.0f}")


def main():
    if sys.argv[1:2] == ["measure"]:
        measure(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
        return
    sizes = [int(one) for one in sys.argv[1:]] or [5_000_000, 20_000_000]
    for rows in sizes:
        for kept in KEPT:
            for what, title in TITLES.items():
                command = [sys.executable, __file__, "measure", str(rows), str(kept), what]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                before, most = done.stdout.split()
                print(f"{rows:,} rows, trace_memory={kept}, {title}: {before} MiB before, at most {most} MiB", flush=True)


if __name__ == "__main__":
    main()
