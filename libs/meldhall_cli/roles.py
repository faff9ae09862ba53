"""The roles that `meldhall serve` knows: a service's settings and its composition root."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from meldhall_ledger.app import bind as bind_ledger
from meldhall_matchmaking.app import bind as bind_matchmaking
from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_table.app import bind as bind_table
from meldhall_table.config import TableSettings

from meldhall_ledger.config import LedgerSettings
from meldhall_runtime import Bind, ServiceSettings, load_settings


@dataclass(frozen=True, slots=True)
class ServiceRole:
    """A service of this distribution."""

    name: str
    settings: type[ServiceSettings]
    bind: Bind

    def load(self) -> ServiceSettings:
        """Read the role's settings.

        Raises:
            ConfigError: they cannot be used.
        """
        load: Callable[[type[ServiceSettings]], ServiceSettings] = load_settings
        return load(self.settings)


ROLES: Final = {
    role.name: role
    for role in (
        ServiceRole("ledger", LedgerSettings, bind_ledger),
        ServiceRole("table", TableSettings, bind_table),
        ServiceRole("matchmaking", MatchmakingSettings, bind_matchmaking),
    )
}
"""Roles by name, in the order in which a stack starts them."""
