"""Settings of the edge: how much is let in, and whom a proxy may speak for."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings, NoDecode

from gateway.settings import rules
from gateway.settings.values import Listed, RateOrNone, Whole

Network = Annotated[str, AfterValidator(rules.network)]


class Edge(BaseSettings):
    """Limits hold for each worker."""

    trusted_proxies: Annotated[tuple[Network, ...], NoDecode, Listed] = Field(
        default=(),
        description="Addresses and networks of proxies whose X-Forwarded-For is believed; that of others is not.",
    )
    rate_per_address: RateOrNone = Field(
        default=0, description="Requests a minute from one address (IPv6: one /64), more get 429; 0 for no limit."
    )
    rate_per_principal: RateOrNone = Field(
        default=0, description="Requests a minute of one principal, more get 429; 0 for no limit."
    )
    max_requests: Whole = Field(default=1000, ge=1, description="Requests at the same time; more get 503.")
    max_streams: Whole = Field(
        default=1000, ge=0, le=1024, description="Streams of subscriptions/listen at the same time; more get 503."
    )
