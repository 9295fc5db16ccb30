"""The app that settings make: over a real store, under a mount, with and without keys."""

import logging

import pytest
from pydantic import SecretStr

from gateway import __version__
from gateway.asgi import app_over, create_app
from gateway.errors import AccessDenied
from gateway.settings import Settings
from gateway.sources.views import INSTRUCTIONS
from gateway.wiring import signing_keys
from tests.protocol.host import ERAS, Era, Host, serving
from tests.stores import MemoryBucket, S3Bucket

KEYS = (SecretStr("k" * 32), SecretStr("o" * 40))
SKILL = b"---\nname: x\ndescription: Does x.\n---\n"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


async def uris(host: Host, era: Era) -> list[str]:
    return [skill["uri"] for skill in (await host.call(era, "skills/list")).result["skills"]]


async def test_settings_alone_make_an_app_over_their_bucket(
    s3_bucket: S3Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] Credentials come by the AWS chain; only what lies under the prefix is served."""
    assert s3_bucket.options
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3_bucket.options.access_key or "")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3_bucket.options.secret_key or "")
    await s3_bucket.put("here/x/SKILL.md", SKILL)
    await s3_bucket.put("elsewhere/y/SKILL.md", SKILL.replace(b"name: x", b"name: y"))
    settings = Settings(
        bucket=s3_bucket.name, prefix="here/", endpoint_url=s3_bucket.options.endpoint_url, region="us-east-1"
    )
    async with serving(create_app(settings)) as host:
        assert (await host.client.get("/readyz")).json() == {"status": "ok"}
        for era in ERAS:
            assert await uris(host, era) == ["skill://x/SKILL.md"]
            assert (await host.call(era, "skills/get", {"uri": "skill://y/SKILL.md"})).code == -32602


async def test_an_app_without_credentials_does_not_start() -> None:
    """[ours]"""
    with pytest.raises(AccessDenied, match="no credentials found"):
        async with serving(create_app(Settings(bucket="skills", cursor_keys=KEYS))):
            raise AssertionError


async def test_the_server_says_what_it_is() -> None:
    """[ours] Instructions that tell a model what it can find here."""
    async with serving(app_over(MemoryBucket().open, Settings(bucket="skills", cursor_keys=KEYS))) as host:
        discovered = (await host.call("modern", "server/discover")).result
    assert discovered["instructions"] == INSTRUCTIONS
    assert discovered["_meta"]["io.modelcontextprotocol/serverInfo"] == {
        "name": "skills-gateway",
        "version": __version__,
    }


@pytest.mark.parametrize("bucket", ["memory", "moto"], indirect=True)
async def test_a_mount_stands_in_front_of_every_path(bucket: S3Bucket | MemoryBucket, era: Era) -> None:
    """[ours] And nothing outside it answers."""
    await bucket.put("x/SKILL.md", SKILL)
    await bucket.put("x/d/f.txt", b"text")
    settings = Settings(bucket="skills", mount="team/tools", cursor_keys=KEYS)
    async with serving(app_over(bucket.open, settings)) as host:
        assert await uris(host, era) == ["skill://team/tools/x/SKILL.md"]
        got = await host.call(era, "skills/get", {"uri": "skill://team/tools/x/SKILL.md"})
        assert [file["uri"] for file in got.result["skill"]["resources"]] == [
            "skill://team/tools/x/SKILL.md",
            "skill://team/tools/x/d/f.txt",
        ]
        read = await host.call(era, "resources/read", {"uri": "skill://team/tools/x/d/f.txt"})
        assert read.result["contents"][0]["text"] == "text"
        listed = await host.call(era, "resources/directory/read", {"uri": "skill://team/tools/x/d"})
        assert [child["uri"] for child in listed.result["resources"]] == ["skill://team/tools/x/d/f.txt"]
        for outside in ("x", "team/x", "tools/x", "team/tools/team/tools/x", "other/tools/x", "Team/tools/x"):
            for method, below in (
                ("skills/get", "/SKILL.md"),
                ("resources/read", "/SKILL.md"),
                ("resources/directory/read", ""),
            ):
                assert (await host.call(era, method, {"uri": f"skill://{outside}{below}"})).code == -32602
        for above in ("team", "team/tools"):
            assert (await host.call(era, "resources/directory/read", {"uri": f"skill://{above}"})).code == -32602


async def test_the_endpoint_lies_where_the_settings_say() -> None:
    """[ours]"""
    settings = Settings(bucket="skills", path="/skills/mcp", cursor_keys=KEYS)
    async with serving(app_over(MemoryBucket().open, settings), endpoint="/skills/mcp") as host:
        assert await uris(host, "modern") == []
        assert (await host.client.post("/mcp")).status_code == 404


async def test_limits_and_names_of_the_settings_hold() -> None:
    """[ours]"""
    settings = Settings(
        bucket="skills",
        cursor_keys=KEYS,
        allowed_hosts=("gw.example.com",),
        allowed_origins=("https://gw.example.com",),
        max_request_bytes=1024,
        directory_read=False,
        page_size=1,
        cache_ttl_ms=7,
        cache_scope="public",
    )
    store = MemoryBucket()
    for name in ("x", "y"):
        await store.put(f"{name}/SKILL.md", SKILL.replace(b"name: x", f"name: {name}".encode()))
    async with serving(app_over(store.open, settings)) as host:
        assert (await host.call("modern", "skills/list")).status == 421
        at = {"Host": "GW.example.com"}
        assert (await host.call("modern", "skills/list", **at, Origin="https://other.example.com")).status == 403
        first = (await host.call("modern", "skills/list", **at, Origin="https://gw.example.com")).result
        assert (len(first["skills"]), first["ttlMs"], first["cacheScope"]) == (1, 7, "public")
        assert (await host.call("modern", "skills/list", {"cursor": "x" * 1024}, **at)).status == 413
        assert (await host.call("modern", "resources/directory/read", {"uri": "skill://x"}, **at)).code == -32601
        following = await host.call("modern", "skills/list", {"cursor": first["nextCursor"]}, **at)
    assert [skill["uri"] for skill in following.result["skills"]] == ["skill://y/SKILL.md"]


async def test_replicas_with_the_same_keys_take_each_others_cursors() -> None:
    """[ours] And one that was rotated takes the old ones."""
    store = MemoryBucket()
    for name in ("x", "y"):
        await store.put(f"{name}/SKILL.md", SKILL.replace(b"name: x", f"name: {name}".encode()))
    old = app_over(store.open, Settings(bucket="skills", page_size=1, cursor_keys=KEYS[1:]))
    new = app_over(store.open, Settings(bucket="skills", page_size=1, cursor_keys=KEYS))
    other = app_over(store.open, Settings(bucket="skills", page_size=1, cursor_keys=KEYS[:1]))
    async with serving(old) as one, serving(new) as two, serving(other) as three:
        cursor = (await one.call("modern", "skills/list")).result["nextCursor"]
        rotated = await two.call("legacy", "skills/list", {"cursor": cursor})
        foreign = await three.call("legacy", "skills/list", {"cursor": cursor})
    assert [skill["uri"] for skill in rotated.result["skills"]] == ["skill://y/SKILL.md"]
    assert foreign.code == -32602


def test_without_keys_there_is_a_random_one_and_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    settings = Settings(bucket="skills")
    first, second = signing_keys(settings), signing_keys(settings)
    assert first != second
    assert [len(key) for key in (*first, *second)] == [32, 32]
    record = caplog.records[0]
    assert (record.name, record.levelno) == ("gateway.wiring", logging.WARNING)
    assert "GATEWAY_CURSOR_KEYS is not set" in record.getMessage()
    assert "skills-gateway keygen" in record.getMessage()


def test_keys_of_the_settings_are_taken_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    assert signing_keys(Settings(bucket="skills", cursor_keys=KEYS)) == (b"k" * 32, b"o" * 40)
    assert caplog.messages == []
