"""A login under way at an identity provider: what the browser keeps meanwhile, and what the provider's answer must say.

Pure: random texts, the clock and the nonce are arguments. Source: RFC 6749 sections 4.1.2 and 10.12; RFC 9207 section
2.4; RFC 9700 section 2.1.
"""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gateway.auth.codeflow import CodeProvider
from gateway.web.login.cookies import Cookie, Fields
from gateway.web.login.refusals import LoginRefused
from gateway.web.login.seal import Sealer

WITHIN_S = 600
"""So long a person may take at the provider."""

_PURPOSE = "flow"

Answer = Mapping[str, Sequence[str]]
"""The query of a request, each name with all of its values."""


@dataclass(frozen=True, slots=True)
class Flow:
    """`state` ties the answer to this browser, `verifier` the code."""

    issuer: str
    next_path: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Flows:
    """Begins flows and finds them again; `cookie` carries one at a time."""

    sealer: Sealer
    cookie: Cookie

    def begin(self, flow: Flow, *, now: float, nonce: bytes) -> Fields:
        content = json.dumps([flow.issuer, flow.next_path, flow.state, flow.verifier]).encode()
        sealed = self.sealer.seal(_PURPOSE, content, expires_at=int(now) + WITHIN_S, nonce=nonce)
        return self.cookie.set(sealed, WITHIN_S)

    def find(self, headers: Iterable[tuple[bytes, bytes]], *, now: float) -> Flow | None:
        content = self.sealer.unseal(_PURPOSE, self.cookie.read(headers), now=now)
        return Flow(*json.loads(content)) if content else None


def check_state(flow: Flow | None, answer: Answer) -> Flow:
    """The flow that an answer belongs to. Raises LoginRefused for an answer to another one, or to none."""
    state = _single(answer, "state")
    if flow is None or not hmac.compare_digest(state.encode(), flow.state.encode()):
        raise LoginRefused("state")
    return flow


def code_of(answer: Answer, provider: CodeProvider) -> str:
    """The code of an answer of `provider`. Raises LoginRefused when it is of another one, or has none."""
    issuer = _single(answer, "iss")
    if issuer != provider.issuer and (issuer or "iss" in answer or provider.names_itself):
        raise LoginRefused("issuer")
    if "error" in answer:
        raise LoginRefused("denied" if _single(answer, "error") == "access_denied" else "provider")
    if not (code := _single(answer, "code")):
        raise LoginRefused("provider")
    return code


def _single(answer: Answer, name: str) -> str:
    """The value of a parameter; empty when it is not there, or there twice."""
    values = answer.get(name, ())
    return values[0] if len(values) == 1 else ""
