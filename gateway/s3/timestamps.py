"""Dates in S3 answers, read without dateutil.

botocore hands every date to dateutil, which guesses formats: a good part of the CPU of a HEAD. S3
sends two formats only: RFC 9110 dates in headers, RFC 3339 in bodies.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def read_timestamp(value: str | int | float) -> datetime:
    """The date, with its zone. Raises ValueError for any other format, as botocore expects."""
    if not isinstance(value, str):
        return datetime.fromtimestamp(value, UTC)
    if value[:1].isdigit():
        return datetime.fromisoformat(value)
    return parsedate_to_datetime(value)
