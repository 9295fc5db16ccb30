"""A gateway that wants signatures: serves what a trusted key signed, and nothing else."""

import pytest

from gateway.local.memory import MemoryStore
from gateway.provider import Caller, Page
from gateway.releases.follower import Follower
from gateway.releases.opened import Indexes
from gateway.releases.options import ReleaseOptions
from gateway.releases.provider import ReleaseProvider
from gateway.releases.publish import Sign, Terms, publish
from gateway.releases.repository import Repository
from gateway.releases.signatures import load_signing_key, new_signing_key, sign, trusted_keys
from gateway.releases.trust import signed_by
from tests.releases.plans import AT, files_of, plan_of

PEM, PUBLIC = new_signing_key()
OTHER_PEM, _ = new_signing_key()


def signer(pem: str) -> Sign:
    key = load_signing_key(pem.encode())
    return lambda index: sign(index, key)


def following(repository: Repository) -> Follower:
    return Follower(Indexes(repository, verify=signed_by(trusted_keys([PUBLIC]), repository)), "stable")


async def served_by(follower: Follower) -> int:
    page = await ReleaseProvider(follower, ReleaseOptions(allow_binary=True)).list(Page(50), Caller())
    return len(page.entries)


async def test_a_release_that_a_trusted_key_signed_is_served() -> None:
    """[ours: signatures]"""
    repository = Repository(MemoryStore(), "")
    await publish(repository, await plan_of(files_of(3)), Terms("stable", AT, sign=signer(PEM)))
    follower = following(repository)
    assert await follower.look()
    assert await served_by(follower) == 3


@pytest.mark.parametrize(("sign", "said"), [(None, "is not signed"), (signer(OTHER_PEM), "none of them in")])
async def test_any_other_release_leaves_the_one_that_is_served_and_says_why(
    sign: Sign | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours: an unsigned or wrongly signed release is never served]"""
    repository = Repository(MemoryStore(), "")
    await publish(repository, await plan_of(files_of(3)), Terms("stable", AT, sign=signer(PEM)))
    follower = following(repository)
    await follower.look()
    await publish(repository, await plan_of(files_of(4)), Terms("stable", AT, sign=sign))
    assert not await follower.look()
    assert await served_by(follower) == 3
    assert said in caplog.text


async def test_a_signature_of_another_release_is_none() -> None:
    """[ours]"""
    repository = Repository(MemoryStore(), "")
    one = await plan_of(files_of(3))
    other = await plan_of(files_of(4))
    await publish(repository, one, Terms("stable", AT, sign=signer(PEM)))
    await publish(repository, other, Terms("stable", AT))
    document = await repository.store.get(repository.layout.signatures(one.release.id), max_bytes=10_000)
    await repository.store.put(repository.layout.signatures(other.release.id), document.data)
    follower = following(repository)
    assert not await follower.look()
    assert follower.current is None
