"""A trace that goes on inside of a program."""

from __future__ import annotations

import json
import warnings
from types import TracebackType
from typing import Any, Iterable, Iterator, Mapping, Optional, Type

from . import _native
from ._errors import TraceWarning
from ._native import Change
from ._report import MonitorReport


class Monitor(_native.Monitor):
    """Judges properties while a trace goes on, one state at a time.

    A state is given by keywords, or as a dict where names are no identifiers. ``step`` returns the
    verdicts that the state changed, and ``on_verdict`` is called with each.

    >>> from traceward import Monitor
    >>> with Monitor("G(request -> F grant)") as monitor:
    ...     _ = monitor.step(request=True, grant=False)
    ...     monitor.verdicts["p1"]
    ...     monitor.step(request=False, grant=True)
    <Verdict.PENDING: 'pending'>
    (<Change: p1 is holding at position 1>,)
    >>> monitor.report.ok
    True

    A state that is refused has not happened. At the end of the ``with`` block the trace ends:
    ``report`` has the verdicts. A trace without a state, and a variable that no state has spoken of,
    raise ``TraceError``, since what is told of them would not be meant.

    Where the spec names a time column, its value is the timestamp of the state: a number of the
    unit, or a ``datetime``.

    >>> with Monitor("G(ask -> F[0,5s] answer)", time="t:s") as monitor:
    ...     _ = monitor.step(t=10, ask=True, answer=False)
    ...     _ = monitor.step(t=12.5, ask=False, answer=False)
    ...     monitor.advance_to(15.001)
    (<Change: p1 is violated at position 1, final>,)

    With ``by`` there is a trace for each key, which is among the values of a state, and changes tell
    whose they are. A trace ends with a state for which ``end_when`` holds, after a silence that is
    longer than ``idle`` (``"10min"``), or with everything; a later state of the key begins another.
    ``max_keys`` is the most keys at a time. ``verdicts`` are the worst of all keys.

    >>> with Monitor("G(ask -> F answer)", by="client", end_when="bye") as monitor:
    ...     _ = monitor.step(client="ann", ask=True, answer=False, bye=False)
    ...     _ = monitor.step(client="bob", ask=True, answer=True, bye=False)
    ...     monitor.step(client="ann", ask=False, answer=False, bye=True)
    (<Change: ann: p1 is violated at position 1, final>,)
    >>> monitor.report.keys["p1"]
    {'checked': 2, 'violated': 1, 'vacuous': 0, 'first_violations': [{'key': 'ann', 'verdict': 'violated'}]}

    ``save`` makes bytes of a monitor, from which ``Monitor.restore`` goes on in another process.
    """

    _report: Optional[MonitorReport] = None

    def end(self) -> MonitorReport:
        """Ends the trace, and tells what it has come to."""
        if self._report is None:
            answer, asides = self._end()
            # There is a report, also if warnings are errors.
            self._report = MonitorReport(json.loads(answer.json))
            for aside in asides:
                warnings.warn(aside, TraceWarning, stacklevel=2)
        return self._report

    @property
    def report(self) -> MonitorReport:
        """What the trace has come to, once it has ended."""
        if self._report is None:
            raise AttributeError("the trace goes on: there is a report after end(), or behind the `with` block")
        return self._report

    def follow(self, states: Iterable[Mapping[str, Any]]) -> Iterator[Change]:
        """Takes states one by one, and yields the verdicts that change.

        >>> monitor = Monitor("G x < 3")
        >>> for change in monitor.follow({"x": x} for x in range(10)):
        ...     print(change.verdict, change.position)
        holding 0
        violated 3
        """
        for state in states:
            yield from self.step(dict(state))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a Monitor is in the middle of its trace: save() makes bytes of it, and Monitor.restore() goes on")

    def __enter__(self) -> Monitor:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if kind is None:
            self.end()
        else:
            # What went wrong is worse than what the trace has come to.
            self._abandon()

