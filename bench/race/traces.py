"""Traces of the race, and what is true of them.

Everything here is numpy and plain Python: no tool that takes part in the race has a say in what the
right answer is. Every workload makes two kinds of traces: long ones, on which its property holds to
the end so that nobody can stop early, and small ones at random, on which it often does not, which
show whether a tool means by its formula what Traceward means by it.
"""

import json
import zlib
from pathlib import Path

import numpy as np

# The first timestamp. All timestamps have as many digits as this one.
EPOCH_MS = 1_700_000_000_000
# The first key, likewise.
FIRST_KEY = 1_000_000_000
# Rows that are written at a time.
CHUNK = 1_000_000
EVENTS = ("o", "p", "q")


def one_in(rng, count, rarity):
    """Booleans of which one in `rarity` is true, at random."""
    parts = [rng.integers(0, rarity, min(CHUNK, count - start), dtype=np.uint32) == 0 for start in range(0, count, CHUNK)]
    return np.concatenate(parts) if parts else np.zeros(0, bool)


def next_index(asked, answers):
    """For each index that asks the index of its answer, which may be the same; -1 without one."""
    if len(answers) == 0:
        return np.full(len(asked), -1)
    found = np.searchsorted(answers, asked)
    return np.where(found < len(answers), answers[np.minimum(found, len(answers) - 1)], -1)


def answered(p, q, bound=None, time=None):
    """Which positions with p have q within the bound: in steps, in time, or at any time later."""
    asked = np.flatnonzero(p)
    answer = next_index(asked, np.flatnonzero(q))
    in_time = answer >= 0
    if bound is not None:
        delay = answer - asked if time is None else time[answer] - time[asked]
        in_time &= delay <= bound
    return asked, in_time


def latest(where):
    """For each position the latest one, up to itself, at which it holds; -1 before the first."""
    return np.maximum.accumulate(np.where(where, np.arange(len(where)), -1))


def since_body(p, q, r, bound):
    """`(q & !p & O p) -> (r S[0,bound] p)` at every position."""
    last_p, last_gap = latest(p), latest(~r)
    # Of all positions with p the latest one asks the least of r.
    since = (last_p >= 0) & (np.arange(len(p)) - last_p <= bound) & (last_gap <= last_p)
    return ~(q & ~p & (last_p >= 0)) | since


def truth_answer(truth):
    """Truth at every position as an answer that is short: how often, and a checksum."""
    truth = np.asarray(truth, bool)
    return [int(truth.sum()), zlib.crc32(truth.tobytes())]


def quantile(values, part):
    """The least value that at least this part of the values do not exceed; None of nothing."""
    if len(values) == 0:
        return None
    # In whole numbers: 0.99 is no number of a computer.
    rank = -(-len(values) * round(part * 100) // 100)
    return int(np.sort(values)[max(rank, 1) - 1])


class Workload:
    """A question, traces that it is asked of, and the answers."""

    columns = ("p", "q")
    lengths = (10**5, 10**6, 10**7, 10**8)
    # What is printed once with the verdict: arguments of `traceward`.
    arguments = ()
    command = "check"
    # Files in which the long traces come.
    formats = ("csv", "npy")

    def __init__(self, name, title, formula, bound=None):
        self.name, self.title, self.formula, self.bound = name, title, formula, bound

    def with_bound(self, bound):
        """The workload's formula with another bound, for small traces."""
        return self.formula.replace("N", str(bound))

    def long(self, length):
        raise NotImplementedError

    def small(self, rng):
        """A small trace, and the bound it is asked with."""
        raise NotImplementedError

    def expected(self, trace, bound):
        raise NotImplementedError


class Figure10(Workload):
    """States in the proportions of Finkbeiner and Sipma's section 6; z only in the last."""

    columns = ("a", "b", "z")

    def __init__(self, name, formula, what):
        super().__init__(name, f"`{formula}`, of the first paper", formula)
        self.what = what

    def long(self, length):
        rng = np.random.default_rng(1)
        draw = np.concatenate([rng.integers(0, 100, min(CHUNK, length - at), dtype=np.uint8) for at in range(0, length, CHUNK)])
        a, b = draw < 10, (draw >= 10) & (draw < 50)
        z = np.zeros(length, bool)
        a[-1], b[-1], z[-1] = True, False, True
        return {"a": a, "b": b, "z": z}

    def small(self, rng):
        length = int(rng.integers(3, 30))
        return {name: one_in(rng, length, 3) for name in self.columns}, None

    def expected(self, trace, bound):
        if self.what == "response":
            return bool(answered(trace["b"], trace["a"])[1].all())
        # On a finite trace, always eventually is at the end.
        return bool(trace[self.what][-1])


class Response(Workload):
    """`G(p -> F[0,N] q)` in steps."""

    def __init__(self, bound, lengths=Workload.lengths):
        name = f"response-{bound}"
        super().__init__(name, f"`G(p -> F[0,{bound}] q)`, steps", "G(p -> F[0,N] q)", bound)
        self.lengths = lengths

    def long(self, length):
        rng = np.random.default_rng(2)
        p, q = one_in(rng, length, 8), one_in(rng, length, max(self.bound // 2, 2))
        asked, in_time = answered(p, q, self.bound)
        p[asked[~in_time]] = False
        return {"p": p, "q": q}

    def small(self, rng):
        length, bound = int(rng.integers(3, 60)), int(rng.integers(1, 5))
        return {"p": one_in(rng, length, 8), "q": one_in(rng, length, 4)}, bound

    def expected(self, trace, bound):
        return bool(answered(trace["p"], trace["q"], bound)[1].all())


class Online(Response):
    """The same behind a pipe, as JSON lines."""

    command = "monitor"
    formats = ("jsonl",)

    def __init__(self, bound):
        super().__init__(bound, (10**5, 10**6, 10**7))
        self.name, self.title = f"online-{bound}", f"`G(p -> F[0,{bound}] q)` online, JSON lines from a pipe"


class Since(Workload):
    """`G((q & !p & O p) -> (r S[0,N] p))`: the verdict."""

    columns = ("p", "q", "r")
    body = "(q & !p & O p) -> (r S[0,N] p)"

    def __init__(self, name="since", title="`G((q & !p & O p) -> (r S[0,50] p))`, verdict"):
        super().__init__(name, title, f"G({self.body})", 50)

    def long(self, length):
        rng = np.random.default_rng(3)
        p, q, r = one_in(rng, length, 25), one_in(rng, length, 3), ~one_in(rng, length, 40)
        # Gaps that are as long as the bound allows are the rule: r fails mostly right before p.
        q &= since_body(p, np.ones(length, bool), r, self.bound)
        return {"p": p, "q": q, "r": r}

    def small(self, rng):
        length, bound = int(rng.integers(3, 60)), int(rng.integers(1, 8))
        rarity = int(rng.integers(2, 12))
        return {"p": one_in(rng, length, 5), "q": one_in(rng, length, rarity), "r": ~one_in(rng, length, 7)}, bound

    def expected(self, trace, bound):
        return bool(since_body(trace["p"], trace["q"], trace["r"], bound).all())


class SinceEverywhere(Since):
    """The same without `G`: truth at every position, which is not the same everywhere."""

    arguments = ("--positions",)

    def __init__(self):
        super().__init__("since-everywhere", "`(q & !p & O p) -> (r S[0,50] p)`, truth at every position")
        self.formula = self.body

    def long(self, length):
        trace = super().long(length)
        trace["q"] = one_in(np.random.default_rng(4), length, 3)
        return trace

    def expected(self, trace, bound):
        return truth_answer(since_body(trace["p"], trace["q"], trace["r"], bound))


class Timed(Workload):
    """`G(p -> F[0,N ms] q)` over timestamps."""

    columns = ("t", "p", "q")
    arguments = ("--time", "t:ms")

    def __init__(self, name="timed", title="`G(p -> F[0,1000ms] q)`, timestamps"):
        super().__init__(name, title, "G(p -> F[0,Nms] q)", 1000)

    def long(self, length):
        rng = np.random.default_rng(5)
        t = EPOCH_MS + np.cumsum(rng.integers(1, 20, length, dtype=np.int64))
        p, q = one_in(rng, length, 8), one_in(rng, length, 50)
        asked, in_time = answered(p, q, self.bound, t)
        p[asked[~in_time]] = False
        return {"t": t, "p": p, "q": q}

    def small(self, rng):
        length, bound = int(rng.integers(3, 60)), int(rng.integers(5, 200))
        t = EPOCH_MS + np.cumsum(rng.integers(1, 20, length, dtype=np.int64))
        return {"t": t, "p": one_in(rng, length, 8), "q": one_in(rng, length, 5)}, bound

    def expected(self, trace, bound):
        return bool(answered(trace["p"], trace["q"], bound, trace["t"])[1].all())


class Latency(Timed):
    """Quantiles of the time from p to the next q."""

    command = "query"
    formats = ("csv", "parquet")
    queries = ("quantile(0.5, latency(p -> q))", "quantile(0.99, latency(p -> q))")

    def __init__(self):
        super().__init__("latency", "p50 and p99 of `latency(p -> q)`, timestamps")

    def expected(self, trace, bound):
        asked = np.flatnonzero(trace["p"])
        answer = next_index(asked, np.flatnonzero(trace["q"]))
        delays = trace["t"][answer[answer >= 0]] - trace["t"][asked[answer >= 0]]
        return [quantile(delays, 0.5), quantile(delays, 0.99)]


class ByKey(Workload):
    """`G("p" -> F[0,N ms] "q")` for each key of an event log; how many keys satisfy it, and how many do not."""

    columns = ("key", "t", "event")
    arguments = ("--by", "key", "--event", "event", "--time", "t:ms")

    def __init__(self, rows, keys, timed):
        unit = f"[0,{3 * keys}ms]" if timed else ""
        name = f"by-key{'' if timed else '-untimed'}-{keys}"
        formula = f'G("p" -> F{"[0,Nms]" if timed else ""} "q")'
        super().__init__(name, f'`G("p" -> F{unit} "q")` by key, {keys} keys', formula, 3 * keys if timed else None)
        self.lengths, self.keys, self.timed = (rows,), keys, timed
        self.formats = ("csv", "parquet") if timed else ("csv",)

    def long(self, length):
        trace = self.log(np.random.default_rng(6), length, self.keys)
        asked, in_time = self.answered(trace, self.bound)
        trace["event"][asked[~in_time]] = 0
        return trace

    def small(self, rng):
        length, keys = int(rng.integers(1, 80)), int(rng.integers(1, 10))
        return self.log(rng, length, keys), (int(rng.integers(1, 6 * keys)) if self.timed else None)

    @staticmethod
    def log(rng, rows, keys):
        t = EPOCH_MS + np.cumsum(rng.integers(1, 2, rows, dtype=np.int64))
        key = FIRST_KEY + rng.integers(0, keys, rows, dtype=np.int64)
        return {"key": key, "t": t, "event": rng.choice(np.array([0, 1, 2], np.uint8), rows, p=[0.4, 0.3, 0.3])}

    @staticmethod
    def answered(trace, bound):
        """Rows with p, and whether their own key has q in time. Times of a log are all different."""
        order = np.argsort(trace["key"], kind="stable")
        key, t, event = (trace[name][order] for name in ("key", "t", "event"))
        asked = np.flatnonzero(event == 1)
        answer = next_index(asked, np.flatnonzero(event == 2))
        in_time = (answer >= 0) & (key[answer] == key[asked])
        if bound is not None:
            in_time &= t[answer] - t[asked] <= bound
        return order[asked], in_time

    def expected(self, trace, bound):
        asked, in_time = self.answered(trace, bound)
        violated = len(np.unique(trace["key"][asked[~in_time]]))
        return [len(np.unique(trace["key"])) - violated, violated]


class Reading(Workload):
    """How often p holds and the largest x: two of five columns, and nothing to compute."""

    columns = ("t", "p", "q", "x", "event")
    command = "query"
    queries = ("count(p)", "max(x)")

    def __init__(self, form):
        words = {"csv": "CSV", "jsonl": "JSON lines"}[form]
        super().__init__(f"reading-{form}", f"reading two of five columns, {words}", "")
        self.form = form
        self.formats = ("csv", "parquet") if form == "csv" else ("jsonl",)
        self.lengths = (10**5, 10**6, 10**7) + ((10**8,) if form == "csv" else ())

    def long(self, length):
        rng = np.random.default_rng(7)
        t = EPOCH_MS + np.arange(length, dtype=np.int64)
        x = rng.integers(100_000, 1_000_000, length, dtype=np.int64)
        event = rng.integers(0, 3, length, dtype=np.uint8)
        return {"t": t, "p": one_in(rng, length, 8), "q": one_in(rng, length, 50), "x": x, "event": event}

    def small(self, rng):
        return self.long(int(rng.integers(1, 40))), None

    def expected(self, trace, bound):
        return [int(trace["p"].sum()), int(trace["x"].max())]


def workloads():
    """All of them, in the order of the tables."""
    figure10 = [
        Figure10("figure10-1", "G F z", "z"),
        Figure10("figure10-2", "G F a", "a"),
        Figure10("figure10-3", "G(b -> (!a U (a U (!a U a))))", "response"),
    ]
    # A bound that is longer than the trace is no bound.
    responses = [Response(10), Response(1000), Response(10**6, (10**7, 10**8))]
    keys = [ByKey(10**6, 10**4, True), ByKey(10**7, 10**6, True), ByKey(10**6, 10**4, False)]
    rest = [Latency(), Online(10), Online(1000), Reading("csv"), Reading("jsonl")]
    return figure10 + responses + [Since(), SinceEverywhere(), Timed()] + keys + rest


def write(trace, folder, formats, workload, bound):
    """The trace in each of the formats, and what to ask of it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for form in formats:
        WRITERS[form](trace, folder, bound)
    meta = {"workload": workload, "bound": bound, "states": len(next(iter(trace.values())))}
    (folder / "meta.json").write_text(json.dumps(meta))


def digits(numbers):
    """Decimal digits of numbers that all have as many, a row each."""
    width = len(str(int(numbers.max())))
    out = np.empty((len(numbers), width), np.uint8)
    for place in range(width - 1, -1, -1):
        numbers, digit = np.divmod(numbers, 10)
        out[:, place] = digit + ord("0")
    return out


def cells(column, name):
    """The text of each cell, all of the same width."""
    if name == "event":
        return np.array([ord(event) for event in EVENTS], np.uint8)[column][:, None]
    if column.dtype == bool:
        return (column.astype(np.uint8) + ord("0"))[:, None]
    return digits(column)


def lines(trace, between):
    """Lines of text: before each column and after the last stands what `between` has. Chunk by chunk."""
    names, count = list(trace), len(next(iter(trace.values())))
    for start in range(0, count, CHUNK):
        parts = []
        for name, text in zip([*names, None], between):
            rows = min(CHUNK, count - start)
            parts.append(np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (rows, len(text))))
            if name:
                parts.append(cells(trace[name][start : start + CHUNK], name))
        yield np.concatenate(parts, axis=1).tobytes()


def write_lines(path, header, chunks):
    with open(path, "wb") as file:
        file.write(header.encode())
        for chunk in chunks:
            file.write(chunk)


def write_csv(trace, folder, _bound):
    between = [""] + [","] * (len(trace) - 1) + ["\n"]
    write_lines(folder / "trace.csv", ",".join(trace) + "\n", lines(trace, between))


def write_bare_csv(trace, folder, bound):
    """Without a header, as R2U2 reads it. It says nothing of a window before it is over: states follow
    in which nothing holds, until the last one is."""
    if "r" not in trace:
        trace = {name: np.concatenate([column, np.zeros(bound, bool)]) for name, column in trace.items()}
    between = [""] + [","] * (len(trace) - 1) + ["\n"]
    write_lines(folder / "bare.csv", "", lines(trace, between))


def write_clocked_csv(trace, folder, _bound):
    """With a column `time`, which RTLola needs, and one that tells the last state."""
    count = len(next(iter(trace.values())))
    trace = dict(trace)
    trace["last"] = np.arange(count) == count - 1
    trace["time"] = 10**9 + np.arange(count)
    write_lines(
        folder / "clocked.csv",
        ",".join(trace) + "\n",
        lines(trace, [""] + [","] * (len(trace) - 1) + ["\n"]),
    )


def write_jsonl(trace, folder, _bound):
    quote = {name: '"' if name == "event" else "" for name in trace}
    between, before = [], "{"
    for name in trace:
        between.append(f'{before}"{name}": {quote[name]}')
        before = f"{quote[name]}, "
    write_lines(folder / "trace.jsonl", "", lines(trace, [*between, f"{before[:-2]}}}\n"]))


def write_npy(trace, folder, _bound):
    for name, column in trace.items():
        np.save(folder / f"{name}.npy", column)


def write_parquet(trace, folder, _bound):
    import pyarrow
    import pyarrow.parquet

    columns = {name: column.astype(np.int64) if column.dtype == bool else column for name, column in trace.items()}
    if "event" in columns:
        columns["event"] = pyarrow.DictionaryArray.from_arrays(columns["event"], list(EVENTS)).cast(pyarrow.string())
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "trace.parquet")


WRITERS = {
    "csv": write_csv,
    "bare": write_bare_csv,
    "clocked": write_clocked_csv,
    "jsonl": write_jsonl,
    "npy": write_npy,
    "parquet": write_parquet,
}
