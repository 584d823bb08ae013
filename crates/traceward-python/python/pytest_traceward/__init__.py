"""Temporal properties on tests: the fixture ``trace``, and the mark ``traceward``.

    @pytest.mark.traceward("G(request -> F[0,100ms] grant)")
    def test_grants(trace):
        trace.event("request")
        trace.event("grant")

It is a package of its own so that pytest can load it without `traceward`, and so without native
code, where no test asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generator, Iterator, List, Optional

import pytest

if TYPE_CHECKING:
    from traceward.testing import Recorder

_RECORDER: pytest.StashKey[Any] = pytest.StashKey()
_MARK = "traceward"


def pytest_configure(config: pytest.Config) -> None:
    """Makes the mark known."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(spec, …, **options): properties that must hold on what the test records with the fixture `trace`; "
        "options are those of traceward.check",
    )


@pytest.fixture
def trace(request: pytest.FixtureRequest) -> Iterator[Recorder]:
    """Collects events, states and log records of a test as a trace (`traceward.testing.Recorder`)."""
    from traceward.testing import Recorder

    recorder = Recorder()
    request.node.stash[_RECORDER] = recorder
    yield recorder
    recorder.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Judges what a test has recorded when it has passed; its own failure comes first."""
    marks = list(item.iter_markers(_MARK))
    if not marks:
        return (yield)
    _refuse_slips(item, marks)
    try:
        result = yield
    except (Exception, pytest.fail.Exception):
        found = _found_beside(item, marks)
        if found is not None:
            item.add_report_section("call", "traceward", found)
        raise
    found = _found(item, marks)
    if found is not None:
        pytest.fail(found, pytrace=False)
    return result


def _refuse_slips(item: pytest.Item, marks: List[pytest.Mark]) -> None:
    """Fails a test whose marks would never be looked at."""
    if any(not mark.args for mark in marks):
        pytest.fail(f'the mark names no property: @pytest.mark.{_MARK}("G …")', pytrace=False)
    if _RECORDER not in item.stash:
        reason = f"the test is marked with `{_MARK}`, but records no trace: it needs the fixture `trace` of Traceward"
        pytest.fail(reason, pytrace=False)


def _found_beside(item: pytest.Item, marks: List[pytest.Mark]) -> Optional[str]:
    """What is wrong with the trace of a test that has failed by itself; that comes first, whatever this is."""
    try:
        return _found(item, marks) if len(item.stash[_RECORDER]) else None
    except Exception as error:
        return str(error)


def _found(item: pytest.Item, marks: List[pytest.Mark]) -> Optional[str]:
    """What is wrong with the trace of a test, if anything is."""
    from traceward import Error, TraceWarning
    from traceward.testing import doubts, evidence

    recorder = item.stash[_RECORDER]
    wrong = []
    for mark in marks:
        try:
            report = recorder.check(list(mark.args), **mark.kwargs)
        except (Error, TypeError) as error:
            wrong.append(f"{', '.join(map(str, mark.args))}: {error}")
            continue
        if not report.ok:
            wrong.append(evidence(recorder, report))
        for doubt in doubts(report) if report.ok else ():
            item.warn(TraceWarning(doubt))
    return "\n\n".join(wrong) or None
