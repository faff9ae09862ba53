"""`meldhall migrate [ROLE]`: databases to the revision that this version needs."""

from rich.console import Console

from meldhall_cli.roles import ROLES, service_role


def migrate(name: str | None, *, console: Console) -> None:
    """Migrate the database of one role, or of all.

    Raises:
        CommandFault: there is no such role.
        ConfigError: the role's settings cannot be used.
        EventLogError: a database is newer than this version.
    """
    for role_name in (name,) if name else ROLES:
        role = service_role(role_name)
        revision = role.migrate(role.load().database_url)
        console.print(f"{role.name}: at revision {revision}", highlight=False)
