"""Questions about a bucket that serving never asks: where credentials come from, its region, its versioning.

Implements `gateway.doctor.facts.Examination`. Source: S3 API reference, HeadBucket and GetBucketVersioning.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, cast

from aiobotocore.session import AioSession

from gateway.doctor.facts import CredentialsSeen
from gateway.errors import AccessDenied
from gateway.s3.call import Call
from gateway.s3.client import client_config
from gateway.s3.faults import translated
from gateway.s3.hooks import keep_one_host
from gateway.s3.options import S3Options


class BucketExamination:
    """One bucket. Made by `open_examination`."""

    def __init__(self, session: AioSession, client: Any, options: S3Options) -> None:
        self._session, self._client, self._options = session, client, options

    async def credentials(self) -> CredentialsSeen:
        if self._options.access_key is not None:
            return CredentialsSeen("given")
        call = self._call("GetCredentials")
        with translated(call):
            found: Any = await self._session.get_credentials()
            if found is None:
                raise AccessDenied(f"{call}: no credentials found")
            await found.get_frozen_credentials()  # temporary ones are fetched only now
        # botocore has no public name for it.
        return CredentialsSeen(str(found.method), cast("datetime | None", getattr(found, "_expiry_time", None)))

    async def region(self) -> str:
        with translated(self._call("HeadBucket")):
            answer = await self._client.head_bucket(Bucket=self._options.bucket)
        return str(answer["ResponseMetadata"]["HTTPHeaders"].get("x-amz-bucket-region", ""))

    async def versioning(self) -> str:
        with translated(self._call("GetBucketVersioning")):
            answer = await self._client.get_bucket_versioning(Bucket=self._options.bucket)
        return str(answer.get("Status", ""))

    def _call(self, operation: str) -> Call:
        return Call(operation, self._options.bucket, self._options.place, region=self._options.region)


def trusted_certificates() -> str | None:
    """The file of certificates that calls to the store trust (AWS_CA_BUNDLE, or `ca_bundle` of a profile)."""
    return cast("str | None", AioSession().get_config_variable("ca_bundle"))


@asynccontextmanager
async def open_examination(options: S3Options) -> AsyncGenerator[BucketExamination]:
    """The bucket of `options`, until the block ends. Asks nothing of the store itself."""
    session: Any = AioSession()
    region = options.region or session.get_config_variable("region") or "us-east-1"
    async with session.create_client(
        "s3",
        endpoint_url=options.endpoint_url,
        region_name=region,
        aws_access_key_id=options.access_key,
        aws_secret_access_key=options.secret_key,
        config=client_config(options),
    ) as client:
        keep_one_host(client.meta.events)
        yield BucketExamination(session, client, options)
