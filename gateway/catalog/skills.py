"""`Skills`: sources put together and attached to servers. The front door of the library.

    skills = Skills([StaticSkill("greet", {"SKILL.md": "..."})])
    skills.attach(MCPServer("mine"))

Sources are skills given in code, catalogues, or providers of your own; their namespaces must be
disjoint. One instance serves any number of servers.
"""

import secrets
from collections.abc import Sequence

from gateway.catalog.combined import CombinedProvider
from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.registered import RegisteredSkills
from gateway.catalog.static import StaticSkill
from gateway.cursor import MIN_KEY_BYTES
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.attach import AnyServer, attach
from gateway.protocol.changes import ChangeSignal
from gateway.protocol.options import AdapterOptions
from gateway.provider import SkillProvider

Source = StaticSkill | DynamicSkill | SkillProvider


class Skills:
    """Everything that one server publishes, from any number of sources."""

    def __init__(
        self, sources: Sequence[Source], options: AdapterOptions | None = None, *, signal: ChangeSignal | None = None
    ) -> None:
        """Raises RegistrationRefused for sources that meet.

        Without `options` directory reads are on and cursors are sealed with a random key, so they end
        with this process. ValueError for options that the sources cannot fulfil.
        """
        registered = [source for source in sources if isinstance(source, StaticSkill | DynamicSkill)]
        providers = [source for source in sources if not isinstance(source, StaticSkill | DynamicSkill)]
        if registered:
            providers.insert(0, RegisteredSkills(registered))
        provider = providers[0] if len(providers) == 1 else CombinedProvider(providers)
        self.adapter = SkillsAdapter(provider, options or default_options())
        self.signal = signal or ChangeSignal()

    def attach(self, server: AnyServer) -> None:
        """Publish on a high-level or low-level server; a second call for the same server does nothing.

        Raises AttachRefused for a server with another skills extension, one that handles a method of
        the extension already, or one that already runs; the server is then left as it was.
        """
        attach(server, self.adapter, self.signal)


def default_options(*, page_size: int = 50) -> AdapterOptions:
    """Options of a small server: directory reads on, cursors sealed with a random key."""
    return AdapterOptions((secrets.token_bytes(MIN_KEY_BYTES),), directory_read=True, page_size=page_size)
