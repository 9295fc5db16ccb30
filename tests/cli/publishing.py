"""The commands over releases, run on one bucket; and folders to publish."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import Result

from tests.cli.conftest import Run
from tests.stores import S3Bucket

AWS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@dataclass(frozen=True)
class Place:
    """A prefix of a bucket."""

    run: Run
    bucket: S3Bucket

    @property
    def target(self) -> str:
        return f"s3://{self.bucket.name}/of us"

    def __call__(self, command: str, *arguments: object, code: int = 0) -> Result:
        """Run `command TARGET ARGUMENTS`; `publish` has its folder in front."""
        before, after = ((arguments[0],), arguments[1:]) if command == "publish" else ((), arguments)
        assert self.bucket.options is not None
        where = ("--endpoint-url", self.bucket.options.endpoint_url, "--region", "us-east-1")
        result = self.run(command, *before, self.target, *after, *where)
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    def publish(self, folder: Path, *arguments: object) -> str:
        """The id of the release."""
        return self("publish", folder, *arguments).stdout.strip()


def opened(run: Run, bucket: S3Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    options = bucket.options
    assert options is not None
    for name, value in zip(AWS, (options.access_key, options.secret_key), strict=True):
        monkeypatch.setenv(name, value or "")
    yield Place(run, bucket)


def write_skill(folder: Path, path: str, **files: str) -> None:
    """A skill with a `SKILL.md` that is right, and `<name>.md` for each keyword."""
    (folder / path).mkdir(parents=True, exist_ok=True)
    name = path.rpartition("/")[2]
    (folder / path / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does it.\n---\nDo it.\n")
    for stem, text in files.items():
        (folder / path / f"{stem}.md").write_text(text)
