"""The page with the results, and its plots."""

import csv
import html
import json
import math
import os
import platform
from pathlib import Path

from rows import is_ours, ours_of

COLOURS = {
    "traceward": "#c0392b",
    "polars": "#2471a3",
    "polars-parquet": "#85c1e9",
    "duckdb": "#b7950b",
    "duckdb-parquet": "#f4d03f",
    "reelay": "#1e8449",
    "rtamt": "#7d3c98",
    "mtl": "#616a6b",
    "flloat": "#ca6f1e",
    "r2u2": "#117a65",
    "rtlola": "#2e4053",
    "pm4py": "#a04000",
    "declare4py": "#6c3483",
}
# Below this a trace takes no longer than the start of a process.
# Processors that others may keep busy where figures are to be trusted.
BUSY = 0.2
SHORT = 100_000
WIDTH, HEIGHT, MARGIN, LEGEND = 560, 340, 52, 150


def circumstances(versions, absent):
    """The machine, and who was there."""
    memory = next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal"))
    models = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory) / 2**20),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": versions,
        "absent": absent,
    }


def write_circumstances(path, versions, absent):
    """Keeps what an earlier run of the day said of tools that were not asked in this one."""
    before = json.loads(path.read_text()) if path.exists() else {}
    versions = {**before.get("versions", {}), **versions}
    reasons = {**before.get("absent", {}), **absent}
    facts = circumstances(versions, {name: reason for name, reason in reasons.items() if reason})
    path.write_text(json.dumps(facts, indent=1) + "\n")


def write(root, results):
    """`docs/benchmarks.md`, and a plot for each workload that has growing traces."""
    with open(results, newline="") as file:
        rows = list(csv.DictReader(file))
    facts = json.loads(results.with_suffix(".json").read_text()) if results.with_suffix(".json").exists() else {}
    plots = root / "docs/benchmarks"
    plots.mkdir(parents=True, exist_ok=True)
    for old in plots.glob("*.svg"):
        old.unlink()
    parts = [opening(rows, facts, results), faster(rows), overview(rows), method(), not_timed(rows, facts)]
    for name in dict.fromkeys(row["workload"] for row in rows):
        parts.append(section(name, [row for row in rows if row["workload"] == name], plots))
    (root / "docs/benchmarks.md").write_text("\n\n".join(parts) + "\n")


def opening(rows, facts, results):
    versions = ", ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items() if "parquet" not in name)
    machine = f"{facts.get('cpu', '?')}, {facts.get('cores', '?')} cores, {facts.get('memory_gib', '?')} GiB, {facts.get('system', '')}"
    return f"""# Traceward and its peers on the same traces

Made by `bench/race/run` from [{results.name}](../bench/results/{results.name}). Times are seconds; "× ours" is how many times as long as
Traceward a peer takes, from Parquet as Traceward from Parquet: below 1 it is faster.

Machine: {machine}. {others(rows)}
Versions: {versions}; Python {facts.get('python', '?')}."""


def others(rows):
    """How busy the machine was beside the race, as far as the results tell."""
    loads = [float(row["load"]) for row in rows if row.get("load")]
    if loads:
        return f"Load average while it ran: {min(loads):.1f} to {max(loads):.1f}, the race itself included."
    busy = [float(row["others"]) for row in rows if row.get("others")]
    most = f"Others kept {max(busy, default=0):.2f} processors busy at the most while somebody was timed"
    return most + (": **these figures are provisional.**" if max(busy, default=0) > BUSY else ".")


def measured(rows):
    return [row for row in rows if row["seconds"]]


def compared(rows):
    """What was measured where we were, too, from the same kind of file."""
    return [row for row in measured(rows) if row["against_ours"]]


def faster(rows):
    """Where we lose, in plain words."""
    lost = [row for row in compared(rows) if not is_ours(row) and float(row["against_ours"]) < 1]
    if not lost:
        return "## Where others are faster\n\nNowhere in this run."
    lines, short = [], [row for row in lost if int(row["states"]) < SHORT]
    if short:
        names = ", ".join(dict.fromkeys(row["tool"] for row in short))
        lines.append(f"* Traces of less than {SHORT:,} states: it takes our process milliseconds to start, and {names} can be done by then.")
    # Of growing traces the longest one tells.
    lost = {(row["workload"], row["tool"]): row for row in compared(rows) if not is_ours(row) and int(row["states"]) >= SHORT}
    lost = [row for row in lost.values() if float(row["against_ours"]) < 1]
    for row in sorted(lost, key=lambda row: float(row["against_ours"])):
        times = 1 / max(float(row["against_ours"]), 0.01)
        times = f"{times:.1f} times" if float(row["against_ours"]) >= 0.01 else "more than 100 times"
        what = f"{row['title']}, {int(row['states']):,} states"
        lines.append(f"* {what}: **{row['tool']}** is {times} as fast ({seconds(row)} s, ours {seconds(ours_of(row, rows))} s).")
    start = "On the longest trace that each peer followed; its other lengths are in the tables below.\n\n"
    return "## Where others are faster\n\n" + start + "\n".join(lines)


def seconds(row, field="seconds"):
    return f"{float(row[field]):.3g}" if row[field] else ""


def overview(rows):
    """A line a workload: the longest trace that a peer could follow, and its ratio there."""
    names = list(dict.fromkeys(row["tool"] for row in rows if not is_ours(row)))
    lines = ["## At a glance", "", "Each peer at the longest trace that it followed: × ours.", ""]
    lines += ["| workload | ours, longest | " + " | ".join(names) + " |", "| --- | ---: |" + " ---: |" * len(names)]
    for workload in dict.fromkeys(row["workload"] for row in rows):
        here = [row for row in compared(rows) if row["workload"] == workload]
        cells = [glance(here, name) for name in names]
        ours = [row for row in here if row["tool"] == "traceward"]
        own = f"{seconds(ours[-1])} s at {power(ours[-1])}" if ours else ""
        lines.append(f"| {workload} | {own} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def glance(rows, name):
    of_tool = [row for row in rows if row["tool"] == name]
    return f"{float(of_tool[-1]['against_ours']):.3g} at {power(of_tool[-1])}" if of_tool else ""


def power(row):
    return f"10^{round(math.log10(int(row['states'])))}"


def method():
    return """## How it is measured

* Right answers come from numpy alone, in `bench/race/traces.py`. Before it is timed, everybody answers 24 small traces at random, of which
  many violate the property or end within a window; who gives another answer than the right one is reported below and not timed. Each answer on a long
  trace is compared, too.
* On the long traces every property holds to the end, with delays that are spread over the whole window, so that nobody can stop early.
* Ours, R2U2 and RTLola: the whole process, from its start to its end, CSV from a file. A library of Python: from opening the file to the answer, within the
  process; the start of Python and loading the library are not counted, building the formula is. R2U2's spec is compiled beforehand, which is not counted.
* Everybody reads the format that it reads fastest: monitors in Python get arrays of numpy, Polars and DuckDB CSV and, in rows of their own, Parquet. All may
  use all cores.
* The fastest of three runs; of one, where it took more than 20 s. A run ends after two minutes ("too slow"); one that by its growth so far would take longer is not tried.
* "CPU" is the time of all processors, which tells more than the time on the wall when others use the machine.
* "In memory" is the time from when all data is loaded, where loading is a step of its own; the number behind a peer's is how many times as long as ours. Ours is
  the library (`traceward-bench in-memory`), from columns to the report; the program itself evaluates while it reads.
* Formulas say for each peer what ours says: monitors of the past (reelay, RTLola) get it as what is owed, dense time gets states as pulses of half a millisecond,
  metric-temporal-logic half a step more, as its intervals end before their bound, R2U2 and rtamt online get empty states after the last, since they tell of a window when it is over.
  Polars and DuckDB have no formulas: what is timed is a query by hand, by somebody who has thought about what the formula amounts to. `G F z`
  amounts to the last state alone: Polars reads no more than the end of the file for it."""


# What was found out about answers that are not the right ones.
REMARKS = {
    "r2u2": "R2U2 4.2.4: `r S[0,4] p` holds for it again at the state after one without r, with no p in between; its future operators agree.",
    "pm4py": "pm4py 2.7: a case with the events q p o o q does not satisfy 'response' of p by q for it; Declare4Py says that it does, as we do.",
}


def not_timed(rows, facts):
    lines = ["## Who could not be timed, and why", ""]
    lines += [f"* {name}: absent, {reason}" for name, reason in facts.get("absent", {}).items()]
    lines += [f"* {row['workload']}, {int(row['states']):,}: {row['tool']}: {row['note']}" for row in rows if row["note"]]
    wrong = dict.fromkeys(row["tool"] for row in rows if row["note"].startswith("disagrees") and row["tool"] in REMARKS)
    lines += ["", *(REMARKS[name] for name in wrong)] if wrong else []
    return "\n".join(lines)


def in_memory(row, rows):
    """Seconds with data in memory, and how many times as long as ours that is."""
    text, ours = seconds(row, "in_memory_seconds"), ours_of(row, rows)
    if text and row["tool"] != "traceward" and ours and ours["in_memory_seconds"]:
        text += f" ({float(row['in_memory_seconds']) / max(float(ours['in_memory_seconds']), 1e-4):.3g} ×)"
    return text


def section(name, rows, plots):
    timed = measured(rows)
    lines = [f"## {rows[0]['title']}", ""]
    if len({row["states"] for row in timed}) > 1:
        (plots / f"{name}.svg").write_text(plot(rows[0]["title"], timed))
        lines += [f"![seconds over states](benchmarks/{name}.svg)", ""]
    lines += ["| states | tool | reads | seconds | CPU | in memory | × ours | × our CPU |", "| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in timed:
        ratio = work = ""
        if not is_ours(row) and row["against_ours"]:
            ratio = f"{float(row['against_ours']):.3g}"
            work = f"{float(row['cpu_seconds']) / max(float(ours_of(row, rows)['cpu_seconds']), 1e-4):.3g}"
        cells = [f"{int(row['states']):,}", row["tool"], row["reads"], seconds(row), seconds(row, "cpu_seconds")]
        lines.append("| " + " | ".join([*cells, in_memory(row, rows), ratio, work]) + " |")
    return "\n".join(lines)


def plot(title, rows):
    """Seconds over states, both logarithmic."""
    xs = [math.log10(int(row["states"])) for row in rows]
    ys = [math.log10(max(float(row["seconds"]), 1e-4)) for row in rows]
    left, right, low, high = math.floor(min(xs)), math.ceil(max(xs)), math.floor(min(ys)), math.ceil(max(ys))

    def x(value):
        return MARGIN + (value - left) / max(right - left, 1) * (WIDTH - MARGIN - LEGEND)

    def y(value):
        return HEIGHT - MARGIN - (value - low) / max(high - low, 1) * (HEIGHT - 2 * MARGIN)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">']
    out.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    out.append(f'<text x="{MARGIN}" y="24" font-size="13">{html.escape(title.replace("`", ""))}</text>')
    for power_of_ten in range(left, right + 1):
        out.append(f'<path d="M{x(power_of_ten):.1f} {y(low):.1f}V{y(high):.1f}" stroke="#e5e5e5"/>')
        out.append(f'<text x="{x(power_of_ten):.1f}" y="{y(low) + 18:.1f}" text-anchor="middle">{tick(power_of_ten)}</text>')
    for power_of_ten in range(low, high + 1):
        out.append(f'<path d="M{x(left):.1f} {y(power_of_ten):.1f}H{x(right):.1f}" stroke="#e5e5e5"/>')
        out.append(f'<text x="{x(left) - 6:.1f}" y="{y(power_of_ten) + 4:.1f}" text-anchor="end">{10.0**power_of_ten:g} s</text>')
    out.append(f'<text x="{(x(left) + x(right)) / 2:.1f}" y="{HEIGHT - 10}" text-anchor="middle">states</text>')
    lines = {}
    for row, at, time in zip(rows, xs, ys):
        lines.setdefault(row["tool"], []).append((x(at), y(time)))
    for index, (tool, points) in enumerate(lines.items()):
        out += curve(tool, points, 56 + 18 * index)
    return "\n".join([*out, "</svg>"]) + "\n"


def curve(tool, points, legend):
    colour, width = COLOURS.get(tool, "#000"), 2.5 if tool == "traceward" else 1.5
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    at = WIDTH - LEGEND + 16
    yield f'<circle cx="{at}" cy="{legend - 4}" r="4" fill="{colour}"/><text x="{at + 10}" y="{legend}">{tool}</text>'


def tick(power_of_ten):
    return f'10<tspan dy="-5" font-size="9">{power_of_ten}</tspan>'
