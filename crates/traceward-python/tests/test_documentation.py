"""Examples in the documentation run, and stubs say what there is."""

import doctest
import subprocess
import sys
from pathlib import Path

import traceward
from traceward import _native


def test_examples_of_native_classes():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    names = {"traceward": traceward, "Spec": traceward.Spec}
    found = 0
    for thing in [_native.Spec, _native.Spec.from_file]:
        for test in finder.find(thing, getattr(thing, "__name__", "spec"), globs=dict(names)):
            found += len(test.examples)
            assert runner.run(test).failed == 0
    assert found >= 8


def test_everything_public_is_documented():
    for name in traceward.__all__:
        thing = getattr(traceward, name)
        assert thing.__doc__ and not thing.__doc__.startswith("str(object"), name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            is_ours = callable(value) or isinstance(value, property)
            if is_ours and not member.startswith("_") and "traceward" in getattr(thing, "__module__", ""):
                assert value.__doc__, f"{name}.{member}"


def test_stubs_agree_with_the_module():
    command = [sys.executable, "-m", "mypy.stubtest", "--ignore-disjoint-bases", "traceward._native"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_has_types(tmp_path):
    (tmp_path / "use.py").write_text(
        "import traceward\n"
        "report = traceward.check('G a', b'a\\n1\\n', by=None)\n"
        "verdict: traceward.Verdict = report.properties[0].verdict\n"
        "with traceward.Monitor('G a') as monitor:\n"
        "    for change in monitor.step(a=True):\n"
        "        position: int = change.position\n"
        "ok: bool = monitor.report.ok\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "use.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
