"""Tools that take part in the race: Traceward, peers that are libraries of Python, peers that are programs.

A tool answers traces that lie in folders. What it says is a dictionary: its answer and times, or
`unsupported`, `error` or `too_slow` with the reason.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import traces
from peers import LIMIT_SECONDS, LONG_SECONDS

HERE = Path(__file__).resolve().parent
TOO_SLOW = {"too_slow": f"more than {LIMIT_SECONDS} s"}


def run_process(command, stdin=None, limit=LIMIT_SECONDS):
    """Runs a whole process: what it printed, its status, seconds, seconds of processors, and memory."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        feeder = subprocess.Popen(["cat", stdin], stdout=subprocess.PIPE) if stdin else None
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=feeder.stdout if feeder else subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        if feeder:
            feeder.stdout.close()
        status, usage = wait(process, limit)
        seconds = time.perf_counter() - start
        if feeder:
            feeder.kill()
            feeder.wait()
        out.seek(0)
        err.seek(0)
        said = {"out": out.read(), "err": err.read().decode(errors="replace"), "status": status}
    cpu = usage.ru_utime + usage.ru_stime if usage else 0.0
    peak = usage.ru_maxrss >> 10 if usage else 0
    return {**said, "seconds": seconds, "cpu": cpu, "peak_mib": peak}


def wait(process, limit):
    """The exit status and what the process used; None for one that had to be ended."""
    ended = threading.Event()

    def end():
        ended.set()
        # `Popen.kill` may wait for the process itself, and there would be nothing left to wait for here.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)

    timer = threading.Timer(limit, end)
    timer.start()
    # To ask again and again whether it is over would add to the time of short ones.
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return (None, None) if ended.is_set() else (process.returncode, usage)


def complaint(text):
    """What a program that failed says of it: what follows its panic, or its last line."""
    lines = text.strip().splitlines() or ["it printed nothing that is an answer"]
    panic = next((index + 1 for index, line in enumerate(lines[:-1]) if "panicked" in line), -1)
    return lines[panic][:200]


def meta_of(folder):
    return json.loads((Path(folder) / "meta.json").read_text())


class Tool:
    """Somebody who takes part."""

    # Traces so short that even those can follow who are slow.
    slow = False
    kind = ""

    def __init__(self, name, reads):
        self.name, self.reads = name, reads

    def absent(self):
        """Why the tool is not there, if it is not."""
        return None

    def version(self):
        return ""

    def runs(self, workload):
        """Whether there is any sense in asking."""
        return True

    def formats(self, workload):
        """Files beside those of the workload that the tool needs."""
        return ()

    def small(self, workload, folders):
        return [self.timed(workload, folder, 1) for folder in folders]

    def timed(self, workload, folder, runs):
        raise NotImplementedError


class Program(Tool):
    """A tool that is a program: the whole process is timed."""

    def command(self, workload, folder):
        raise NotImplementedError

    def answer(self, workload, said):
        raise NotImplementedError

    def timed(self, workload, folder, runs):
        best, answer = None, None
        for index in range(runs):
            try:
                command = self.command(workload, Path(folder))
            except NotImplementedError as why:
                return {"unsupported": str(why)}
            said = run_process(command, self.stdin(workload, Path(folder)))
            if said["status"] is None:
                return TOO_SLOW
            try:
                answer = self.answer(workload, said)
            except (ValueError, KeyError, IndexError, TypeError):
                return {"error": f"status {said['status']}: {complaint(said['err'])}"}
            if best is None or said["seconds"] < best["seconds"]:
                best = {name: said[name] for name in ("seconds", "cpu", "peak_mib")}
            if said["seconds"] > LONG_SECONDS:
                break
        return {"answer": answer, "runs": index + 1, "in_memory": None, **best}

    def stdin(self, workload, folder):
        return None


class Traceward(Program):
    """Ours."""

    kind = "ours"
    slow = True

    def __init__(self, program, form=None):
        super().__init__("traceward" if form is None else f"traceward-{form}", "CSV, JSON lines" if form is None else form)
        self.program, self.form = Path(program), form

    def absent(self):
        if not self.program.exists():
            return "not built: cargo build --release"
        if self.form and self.form not in run_process([self.program, "check", "--help"])["out"].decode().lower():
            return f"the program does not read {self.form}"
        return None

    def version(self):
        return run_process([self.program, "--version"])["out"].decode().split()[-1]

    def runs(self, workload):
        return self.form is None or self.form in workload.formats

    def command(self, workload, folder):
        meta = meta_of(folder)
        expressions = getattr(workload, "queries", None) or (workload.with_bound(meta["bound"]),)
        command = [self.program, workload.command, "--format", "json", "--quiet"]
        command += [part for expression in expressions for part in ("-e", expression)]
        command += workload.arguments
        if workload.command == "monitor":
            return command
        form = self.form or ("jsonl" if "csv" not in workload.formats else "csv")
        return [*command, folder / f"trace.{form}"]

    def stdin(self, workload, folder):
        return folder / "trace.jsonl" if workload.command == "monitor" else None

    def timed(self, workload, folder, runs):
        said = super().timed(workload, folder, runs)
        asks = self.form is None and "csv" in workload.formats and not {"--by", "--positions"} & set(workload.arguments)
        if runs > 1 and "answer" in said and asks and self.benchmark().exists():
            said["in_memory"] = self.in_memory(workload, Path(folder), said["answer"])
        return said

    def benchmark(self):
        return self.program.parent / "traceward-bench"

    def in_memory(self, workload, folder, answer):
        """Seconds from when all states are in memory to the report; the answer has to be the same."""
        expressions = getattr(workload, "queries", None) or (workload.with_bound(meta_of(folder)["bound"]),)
        words = ["timed"] if "--time" in workload.arguments else []
        words += [folder / "trace.csv", workload.command, *expressions]
        process = run_process([self.benchmark(), "in-memory", *words])
        said = json.loads(process["out"])
        per = 10**6 if workload.name == "latency" else 1
        found = said["answer"] if workload.command == "check" else [value // per for value in said["answer"]]
        if found != answer:
            raise SystemExit(f"{workload.name} in memory: {found}, and from the file {answer}")
        return said["in_memory"]

    def answer(self, workload, said):
        if said["status"] not in (0, 1):
            raise ValueError
        if workload.command == "monitor":
            return json.loads(said["out"].splitlines()[-1])["properties"][0]["verdict"] == "satisfied"
        report = json.loads(said["out"])
        if workload.command == "query":
            per = 10**6 if workload.name == "latency" else 1
            values = [query["value"] for query in report["queries"]]
            return [None if value is None else int(value) // per for value in values]
        first = report["properties"][0]
        if "truth" in first:
            return traces.truth_answer(np.frombuffer(first["truth"].encode(), np.uint8) == ord("1"))
        if "keys" in first:
            return [first["keys"]["verdicts"].get(verdict, 0) for verdict in ("satisfied", "violated")]
        return first["verdict"] == "satisfied"


class Library(Tool):
    """A peer that is a library of Python, in an environment of its own."""

    def __init__(self, name, environment, reads, reasons, families, slow=False):
        super().__init__(name, reads)
        self.python, self.reasons = environment / "bin/python", reasons
        self.families, self.slow = families, slow

    def absent(self):
        reason = self.reasons.get(self.name.split("-")[0])
        if reason:
            return reason
        if not self.python.exists():
            return "not installed: run bench/race/run"
        said = self.process([])
        return None if said["out"] else (said["err"].strip().splitlines() or ["it does not load"])[-1]

    def version(self):
        return json.loads(self.process([])["out"].splitlines()[0])["version"]

    def runs(self, workload):
        return workload.name.startswith(self.families) and ("parquet" not in self.name or "parquet" in workload.formats)

    def process(self, folders, runs=1, stdin=None):
        # Beside the runs there is Python, and what it loads.
        limit = LIMIT_SECONDS + runs * LONG_SECONDS + 60
        return run_process([self.python, HERE / "peers.py", "--runs", runs, self.name, *folders], stdin, limit)

    def small(self, workload, folders):
        if workload.command == "monitor":
            return super().small(workload, folders)
        return self.said(self.process(folders), len(folders))

    def timed(self, workload, folder, runs):
        if workload.command != "monitor":
            return self.said(self.process([folder], runs), 1)[0]
        # There is but one standard input: each run is another process.
        best = None
        for index in range(runs):
            said = self.said(self.process([folder], 1, Path(folder) / "trace.jsonl"), 1)[0]
            if "seconds" not in said:
                return said
            best = said if best is None or said["seconds"] < best["seconds"] else best
            if said["seconds"] > LONG_SECONDS:
                break
        return {**best, "runs": index + 1}

    @staticmethod
    def said(process, count):
        answers = [json.loads(line) for line in process["out"].splitlines()[1:]]
        if len(answers) == count:
            return answers
        if process["status"] in (None, -14):
            return answers + [TOO_SLOW] * (count - len(answers))
        last = process["err"].strip().splitlines()[-1:] or [f"status {process['status']}"]
        return answers + [{"error": last[0][:200]}] * (count - len(answers))


class R2U2(Program):
    """MLTL in steps: bounds only. The spec is compiled beforehand, which is not counted."""

    def __init__(self, program, reasons):
        super().__init__("r2u2", "CSV without a header")
        self.program, self.reasons = Path(program), reasons

    def absent(self):
        return self.reasons.get("r2u2_cli") or (None if self.program.exists() else "not installed: run bench/race/run")

    def version(self):
        return run_process([self.program, "--version"])["out"].decode().split()[-1]

    def runs(self, workload):
        return workload.name.startswith(("response", "since"))

    def formats(self, workload):
        return ("bare",)

    def command(self, workload, folder):
        meta = meta_of(folder)
        bound = meta["bound"]
        if workload.name.startswith("response"):
            names, kind, formula = "pq", "FTSPEC", f"p -> F[0,{bound}] q"
        else:
            once = f"O[0,{meta['states']}] p"
            names, kind, formula = "pqr", "PTSPEC", f"(q && !p && {once}) -> (r S[0,{bound}] p)"
        (folder / "spec.c2po").write_text(f"INPUT\n    {', '.join(names)}: bool;\n\n{kind}\n    {formula};\n")
        (folder / "spec.map").write_text("".join(f"{name}:{index}\n" for index, name in enumerate(names)))
        compiled = run_process([self.program, "compile", "-o", folder, folder / "spec.c2po", folder / "spec.map"])
        if compiled["status"] != 0:
            raise NotImplementedError((compiled["err"].strip() or compiled["out"].decode().strip()).splitlines()[-1][:200])
        self.states, self.everywhere = meta["states"], workload.name == "since-everywhere"
        return [self.program, "run", folder / "spec.bin", folder / "bare.csv"]

    def answer(self, workload, said):
        found = [(int(at), value == "T") for at, value in re.findall(r"0:(\d+),([TF])", said["out"].decode())]
        truth, start = np.ones(self.states, bool), 0
        for at, value in found:
            # Verdicts of several states in a row come as one.
            truth[start : at + 1] = value
            start = at + 1
        if start < self.states:
            raise ValueError
        return traces.truth_answer(truth) if self.everywhere else bool(truth.all())


RTLOLA = {
    "figure10-1": ("abz", "output ok := z"),
    "figure10-2": ("abz", "output ok := a"),
    "figure10-3": ("abz", "output owed := (b || owed.offset(by: -1).defaults(to: false)) && !a\noutput ok := !owed"),
    "response": (
        "pq",
        "output since: Int64 := if q then -1 else if since.offset(by: -1).defaults(to: -1) >= 0\n"
        "    then since.offset(by: -1).defaults(to: -1) + 1 else if p then 0 else -1\n"
        "output late := since.offset(by: -1).defaults(to: -1) >= N || late.offset(by: -1).defaults(to: false)\n"
        "output ok := !late && since < 0",
    ),
    "timed": (
        "tpq",
        "output open: Int64 := if q then -1 else if open.offset(by: -1).defaults(to: -1) >= 0\n"
        "    then open.offset(by: -1).defaults(to: -1) else if p then t else -1\n"
        "output late := (open.offset(by: -1).defaults(to: -1) >= 0 && t - open.offset(by: -1).defaults(to: -1) > N)\n"
        "    || late.offset(by: -1).defaults(to: false)\n"
        "output ok := !late && open < 0",
    ),
    "since": (
        "pqr",
        "output at: Int64 := if p then 0 else if at.offset(by: -1).defaults(to: -1) >= 0\n"
        "    then at.offset(by: -1).defaults(to: -1) + 1 else -1\n"
        "output held := p || (r && held.offset(by: -1).defaults(to: false))\n"
        "output body := !(q && !p && at >= 0) || (held && at <= N)\n"
        "output ok := body && ok.offset(by: -1).defaults(to: true)",
    ),
}


class RTLola(Program):
    """Streams that look back: formulas are written as what is owed, and the last state says whether it holds."""

    def __init__(self, program, reasons):
        super().__init__("rtlola", "CSV with a column of time")
        self.program, self.reasons = Path(program), reasons

    def absent(self):
        return self.reasons.get("rtlola-cli") or (None if self.program.exists() else "not installed: run bench/race/run")

    def version(self):
        return run_process([self.program, "--version"])["out"].decode().split()[-1]

    def runs(self, workload):
        return self.family(workload) in RTLOLA

    @staticmethod
    def family(workload):
        return "response" if workload.name.startswith("response") else workload.name

    def formats(self, workload):
        return ("clocked",)

    def command(self, workload, folder):
        names, streams = RTLOLA[self.family(workload)]
        streams = streams.replace("N", str(meta_of(folder)["bound"]))
        (folder / "spec.lola").write_text(self.specification(names, streams))
        return [self.program, "monitor", folder / "spec.lola", "--offline", "relative", "--csv-in", folder / "clocked.csv"]

    @staticmethod
    def specification(names, streams):
        inputs = "".join(f"input {name}: Int64\n" for name in [*names, "last"])
        # Booleans of the file are numbers.
        for name in set(names) - {"t"}:
            streams = re.sub(rf"\b{name}\b", f"({name} = 1)", streams)
        return f'{inputs}{streams}\ntrigger last = 1 && ok "holds"\ntrigger last = 1 && !ok "fails"\n'

    def answer(self, workload, said):
        text = said["out"].decode(errors="replace") + said["err"]
        holds, fails = "holds" in text, "fails" in text
        if holds == fails:
            raise ValueError
        return holds


def all_tools(target, program, reasons):
    """Everybody, ours first."""
    python, steps = target / "python", ("figure10", "response")
    table = ("figure10", "response", "since", "timed", "latency", "by-key", "reading")

    def library(name, reads, families, slow=False, environment=python):
        return Library(name, environment, reads, reasons, tuple(families), slow)

    return [
        Traceward(program),
        Traceward(program, "parquet"),
        library("reelay", "numpy; JSON lines online", [*steps, "since", "timed", "online"]),
        library("rtamt", "numpy; JSON lines online", [*steps, "since", "timed", "online"], slow=True),
        library("mtl", "numpy", steps, slow=True),
        library("flloat", "numpy", steps, slow=True),
        R2U2(target / "rust/bin/r2u2_cli", reasons),
        RTLola(target / "rust/bin/rtlola-cli", reasons),
        library("polars", "CSV, JSON lines", table),
        library("polars-parquet", "Parquet", table),
        library("duckdb", "CSV, JSON lines", table),
        library("duckdb-parquet", "Parquet", table),
        library("pm4py", "CSV by pandas", ["by-key-untimed"], environment=target / "pm4py"),
        library("declare4py", "CSV by pandas", ["by-key-untimed"], environment=target / "declare4py"),
    ]
