"""The treasurer: has the ledger carry out what a tournament owes, each order once."""

from collections.abc import Sequence
from typing import Final

import grpc
from structlog.stdlib import BoundLogger

from meldhall_runtime.failpoints import failpoint
from meldhall_tournament.desk import Desk
from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain.money import Order, What
from meldhall_tournament.ledger import BATCH, TournamentLedger
from meldhall_tournament.metrics import TournamentMetrics

BEFORE_LEDGER: Final = "tournament.before_ledger"
"""Failpoint: orders are due, the ledger has not been asked."""

AFTER_LEDGER: Final = "tournament.after_ledger"
"""Failpoint: the ledger has carried orders out, and nothing says so here."""


class Treasurer:
    """See the module."""

    def __init__(
        self, desk: Desk, ledger: TournamentLedger, metrics: TournamentMetrics, log: BoundLogger
    ) -> None:
        self._desk = desk
        self._ledger = ledger
        self._metrics = metrics
        self._log = log
        self._refused: dict[str, int] = {}
        self._before = failpoint(BEFORE_LEDGER)
        self._after = failpoint(AFTER_LEDGER)

    async def pay(self, tournament_id: str, orders: Sequence[Order]) -> bool:
        """Have a batch of orders carried out; False where the ledger is to be asked again later."""
        batch = orders[:BATCH]
        self._before()
        try:
            codes = await self._ledger.carry_out(tournament_id, batch)
        except grpc.aio.AioRpcError as error:
            self._metrics.failures.labels("ledger").inc()
            self._log.warning("ledger_not_asked", tournament_id=tournament_id, status=error.code().name)
            return False
        self._after()
        done: list[c.Command] = []
        refused = [
            (order.key, code)
            for order, code in zip(batch, codes, strict=True)
            if code and order.what is not What.HOLD
        ]
        for order, code in zip(batch, codes, strict=True):
            if order.what is What.HOLD:
                done.append(c.AnswerFee(order.entry, code))
            elif not code:
                done.append(c.NoteMoney(order.key))
        if done:
            await self._desk.execute(tournament_id, done)
        self._note_refused(tournament_id, refused)
        return not refused

    def _note_refused(self, tournament_id: str, refused: Sequence[tuple[str, str]]) -> None:
        self._refused[tournament_id] = len(refused)
        self._metrics.refused_orders.set(sum(self._refused.values()))
        for key, code in refused:
            self._metrics.failures.labels("ledger").inc()
            self._log.error("order_refused", tournament_id=tournament_id, order=key, code=code)
