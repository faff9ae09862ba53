"""The conductor: does what is due in every tournament, whoever asks for nothing.

Each look takes the tournaments that are not settled and did not look alike the last time, and works on each
in a task of its own: steps of the course, tables, money. All of it follows from facts, so what a crash leaves
behind is due again at the next start. What goes wrong in one tournament is its own: what should not happen
pauses it, and says why; what may pass is tried again later.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import LogUnavailable
from meldhall_runtime import Clock
from meldhall_tournament.desk import Desk
from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.course import due, wakes_at
from meldhall_tournament.domain.entering import BY_RULE
from meldhall_tournament.domain.money import open_orders
from meldhall_tournament.domain.refusals import Refusal
from meldhall_tournament.metrics import TournamentMetrics
from meldhall_tournament.referee import Referee, command_table, tables_open_since, wanted_of
from meldhall_tournament.store import Head, TournamentStore
from meldhall_tournament.treasurer import Treasurer

RETRY_MS: Final = 1_000
"""How long a tournament rests after something that may pass."""

MAX_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds between two looks at most, and milliseconds between two looks at open tables."""

    poll: float
    check_ms: int


@dataclass(frozen=True, slots=True)
class Tools:
    """What the conductor works with."""

    store: TournamentStore
    desk: Desk
    referee: Referee
    treasurer: Treasurer
    clock: Clock
    metrics: TournamentMetrics
    log: BoundLogger


@dataclass(slots=True)
class _Seen:
    """How a tournament looked, when to look again though it looks the same, and when tables were asked."""

    version: int = 0
    again_at_ms: int | None = None
    asked_at_ms: int = 0
    paused: bool = False


class Conductor:
    """See the module. Made once and run once."""

    def __init__(self, tools: Tools, times: Times) -> None:
        self._tools = tools
        self._times = times
        self._wake = asyncio.Event()
        self._stopping = False
        self._busy: set[str] = set()
        self._seen: dict[str, _Seen] = {}

    def wake(self) -> None:
        """Look now: something happened."""
        self._wake.set()

    def stop(self) -> None:
        """Let ``run`` return once what is being done is done."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        """Conduct until ``stop``."""
        async with asyncio.TaskGroup() as group:
            ticking = group.create_task(self._tick())
            while not self._stopping:
                await self._wake.wait()
                self._wake.clear()
                try:
                    await self._look(group)
                except LogUnavailable as error:
                    self._tools.log.warning("tournaments_postponed", reason=str(error))
            ticking.cancel()

    async def _tick(self) -> None:
        while True:
            self._wake.set()
            await self._tools.clock.sleep(self._times.poll)

    async def _look(self, group: asyncio.TaskGroup) -> None:
        heads = await self._tools.store.unsettled()
        now = self._tools.clock.now_ms()
        known = {head.tournament_id for head in heads}
        self._seen = {key: seen for key, seen in self._seen.items() if key in known}
        self._tools.metrics.unsettled.set(len(heads))
        self._tools.metrics.paused.set(sum(seen.paused for seen in self._seen.values()))
        for head in heads:
            seen = self._seen.setdefault(head.tournament_id, _Seen())
            is_due = seen.again_at_ms is not None and now >= seen.again_at_ms
            if head.tournament_id in self._busy or not (is_due or head.version != seen.version):
                continue
            self._busy.add(head.tournament_id)
            group.create_task(self._work(head, seen))

    async def _work(self, head: Head, seen: _Seen) -> None:
        tools, now = self._tools, self._tools.clock.now_ms()
        try:
            while not self._stopping and await self._step(head, seen):
                pass
        except LogUnavailable as error:
            tools.log.warning("tournament_postponed", tournament_id=head.tournament_id, reason=str(error))
            seen.again_at_ms = now + RETRY_MS
        except Exception as error:
            tools.metrics.failures.labels("broken").inc()
            tools.log.exception("tournament_broken", tournament_id=head.tournament_id)
            seen.again_at_ms = now + RETRY_MS
            await self._pause(head.tournament_id, f"{type(error).__name__}: {error}")
        finally:
            self._busy.discard(head.tournament_id)
            self._wake.set()

    async def _pause(self, tournament_id: str, why: str) -> None:
        try:
            await self._tools.desk.execute(tournament_id, [c.Pause(why[:MAX_REASON], BY_RULE)])
        except Exception:
            self._tools.log.exception("tournament_not_paused", tournament_id=tournament_id)

    async def _step(self, head: Head, seen: _Seen) -> bool:
        """Do one thing that is due; False where nothing is, or what is has to wait."""
        tools, tournament_id = self._tools, head.tournament_id
        async with tools.desk.seen(tournament_id) as state:
            now = tools.clock.now_ms()
            command = due(state, now, head.seed)
            wanted, orders = wanted_of(state), open_orders(state)
            asks_at = seen.asked_at_ms + self._times.check_ms if state.round_is_open else None
            asked = tables_open_since(state, now - self._times.check_ms) if _is_due(asks_at, now) else []
            if isinstance(command, c.Record) and command.source is e.Source.TIMEOUT:
                # The news of its end may be what is missing.
                asked.append(command_table(state, command))
            seen.version, seen.paused = state.version, state.paused is not None
            seen.again_at_ms = _earliest(wakes_at(state), asks_at)
        if _is_due(asks_at, now):
            seen.asked_at_ms = now
            await tools.referee.look_around(tournament_id, asked)
            return True
        if asked:
            await tools.referee.look_around(tournament_id, asked)
        if command is not None:
            answer = (await tools.desk.execute(tournament_id, [command]))[0]
            if isinstance(answer, Refusal):
                raise RuntimeError(f"what was due was refused: {answer.code} {answer.detail}")
            return True
        went_on = bool(wanted or orders)
        if wanted and not await tools.referee.open(tournament_id, wanted):
            went_on = False
        if orders and not await tools.treasurer.pay(tournament_id, orders):
            went_on = False
        if (wanted or orders) and not went_on:
            seen.again_at_ms = _earliest(seen.again_at_ms, tools.clock.now_ms() + RETRY_MS)
        return went_on


def _is_due(at_ms: int | None, now_ms: int) -> bool:
    return at_ms is not None and now_ms >= at_ms


def _earliest(*times: int | None) -> int | None:
    return min((time for time in times if time is not None), default=None)
