"""Rows of results, and what is computed from them. Needs Python alone."""

import csv
import math

FIELDS = (
    "workload title states tool version reads seconds cpu_seconds in_memory_seconds against_ours runs peak_mib others note".split()
)


class Results:
    """Rows of the dated file: what is measured anew takes the place of what was measured that day."""

    def __init__(self, path, order):
        self.path, self.order, self.rows = path, order, []
        if path.exists():
            with open(path, newline="") as file:
                self.rows = list(csv.DictReader(file))

    def add(self, workload, states, tool, version, said, note="", others=None):
        """Adds a row; `others` are the processors that others kept busy meanwhile."""
        row = dict.fromkeys(FIELDS, "")
        row.update(workload=workload.name, title=workload.title, states=states, tool=tool.name, version=version)
        row.update(reads=tool.reads, note=note, others="" if others is None else f"{others:.2f}")
        if "seconds" in said:
            row.update(seconds=f"{said['seconds']:.4f}", cpu_seconds=f"{said['cpu']:.4f}", runs=said["runs"])
            row.update(peak_mib=said["peak_mib"])
            if said.get("in_memory") is not None:
                row["in_memory_seconds"] = f"{said['in_memory']:.6f}"
        same = lambda other: all(str(row[name]) == str(other[name]) for name in ("workload", "states", "tool"))
        self.rows = [other for other in self.rows if not same(other)] + [row]
        set_ratios(self.rows)
        print(line(row), flush=True)

    def write(self):
        self.rows.sort(key=lambda row: (self.order.index(row["workload"]), int(row["states"])))
        set_ratios(self.rows)
        self.path.parent.mkdir(exist_ok=True)
        with open(self.path, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)


def set_ratios(rows):
    """How many times as long as ours everybody takes, from the same kind of file."""
    for row in rows:
        base = ours_of(row, rows)
        has_both = row["seconds"] and base and base["seconds"]
        row["against_ours"] = f"{float(row['seconds']) / float(base['seconds']):.2f}" if has_both else ""


def ours_of(row, rows):
    """Our row beside another one, from the same kind of file; none if we were not asked so."""
    name = "traceward-parquet" if row["tool"].endswith("-parquet") else "traceward"
    same = [one for one in rows if one["workload"] == row["workload"] and str(one["states"]) == str(row["states"])]
    return next((one for one in same if one["tool"] == name and one["seconds"]), None)


def is_ours(row):
    return row["tool"].startswith("traceward")


def line(row):
    time = f"{float(row['seconds']):9.3f} s" if row["seconds"] else " " * 11
    cpu = f"cpu {float(row['cpu_seconds']):8.3f} s" if row["cpu_seconds"] else " " * 14
    ratio = f"{float(row['against_ours']):9.2f} × ours" if row["against_ours"] else ""
    return f"{row['workload']:22} {int(row['states']):>11,} {row['tool']:16} {time} {cpu} {ratio} {row['note']}"


def predicted(times, states):
    """Seconds for a trace of so many states, after (states, seconds): it goes on as it did, or in proportion."""
    if not times:
        return 0.0
    (length, seconds), growth = times[-1], 1.0
    if len(times) > 1 and times[-2][1] > 0.01:
        before = times[-2]
        growth = max(1.0, math.log(seconds / before[1]) / math.log(length / before[0]))
    return seconds * (states / length) ** growth
