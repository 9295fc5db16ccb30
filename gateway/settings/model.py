"""The settings, each with its type, bounds, default and one sentence of description.

Making a `Settings` reads nothing: tests and embedders pass values. `load_settings` is what reads the
environment, the file and the flags. Rules that join two settings sit on the later one, so that a
wrong start names every wrong setting at once; the parts come in the order of the bases, the last one
first. The README table is printed from this class.

Source: RFC 9110 section 7.2 (Host).
"""

from typing import ClassVar, Literal, Self

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from gateway.settings import rules
from gateway.settings.access import Access
from gateway.settings.caching import Caching
from gateway.settings.downloads import Downloads
from gateway.settings.edge import Edge
from gateway.settings.fallbacks import Fallbacks
from gateway.settings.listening import Listening
from gateway.settings.login import LoginSettings
from gateway.settings.metrics import Metrics
from gateway.settings.page import PageSettings
from gateway.settings.served import Served
from gateway.settings.store import Store


class Settings(
    LoginSettings, Listening, Metrics, Downloads, Fallbacks, PageSettings, Edge, Access, Caching, Store, Served
):
    """Everything a gateway is started with; frozen."""

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        env_prefix="GATEWAY_", env_ignore_empty=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    @property
    def mount_segments(self) -> tuple[str, ...]:
        """The segments that stand in front of every skill's path."""
        return tuple(self.mount.split("/")) if self.mount else ()

    def of_variant(self, name: str) -> Self:
        """The settings of a variant; the empty name is the gateway itself."""
        return self.model_copy(update=self.variants[name].changes) if name else self

    def path_of(self, variant: str) -> str:
        """Path of the endpoint of a variant."""
        return f"{self.path}/{variant}" if variant else self.path

    @property
    def signing_keys(self) -> tuple[bytes, ...]:
        """The bytes of `cursor_keys`; empty when none is set, and then the caller makes a random one and says so."""
        return tuple(key.get_secret_value().encode() for key in self.cursor_keys)

    @property
    def results_scope(self) -> Literal["private", "public"]:
        """What results say of shared caches: those ask for no token and know no rules."""
        return "private" if self.rules or self.auth == "bearer" else self.cache_scope

    @property
    def accepted_hosts(self) -> tuple[str, ...]:
        """What a Host header may be, lower-case: `name`, `name:port`, or `name:*` (any port, or none)."""
        public = rules.hosts_of(self.public_url) if self.public_url else ()
        fallback = rules.LOOPBACK_HOSTS if rules.is_loopback(self.host) else ()
        return (*(self.allowed_hosts or fallback), *public)

    @property
    def accepted_origins(self) -> tuple[str, ...]:
        """What an Origin header may be, lower-case, `:*` at the end for any port, or none."""
        public = (rules.origin_of(self.public_url),) if self.public_url else ()
        fallback = rules.LOOPBACK_ORIGINS if rules.is_loopback(self.host) else ()
        return (*(self.allowed_origins or fallback), *public)

    @property
    def endpoint(self) -> str:
        """The URL that clients connect to."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public_url or f"http://{shown}:{self.port}") + self.path

    def endpoint_of(self, variant: str) -> str:
        """The URL of a variant's endpoint."""
        return f"{self.endpoint}/{variant}" if variant else self.endpoint

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # Only what is passed: `load_settings` merges the layers, so that it can say where a value came from.
        return (init_settings,)
