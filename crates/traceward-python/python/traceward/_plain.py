"""Values of the standard library that are plainer ones to a state: as columns of tables mean them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID as UniqueNumber

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plain(value: Any) -> Any:
    """A day is its first moment, a duration its nanoseconds, a time of day those since midnight, a decimal the number that it writes, a
    unique number its text, and a scalar of PyArrow what it holds. What is nothing of that stays what it is."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, timedelta):
        # Those of pandas have nanoseconds.
        whole = value // timedelta(microseconds=1) * 1000
        return getattr(value, "value", whole)
    if isinstance(value, time) and value.tzinfo is None:
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return (seconds * 1_000_000 + value.microsecond) * 1000
    if isinstance(value, Decimal):
        if value.is_nan():
            return None
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, UniqueNumber):
        return str(value)
    # Scalars of PyArrow have a value of Python inside.
    return value.as_py() if hasattr(value, "as_py") else value
