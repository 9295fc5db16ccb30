"""The object store port over S3: the only room that knows aioboto3, botocore and aiohttp."""

from gateway.s3.client import open_store as open_store
from gateway.s3.options import S3Options as S3Options
from gateway.s3.store import S3Store as S3Store
