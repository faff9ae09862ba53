import pytest

from meldhall.table.v1 import table_moves_pb2 as pb
from meldhall_contracts.moves import command_of, move_of
from meldhall_rules import commands
from meldhall_rules.commands import AutoTurn, Command, MeldKind, MeldSpec, Placed

RUN = MeldSpec(MeldKind.RUN, (Placed(0), Placed(104, 1), Placed(4)))
PAIR = MeldSpec(MeldKind.PAIR, (Placed(8), Placed(9)))
ADD = commands.LayOff(2, 3, (Placed(104, 0),))

MOVES: list[Command] = [
    commands.Draw(2),
    commands.PressJokerButton(2),
    commands.LayOpening(2, (RUN, PAIR)),
    commands.LayMelds(2, (PAIR,)),
    ADD,
    commands.SwapJoker(2, 0, 7),
    commands.Discard(2, 0),
    commands.GoOut(2, (RUN,), 5),
    commands.GoOut(2, (), None),
    commands.TakeDiscard(2),
    commands.TakeDiscard(2, commands.LayOpening(2, (RUN,))),
    commands.TakeDiscard(2, commands.LayMelds(2, (PAIR,))),
    commands.TakeDiscard(2, ADD),
    commands.TakeDiscard(2, commands.SwapJoker(2, 1, 7)),
]


@pytest.mark.parametrize("move", MOVES)
def test_a_move_survives_its_message(move: Command) -> None:
    sent = pb.Move.FromString(move_of(move).SerializeToString())
    assert command_of(2, sent) == move


def test_an_automatic_turn_is_no_move_of_a_client() -> None:
    with pytest.raises(ValueError, match="AutoTurn"):
        move_of(AutoTurn(0))


@pytest.mark.parametrize("move", [pb.Move(), pb.Move(lay_melds=pb.LayMelds(melds=[pb.MeldSpec()]))])
def test_a_message_without_a_move_is_none(move: pb.Move) -> None:
    with pytest.raises(ValueError, match=r"no kind of meld|missing"):
        command_of(0, move)
