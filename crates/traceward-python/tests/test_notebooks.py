"""What notebooks show: pages in frames, pictures, progress; and that nothing in them runs that came from a trace."""

import base64
import hashlib
import html
import pickle
import re
from html.parser import HTMLParser

import nbclient
import nbformat
import pytest

from traceward import automaton, check, query

#: Texts that would run, or break out of where they stand, if they got in as they are.
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "</iframe><script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "]]><script>alert(1)</script><!--",
]


class Elements(HTMLParser):
    """The elements of a text, with their attributes, and what is inside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside, self.open = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.inside.append("")
        self.open = tag

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open in ("script", "style"):
            self.inside[-1] += data

    def names(self):
        return [tag for tag, _ in self.found]


def hostile_report(**options):
    size = len(HOSTILE)
    data = {"name": HOSTILE, "<script>k": HOSTILE, "x": range(size), "ok": [False] * size}
    formulas = ["G ok", 'G name == "a"', 'G(`<script>k` != "</script><script>alert(1)</script>")']
    return check(formulas, {name: list(values) for name, values in data.items()}, drawn=True, **options)


@pytest.mark.parametrize("options", [{}, {"by": "name"}], ids=["whole", "by key"])
def test_nothing_that_comes_from_a_trace_runs(options):
    outer = Elements(hostile_report(**options)._repr_html_())
    # In the notebook there is a frame and nothing else, which has no rights but to run its own script.
    assert outer.names() == ["iframe"]
    attributes = outer.found[0][1]
    assert attributes["sandbox"] == "allow-scripts"
    assert set(attributes) == {"sandbox", "title", "style", "srcdoc"}
    inner = Elements(attributes["srcdoc"])
    assert not {"img", "iframe", "object", "embed", "link", "base", "form"} & set(inner.names())
    handlers = [name for _, given in inner.found for name in given if name.startswith("on")]
    assert handlers == []
    # Its policy allows one script by its digest, and the page has that one and data.
    policies = [given["content"] for tag, given in inner.found if given.get("http-equiv") == "Content-Security-Policy"]
    allowed = re.search(r"script-src '(sha256-[^']*)'", policies[0]).group(1)
    assert "default-src 'none'" in policies[0] and policies[0].count("script-src") == 1
    scripts = [(given, inside) for (tag, given), inside in zip(inner.found, inner.inside) if tag == "script"]
    data = [inside for given, inside in scripts if given.get("type") == "application/json"]
    own = [inside for given, inside in scripts if given.get("type") != "application/json"]
    assert len(data) == 1 and "<" not in data[0]
    digests = ["sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in own]
    assert digests == [allowed]
    # And it is shown, as text.
    assert "alert(1)" in attributes["srcdoc"]


def test_the_page_is_what_the_program_writes(tmp_path, program):
    trace, page = tmp_path / "t.csv", tmp_path / "page.html"
    trace.write_text("t,request,grant\n" + "".join(f"{n * 10},{n % 7 == 0:d},{n % 7 == 3:d}\n" for n in range(50)))
    formula = "G(request -> F[0,20ms] grant)"
    done = program("check", "-e", formula, trace, "--time", "t:ms", "--html", page)
    assert done.returncode == 1, done.stderr
    report = check(formula, trace, time="t:ms", drawn=True)
    assert report.to_html() == page.read_text()
    # Timelines are kept only where they are wanted.
    plain = check(formula, trace, time="t:ms")
    assert plain == report and len(plain.to_html()) < len(report.to_html())


def test_the_picture_is_what_the_program_draws(tmp_path, program):
    trace, picture = tmp_path / "t.csv", tmp_path / "picture.svg"
    trace.write_text("t,request,grant\n" + "".join(f"{n * 10},{n % 7 == 0:d},{n % 7 == 3:d}\n" for n in range(50)))
    asked = "latency(request -> grant)"
    done = program("query", "-e", asked, trace, "--time", "t:ms", "--svg", picture)
    assert done.returncode == 0, done.stderr
    report = query(asked, trace, time="t:ms", drawn=True)
    assert report.to_svg() == picture.read_text()
    shown = Elements(report._repr_html_())
    assert shown.names() == ["img"]
    drawn = base64.b64decode(shown.found[0][1]["src"].removeprefix("data:image/svg+xml;base64,"))
    assert drawn.decode() == report.to_svg()


def test_queries_that_cannot_be_drawn_are_shown_as_a_page():
    report = query([f"count(x > {bound})" for bound in range(9)], {"x": [1, 2]}, drawn=True)
    assert Elements(report._repr_html_()).names() == ["iframe"]


def test_automata_are_pictures():
    drawn = automaton("G(request -> F grant)")
    assert drawn._repr_svg_() == drawn.svg and drawn.svg.startswith("<svg")
    hostile = automaton('G(`<script>alert(1)</script>` -> F b == "<img src=x>")')
    assert "<script" not in hostile.svg and "<img" not in hostile.svg
    shown = Elements(hostile._repr_html_())
    assert shown.names() == ["img"] and "<script>" in shown.found[0][1]["alt"]


def test_a_report_that_was_pickled_is_text():
    report = pickle.loads(pickle.dumps(check("G x", {"x": [True]})))
    assert report._repr_html_() is None and "satisfied" in repr(report)


def run_in_a_notebook(*cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


# What the notebook's own machinery warns of is not ours.
@pytest.mark.filterwarnings("default")
def test_in_a_notebook(monkeypatch):
    # A kernel that finds this does not show what is written to standard error itself.
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    outputs = run_in_a_notebook(
        "import traceward as tw",
        'tw.check("G(a -> F[0,1] b)", {"a": [1, 0, 0, 1], "b": [0, 0, 1, 1]})',
        'tw.automaton("G a")',
        'tw.query("latency(a -> b)", {"a": [1, 0, 0, 1], "b": [0, 0, 1, 1]})',
        "import os, tempfile, threading, time\n"
        "path = os.path.join(tempfile.mkdtemp(), 'pipe.csv')\n"
        "os.mkfifo(path)\n"
        "def write():\n"
        "    with open(path, 'w') as pipe:\n"
        "        print('x', file=pipe)\n"
        "        for _ in range(20):\n"
        "            pipe.write('1\\n' * 10_000)\n"
        "            pipe.flush()\n"
        "            time.sleep(0.1)\n"
        "threading.Thread(target=write).start()\n"
        "tw.check('G x == 1', path, progress=True).ok",
        "import pyarrow\n"
        "batch = pyarrow.record_batch({'x': [1] * 20_000})\n"
        "def batches():\n"
        "    for _ in range(20):\n"
        "        time.sleep(0.1)\n"
        "        yield batch\n"
        "table = pyarrow.RecordBatchReader.from_batches(batch.schema, batches())\n"
        "tw.check('G x == 1', table, progress=True).ok",
    )
    report, drawn, measured = outputs[1:4]
    assert set(report[0].data) == {"text/html", "text/plain"}
    assert "1 violated" in report[0].data["text/plain"]
    # Timelines are there without being asked for.
    page = html.unescape(report[0].data["text/html"])
    assert page.startswith("<iframe") and '"timelines":[{' in page
    assert {"image/svg+xml", "text/html", "text/plain"} <= set(drawn[0].data)
    assert measured[0].data["text/html"].startswith("<img")
    for told, outputs_of_one in zip(("lines/s", "rows/s"), outputs[4:]):
        shown = "".join(one.text for one in outputs_of_one if one.get("name") == "stderr")
        assert told in shown and "\n" not in shown and shown.endswith("\r"), outputs_of_one
        answers = [one.data["text/plain"] for one in outputs_of_one if one.output_type == "execute_result"]
        assert answers == ["True"]
