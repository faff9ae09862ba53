"""A router to the table engines of a stack."""

from collections.abc import Sequence

from meldhall_routing import TableRouter
from meldhall_runtime import Role, TokenIssuer, open_channel


def open_router(addresses: str, issuer: TokenIssuer) -> TableRouter:
    """Return a router whose calls carry the tokens that they are given; ``async with`` runs it.

    Args:
        addresses: host:port of engines, with commas between.
        issuer: signs the tokens that the router needs for itself.
    """

    def own() -> Sequence[tuple[str, str]]:
        return (("authorization", f"Bearer {issuer.issue('router', Role.SERVICE, ttl_seconds=600)}"),)

    return TableRouter(open_channel, addresses.split(","), own_metadata=own)
