"""Puts requests for seats that wait together into one transaction: they share its statements and its sync."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking.store.enqueuing import Answer, NewTicket

MOST: Final = 500
"""Requests in one transaction at most."""

FULL: Final = 16
"""With so many that wait nobody is waited for any more."""

LINGER_SECONDS: Final = 0.004
"""How long a transaction waits for company, where the one before had some: less than a sync takes."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    request: NewTicket
    answer: asyncio.Future[Answer]


class EnqueueDesk:
    """Takes requests and hands them on together, one of a player at a time, in the order in which they came.

    Args:
        carry_out: carries out requests of different players in one transaction, durable on return.
    """

    def __init__(self, carry_out: Callable[[Sequence[NewTicket]], Awaitable[Sequence[Answer]]]) -> None:
        self._carry_out = carry_out
        self._waiting: list[_Waiting] = []
        self._draining: asyncio.Task[None] | None = None
        self._closed = False

    async def submit(self, request: NewTicket) -> Answer:
        """Carry out a request; durable on return.

        A caller that is cancelled does not know the outcome.

        Raises:
            LogUnavailable: the database failed, or the desk was closed.
            IntegrityError: another request of the player was carried out elsewhere at the same moment.
        """
        if self._closed:
            raise LogUnavailable("matchmaking is closed")
        one = _Waiting(request, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(), name="matchmaking-enqueues")
        return await one.answer

    async def close(self) -> None:
        """Take no more requests and finish those that wait."""
        self._closed = True
        if self._draining is not None:
            await asyncio.shield(self._draining)

    async def _drain(self) -> None:
        batch: list[_Waiting] = []
        try:
            while self._waiting:
                if len(batch) > 1 and len(self._waiting) < FULL:
                    await asyncio.sleep(LINGER_SECONDS)
                batch = self._next()
                await self._answer(batch)
        finally:
            self._draining = None
            # Left only where the loop is going down and cancelled this task.
            for one in (*batch, *self._waiting):
                one.answer.cancel()

    def _next(self) -> list[_Waiting]:
        batch: dict[str, _Waiting] = {}
        left: list[_Waiting] = []
        for one in self._waiting:
            if one.answer.done():
                continue
            if one.request.player_id in batch or len(batch) >= MOST:
                left.append(one)
            else:
                batch[one.request.player_id] = one
        self._waiting = left
        return list(batch.values())

    async def _answer(self, batch: Sequence[_Waiting]) -> None:
        if not batch:
            return
        try:
            answers = await self._carry_out([one.request for one in batch])
        except IntegrityError as error:
            if len(batch) > 1:
                # One of them has made it impossible for all. Alone each will hear what concerns it.
                for one in batch:
                    await self._answer((one,))
                return
            _refuse(batch, error)
        except Exception as error:  # noqa: BLE001 - whatever stopped the transaction is every caller's answer
            _refuse(batch, error)
        else:
            for one, answer in zip(batch, answers, strict=True):
                if not one.answer.done():
                    one.answer.set_result(answer)


def _refuse(batch: Sequence[_Waiting], error: Exception) -> None:
    for one in batch:
        if not one.answer.done():
            one.answer.set_exception(error)
