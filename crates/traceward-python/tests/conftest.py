"""What tests of the package share."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def program():
    """Runs the program that comes with the package, and returns its exit status and document."""

    def run(*arguments, **options):
        command = [sys.executable, "-m", "traceward", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, **options)
        return done

    return run


@pytest.fixture
def document(program):
    """The document that the program prints about a trace."""

    def run(*arguments, **options):
        done = program(*arguments, "--format", "json", **options)
        return done.returncode, json.loads(done.stdout)

    return run


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that cannot run is a failure with a reason, and never silent."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"it cannot be run: {call.excinfo.value}"

