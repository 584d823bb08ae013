"""What goes wrong, as exceptions that carry it as data."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Tuple


class Diagnostic:
    """One mistake: what is wrong, where, and what may help.

    ``line``, ``column``, ``end_line`` and ``end_column`` are a place in the spec, counted from 1,
    and ``span`` is the same place as a range of its characters. ``row`` is the line or row of the
    trace, and ``variable`` the column that it is about. What is not known is ``None``.
    """

    __slots__ = (
        "message",
        "label",
        "help",
        "source",
        "line",
        "column",
        "end_line",
        "end_column",
        "span",
        "row",
        "variable",
    )

    message: str
    label: Optional[str]
    help: Tuple[str, ...]
    source: Optional[str]
    line: Optional[int]
    column: Optional[int]
    end_line: Optional[int]
    end_column: Optional[int]
    span: Optional[Tuple[int, int]]
    row: Optional[int]
    variable: Optional[str]

    def __init__(self, members: Mapping[str, Any]) -> None:
        for name in self.__slots__:
            setattr(self, name, members.get(name))
        self.help = tuple(self.help or ())

    def to_dict(self) -> dict[str, Any]:
        """The diagnostic as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        place = f" at {self.line}:{self.column}" if self.line is not None else ""
        place = f" in row {self.row}" if self.row is not None and not place else place
        return f"<Diagnostic{place}: {self.message}>"


class Error(Exception):
    """The reason why a question could not be answered.

    Its text is what the program would say, with the place underlined; ``diagnostics`` has the same
    as data.
    """

    diagnostics: Tuple[Diagnostic, ...]

    def __init__(self, text: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(text)
        self.diagnostics = tuple(Diagnostic(one) for one in diagnostics)
        self._members = [dict(one) for one in diagnostics]

    @property
    def message(self) -> str:
        """What is wrong, on one line."""
        return self.diagnostics[0].message if self.diagnostics else str(self)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (str(self), self._members))


class SpecError(Error, ValueError):
    """The spec is wrong, or does not fit the trace.

    >>> from traceward import Spec, SpecError
    >>> try:
    ...     Spec("G(request -> )")
    ... except SpecError as error:
    ...     (error.diagnostics[0].line, error.diagnostics[0].column)
    (1, 11)
    """


class TraceError(Error, ValueError):
    """The trace cannot be read, is empty, or does not have what is asked for."""


class LimitError(Error):
    """A limit was reached: the question may be answered with a higher one."""


class UsageError(Error, ValueError):
    """What was asked cannot be answered so, whatever the trace."""


class TraceWarning(UserWarning):
    """What is probably a mistake, though there is an answer."""
