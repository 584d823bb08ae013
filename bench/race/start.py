"""How long the program takes where there is hardly anything to do: its start, and short traces.

    python3 bench/race/start.py
    python3 bench/race/start.py figure10-3 timed --runs 500

Each row is a whole process that is run many times: the fastest tells what it takes, the median what
others on the machine add. Beside it stands `true`, which does nothing: to begin a process and to
wait for it takes so long. Answers are those of the race and compared as there.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import tools
import traces

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = (10**2, 10**3, 10**4, 10**5)
# What somebody who asks on a command line does not notice.
GOAL_MS = 5


def run_often(command, runs):
    """Milliseconds of each run, and the page faults of the last one."""
    command, nowhere = [str(part) for part in command], os.open(os.devnull, os.O_RDWR)
    to_nowhere = [(os.POSIX_SPAWN_DUP2, nowhere, standard) for standard in (0, 1, 2)]
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        process = os.posix_spawnp(command[0], command, os.environ, file_actions=to_nowhere)
        _, _, usage = os.wait4(process, 0)
        seconds.append(time.perf_counter() - start)
    os.close(nowhere)
    return [second * 1000 for second in seconds], usage.ru_minflt


def show(name, command, runs):
    times, faults = run_often(command, runs)
    print(f"| {name} | {min(times):.2f} | {statistics.median(times):.2f} | {faults} |", flush=True)
    return min(times)


def show_workload(workload, ours, runs, folder):
    for length in LENGTHS:
        trace, here = workload.long(length), folder / f"{workload.name}-{length}"
        traces.write(trace, here, workload.formats, workload.name, workload.bound)
        said, right = ours.timed(workload, here, 1), workload.expected(trace, workload.bound)
        if said.get("answer") != right:
            raise SystemExit(f"{workload.name}, {length} states: {said}, right is {right}")
        show(f"{workload.name}, {length:,} states", ours.command(workload, here), runs)


def main():
    parser = argparse.ArgumentParser(description="How long the program takes to start, and on short traces")
    parser.add_argument("workloads", nargs="*", help="all from CSV without keys unless given: beginnings of names")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    ours = tools.Traceward(os.environ.get("TRACEWARD", target / "release/traceward"))
    print("| what | fastest, ms | median, ms | page faults |\n| --- | ---: | ---: | ---: |")
    show("`true`", ["true"], options.runs)
    started = show("`traceward --version`", [ours.program, "--version"], options.runs)
    wanted = tuple(options.workloads)
    with tempfile.TemporaryDirectory() as folder:
        for workload in traces.workloads():
            is_plain = "csv" in workload.formats and "--by" not in workload.arguments
            if is_plain and (not wanted or workload.name.startswith(wanted)):
                show_workload(workload, ours, options.runs, Path(folder))
    verdict = "below" if started < GOAL_MS else "NOT below"
    print(f"\nIts start is {verdict} {GOAL_MS} ms. Load average: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
