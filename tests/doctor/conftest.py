"""Credentials for the usual AWS chain, which is where a gateway has them from."""

from typing import Any

import pytest

from tests.stores import S3Bucket


@pytest.fixture
def keyed(s3_bucket: S3Bucket, monkeypatch: pytest.MonkeyPatch) -> S3Bucket:
    """A fresh bucket whose keys are in the environment."""
    give_keys(monkeypatch, s3_bucket.options)
    return s3_bucket


@pytest.fixture
def some_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "the-access-key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the-secret-key")


def give_keys(monkeypatch: pytest.MonkeyPatch, options: Any) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", options.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", options.secret_key)
