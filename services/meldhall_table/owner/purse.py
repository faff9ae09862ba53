"""The port to whoever keeps the jokers of the players' accounts."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Protocol


class JokerPurse(Protocol):
    """Holds jokers ready for the Joker button of one round."""

    async def reserve(self, table_id: str, round_number: int, players: Mapping[int, str]) -> AbstractSet[int]:
        """Hold a joker for each of these players who has one to spare; return their seats.

        The same request again returns the same seats. It never fails: where the accounts cannot be reached
        in time no seat has a joker.

        Args:
            table_id: the table.
            round_number: the round that is about to be dealt.
            players: seat to player; bots and those who left are not among them.
        """
        ...


class NoPurse:
    """No accounts: the Joker button stays dark."""

    async def reserve(  # noqa: D102 - the port says it
        self,
        table_id: str,  # noqa: ARG002 - the port's signature
        round_number: int,  # noqa: ARG002 - as above
        players: Mapping[int, str],  # noqa: ARG002 - as above
    ) -> AbstractSet[int]:
        return frozenset()
