"""The ledger: every method is one transaction, done again when only the database was in the way."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import UUID

import stamina
from sqlalchemy import Connection

from meldhall_eventlog.database import Database, commits_for
from meldhall_eventlog.migrate import check_current
from meldhall_ledger.domain.accounts import AccountId, Balance, Unit, of_player
from meldhall_ledger.domain.boards import Board, Window, season_at, season_named
from meldhall_ledger.domain.books import Chain, Verdict
from meldhall_ledger.domain.happenings import (
    ArenaOpened,
    Happening,
    JokerSpent,
    NothingToPost,
    Numbered,
    TableClosed,
)
from meldhall_ledger.domain.holds import Reservation
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Fault, Refusal
from meldhall_ledger.domain.results import SettledSeat
from meldhall_ledger.domain.rounds import RoundEnded
from meldhall_ledger.domain.stakes import Stakes
from meldhall_ledger.domain.transfers import Kind, StatementLine, Transfer, movement
from meldhall_ledger.store import boards
from meldhall_ledger.store.database import OWNER, is_passing
from meldhall_ledger.store.desk import OrderDesk
from meldhall_ledger.store.inbox import Place, advance, last_sequence
from meldhall_ledger.store.journal import balance_then, clash, post, read_balances
from meldhall_ledger.store.orders import Found, carry_out, expire, find, lock_accounts
from meldhall_ledger.store.reconcile import Finding, reconcile
from meldhall_ledger.store.reservations import post_joker, release, reserve
from meldhall_ledger.store.settlements import SeatRow, Terms, read_settled, read_settlement, settle_ended
from meldhall_ledger.store.stakes import hold_stakes, note_arena, return_stakes
from meldhall_ledger.store.statement import Sums, read_lines, read_sums

T = TypeVar("T")

ATTEMPTS: Final = 6


class _RollBack(Exception):
    def __init__(self, answer: Refusal | Fault) -> None:
        super().__init__(answer.detail)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody gives to a player, or takes where ``amount`` is below zero; it is never 0."""

    transfer_id: UUID
    player_id: str
    unit: Unit
    amount: int
    reason: str
    actor: str

    @property
    def account(self) -> AccountId:
        """The player's account."""
        return of_player(self.unit, self.player_id)


@dataclass(frozen=True, slots=True)
class Applied:
    """An event was taken. ``seats`` is what it settled."""

    seats: tuple[SettledSeat, ...] = ()


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The event had been taken before; nothing changed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Events before it are missing; nothing changed. ``last_sequence`` is the last one taken."""

    last_sequence: int


class Ledger:
    """Accounts over one database.

    Args:
        database: migrated and open; ``close`` closes it.
        now_ms: Unix time in milliseconds.
        terms: what it settles by; no grant and no order takes points below its floor either.
    """

    def __init__(
        self,
        database: Database,
        *,
        now_ms: Callable[[], int],
        terms: Terms = Terms(),  # noqa: B008 - immutable
    ) -> None:
        self._database = database
        self._commits = commits_for(database)
        self._now_ms = now_ms
        self._terms = terms
        self._desk = OrderDesk(self._carry_out)

    async def close(self) -> None:
        """Finish what runs and close the database."""
        await self._desk.close()
        await self._commits.close()
        await self._database.close()

    async def check(self) -> None:
        """Return when the database answers and has a schema that this code works on, for a readiness check.

        Raises:
            NotMigrated: it has another one, as after an older copy was put back.
            LogUnavailable: it does not answer.
        """
        await self._database.read(lambda connection: check_current(connection, OWNER))

    async def balances(self, player_id: str) -> tuple[Balance, ...]:
        """Return a player's balances, one a unit; zeros for a player never seen."""
        ids = [of_player(unit, player_id) for unit in Unit]
        found = await self._read(lambda connection: read_balances(connection, ids))
        return tuple(found[account] for account in ids)

    async def statement(
        self, account: AccountId, *, before: int | None, limit: int
    ) -> Sequence[StatementLine]:
        """Return a page of lines, the newest first; ``before`` is the number of the last line seen."""
        return await self._read(
            lambda connection: read_lines(connection, account, before=before, limit=limit)
        )

    async def settlement(self, table_id: str, round_no: int) -> tuple[SeatRow, ...] | None:
        """Return what a round, or 0 for the match, changed by seat; None where it is not settled."""
        return await self._read(lambda connection: read_settlement(connection, table_id, round_no))

    def season(self, name: str) -> Window | None:
        """Return the season of a name, that of now for an empty one; None where no season begins then."""
        months = self._terms.season_months
        return season_named(name, months) if name else season_at(self._now_ms(), months)

    async def leaders(
        self, board: Board, *, after: tuple[int, str] | None, limit: int
    ) -> Sequence[boards.Entry]:
        """Return a page of a leaderboard; ``after`` is the score and player of the last one seen."""
        return await self._read(lambda connection: boards.page(connection, board, after=after, limit=limit))

    async def leaders_around(self, board: Board, player_id: str, reach: int) -> Sequence[boards.Entry]:
        """Return a player with so many above and below; nothing where the player is not on the board."""
        return await self._read(lambda connection: boards.around(connection, board, player_id, reach))

    async def rebuild_boards(self) -> boards.Rebuilt:
        """Build all leaderboards anew in one transaction, and say what had been wrong."""
        months = self._terms.season_months
        return _done(await self._write(lambda connection: boards.rebuild(connection, months)))

    async def settled(self, *, after: tuple[str, int], limit: int) -> Sequence[tuple[str, int]]:
        """Return a page of what is settled, as table and round, in that order; round 0 is a match."""
        return await self._read(lambda connection: read_settled(connection, after=after, limit=limit))

    async def sums(self) -> Sums:
        """Add up all accounts."""
        return await self._read(read_sums)

    async def reconcile(self) -> Sequence[Finding]:
        """Check all books from the journal up; return what cannot be in good ones."""
        return await self._read(reconcile)

    async def last_sequence(self, stream_id: str) -> int:
        """Return the number of the last event taken from a stream."""
        return await self._read(lambda connection: last_sequence(connection, stream_id))

    async def grant(self, grant: Grant) -> Balance | Refusal:
        """Post a grant and return the balance after it; the same grant again returns the same balance."""
        debit, credit, amount = movement(grant.account, grant.amount)
        transfer = Transfer(
            grant.transfer_id, debit, credit, amount, kind=Kind.GRANT, actor=grant.actor, reason=grant.reason
        )
        limits = (
            {}
            if self._terms.floor is None or grant.unit is not Unit.POINTS
            else {grant.account: self._terms.floor}
        )

        def work(connection: Connection) -> Balance:
            # First, so that the same grant a second time finds the first one and not what it left over.
            lock_accounts(connection, [debit, credit])
            found = clash(connection, transfer)
            if isinstance(found, Refusal):
                raise _RollBack(found)
            if not found:
                after = post(connection, [transfer], now_ms=self._now_ms(), lowest=limits)
                if isinstance(after, Refusal):
                    raise _RollBack(after)
            return balance_then(connection, transfer.id, grant.account)

        return _not_a_fault(await self._write(work))

    async def carry_out(self, chains: Sequence[Chain]) -> Sequence[tuple[Verdict, ...]]:
        """Carry out chains of orders, each all or none, and return a verdict for every order.

        The same order again has the same verdict and changes nothing. Orders that wait together share a
        transaction.

        Raises:
            LogUnavailable: the database failed; what became of the orders is not known. Send them again.
        """
        return await self._desk.submit(chains)

    async def transfer(self, transfer_id: UUID) -> Found | None:
        """Return a transfer and what became of it; None where there is none."""
        return await self._read(lambda connection: find(connection, transfer_id))

    async def expire(self, limit: int = 500) -> int:
        """Release what overdue pending transfers hold; return how many that were, ``limit`` at most."""
        now_ms = self._now_ms()
        return _done(await self._write(lambda connection: expire(connection, now_ms=now_ms, limit=limit)))

    async def _carry_out(self, chains: Sequence[Chain]) -> Sequence[tuple[Verdict, ...]]:
        def work(connection: Connection) -> Sequence[tuple[Verdict, ...]]:
            return carry_out(connection, chains, now_ms=self._now_ms(), floor=self._terms.floor)

        return _done(await self._write(work))

    async def reserve_jokers(self, reservation: Reservation) -> tuple[int, ...] | Refusal:
        """Hold jokers for a round and return the seats; the same reservation again returns the same."""

        def work(connection: Connection) -> tuple[int, ...]:
            seats = reserve(connection, reservation, now_ms=self._now_ms())
            if isinstance(seats, Refusal):
                raise _RollBack(seats)
            return seats

        return _not_a_fault(await self._write(work))

    async def hold_stakes(self, stakes: Stakes, *, actor: str) -> Refusal | None:
        """Hold every stake of a table or none, and return what stood in the way."""

        def work(connection: Connection) -> None:
            refused = hold_stakes(connection, stakes, actor=actor, now_ms=self._now_ms())
            if refused is not None:
                raise _RollBack(refused)

        return _not_a_fault(await self._write(work))

    async def return_stakes(self, table_id: str) -> int:
        """Release what is held for a table that is not opened; return how many stakes that were."""

        def work(connection: Connection) -> int:
            return return_stakes(connection, table_id, now_ms=self._now_ms())

        return _done(await self._write(work))

    async def apply(
        self, event: Numbered, *, before_commit: Callable[[], None] = lambda: None
    ) -> Applied | Duplicate | Gap | Fault:
        """Take a table's next event: its effect and its number in one transaction.

        A fault changes nothing, not even the number: the event stays the next one until people have looked at
        it.

        Args:
            event: what happened, with its number.
            before_commit: called at the end of the transaction.
        """

        def work(connection: Connection) -> Applied | Duplicate | Gap:
            place = advance(connection, event.stream_id, event.sequence, over=event.ends_play)
            if place is Place.BEFORE:
                return Duplicate()
            if place is Place.BEYOND:
                return Gap(last_sequence(connection, event.stream_id))
            done = self._happen(connection, event)
            if isinstance(done, Fault):
                raise _RollBack(done)
            before_commit()
            return done

        answer = await self._write(work)
        if isinstance(answer, Refusal):
            raise TypeError(f"an event was refused: {answer.detail}")
        return answer

    def _happen(self, connection: Connection, event: Numbered) -> Applied | Fault:
        now_ms = self._now_ms()
        happening: Happening | Fault = event.happening
        match happening:
            case Fault():
                return happening
            case NothingToPost():
                return Applied()
            case ArenaOpened():
                return note_arena(connection, happening) or Applied()
            case TableClosed():
                release(connection, happening.table_id, up_to_round=None, now_ms=now_ms)
                return_stakes(connection, happening.table_id, now_ms=now_ms)
                return Applied()
            case JokerSpent():
                return post_joker(connection, happening, now_ms=now_ms) or Applied()
            case RoundEnded() | MatchEnded():
                seats = settle_ended(connection, event, happening, now_ms=now_ms, terms=self._terms)
                return seats if isinstance(seats, Fault) else Applied(seats)

    async def _write(self, work: Callable[[Connection], T]) -> T | Refusal | Fault:
        try:
            async for attempt in _attempts():
                with attempt:
                    return await self._commits.run(work)
        except _RollBack as stop:
            return stop.answer
        raise RuntimeError("the last attempt neither returned nor raised")

    async def _read(self, work: Callable[[Connection], T]) -> T:
        async for attempt in _attempts():
            with attempt:
                return await self._database.read(work)
        raise RuntimeError("the last attempt neither returned nor raised")


def _attempts() -> AsyncIterator[stamina.Attempt]:
    """Try again what another transaction was in the way of, a few times over about two seconds."""
    return aiter(
        stamina.retry_context(
            on=is_passing, attempts=ATTEMPTS, timeout=20, wait_initial=0.02, wait_max=1, wait_jitter=0.05
        )
    )


def _not_a_fault(answer: T | Refusal | Fault) -> T | Refusal:
    if isinstance(answer, Fault):
        raise TypeError(f"a request was answered with a fault: {answer.detail}")
    return answer


def _done(answer: T | Refusal | Fault) -> T:
    if isinstance(answer, (Refusal, Fault)):
        raise TypeError(f"what cannot be refused was: {answer.detail}")
    return answer
