"""Values of the standard library that are plainer ones to a state: as columns of tables mean them."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID as UniqueNumber

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plain(value: Any) -> Any:
    """A day is its first moment, a duration its nanoseconds, a decimal the number that it writes, and a
    unique number its text. What is nothing of that stays what it is."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, timedelta):
        # Those of pandas have nanoseconds.
        whole = value // timedelta(microseconds=1) * 1000
        return getattr(value, "value", whole)
    if isinstance(value, Decimal):
        if value.is_nan():
            return None
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, UniqueNumber):
        return str(value)
    return value
