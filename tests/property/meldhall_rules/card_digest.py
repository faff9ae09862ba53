"""Stands for every event, view, list of moves and refusal of some rounds of cards, to compare processes."""

import hashlib

from tests.property.meldhall_rules.card_rounds import begin, choose, step

from meldhall_rules.bots import rummy, three_thirteen
from meldhall_rules.commands import Command, Discard, Draw, GoOut, LayMelds, MeldKind, MeldSpec, Placed
from meldhall_rules.registry import game
from meldhall_rules.shuffle import Stream
from meldhall_rules.view import SPECTATOR, Phase

BOTS = {"rummy": rummy.choose, "three_thirteen": three_thirteen.choose}


def nonsense(seat: int) -> tuple[Command, ...]:
    """Return commands that are illegal at any time."""
    gap = MeldSpec(MeldKind.RUN, (Placed(0), Placed(2), Placed(6)))
    return Discard(seat, 999), Draw(seat + 1), GoOut(seat, (gap,), None), LayMelds(seat, (gap,))


def digest(seeds: range) -> str:
    found = hashlib.sha256()
    for name, bot in BOTS.items():
        rules = game(name)
        for seed in seeds:
            dealt, state = begin(rules, seed, 2 + seed % 3, 1 + seed)
            found.update(repr(dealt).encode())
            stream = Stream(seed.to_bytes(32, "big"), "moves")
            while state.phase is not Phase.OVER:
                view = rules.view(state, state.turn)
                refusals = [rules.decide(state, command) for command in nonsense(state.turn)]
                found.update(repr((refusals, rules.legal_moves(view), bot(view, seed))).encode())
                events, state = step(rules, state, choose(rules, stream, state))
                views = [rules.view(state, viewer) for viewer in (*range(state.frame.seats), SPECTATOR)]
                found.update(repr((events, views)).encode())
    return found.hexdigest()
