"""The desk: takes commands for tournaments, one after another each, and shows what is durable.

A tournament that is asked for is folded once and kept; what other processes appended is read before anything
is decided or shown. Commands of one call are decided one after another and appended together, or, where
somebody else was faster, decided again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from meldhall_runtime import Clock
from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.decide import announce, decide
from meldhall_tournament.domain.money import is_settled
from meldhall_tournament.domain.refusals import Refusal
from meldhall_tournament.domain.state import Tournament, fold
from meldhall_tournament.store import Receipt, TournamentStore, WrongVersionError

KEPT: Final = 256
"""Tournaments in memory at most, beside those that somebody waits for."""

RACES: Final = 5
"""How often others may be faster before it is an error."""


class UnknownTournamentError(LookupError):
    """There is no tournament of that id."""


@dataclass(slots=True)
class _Kept:
    """A tournament in memory; None before it is read, and after an append whose outcome is not known."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    state: Tournament | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0


class Desk:
    """See the module.

    Args:
        store: facts.
        clock: time of commands.
    """

    def __init__(self, store: TournamentStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._listeners: list[Callable[[str, Sequence[e.Event]], None]] = []

    def on_change(self, listener: Callable[[str, Sequence[e.Event]], None]) -> None:
        """Have somebody told of every append of this process."""
        self._listeners.append(listener)

    async def announce(self, command: c.Announce) -> Refusal | None:
        """Announce a tournament; one that was announced alike before is no news."""
        decision = announce(command, self._clock.now_ms())
        if isinstance(decision, Refusal):
            return decision
        for event in decision:
            if isinstance(event, e.Announced):
                await self._store.create(event, command.seed)
        answer = await self.execute(command.tournament_id, [command])
        if isinstance(answer[0], Refusal):
            return answer[0]
        self._tell(command.tournament_id, decision)
        return None

    async def execute(
        self, tournament_id: str, commands: Sequence[c.Command], receipt: Receipt | None = None
    ) -> list[Sequence[e.Event] | Refusal]:
        """Decide commands in order and append what they make happen; return what became of each.

        With a receipt it is one command, and nothing is kept of it where nothing happens.

        Raises:
            UnknownTournamentError: there is no such tournament.
            CommandIdReusedError: the receipt's id was used before.
            LogUnavailable: the database did not answer.
        """
        for attempt in range(RACES):
            async with self._locked(tournament_id) as kept:
                state = await self._current(tournament_id, kept)
                try:
                    return await self._decide(kept, state, commands, receipt)
                except WrongVersionError:
                    if attempt == RACES - 1:
                        raise
        raise AssertionError("unreachable")

    @asynccontextmanager
    async def seen(self, tournament_id: str, *, known: bool = False) -> AsyncIterator[Tournament]:
        """Give a tournament as it is, for reading, until the block ends; nothing changes it meanwhile.

        With ``known`` it may be as this process knew it last, which spares the database thousands of
        followers who look again anyway.

        Raises:
            UnknownTournamentError: there is no such tournament.
            LogUnavailable: the database did not answer.
        """
        async with self._locked(tournament_id) as kept:
            if known and kept.state is not None:
                yield kept.state
            else:
                yield await self._current(tournament_id, kept)

    async def wait(self, tournament_id: str, version: int, seconds: float) -> bool:
        """Return once a tournament has another version here, or that many seconds later: False."""
        kept = self._kept.setdefault(tournament_id, _Kept())
        kept.waiting += 1
        try:
            if kept.state is not None and kept.state.version != version:
                return True
            async with asyncio.timeout(seconds):
                await kept.changed.wait()
        except TimeoutError:
            return False
        else:
            return True
        finally:
            kept.waiting -= 1

    @asynccontextmanager
    async def _locked(self, tournament_id: str) -> AsyncIterator[_Kept]:
        kept = self._kept.setdefault(tournament_id, _Kept())
        self._kept.move_to_end(tournament_id)
        kept.waiting += 1
        try:
            async with kept.lock:
                yield kept
        finally:
            kept.waiting -= 1
            self._forget()

    def _forget(self) -> None:
        """Drop those that were not asked for for longest."""
        for tournament_id in list(self._kept)[: max(0, len(self._kept) - KEPT)]:
            if not self._kept[tournament_id].waiting:
                del self._kept[tournament_id]

    async def _current(self, tournament_id: str, kept: _Kept) -> Tournament:
        state = kept.state
        if state is None:
            state = kept.state = fold(await self._store.read(tournament_id, 0))
        else:
            for event in await self._store.read(tournament_id, state.version):
                state.apply(event)
        if state is None:
            raise UnknownTournamentError(tournament_id)
        return state

    async def _decide(
        self, kept: _Kept, state: Tournament, commands: Sequence[c.Command], receipt: Receipt | None
    ) -> list[Sequence[e.Event] | Refusal]:
        now, before = self._clock.now_ms(), state.version
        answers: list[Sequence[e.Event] | Refusal] = []
        happened: list[e.Event] = []
        # Until it is durable nobody may see it: the lock is held, and what fails is read again.
        kept.state = None
        for command in commands:
            decision = decide(state, command, now)
            answers.append(decision)
            if not isinstance(decision, Refusal):
                for event in decision:
                    state.apply(event)
                happened += decision
        if happened:
            await self._store.append(
                state.tournament_id, before, happened, receipt, settled=is_settled(state)
            )
        kept.state = state
        if happened:
            kept.changed.set()
            kept.changed = asyncio.Event()
            self._tell(state.tournament_id, happened)
        return answers

    def _tell(self, tournament_id: str, happened: Sequence[e.Event]) -> None:
        for listener in self._listeners:
            listener(tournament_id, happened)
