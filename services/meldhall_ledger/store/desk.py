"""Puts orders that wait together into one transaction, so that they share its locks and its sync."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_eventlog.errors import LogUnavailable
from meldhall_ledger.domain.books import Chain, Verdict

MOST: Final = 1_000
"""Orders in one transaction, unless one caller alone sends more."""

Verdicts = Sequence[tuple[Verdict, ...]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    chains: Sequence[Chain]
    answer: asyncio.Future[Verdicts]

    @property
    def size(self) -> int:
        return sum(len(chain) for chain in self.chains)


class OrderDesk:
    """Takes orders and hands them on together, in the order in which they came.

    Args:
        carry_out: carries out chains in one transaction, durable on return.
    """

    def __init__(self, carry_out: Callable[[Sequence[Chain]], Awaitable[Verdicts]]) -> None:
        self._carry_out = carry_out
        self._waiting: deque[_Waiting] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._closed = False

    async def submit(self, chains: Sequence[Chain]) -> Verdicts:
        """Carry out chains; durable on return.

        A caller that is cancelled does not know the outcome: its orders are dropped if their transaction has
        not begun, and carried out otherwise.

        Raises:
            LogUnavailable: the database failed, or the desk was closed.
        """
        if self._closed:
            raise LogUnavailable("the ledger is closed")
        one = _Waiting(chains, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(), name="ledger-orders")
        return await one.answer

    async def close(self) -> None:
        """Take no more orders and finish those that wait."""
        self._closed = True
        if self._draining is not None:
            await asyncio.shield(self._draining)

    async def _drain(self) -> None:
        batch: list[_Waiting] = []
        try:
            while self._waiting:
                batch = self._next()
                await self._answer(batch)
        finally:
            self._draining = None
            # Left only where the loop is going down and cancelled this task.
            for one in (*batch, *self._waiting):
                one.answer.cancel()

    def _next(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        size = 0
        while self._waiting and (not batch or size + self._waiting[0].size <= MOST):
            one = self._waiting.popleft()
            if not one.answer.done():
                batch.append(one)
                size += one.size
        return batch

    async def _answer(self, batch: Sequence[_Waiting]) -> None:
        try:
            verdicts = iter(await self._carry_out([chain for one in batch for chain in one.chains]))
        except Exception as error:  # noqa: BLE001 - whatever stopped the transaction is every caller's answer
            for one in batch:
                if not one.answer.done():
                    one.answer.set_exception(error)
            return
        for one in batch:
            mine = [next(verdicts) for _ in one.chains]
            if not one.answer.done():
                one.answer.set_result(mine)
