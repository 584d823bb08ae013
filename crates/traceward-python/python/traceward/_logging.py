"""What a program logs becomes states of a monitor."""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, Optional

from ._monitor import Monitor

_STANDARD = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}


def _values(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, dict, list, tuple))


def fields_of(record: logging.LogRecord) -> Dict[str, Any]:
    """The ``extra`` of a record, as far as it is values."""
    return {name: value for name, value in record.__dict__.items() if name not in _STANDARD and _values(value)}


class MonitorHandler(logging.Handler):
    """Hands each log record to a monitor as a state.

    The variables of a state are the ``extra`` of the record, and beside them ``level`` (``"INFO"``),
    ``logger`` and ``message``. ``time`` names the time column, whose value is the time of the record, or
    of the latest one so far: threads may come in another order. A function given as ``state`` makes the
    state of a record in another way, or ``None`` if the record is none.

    >>> import logging
    >>> from traceward import Monitor, MonitorHandler
    >>> monitor = Monitor('G(message == "open" -> F message == "shut")')
    >>> logger = logging.getLogger("doors")
    >>> logger.addHandler(MonitorHandler(monitor))
    >>> logger.warning("open")
    >>> logger.warning("shut")
    >>> monitor.end().ok
    True
    """

    def __init__(
        self,
        monitor: Monitor,
        level: int = logging.NOTSET,
        *,
        time: Optional[str] = None,
        state: Optional[Callable[[logging.LogRecord], Optional[Dict[str, Any]]]] = None,
    ) -> None:
        super().__init__(level)
        self.monitor = monitor
        self._time = time
        self._latest = float("-inf")
        self._state = state or self._of_record

    def _of_record(self, record: logging.LogRecord) -> Dict[str, Any]:
        state = fields_of(record)
        state.update(level=record.levelname, logger=record.name, message=record.getMessage())
        if self._time is not None:
            # Threads make records before they wait for each other here, and clocks are set.
            self._latest = max(self._latest, record.created)
            state[self._time] = self._latest
        return state

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record as the next state. Errors go to ``handleError``, as those of all handlers."""
        try:
            state = self._state(record)
            if state is not None:
                self.monitor.step(state)
        except Exception:
            self.handleError(record)
