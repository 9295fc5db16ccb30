"""Dates in answers, read without dateutil where they have the usual form.

botocore hands every date to dateutil, which guesses formats: a good part of the CPU of a HEAD. The dates
of objects are nobody's business here, but the same parser reads when credentials expire.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from botocore.utils import parse_timestamp


def read_timestamp(value: str | int | float) -> datetime:
    """The date: RFC 9110 (headers), RFC 3339 (bodies), seconds since 1970, or what botocore can make of it.

    Raises ValueError.
    """
    if not isinstance(value, str):
        return datetime.fromtimestamp(value, UTC)
    try:
        return datetime.fromisoformat(value) if value[:2] == "20" else parsedate_to_datetime(value)
    except ValueError:
        return parse_timestamp(value)
