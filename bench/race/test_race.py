"""Checks of the race itself, on tiny inputs and without any peer: `python3 test_race.py`. Needs numpy."""

import csv
import json
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import page
import peers
import rows
import traces

WORKLOAD = SimpleNamespace(name="response-10", title="`G(p -> F[0,10] q)`")
OURS = SimpleNamespace(name="traceward", reads="CSV")
PEER = SimpleNamespace(name="reelay", reads="numpy")


def said(seconds):
    return {"seconds": seconds, "cpu": seconds, "runs": 3, "peak_mib": 1, "in_memory": None}


class RowsTest(unittest.TestCase):
    def results(self, folder):
        results = rows.Results(Path(folder) / "race-2026-01-01.csv", [WORKLOAD.name])
        for states, ours, peer in ((10**5, 0.25, 0.5), (10**6, 4.0, 2.0)):
            results.add(WORKLOAD, states, OURS, "1", said(ours))
            results.add(WORKLOAD, states, PEER, "2", said(peer))
        results.add(WORKLOAD, 10**7, PEER, "2", {}, "too slow")
        results.write()
        return results

    def test_ratios_are_against_ours_of_the_same_length(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.results(folder).path
            with open(path, newline="") as file:
                written = list(csv.DictReader(file))
        self.assertEqual([row["against_ours"] for row in written], ["1.00", "2.00", "1.00", "0.50", ""])

    def test_tables_are_compared_with_ours_from_tables(self):
        def row(tool, seconds, states=5):
            return {"workload": "w", "states": states, "tool": tool, "seconds": seconds}

        all_rows = [row("traceward", "2.0"), row("traceward-parquet", "1.0"), row("polars", "1.0"), row("polars-parquet", "3.0")]
        # Ours was asked from CSV alone, which says nothing about a table.
        all_rows += [row("traceward", "2.0", 6), row("duckdb-parquet", "1.0", 6), row("duckdb", "", 6), row("polars", "1.0", 7)]
        rows.set_ratios(all_rows)
        self.assertEqual([one["against_ours"] for one in all_rows], ["1.00", "1.00", "0.50", "3.00", "1.00", "", "", ""])

    def test_what_is_measured_anew_replaces_what_was(self):
        with tempfile.TemporaryDirectory() as folder:
            again = rows.Results(self.results(folder).path, [WORKLOAD.name])
            again.add(WORKLOAD, 10**5, PEER, "2", said(1.0))
            of_peer = [row["seconds"] for row in again.rows if row["tool"] == "reelay"]
            self.assertEqual(sorted(of_peer), ["", "1.0000", "2.0000"])

    def test_a_peer_that_grows_faster_is_predicted_to_go_on(self):
        self.assertEqual(rows.predicted([], 10), 0.0)
        self.assertAlmostEqual(rows.predicted([(10, 1.0)], 100), 10.0)
        self.assertAlmostEqual(rows.predicted([(10, 1.0), (100, 100.0)], 1000), 10_000.0)

    def test_the_page_says_where_others_are_faster(self):
        with tempfile.TemporaryDirectory() as folder:
            results = self.results(folder)
            facts = results.path.with_suffix(".json")
            page.write_circumstances(facts, {}, {"r2u2": "does not install: no compiler", "reelay": "not yet"})
            page.write_circumstances(facts, {"traceward": "1", "reelay": "2"}, {"reelay": None})
            page.write(Path(folder), results.path)
            text = (Path(folder) / "docs/benchmarks.md").read_text()
            plot = ElementTree.parse(Path(folder) / "docs/benchmarks/response-10.svg")
        self.assertIn(", 1,000,000 states: **reelay** is 2.0 times as fast", text)
        self.assertNotIn(", 100,000 states: **reelay**", text)
        self.assertIn("r2u2: absent, does not install: no compiler", text)
        self.assertNotIn("reelay: absent", text)
        self.assertIn("10,000,000: reelay: too slow", text)
        circles = plot.getroot().findall(".//{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 2 * 2 + 2)


class QuestionsTest(unittest.TestCase):
    """What is asked of peers, as text."""

    def test_questions_have_their_bounds(self):
        self.assertIn("since[7:]", peers.reelay_pattern("response-7", 7))
        self.assertIn("delay <= 7", peers.duckdb_query("response-7", 7, "f"))
        with self.assertRaises(peers.Unsupported):
            peers.duckdb_query("online-10", 10, "f")


class TracesTest(unittest.TestCase):
    """Right answers against the definitions, position by position."""

    def small(self, name, check):
        workload = next(one for one in traces.workloads() if one.name == name)
        rng, seen = np.random.default_rng(1), set()
        for _ in range(200):
            trace, bound = workload.small(rng)
            right = workload.expected(trace, bound)
            self.assertEqual(right, check(trace, bound), (trace, bound))
            seen.add(str(right))
        self.assertGreater(len(seen), 1)
        return workload

    def holds_to_the_end(self, workload):
        trace = workload.long(3000)
        self.assertTrue(workload.expected(trace, workload.bound))
        return trace

    def test_response(self):
        def check(trace, bound):
            p, q = trace["p"], trace["q"]
            return all(q[at : at + bound + 1].any() for at in range(len(p)) if p[at])

        trace = self.holds_to_the_end(self.small("response-10", check))
        self.assertGreater(trace["p"].sum(), 100)

    def test_third_formula_of_the_paper(self):
        def until(left, right):
            holds, after = [], False
            for l, r in zip(reversed(left), reversed(right)):
                after = bool(r or (l and after))
                holds.append(after)
            return holds[::-1]

        def check(trace, _):
            a = trace["a"].tolist()
            inner = until([not one for one in a], until(a, until([not one for one in a], a)))
            return all(holds for b, holds in zip(trace["b"], inner) if b)

        self.holds_to_the_end(self.small("figure10-3", check))

    def test_since(self):
        def body(trace, bound):
            p, q, r = trace["p"], trace["q"], trace["r"]
            return [
                not (q[j] and not p[j] and p[: j + 1].any())
                or any(p[k] and r[k + 1 : j + 1].all() for k in range(max(j - bound, 0), j + 1))
                for j in range(len(p))
            ]

        self.holds_to_the_end(self.small("since", lambda trace, bound: all(body(trace, bound))))
        self.small("since-everywhere", lambda trace, bound: traces.truth_answer(np.array(body(trace, bound))))

    def test_time(self):
        def check(trace, bound):
            t, p, q = trace["t"], trace["p"], trace["q"]
            in_time = lambda j: any(q[i] and t[i] - t[j] <= bound for i in range(j, len(t)))
            return all(in_time(j) for j in range(len(t)) if p[j])

        self.holds_to_the_end(self.small("timed", check))

    def test_latency(self):
        def check(trace, _):
            t, p, q = trace["t"], trace["p"], trace["q"]
            later = [[t[i] - t[j] for i in range(j, len(t)) if q[i]] for j in range(len(t)) if p[j]]
            delays = [one[0] for one in later if one]
            least = lambda part: min(v for v in delays if sum(w <= v for w in delays) * 100 >= part * len(delays))
            return [least(50), least(99)] if delays else [None, None]

        self.small("latency", check)

    def test_keys(self):
        def check(trace, bound):
            violated, rows_of = set(), list(zip(*(trace[name].tolist() for name in ("key", "t", "event"))))
            for index, (key, t, event) in enumerate(rows_of):
                later = [u for k, u, e in rows_of[index:] if k == key and e == 2 and (bound is None or u - t <= bound)]
                if event == 1 and not later:
                    violated.add(key)
            return [len({key for key, _, _ in rows_of}) - len(violated), len(violated)]

        timed = self.small("by-key-10000", check)
        self.small("by-key-untimed-10000", check)
        self.assertEqual(timed.expected(timed.long(5000), timed.bound)[1], 0)

    def test_files_say_the_same(self):
        workload = next(one for one in traces.workloads() if one.name == "reading-csv")
        trace = workload.long(50)
        with tempfile.TemporaryDirectory() as folder:
            traces.write(trace, folder, ("csv", "jsonl", "npy"), workload.name, None)
            with open(Path(folder) / "trace.csv", newline="") as file:
                from_csv = list(csv.DictReader(file))
            from_json = [json.loads(line) for line in (Path(folder) / "trace.jsonl").read_text().splitlines()]
            self.assertTrue((np.load(Path(folder) / "x.npy") == trace["x"]).all())
        self.assertEqual([{name: str(value) for name, value in row.items()} for row in from_json], from_csv)
        self.assertEqual([int(row["x"]) for row in from_csv], trace["x"].tolist())
        self.assertEqual([traces.EVENTS.index(row["event"]) for row in from_csv], trace["event"].tolist())


if __name__ == "__main__":
    unittest.main()
