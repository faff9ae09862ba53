"""The roles that `meldhall serve` knows: a service's settings and its composition root."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from meldhall_cli.faults import CommandFault
from meldhall_runtime import Bind, ServiceSettings, load_settings

ROLES: Final = ("ledger", "table", "matchmaking", "tournament")
"""Names of the roles, in the order in which a stack starts them."""


@dataclass(frozen=True, slots=True)
class ServiceRole:
    """A service of this distribution."""

    name: str
    settings: type[ServiceSettings]
    bind: Bind
    migrate: Callable[[str], str]
    """Brings the database of a URL to the newest revision and returns it."""

    def load(self) -> ServiceSettings:
        """Read the role's settings.

        Raises:
            ConfigError: they cannot be used.
        """
        return load_settings(self.settings)


def service_role(name: str) -> ServiceRole:
    """Return a role by name.

    Raises:
        CommandFault: there is no such role; names those that there are.
    """
    match name:
        case "ledger":
            from meldhall_ledger.app import bind as bind_ledger
            from meldhall_ledger.config import LedgerSettings
            from meldhall_ledger.store import migrate as migrate_ledger

            return ServiceRole(name, LedgerSettings, bind_ledger, migrate_ledger)
        case "table":
            from meldhall_eventlog.migrate import upgrade as migrate_log
            from meldhall_table.app import bind as bind_table
            from meldhall_table.config import TableSettings

            return ServiceRole(name, TableSettings, bind_table, migrate_log)
        case "matchmaking":
            from meldhall_matchmaking.app import bind as bind_matchmaking
            from meldhall_matchmaking.config import MatchmakingSettings
            from meldhall_matchmaking.store import migrate as migrate_matchmaking

            return ServiceRole(name, MatchmakingSettings, bind_matchmaking, migrate_matchmaking)
        case "tournament":
            from meldhall_tournament.app import bind as bind_tournament
            from meldhall_tournament.config import TournamentSettings
            from meldhall_tournament.store import migrate as migrate_tournament

            return ServiceRole(name, TournamentSettings, bind_tournament, migrate_tournament)
        case _:
            raise CommandFault(f"there is no role {name!r}, only {', '.join(ROLES)}")
