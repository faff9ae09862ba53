"""Refusals and the owner's errors as gRPC statuses: the one place where this service maps them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, NoReturn

from meldhall_eventlog.errors import EventLogError, StreamArchived
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    failed_precondition,
    invalid_argument,
    not_found,
    permission_denied,
    resource_exhausted,
    unavailable,
)
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.owner import errors as owner

INVALID_FIELD: Final = "INVALID_FIELD"
NOT_OWNER: Final = "NOT_OWNER"
TABLE_ARCHIVED: Final = "TABLE_ARCHIVED"
_MALFORMED: Final = frozenset({TableCode.NO_SUCH_SEAT, TableCode.UNKNOWN_TILE, TableCode.UNKNOWN_BOT})
_FORBIDDEN: Final = frozenset(
    {TableCode.NOT_AT_TABLE, TableCode.NOT_HOST, TableCode.NOT_INVITED, TableCode.SENT_AWAY}
)


def invalid(field: str, problem: str) -> ServiceError:
    """Return INVALID_ARGUMENT that names the field."""
    return invalid_argument(INVALID_FIELD, f"{field} {problem}", field=field)


def refused(refusal: Refusal) -> ServiceError:
    """Return the status of a refusal: its code is the reason, its facts are the metadata."""
    facts = dict(refusal.facts)
    if refusal.code in _MALFORMED:
        return invalid_argument(refusal.code, refusal.detail, **facts)
    if refusal.code in _FORBIDDEN:
        return permission_denied(refusal.code, refusal.detail)
    return failed_precondition(refusal.code, refusal.detail, **facts)


def not_owner(error: owner.NotOwner) -> ServiceError:
    """Return where to send the call instead; an empty address: nowhere yet, try again in a moment."""
    where = error.owner_address or "nobody at the moment"
    return failed_precondition(
        NOT_OWNER,
        f"the table is served by {where}",
        owner_address=error.owner_address,
        owner_epoch=str(error.owner_epoch),
        shard=str(error.shard),
        table_id=error.table_id,
    )


def archived(table_id: str) -> ServiceError:
    """Return that a table is only in an archive, where operators read it."""
    return failed_precondition(TABLE_ARCHIVED, "the table is over and ARCHIVED", table_id=table_id)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except owner.OwnerError as error:
        _raise(error)
    except StreamArchived as error:
        raise archived(error.stream_id) from error
    except EventLogError as error:
        raise unavailable("LOG_UNAVAILABLE", "the log did not answer; try again") from error


@asynccontextmanager
async def owner_errors() -> AsyncIterator[None]:
    """Turn the owner's and the log's errors into statuses. All that are UNAVAILABLE may be sent again."""
    with _translated():
        yield


def _raise(error: owner.OwnerError) -> NoReturn:
    match error:
        case owner.TableUnknown():
            raise not_found("TABLE_NOT_FOUND", "there is no such table") from error
        case owner.TableArchived():
            raise archived(error.table_id) from error
        case owner.CommandReused():
            raise already_exists("COMMAND_ID_REUSED", "the command id belongs to another request") from error
        case owner.Overloaded():
            raise resource_exhausted("TABLE_BUSY", "too many calls wait for this table") from error
        case owner.TooManyTables():
            raise resource_exhausted("TOO_MANY_TABLES", "no further table can be opened now") from error
        case owner.Draining():
            raise unavailable("DRAINING", "the service is being stopped") from error
        case owner.NotOwner():
            raise not_owner(error) from error
        case _:
            raise unavailable("TABLE_RELOADING", "the table is being read back from the log") from error
