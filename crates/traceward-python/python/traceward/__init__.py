"""Traceward checks, monitors and measures what running systems actually did.

>>> import traceward
>>> report = traceward.check("G(request -> F grant)", b"request,grant\\n1,0\\n0,1\\n")
>>> report.ok
True

A trace is a path, bytes, an open file, a dict of columns, or a table that speaks Arrow: of PyArrow,
Polars, pandas or DuckDB. Options have the names that they have on the command line (``traceward check --help``):
``--by KEY`` is ``by="KEY"``, ``--prefix`` is ``prefix=True``, ``--type code:string`` is
``type={"code": "string"}``.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

from . import _native
from ._drawing import in_notebook
from ._errors import Diagnostic, Error, LimitError, SpecError, TraceError, TraceWarning, UsageError
from ._frames import narrowed, whole
from ._logging import MonitorHandler
from ._monitor import Monitor
from ._native import ArrowTable, Change, Spec
from ._report import (
    Automaton,
    Column,
    Comparison,
    Finding,
    Inspection,
    Keys,
    KeyVerdict,
    LintReport,
    MonitorReport,
    Plan,
    Property,
    Query,
    Report,
    Violations,
)
from ._verdict import Verdict

__version__ = _native.VERSION

__all__ = [
    "ArrowTable",
    "Automaton",
    "Change",
    "Column",
    "Comparison",
    "Diagnostic",
    "Error",
    "Finding",
    "Inspection",
    "KeyVerdict",
    "Keys",
    "LimitError",
    "LintReport",
    "Monitor",
    "MonitorHandler",
    "MonitorReport",
    "Plan",
    "Property",
    "Query",
    "Report",
    "Spec",
    "SpecError",
    "TraceError",
    "TraceWarning",
    "UsageError",
    "Verdict",
    "Violations",
    "automaton",
    "check",
    "compare",
    "explain_plan",
    "inspect",
    "lint",
    "query",
]


def _shown(progress: bool | None) -> bool:
    """Whether it is shown how far the reading has come."""
    return sys.stderr is not None and sys.stderr.isatty() if progress is None else progress


def _asked(
    spec: Any, data: Any, measures: bool, progress: bool | None, drawn: bool | None, options: dict[str, Any]
) -> Report:
    data, options = narrowed(spec, data, measures, options)
    is_drawn = in_notebook() if drawn is None else drawn
    native = _native.check(spec, data, measures, options, _shown(progress), is_drawn)
    for aside in native.asides:
        warnings.warn(aside, TraceWarning, stacklevel=3)
    return Report(native)


def check(
    spec: Any, data: Any, /, *, progress: bool | None = None, drawn: bool | None = None, **options: Any
) -> Report:
    """Checks the properties of a spec on a trace.

    >>> report = check(["G !error", "F done"], {"error": [False, False], "done": [False, True]})
    >>> [str(one.verdict) for one in report.properties]
    ['satisfied', 'satisfied']
    >>> check("G x < 3", {"x": [1, 5, 2], "node": ["a", "a", "b"]}, by="node")["p1"].keys
    <Keys: 1 of 2 violated>

    ``spec`` is a `Spec`, a formula, a list of formulas, or a ``pathlib.Path``. What cannot be
    answered raises `Error`; a file that cannot be opened raises ``OSError``. What takes long is shown
    on a terminal, unless ``progress`` says otherwise, and Ctrl-C ends it. With ``drawn`` the report
    keeps what ``to_html`` and ``to_svg`` draw, as it does in a notebook.
    """
    return _asked(spec, data, False, progress, drawn, options)


def query(
    spec: Any, data: Any, /, *, progress: bool | None = None, drawn: bool | None = None, **options: Any
) -> Report:
    """Measures the queries of a spec on a trace.

    >>> query("max(x)", {"x": [3, 5, 4]}).queries[0].value
    5
    """
    return _asked(spec, data, True, progress, drawn, options)


def inspect(data: Any, /, *, progress: bool | None = None, **options: Any) -> Inspection:
    """Tells what a trace holds: columns, types, ranges.

    >>> inspect({"x": [3, 5, 4]}).columns
    (<Column x: int>,)
    """
    answer = _native.inspect(whole(data), options, _shown(progress))
    return Inspection(json.loads(answer.json), answer.text)


def lint(spec: Any, /, **options: Any) -> LintReport:
    """Tells which properties can never hold, can never fail, follow from others, or cannot hold
    together.

    >>> lint("F p | G !p").ok
    False
    """
    answer = _native.lint(spec, options)
    return LintReport(json.loads(answer.json), answer.text)


def compare(one: Any, other: Any, /, **options: Any) -> Comparison:
    """Tells whether two formulas mean the same, and if not, on which trace they differ.

    >>> compare("!(a U b)", "!a R !b").equal
    True
    """
    answer = _native.compare([one, other], options)
    return Comparison(json.loads(answer.json), answer.text)


def automaton(spec: Any, /, **options: Any) -> Automaton:
    """The automaton of a formula or a query.

    >>> automaton("G(a -> F b)", kind="deterministic").to_dict()["states"]
    2
    """
    return Automaton(spec, options)


def explain_plan(spec: Any, /, **options: Any) -> Plan:
    """Shows what becomes of a formula or a query: tree, core, normal form, automaton, engine.

    >>> [plan["name"] for plan in explain_plan("G a").to_dict()["plans"]]
    ['p1']
    """
    answer = _native.explain_plan(spec, options)
    return Plan(json.loads(answer.json), answer.text)
