"""Counts references on a debug build of Python: each use of the package, many times; run by `test_process.py`.

Prints a line for each use: its name, and how many references were kept by 100 calls.
"""

import gc
import sys

import traceward
from traceward import Monitor, Spec, automaton, check, compare, explain_plan, inspect, lint, query

CSV = b"time,key,request,grant\n" + b"".join(b"%d,%d,1,0\n%d,%d,0,1\n" % (n, n % 3, n + 1, n % 3) for n in range(0, 40, 2))
COLUMNS = {"request": [True, False] * 5, "grant": [False, True] * 5, "x": [1.5] * 10, "word": ["a", None] * 5}
SPEC = Spec(["G(request -> F grant)", "G !request"])
KEYS = check(SPEC, CSV, by="key", time="time:ms").keys_to_arrow()


def refused(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (traceward.Error, TypeError) as error:
        str(error)
        return
    raise AssertionError("nothing was wrong")


def checks():
    report = check(SPEC, CSV)
    report.to_dict(), str(report), repr(report), report.ok
    for one in report.properties:
        one.verdict, one.violations


def monitors():
    changes = []
    with Monitor(SPEC, on_verdict=changes.append) as monitor:
        monitor.step(request=True, grant=False)
        monitor.step({"request": False, "grant": True})
        monitor.step_batch({"request": [True, False], "grant": [False, True]})
    monitor.report.to_dict()


def keys():
    with Monitor(SPEC, by="key", end_when="grant") as monitor:
        monitor.step(key="ann", request=True, grant=False)
        monitor.step(key=7, request=False, grant=True)
        refused(monitor.step, request=True, grant=True)
    monitor.report.to_dict()


def restored():
    monitor = Monitor(SPEC)
    monitor.step(request=True, grant=False)
    Monitor.restore(SPEC, monitor.save()).step(request=False, grant=True)


KEPT = []

USES = {
    # That a leak would be seen.
    "kept on purpose": lambda: KEPT.append(object()),
    "spec": lambda: Spec("G(a -> F[0,10] b)"),
    "check": checks,
    "check by key": lambda: check(SPEC, CSV, by="key", time="time:ms").to_dict(),
    "check of columns": lambda: check(SPEC, COLUMNS).to_dict(),
    "check of values": lambda: check(["G x > 1", 'F word == "a"'], COLUMNS).to_dict(),
    "query": lambda: query("count(request)", CSV).to_dict(),
    "check of Arrow data": lambda: check('G key != "z"', KEYS).to_dict(),
    "tables of answers": lambda: check('G p1 != "z"', check(SPEC, CSV, by="key", time="time:ms").keys_to_arrow()),
    "inspect": lambda: inspect(CSV).to_dict(),
    "lint": lambda: lint(["G a", "F !a"]).to_dict(),
    "compare": lambda: compare("G a", "F a").to_dict(),
    "automaton": lambda: automaton("G(a -> F b)").to_dict(),
    "explain_plan": lambda: explain_plan("G(a -> F b)"),
    "pages": lambda: check(SPEC, CSV, drawn=True).to_html(),
    "monitor": monitors,
    "monitor by key": keys,
    "restored": restored,
    "misspelt": lambda: refused(Spec, "G(a -> "),
    "broken": lambda: refused(check, SPEC, b"request,grant\n1,0\n1\n"),
    "unknown option": lambda: refused(check, SPEC, CSV, bye="key"),
    "unknown column": lambda: refused(check, SPEC, {"request": [True]}),
}


def kept(use, calls=100):
    """References that `calls` calls keep: the least of some rounds, as caches fill in the first ones."""
    least = None
    for _ in range(5):
        gc.collect()
        before = sys.gettotalrefcount()
        for _ in range(calls):
            use()
        gc.collect()
        more = sys.gettotalrefcount() - before
        least = more if least is None else min(least, more)
        if least < calls // 10:
            break
    return least


if __name__ == "__main__":
    for name, use in USES.items():
        print(f"{name}: {kept(use)}", flush=True)
