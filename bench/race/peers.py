"""A peer that is a library of Python answers the question of a workload.

peers.py PEER [--runs N] FOLDER… prints a line of JSON for each folder with a trace: the peer's
answer, and the seconds of the fastest run, with and without reading the file. The start of Python,
and what it takes to load the peer, are not counted; building the formula, automaton or query is.
"""

import argparse
import importlib
import importlib.metadata
import json
import resource
import signal
import sys
import time
from pathlib import Path

# A run that takes longer is ended by the alarm, which ends the process.
LIMIT_SECONDS = 120
# After a run as long as this there is no second one.
LONG_SECONDS = 20
MEMORY_LIMIT = 14 << 30


class Unsupported(Exception):
    """The peer cannot be asked this."""


class Clock:
    """The time of a run: from the opening of the file to the answer, and from when all is in memory."""

    def __init__(self):
        self.start, self.start_of_work = time.perf_counter(), time.process_time()
        self.in_memory, self.end, self.work = None, None, None

    def loaded(self):
        self.in_memory = time.perf_counter()

    def done(self):
        """Ends the time; what is done with the answer afterwards is for the race."""
        if self.end is None:
            self.end, self.work = time.perf_counter(), time.process_time() - self.start_of_work

    def seconds(self):
        return self.end - self.start

    def seconds_in_memory(self):
        return None if self.in_memory is None else self.end - self.in_memory


def columns_of(folder, *names):
    """Columns as numpy wrote them: what Python reads fastest."""
    import numpy

    return [numpy.load(folder / f"{name}.npy") for name in names]


def truth_answer(values):
    from traces import truth_answer

    return truth_answer(values)


# ---- reelay: monitors of the past, in C++ ----


def reelay_response(bound):
    """`G(p -> F[0,N] q)` at the last state: no p was unanswered for N steps, and none is now."""
    open_since = "((!{q}) since%s ({p} and !{q}))"
    return f"(historically(!{open_since % f'[{bound}:]'})) and (!{open_since % ''})"


REELAY_SINCE = "({q} and (!{p}) and once{p}) -> ({r} since[0:%d] {p})"
REELAY = {
    "figure10-1": "{z}",
    "figure10-2": "{a}",
    "figure10-3": "!((!{a}) since ({b} and !{a}))",
    "since": f"historically({REELAY_SINCE})",
    "since-everywhere": REELAY_SINCE,
}


def reelay_pattern(workload, bound):
    if workload.startswith(("response", "online")):
        return reelay_response(bound)
    pattern = REELAY[workload]
    return pattern % bound if "%d" in pattern else pattern


def with_reelay(folder, meta, clock):
    workload = meta["workload"]
    if workload.startswith("online"):
        return reelay_online(meta, clock)
    if workload == "timed":
        return reelay_dense(folder, meta, clock)
    if not workload.startswith("response") and workload not in REELAY:
        raise Unsupported("no such operator")
    import reelay

    names = {"f": "abz", "r": "pq", "s": "pqr"}[workload[0]]
    codes = sum(column.astype("uint8") << bit for bit, column in enumerate(columns_of(folder, *names))).tolist()
    states = [{name: bool(code >> bit & 1) for bit, name in enumerate(names)} for code in range(1 << len(names))]
    clock.loaded()
    monitor = reelay.discrete_timed_monitor(pattern=reelay_pattern(workload, meta["bound"]), condense=False)
    update = monitor.update
    if workload == "since-everywhere":
        truth = [update(states[code])["value"] for code in codes]
        clock.done()
        return truth_answer(truth)
    for code in codes:
        said = update(states[code])
    return said["value"]


def reelay_online(meta, clock):
    import orjson
    import reelay

    monitor = reelay.discrete_timed_monitor(pattern=reelay_pattern(meta["workload"], meta["bound"]), condense=False)
    update, loads = monitor.update, orjson.loads
    for line in sys.stdin.buffer:
        state = loads(line)
        said = update({"p": state["p"] == 1, "q": state["q"] == 1})
    return said["value"]


def pulses(t, holds, scale):
    """A proposition in dense time: it holds for half a millisecond at the times of its states."""
    start = (t[holds] - t[0]) * scale
    return start, start + scale // 2


def reelay_dense(folder, meta, clock):
    """Times are quarters of milliseconds, so that what is late is late by more than a pulse."""
    import numpy
    import reelay

    t, p, q = columns_of(folder, "t", "p", "q")
    scale, last = 4, int(t[-1] - t[0] + 1) * 4
    changes = {0: {"p": False, "q": False}}
    for name, holds in (("p", p), ("q", q)):
        for start, end in zip(*(times.tolist() for times in pulses(t, holds, scale))):
            changes.setdefault(start, {})[name] = True
            changes.setdefault(end, {})[name] = False
    clock.loaded()
    bound = scale * meta["bound"] + 1
    open_since = "((!{q}) since%s ({p} and !{q}))"
    monitor = reelay.dense_timed_monitor(
        pattern=f"(historically(!{open_since % f'[{bound}:]'})) and (!{open_since % ''})"
    )
    value, state = True, {"p": False, "q": False}
    for at in sorted(changes):
        state.update(changes[at])
        for said in monitor.update({"time": float(at), **state}):
            value = said["value"]
    for said in monitor.update({"time": float(last), **state}):
        value = said["value"]
    return bool(value)


# ---- rtamt: robustness, in Python ----

RTAMT_SINCE = "((q > 0) and (not(p > 0)) and once(p > 0)) -> ((r > 0) since[0:%d] (p > 0))"
RTAMT = {
    "figure10-1": "always(eventually(z > 0))",
    "figure10-2": "always(eventually(a > 0))",
    "figure10-3": "always((b > 0) -> ((not(a > 0)) until ((a > 0) until ((not(a > 0)) until (a > 0)))))",
    "response": "always((p > 0) -> eventually[0:%d](q > 0))",
    "online": "historically((once[%d:%d](p > 0)) -> (once[0:%d](q > 0)))",
    "since": f"always({RTAMT_SINCE})",
    "since-everywhere": RTAMT_SINCE,
    "timed": "always((p > 0) -> eventually[0:%d](q > 0))",
}


def rtamt_specification(kind, formula, names):
    specification = kind()
    for name in names:
        specification.declare_var(name, "float")
    specification.spec = formula
    specification.parse()
    return specification


def with_rtamt(folder, meta, clock):
    import rtamt

    workload, bound = meta["workload"], meta["bound"]
    family = workload.split("-")[0] if workload.startswith(("response", "online")) else workload
    if family not in RTAMT:
        raise Unsupported("no such operator")
    formula = RTAMT[family]
    formula = formula.replace("%d", str(bound))
    if family == "online":
        return rtamt_online(rtamt_specification(rtamt.StlDiscreteTimeSpecification, formula, "pq"), bound)
    if family == "timed":
        return rtamt_dense(folder, rtamt_specification(rtamt.StlDenseTimeSpecification, formula, "pq"), clock)
    names = {"f": "abz", "r": "pq", "s": "pqr"}[workload[0]]
    names = [name for name in names if f"{name} > 0" in formula]
    data = {name: (column * 2.0 - 1.0).tolist() for name, column in zip(names, columns_of(folder, *names))}
    data["time"] = list(range(meta["states"]))
    clock.loaded()
    said = rtamt_specification(rtamt.StlDiscreteTimeSpecification, formula, names).evaluate(data)
    if family == "since-everywhere":
        clock.done()
        return truth_answer([value > 0 for _, value in said])
    return said[0][1] > 0


def rtamt_online(specification, bound):
    """Told as many steps later as the bound has, so that empty states follow the last.

    The formula is made past by hand: of what rtamt's own `pastify` makes of `eventually`, values at
    other states come out.
    """
    import orjson

    update, loads, position = specification.update, orjson.loads, 0
    for line in sys.stdin.buffer:
        state = loads(line)
        update(position, [("p", 1.0 if state["p"] else -1.0), ("q", 1.0 if state["q"] else -1.0)])
        position += 1
    for position in range(position, position + bound):
        said = update(position, [("p", -1.0), ("q", -1.0)])
    return said > 0


def rtamt_dense(folder, specification, clock):
    t, p, q = columns_of(folder, "t", "p", "q")
    end = float(t[-1] - t[0] + 1)
    signals = []
    for name, holds in (("p", p), ("q", q)):
        start, stop = (times.tolist() for times in pulses(t * 2, holds, 1))
        samples = [] if start and start[0] == 0 else [[0.0, -1.0]]
        for at in start:
            samples += [[at / 2, 1.0], [at / 2 + 0.5, -1.0]]
        signals.append([name, [*samples, [end, -1.0]]])
    clock.loaded()
    return specification.evaluate(*signals)[0][1] > 0


# ---- metric-temporal-logic: signals in Python ----

MTL = {
    "figure10-1": "G F z",
    "figure10-2": "G F a",
    "figure10-3": "G(b -> (~a U (a U (~a U a))))",
    "response": "G(p -> F[0,%s] q)",
}


def with_mtl(folder, meta, clock):
    import mtl

    workload = meta["workload"]
    family = workload.split("-")[0] if workload.startswith("response") else workload
    if family not in MTL:
        raise Unsupported("future operators over steps only")
    text = MTL[family]
    # Intervals end before their bound: half a step more takes the last one in.
    text = text % (meta["bound"] + 0.5) if "%s" in text else text
    names = [name for name in "abzpq" if name in text]
    data = {name: list(enumerate(column.tolist())) for name, column in zip(names, columns_of(folder, *names))}
    clock.loaded()
    return bool(mtl.parse(text)(data, quantitative=False, dt=1))


# ---- flloat: automata of LTL on finite traces, in Python ----


def flloat_formula(workload):
    if workload.startswith("figure10"):
        return {"1": "G(F(z))", "2": "G(F(a))", "3": "G(b -> (!a U (a U (!a U a))))"}[workload[-1]]
    raise Unsupported("no bounds; written with X its automaton takes 3 s for a bound of 4 and 37 s for one of 6")


def with_flloat(folder, meta, clock):
    from flloat.parser.ltlf import LTLfParser

    text = flloat_formula(meta["workload"])
    rows = zip(*(column.tolist() for column in columns_of(folder, *"abz")))
    trace = [dict(zip("abz", row)) for row in rows]
    clock.loaded()
    return LTLfParser()(text).to_automaton().accepts(trace)


# ---- Polars and DuckDB: by hand, by somebody who has thought about what the formula amounts to ----


def scan(folder, form):
    import polars as pl

    return {
        "csv": lambda: pl.scan_csv(folder / "trace.csv"),
        "parquet": lambda: pl.scan_parquet(folder / "trace.parquet"),
        "jsonl": lambda: pl.scan_ndjson(folder / "trace.jsonl"),
    }[form]()


def with_polars(folder, meta, clock, form="csv"):
    import polars as pl

    workload, bound = meta["workload"], meta["bound"]
    if workload == "reading-jsonl":
        form = "jsonl"
    frame, position = scan(folder, form), pl.int_range(pl.len())
    holds = lambda name: pl.col(name) == 1
    following = lambda name, value: pl.when(holds(name)).then(value).backward_fill()
    preceding = lambda condition: pl.when(condition).then(position).forward_fill()
    if workload.startswith("figure10"):
        if workload[-1] != "3":
            return bool(frame.select(holds("z" if workload[-1] == "1" else "a").last()).collect().item())
        last_b, last_a = (position.filter(holds(name)).max() for name in "ba")
        return bool(frame.select((last_b.fill_null(-1) <= last_a.fill_null(-1))).collect().item())
    if workload.startswith("response"):
        late = ((following("q", position) - position) > bound).fill_null(True)
        return not frame.select((late & holds("p")).any()).collect().item()
    if workload.startswith("since"):
        last_p, last_gap = preceding(holds("p")), preceding(~holds("r")).fill_null(-1)
        since = ((position - last_p <= bound) & (last_gap <= last_p)).fill_null(False)
        body = ~(holds("q") & ~holds("p") & last_p.is_not_null()) | since
        if workload == "since":
            return bool(frame.select(body.all()).collect().item())
        truth = frame.select(body).collect().to_series().to_numpy()
        clock.done()
        return truth_answer(truth)
    if workload in ("timed", "latency"):
        delay = following("q", pl.col("t")) - pl.col("t")
        if workload == "timed":
            return not frame.select(((delay > bound).fill_null(True) & holds("p")).any()).collect().item()
        delays = delay.filter(holds("p"))
        parts = [delays.quantile(part, "equiprobable").alias(str(part)) for part in (0.5, 0.99)]
        return [None if value is None else int(value) for value in frame.select(parts).collect().row(0)]
    if workload.startswith("by-key"):
        return polars_by_key(frame, bound)
    if workload.startswith("reading"):
        return [int(value) for value in frame.select(pl.col("p").sum(), pl.col("x").max()).collect().row(0)]
    raise Unsupported("it follows no stream")


def polars_by_key(frame, bound):
    import polars as pl

    is_p, is_q = pl.col("event") == "p", pl.col("event") == "q"
    answer = pl.when(is_q).then(pl.col("t")).backward_fill()
    late = answer.is_null() if bound is None else (answer - pl.col("t") > bound).fill_null(True)
    keys = frame.group_by("key", maintain_order=False).agg((late & is_p).any().alias("violated"))
    count, violated = keys.select(pl.len(), pl.col("violated").sum().alias("v")).collect().row(0)
    return [count - violated, violated]


STATES = "with states as materialized (select row_number() over () as pos, * from {file}) "
ANSWERED = (
    STATES + ", delays as (select {delay} as delay from (select pos, {t} from states where p = 1) r "
    "asof left join (select pos, {t} from states where q = 1) g on r.pos <= g.pos) "
)
BODY = (
    STATES + ", seen as (select *, max(case when p = 1 then pos end) over w as last_p, "
    "coalesce(max(case when r = 0 then pos end) over w, -1) as last_gap from states "
    "window w as (order by pos rows between unbounded preceding and current row)), "
    "truth as (select pos, not (q = 1 and p = 0 and last_p is not null) "
    "or coalesce(pos - last_p <= {bound} and last_gap <= last_p, false) as body from seen) "
)
BY_KEY = (
    "with log as materialized (select key, t, event from {file} where event <> 'o'), "
    "late as (select distinct r.key from (select key, t from log where event = 'p') r "
    "asof left join (select key, t from log where event = 'q') g on r.key = g.key and r.t <= g.t "
    "where g.t is null {late}) "
    "select (select count(distinct key) from {file}), (select count(*) from late)"
)


def duckdb_query(workload, bound, file):
    if workload.startswith("figure10"):
        if workload[-1] != "3":
            name = "z" if workload[-1] == "1" else "a"
            # In no order of its own the last row is any: rows are read by several threads.
            return STATES.format(file=file) + f"select arg_max({name}, pos) = 1 from states"
        last = "coalesce(max(case when {0} = 1 then pos end), -1)"
        return STATES.format(file=file) + f"select {last.format('b')} <= {last.format('a')} from states"
    if workload.startswith("response"):
        start = ANSWERED.format(file=file, t="pos as at", delay="g.pos - r.pos")
        return start + f"select coalesce(bool_and(coalesce(delay <= {bound}, false)), true) from delays"
    if workload == "since":
        return BODY.format(file=file, bound=bound) + "select bool_and(body) from truth"
    if workload == "since-everywhere":
        return BODY.format(file=file, bound=bound) + "select body from truth order by pos"
    if workload in ("timed", "latency"):
        start = ANSWERED.format(file=file, t="t", delay="g.t - r.t")
        if workload == "timed":
            return start + f"select coalesce(bool_and(coalesce(delay <= {bound}, false)), true) from delays"
        return start + "select quantile_disc(delay, 0.5), quantile_disc(delay, 0.99) from delays"
    if workload.startswith("by-key"):
        return BY_KEY.format(file=file, late="" if bound is None else f"or g.t - r.t > {bound}")
    if workload.startswith("reading"):
        return f"select sum(p), max(x) from {file}"
    raise Unsupported("it follows no stream")


def with_duckdb(folder, meta, clock, form="csv"):
    import duckdb

    workload = meta["workload"]
    if workload == "reading-jsonl":
        form = "jsonl"
    reader = {"csv": "read_csv", "parquet": "read_parquet", "jsonl": "read_json"}[form]
    path = str(folder / f"trace.{form}").replace("'", "''")
    query = duckdb_query(workload, meta["bound"], f"{reader}('{path}')")
    with duckdb.connect(config={"memory_limit": "10GB"}) as connection:
        said = connection.execute(query)
        if workload == "since-everywhere":
            truth = said.fetchnumpy()["body"]
            clock.done()
            return truth_answer(truth)
        row = said.fetchone()
    if workload.startswith("by-key"):
        return [row[0] - row[1], row[1]]
    return bool(row[0]) if len(row) == 1 else [None if value is None else int(value) for value in row]


def from_parquet(peer):
    return lambda folder, meta, clock: peer(folder, meta, clock, "parquet")


# ---- pm4py and Declare4Py: DECLARE over event logs ----


def log_frame(folder):
    import pandas

    frame = pandas.read_csv(folder / "trace.csv")
    frame["case:concept:name"] = frame["key"].astype(str)
    frame["concept:name"] = frame["event"]
    frame["time:timestamp"] = pandas.to_datetime(frame["t"], unit="ms", utc=True)
    return frame[["case:concept:name", "concept:name", "time:timestamp"]]


def only_response(meta):
    if not meta["workload"].startswith("by-key-untimed"):
        raise Unsupported("'response' knows no time")


def with_pm4py(folder, meta, clock):
    from pm4py.algo.conformance.declare import algorithm

    only_response(meta)
    frame = log_frame(folder)
    clock.loaded()
    model = {"response": {("p", "q"): {"support": 1, "confidence": 1}}}
    said = algorithm.apply(frame, model)
    violated = sum(1 for case in said if not case["is_fit"])
    return [len(said) - violated, violated]


def with_declare4py(folder, meta, clock):
    import pm4py
    from Declare4Py.D4PyEventLog import D4PyEventLog
    from Declare4Py.ProcessMiningTasks.ConformanceChecking.MPDeclareAnalyzer import MPDeclareAnalyzer
    from Declare4Py.ProcessModels.DeclareModel import DeclareModel

    only_response(meta)
    log = D4PyEventLog(case_name="case:concept:name")
    log.log = pm4py.convert_to_event_log(pm4py.format_dataframe(log_frame(folder)))
    log.log_length = len(log.log)
    log.activity_key, log.timestamp_key = "concept:name", "time:timestamp"
    clock.loaded()
    model = DeclareModel().parse_from_string("activity p\nactivity q\nactivity o\nResponse[p, q] | | |\n")
    said = MPDeclareAnalyzer(log=log, declare_model=model, consider_vacuity=True).run()
    states = said.get_metric("state")
    satisfied = int((states.iloc[:, 0] == 1).sum())
    return [satisfied, len(states) - satisfied]


PEERS = {
    # The package, the modules that are loaded before the clock starts, and who answers.
    "reelay": ("reelay", ("numpy", "orjson", "reelay"), with_reelay),
    "rtamt": ("rtamt", ("numpy", "orjson", "rtamt"), with_rtamt),
    "mtl": ("metric-temporal-logic", ("numpy", "mtl"), with_mtl),
    "flloat": ("flloat", ("numpy", "flloat.parser.ltlf"), with_flloat),
    "polars": ("polars", ("numpy", "polars", "traces"), with_polars),
    "polars-parquet": ("polars", ("numpy", "polars", "traces"), from_parquet(with_polars)),
    "duckdb": ("duckdb", ("numpy", "duckdb", "traces"), with_duckdb),
    "duckdb-parquet": ("duckdb", ("numpy", "duckdb", "traces"), from_parquet(with_duckdb)),
    "pm4py": ("pm4py", ("pandas", "pm4py.algo.conformance.declare.algorithm"), with_pm4py),
    "declare4py": (
        "declare4py",
        ("pm4py", "Declare4Py.D4PyEventLog", "Declare4Py.ProcessMiningTasks.ConformanceChecking.MPDeclareAnalyzer"),
        with_declare4py,
    ),
}


def answer(run, folder, runs):
    """The answer of the first run, and the fastest of the runs."""
    meta = json.loads((folder / "meta.json").read_text())
    best, said = None, None
    for index in range(runs):
        signal.alarm(LIMIT_SECONDS)
        clock = Clock()
        value = run(folder, meta, clock)
        clock.done()
        signal.alarm(0)
        said = value if index == 0 else said
        best = clock if best is None or clock.seconds() < best.seconds() else best
        if clock.seconds() > LONG_SECONDS:
            break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    times = {"seconds": best.seconds(), "in_memory": best.seconds_in_memory(), "cpu": best.work}
    return {"answer": said, "runs": index + 1, "peak_mib": peak, **times}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("peer")
    arguments.add_argument("--runs", type=int, default=1)
    arguments.add_argument("folders", nargs="*", type=Path)
    options = arguments.parse_args()
    package, modules, run = PEERS[options.peer]
    for module in modules:
        importlib.import_module(module)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    print(json.dumps({"version": importlib.metadata.version(package)}), flush=True)
    for folder in options.folders:
        try:
            said = answer(run, folder, options.runs)
        except Unsupported as why:
            said = {"unsupported": str(why)}
        except MemoryError:
            said = {"error": "out of memory"}
        except BaseException as error:
            said = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
