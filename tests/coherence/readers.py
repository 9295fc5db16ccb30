"""Strict readers over HTTP: hosts that verify every byte, and publishers that write under them.

A reader gets an entry, reads every file of it and compares size and digest. What does not fit is asked for
again, entry first, as SEP-2640 tells hosts to; how often that was needed is what the tests look at.
"""

import base64
import itertools
import json
import random
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Event
from typing import Any

import aiohttp

from tests.protocol.host import Era, headers_of, with_meta
from tests.stores import S3Bucket

MOST_LOOPS = 2
"""How often a reader may have to begin again."""
_VERIFIED_BETWEEN = 30
"""Skills that the readers verify, all together, between two writes."""


class NotServed(Exception):
    """The server says that there is no such file."""


@dataclass
class Book:
    """What all readers saw."""

    verified: int = 0
    files: int = 0
    loops: list[int] = field(default_factory=list)
    versions: set[str] = field(default_factory=set)


class Reader:
    """One host in one era of the protocol."""

    def __init__(self, http: aiohttp.ClientSession, url: str, era: Era, book: Book) -> None:
        self._http, self._url, self._era, self._book = http, url, era, book
        self._ids = itertools.count(1)

    async def read_until(self, stopped: Event, seed: int) -> None:
        """Verify one skill after another until `stopped`; each begins with a listed entry."""
        choice = random.Random(seed)
        while not stopped.is_set():
            skills = (await self._call("skills/list"))["skills"]
            assert skills, "no skill was listed"
            await self._verify(choice.choice(skills))

    async def _verify(self, entry: dict[str, Any]) -> None:
        for loops in range(MOST_LOOPS + 1):
            fault = await self._fault(entry)
            if fault is None:
                self._book.verified += 1
                self._book.loops.append(loops)
                return
            entry = (await self._call("skills/get", uri=entry["uri"]))["skill"]
        raise AssertionError(f"{entry['uri']}: not resolved by {MOST_LOOPS} fresh entries; at last {fault}")

    async def _fault(self, entry: dict[str, Any]) -> str | None:
        """Why the files are not the ones of the entry; None when every one is."""
        for file in entry["resources"]:
            try:
                (content,) = (await self._call("resources/read", uri=file["uri"]))["contents"]
            except NotServed as refused:
                return f"{file['uri']}: {refused}"
            data = content["text"].encode() if "text" in content else base64.b64decode(content["blob"])
            check_whole(file["uri"], data)
            if (len(data), f"sha256:{sha256(data).hexdigest()}") != (file["size"], file["digest"]):
                return f"{file['uri']}: {len(data)} bytes, {file['size']} published"
            self._book.files += 1
        self._book.versions.add(entry["frontmatter"]["description"])
        return None

    async def _call(self, method: str, **params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": with_meta(self._era, params)}
        headers = headers_of(self._era, method, params)
        async with self._http.post(self._url, data=json.dumps(body), headers=headers) as answer:
            message = json.loads(await answer.read())
        assert message["id"] == body["id"]
        if message.get("error", {}).get("code") == -32602:
            raise NotServed(message["error"]["message"])
        return message["result"]


class Publisher:
    """Writes versions of skills file by file, as `aws s3 sync` does; every file tells whether it is whole."""

    def __init__(self, bucket: S3Bucket, skills: int) -> None:
        self._bucket, self._skills = bucket, skills
        self.published = 0

    def publish_until(self, stopped: Event, pause_s: float, book: Book) -> None:
        """One skill after another, over and over, with a pause between two that is as long as readers need.

        How often a host begins again is a matter of how many writes it meets: on a slow machine there are fewer.
        """
        seen = book.verified
        while not stopped.wait(pause_s):
            if book.verified - seen >= _VERIFIED_BETWEEN:
                seen = book.verified
                self.publish(self.published % self._skills)

    def publish(self, number: int) -> None:
        """The next version of a skill. Every second one has a file more, and the other one takes it away."""
        version = self.published
        self.published += 1
        for name, data in files_of(number, version).items():
            self._bucket.write(f"skill-{number}/{name}", data)
        if (version // self._skills) % 2:
            self._bucket.write(f"skill-{number}/extra.md", whole(f"extra {version}"))
        else:
            self._bucket.erase(f"skill-{number}/extra.md")


def files_of(number: int, version: int) -> dict[str, bytes]:
    head = f'---\nname: "skill-{number}"\ndescription: Version {version}.\n---\n'
    return {
        "data.json": whole(f"data {version} " * (version % 40 * 50)),
        "scripts/run.py": whole(f"print({version})\n" * (1 + version % 7)),
        "SKILL.md": head.encode() + whole(f"body {version}\n" * (1 + version % 5)),
    }


def whole(text: str) -> bytes:
    """A file that ends in the digest of all before, so that half of it or two halves can be told."""
    body = text.encode()
    return body + b"#" + sha256(body).hexdigest().encode()


def check_whole(uri: str, data: bytes) -> None:
    head, _, tail = data.rpartition(b"#")
    body = head.split(b"\n---\n", 1)[-1] if uri.endswith("/SKILL.md") else head
    assert tail == sha256(body).hexdigest().encode(), f"{uri}: half of a file, or two halves"
