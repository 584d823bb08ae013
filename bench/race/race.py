"""The race: Traceward and its peers on the same traces.

Who takes part is asked small traces first, on which the right answers differ; who gives another one
is reported and not timed. Then come long traces, each answer compared with the right one again.
Results go to standard output, to a dated file in `bench/results`, and to `docs/benchmarks.md`.
"""

import argparse
import datetime
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import page
import rows
import tools
import traces
from peers import LIMIT_SECONDS

ROOT = Path(__file__).resolve().parents[2]
RUNS = 3
SMALL_TRACES = 24
# For those who cannot follow a hundred thousand states.
SHORT_LENGTHS = (10**2, 10**3, 10**4)


def small_traces(workload, folder, formats):
    """Small traces in folders, and the right answers."""
    rng, folders, answers = np.random.default_rng(11), [], []
    for index in range(SMALL_TRACES):
        trace, bound = workload.small(rng)
        traces.write(trace, folder / str(index), formats, workload.name, bound)
        folders.append(folder / str(index))
        answers.append(workload.expected(trace, bound))
    return folders, answers


def qualified(workload, tool, folders, answers):
    """Why a tool is not timed, if so: it has no such operator, fails, or gives another answer."""
    wrong, first = 0, ""
    for index, (said, right) in enumerate(zip(tool.small(workload, folders), answers)):
        for reason in ("unsupported", "error", "too_slow"):
            if reason in said:
                return f"{reason.replace('_', ' ')}: {said[reason]}"
        if said["answer"] != right:
            wrong += 1
            first = first or f"small trace {index}: {json.dumps(said['answer'])}, right is {json.dumps(right)}"
    return f"disagrees on {wrong} of {len(answers)} small traces; {first}" if wrong else None


class Others:
    """How many processors others keep busy: what all of them do, less what the race has done."""

    def __init__(self):
        self.start = time.perf_counter(), self.busy()

    @staticmethod
    def busy():
        with open("/proc/stat") as file:
            user, nice, system, _, _, irq, softirq, *_ = map(int, file.readline().split()[1:])
        own = os.times()
        everybody = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
        return everybody - own.user - own.system - own.children_user - own.children_system

    def processors(self):
        """None where it was too short to tell: the system counts in hundredths of a second."""
        start, busy = self.start
        seconds = time.perf_counter() - start
        return max(0.0, self.busy() - busy) / seconds if seconds > 0.5 else None


class Runner:
    """A tool on growing traces of one workload, for as long as it can follow."""

    def __init__(self, tool, version):
        self.tool, self.version, self.times, self.stopped = tool, version, [], False

    def run(self, workload, states, folder, right, results):
        if self.stopped:
            return
        reached = f"; reached {self.times[-1][0]:,} in {self.times[-1][1]:.1f} s" if self.times else ""
        expected_time = rows.predicted(self.times, states)
        if expected_time > LIMIT_SECONDS:
            note = f"too slow: at its pace {expected_time:.0f} s, not tried{reached}"
            return self.stop(workload, states, results, note)
        others = Others()
        said = self.tool.timed(workload, folder, RUNS)
        others = others.processors()
        for reason in ("unsupported", "error", "too_slow"):
            if reason in said:
                return self.stop(workload, states, results, f"{reason.replace('_', ' ')}: {said[reason]}{reached}")
        if said["answer"] != right:
            note = f"disagrees: {json.dumps(said['answer'])}, right is {json.dumps(right)}"
            return self.stop(workload, states, results, note)
        self.times.append((states, said["seconds"]))
        results.add(workload, states, self.tool, self.version, said, others=others)

    def stop(self, workload, states, results, note):
        self.stopped = True
        results.add(workload, states, self.tool, self.version, {}, note)


def race(workload, everybody, versions, results, folder, longest):
    """One workload: who qualifies, and then how long each takes."""
    asked = [tool for tool in everybody if tool.runs(workload)]
    extra = {form for tool in asked for form in tool.formats(workload)}
    first = workload.lengths[0]
    runners = []
    folders, answers = small_traces(workload, folder / "small", {*workload.formats, *extra})
    for tool in asked:
        reason = qualified(workload, tool, folders, answers)
        if reason:
            results.add(workload, first, tool, versions[tool.name], {}, reason)
        else:
            runners.append(Runner(tool, versions[tool.name]))
    slow = any(runner.tool.slow and runner.tool.kind != "ours" for runner in runners)
    short = SHORT_LENGTHS if slow and first == 10**5 else ()
    for states in (length for length in [*short, *workload.lengths] if length <= longest):
        run_length(workload, states, [one for one in runners if one.tool.slow or states >= first], results, folder)
    shutil.rmtree(folder / "small")


def run_length(workload, states, runners, results, folder):
    if all(runner.stopped for runner in runners):
        return
    trace = workload.long(states)
    here = folder / f"{workload.name}-{states}"
    needed = {form for runner in runners if not runner.stopped for form in runner.tool.formats(workload)}
    right = workload.expected(trace, workload.bound)
    traces.write(trace, here, {*workload.formats, *needed}, workload.name, workload.bound)
    del trace
    for runner in runners:
        runner.run(workload, states, here, right, results)
    shutil.rmtree(here)


def arguments():
    parser = argparse.ArgumentParser(description="Traceward and its peers on the same traces")
    parser.add_argument("workloads", nargs="*", help="all unless given: beginnings of names")
    parser.add_argument("--tools", help="only these, comma-separated; ours always takes part")
    parser.add_argument("--longest", type=int, default=10**8, help="the longest trace")
    parser.add_argument("--page", action="store_true", help="only make the page from the latest results")
    return parser.parse_args()


def environment():
    """Where the peers are installed, and what could not be."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    reasons = {}
    absent = target / "race/absent.tsv"
    if absent.exists():
        reasons = dict(entry.split("\t", 1) for entry in absent.read_text().splitlines())
    return target, reasons


def main():
    options = arguments()
    target, reasons = environment()
    results_folder = ROOT / "bench/results"
    if options.page:
        return page.write(ROOT, max(results_folder.glob("race-*.csv")))
    program = os.environ.get("TRACEWARD", target / "release/traceward")
    everybody = tools.all_tools(target / "race", program, reasons)
    wanted = options.tools.split(",") if options.tools else None
    everybody = [tool for tool in everybody if not wanted or tool.name in wanted or tool.kind == "ours"]
    absent = {tool.name: tool.absent() for tool in everybody}
    for name, reason in absent.items():
        if reason:
            print(f"absent: {name}: {reason}")
    if absent["traceward"]:
        sys.exit(1)
    everybody = [tool for tool in everybody if not absent[tool.name]]
    versions = {tool.name: tool.version() for tool in everybody}
    order = [workload.name for workload in traces.workloads()]
    results = rows.Results(results_folder / f"race-{datetime.date.today()}.csv", order)
    data = target / "race/data"
    data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data) as folder:
        for workload in traces.workloads():
            if not options.workloads or workload.name.startswith(tuple(options.workloads)):
                race(workload, everybody, versions, results, Path(folder), options.longest)
                results.write()
    page.write_circumstances(results.path.with_suffix(".json"), versions, absent)
    page.write(ROOT, results.path)


if __name__ == "__main__":
    main()
