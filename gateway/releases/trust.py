"""Whether a release may be served: signed by a key that is trusted."""

from gateway.errors import ObjectMissing
from gateway.releases.opened import Verify
from gateway.releases.repository import Repository
from gateway.releases.signatures import TrustedKeys, check_signature

_MAX_BYTES = 64 * 1024


def signed_by(trusted: TrustedKeys, repository: Repository) -> Verify:
    """A verifier that wants a signature of one of these keys. It raises SignatureRefused."""

    async def verify(release: str, index: bytes) -> str:
        try:
            found = await repository.store.get(repository.layout.signatures(release), max_bytes=_MAX_BYTES)
        except ObjectMissing:
            document = None
        else:
            document = found.data
        return check_signature(document, index, trusted, release)

    return verify
