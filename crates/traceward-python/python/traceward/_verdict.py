"""The verdicts on a property."""

from enum import Enum


class Verdict(str, Enum):
    """What is known of a property.

    Of a trace that has ended it is ``SATISFIED`` or ``VIOLATED``. Of one that goes on these two are
    final, and before that it is ``HOLDING`` or ``PENDING``, by what it would be if the trace ended
    now. ``UNKNOWN`` is a property that could not be followed.

    >>> Verdict("violated") is Verdict.VIOLATED
    True
    >>> Verdict.VIOLATED == "violated"
    True
    >>> Verdict.PENDING.is_final
    False
    """

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    HOLDING = "holding"
    PENDING = "pending"
    UNKNOWN = "unknown"

    @property
    def is_final(self) -> bool:
        """Whether no continuation can change it."""
        return self in (Verdict.SATISFIED, Verdict.VIOLATED)

    def __str__(self) -> str:
        return self.value
