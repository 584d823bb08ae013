"""The page `docs/python.md` runs, block by block, and prints what it says."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_tests(path):
    """What pytest prints of a file of tests, without its head."""
    command = [sys.executable, "-m", "pytest", "-p", "pytest_traceward", "-p", "no:cacheprovider", "-q", path]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"}).stdout


def run(block, names):
    """What a block prints; one that is a file of tests is written, and its tests are run."""
    named = re.match(r"# (test_\w+\.py)\n", block)
    if named:
        Path(named.group(1)).write_text(block)
        return run_tests(named.group(1))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, str(PAGE), "exec"), names)
    return printed.getvalue()


def agrees(said, printed):
    """Whether a text is what was printed, where `…` is anything on a line."""
    pattern = "[^\n]*".join(map(re.escape, said.rstrip("\n").split("…")))
    return re.fullmatch(pattern, printed.rstrip("\n")) is not None


@pytest.mark.filterwarnings("default::traceward.TraceWarning")
def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # pytest words its summary otherwise where these say that nobody looks at it.
    for name in ("CI", "BUILD_NUMBER", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    blocks = [match.groups() for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(blocks) > 25
    names, printed = {}, ""
    for kind, block in blocks:
        if kind == "python":
            assert printed == "", f"the page does not say what is printed:\n{printed}"
            printed = run(block, names)
        else:
            assert agrees(block, printed), f"the page says\n{block}\nand what is printed is\n{printed}"
            printed = ""
    assert printed == "", printed
