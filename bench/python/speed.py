"""How fast the Python package is.

    pip install . pyarrow polars && python bench/python/speed.py

Each answer is verified before it is timed. Figures are the fastest of several repetitions: seconds on the clock, and
seconds of processor time in brackets, which are what counts where the machine is busy.
"""

import platform
import time

import numpy
import polars
import pyarrow

import traceward
from traceward import Monitor, Spec, check

ROWS = 10_000_000


def fastest(work, times):
    """The least seconds on the clock, and the least seconds of processor time, of some repetitions."""
    clock, processor = [], []
    for _ in range(times):
        begin, begun = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - begin)
        processor.append(time.process_time() - begun)
    return min(clock), min(processor)


def tell(what, seconds, per=1, unit="s", scale=1):
    clock, processor = (one / per * scale for one in seconds)
    print(f"| {what} | {clock:.3g} {unit} | ({processor:.3g} {unit}) |")


def columns():
    chance = numpy.random.default_rng(1)
    request = chance.random(ROWS) < 0.1
    grant = numpy.roll(request, 3)
    grant[:3] = False
    return {"request": request, "grant": grant, "x": chance.integers(0, 1000, ROWS)}


def tables():
    made = columns()
    formulas = Spec(["G(request -> F[0,3] grant)", "G x < 1000", "G(x > 998 -> F x < 2)"])
    # By NumPy: a grant comes three states behind each request, but for those of the last three.
    last = int(numpy.flatnonzero(made["request"])[-1])
    first_holds = last < ROWS - 3
    large, small = numpy.flatnonzero(made["x"] > 998), numpy.flatnonzero(made["x"] < 2)
    expected = [first_holds, True, bool(large[-1] < small[-1])]
    table = pyarrow.table(made)
    for name, data in [("PyArrow", table), ("Polars", polars.DataFrame(made))]:
        found = [one.ok for one in check(formulas, data).properties]
        assert found == expected, (name, found, expected)
        tell(f"check three formulas on {ROWS:,} rows of {name}", fastest(lambda: check(formulas, data), 7))


def small():
    spec = Spec("G(request -> F grant)")
    trace = b"request,grant\n1,0\n0,1\n1,0\n"
    table = pyarrow.table({"request": [True, False, True], "grant": [False, True, False]})
    for name, data in [("bytes", trace), ("a PyArrow table", table)]:
        assert list(check(spec, data)["p1"].violations) == [2]

        def work():
            for _ in range(2000):
                check(spec, data)

        tell(f"check a trace of 3 states, {name}", fastest(work, 15), 2000, "µs", 1e6)


def steps():
    for formula, values in [
        ("G(request -> F grant)", [dict(request=True, grant=False), dict(request=False, grant=False)]),
        ("G x < 1000", [dict(x=5), dict(x=7)]),
        ('G(s == "on" -> x > 3)', [dict(s="on", x=5), dict(s="off", x=7)]),
    ]:
        monitor = Monitor(formula)
        monitor.step(**values[0])
        assert monitor.step(**values[1]) == () and monitor.position == 2
        one, other = (
            "monitor.step(" + ", ".join(f"{name}={value!r}" for name, value in state.items()) + ")" for state in values
        )
        body = "\n    ".join([one, other] * 50)
        scope = {}
        exec(f"def work(monitor):\n  for _ in range(200):\n    {body}", scope)
        tell(f"`{one}`, {formula}", fastest(lambda: scope["work"](monitor), 15), 20_000, "ns", 1e9)


def keys():
    """A request and a grant of each of a thousand clients, in turn: each step changes a verdict."""
    clients = [f"client{number}" for number in range(1000)]
    monitor = Monitor("G(request -> F grant)", by="client")

    def work():
        for client in clients:
            monitor.step(client=client, request=True, grant=False)
            monitor.step(client=client, request=False, grant=True)

    work()
    assert monitor.live == 1000 and monitor.verdicts_of("client7")["p1"] == "holding"
    tell("a step of one of 1,000 keys, `G(request -> F grant)`", fastest(work, 15), 2000, "ns", 1e9)


def batches():
    made = columns()
    table = pyarrow.table(made)
    for formula in ["G(request -> F[0,3] grant)", "G x < 1000"]:
        monitor = Monitor(formula)
        monitor.step_batch(table)
        assert monitor.position == ROWS and monitor.end().ok == check(formula, table).ok

        def work():
            Monitor(formula).step_batch(table)

        clock, processor = fastest(work, 5)
        print(f"| batch of {ROWS:,} states, {formula} | {ROWS / clock / 1e6:.3g} million/s | ({ROWS / processor / 1e6:.3g} million/s) |")


def main():
    print(f"traceward {traceward.__version__}, Python {platform.python_version()}, {platform.machine()}\n")
    print("| what | fastest | processor |\n| --- | --- | --- |")
    small()
    steps()
    keys()
    tables()
    batches()


if __name__ == "__main__":
    main()
