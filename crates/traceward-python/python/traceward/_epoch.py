"""The moment that timestamps count from."""

from datetime import datetime, timezone

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
