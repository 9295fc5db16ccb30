"""The one error tree.

Every class carries a stable `reason`, the word that logs, metrics and reports use. The text of an
error is for people: what happened, the value seen, what was expected, what to do. Tables at the
edges translate: storage faults come in from `s3/`, JSON-RPC codes leave in `protocol/`, HTTP status
in `web/`, exit codes in `cli/`. Nothing here knows any of them.
"""

from typing import ClassVar


class GatewayError(Exception):
    """Root of every error this package raises on purpose."""

    reason: ClassVar[str] = "error"


class SettingsError(GatewayError):
    """A setting has a value the gateway cannot start with (exit code 2)."""

    reason = "bad_setting"


class RequestError(GatewayError):
    """The caller asked for something that is not here: the text may be shown to it."""

    reason = "bad_request"


class InvalidUri(RequestError):
    """A URI that no skill of ours can have."""

    reason = "invalid_uri"


class NotServed(RequestError):
    """A well-formed URI that names nothing this server serves to this caller."""

    reason = "not_served"


class NotADirectory(RequestError):
    """A URI that is no directory of a served skill."""

    reason = "not_a_directory"


class BinaryRefused(RequestError):
    """A binary file of a source that does not allow binary files."""

    reason = "binary_refused"


class ContentTooLarge(RequestError):
    """A file larger than what one read may send."""

    reason = "content_too_large"


class CursorRefused(RequestError):
    """A cursor that was not sealed here for this very request.

    `cause` tells the log what was wrong; the wire text is one fixed sentence for all of them.
    """

    reason = "cursor_refused"

    def __init__(self, cause: str) -> None:
        super().__init__("Invalid or expired cursor; start again without one")
        self.cause = cause


class ForeignVariant(CursorRefused):
    """A cursor of another variant, where clients may choose and so are told. Names as clients know them."""

    def __init__(self, cursor_variant: str, requested_variant: str) -> None:
        super().__init__("foreign_variant")
        self.cursor_variant, self.requested_variant = cursor_variant, requested_variant


class ServerFault(GatewayError):
    """A fault of ours or of what stands behind us: the wire gets a fixed text, the log the cause."""

    reason = "internal"


class ProviderFault(ServerFault):
    """A provider answered with something that must not reach a client."""

    reason = "provider_fault"


class ContentChanged(ServerFault):
    """The bytes in the store are not the ones the entry was published with, and stayed so on a retry."""

    reason = "content_changed"


class StoreError(ServerFault):
    """Something went wrong between us and the object store. `key` is the object that was asked for, if one was."""

    reason = "store_error"
    key: str | None = None


class StoreUnavailable(StoreError):
    """The store cannot be reached, answers too late, or says 5xx."""

    reason = "store_unavailable"


class StoreThrottled(StoreUnavailable):
    """The store asks us to slow down."""

    reason = "store_throttled"


class AccessDenied(StoreError):
    """The store refused our credentials, or what they may do."""

    reason = "access_denied"


class ClockSkew(AccessDenied):
    """The store refused a signature because our clock and its clock differ."""

    reason = "clock_skew"


class BucketMissing(StoreError):
    """There is no such bucket."""

    reason = "bucket_missing"


class WrongRegion(StoreError):
    """The bucket lives in another region than the one we sign for."""

    reason = "wrong_region"


class StoreMisbehaved(StoreError):
    """An answer that breaks the rules of S3, so that going on could lose or repeat keys."""

    reason = "store_misbehaved"


class ObjectMissing(StoreError):
    """There is no object under this key."""

    reason = "object_missing"


class ObjectArchived(StoreError):
    """The object lies in an archive, and must be restored before anybody can read it."""

    reason = "object_archived"


class ObjectChanged(StoreError):
    """The object no longer has the ETag that was asked for."""

    reason = "object_changed"


class ObjectTooLarge(StoreError):
    """The object is larger than the bound the caller gave."""

    reason = "object_too_large"


class ReleaseError(ServerFault):
    """A published release cannot be used, or one cannot be published."""

    reason = "release_error"


class ManifestRefused(ReleaseError):
    """A pointer, an index or a shard is not what a publish writes, or not the one its digest names."""

    reason = "manifest_refused"


class ReleaseMissing(ReleaseError):
    """There is no such release, or no such channel."""

    reason = "release_missing"


class ChannelMissing(ReleaseError):
    """Nothing was published to the channel that is to be served."""

    reason = "channel_missing"


class BlobRefused(ReleaseError):
    """The contents of one file of a release are not there, or are not the ones that its digest names."""

    reason = "blob_refused"


class PublishConflict(ReleaseError):
    """Somebody else moved the channel meanwhile; nothing was lost, and the channel is as they left it."""

    reason = "publish_conflict"


class PublishRefused(ReleaseError):
    """Something must not be published as it is, or not to this store; nothing was moved."""

    reason = "publish_refused"


class SignatureRefused(ReleaseError):
    """A release is not signed by a key that is trusted."""

    reason = "signature_refused"
