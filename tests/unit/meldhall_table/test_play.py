import pytest
from tests.fixtures.table_domain import LIMITS, START, TIP, dealt, folded, opened

from meldhall_rules import commands
from meldhall_rules import events as rules
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.shuffle import Published, first_dealer, secret_at, shuffle_key, verify_deal
from meldhall_rules.view import Phase
from meldhall_table.domain import events, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import Due, What, due


def accepted(answer: play.Answer) -> tuple[events.Event, ...]:
    assert not isinstance(answer, Refusal), answer
    return answer


def on_turn(table: Table) -> int:
    assert table.round is not None
    return table.round.turn


def hand(table: Table, seat: int) -> tuple[int, ...]:
    view = table.view(seat)
    assert view is not None
    return view.hand or ()


def test_a_deal_follows_from_secret_and_seeds_and_can_be_checked() -> None:
    table = opened("", "", "")
    for seat, seed in enumerate((b"a", b"", b"longer seed")):
        table = folded(table, events.SeatTaken(seat, f"p{seat}", seed, ""))
    started, deal, turn = play.deal(table, (0, 0, 0), START)
    key = shuffle_key(secret_at(TIP, 1), (b"a", b"", b"longer seed"))
    assert isinstance(started, events.RoundStarted)
    assert isinstance(deal, rules.RoundDealt)
    assert deal.shuffle_key == key
    assert started.starter == deal.starter == first_dealer(key, 3)
    assert (sorted(started.hand_sizes), started.stock_size) == ([21, 21, 22], 42)
    published = Published(
        commitment=table.commitment,
        secret=secret_at(TIP, 1),
        seeds=(b"a", b"", b"longer seed"),
        order=deal.order,
        tiles=106,
        dealer=deal.starter,
    )
    assert verify_deal(published) is None
    assert turn == events.TurnBegan(started.starter, START + LIMITS.turn_ms, Phase.PLAY)


def test_nothing_is_dealt_before_its_time() -> None:
    assert play.deal(opened("", ""), (0, 0), START) == ()
    assert play.deal(dealt("anna", "ben"), (0, 0), START) == ()


def test_the_seat_comes_from_the_player_not_from_the_command() -> None:
    table = dealt("anna", "ben")
    mover = on_turn(table)
    name, other = table.players[mover], table.players[1 - mover]
    tile = hand(table, mover)[0]
    forged = play.act(table, other, commands.Discard(mover, tile), START)
    assert isinstance(forged, Refusal)
    assert forged.code == "NOT_YOUR_TURN"
    discarded, turn = accepted(play.act(table, name, commands.Discard(1 - mover, tile), START + 5))
    assert discarded == rules.Discarded(mover, tile)
    assert turn == events.TurnBegan(1 - mover, START + 5 + LIMITS.turn_ms, Phase.DRAW)


def test_a_take_is_reseated_with_its_use() -> None:
    take = commands.TakeDiscard(7, commands.SwapJoker(7, 0, 3))
    assert play.reseat(take, 2) == commands.TakeDiscard(2, commands.SwapJoker(2, 0, 3))
    assert play.reseat(commands.TakeDiscard(7), 2) == commands.TakeDiscard(2)


def test_a_draw_within_a_turn_begins_no_new_one() -> None:
    table = dealt("anna", "ben")
    table = folded(
        table,
        *accepted(play.move(table, commands.Discard(on_turn(table), hand(table, on_turn(table))[0]), START)),
    )
    (drawn,) = accepted(play.move(table, commands.Draw(on_turn(table)), START))
    assert isinstance(drawn, rules.StockDrawn)


def test_what_may_be_done_when() -> None:
    waiting = folded(opened("", ""), events.SeatTaken(0, "anna", b"", ""))
    refused = play.act(waiting, "anna", commands.Draw(0), START)
    assert isinstance(refused, Refusal)
    assert refused.code == "ROUND_NOT_STARTED"
    pause = folded(dealt("anna", "ben"), events.BreakBegan(START + 1))
    refused = play.act(pause, "anna", commands.Draw(0), START)
    assert isinstance(refused, Refusal)
    assert refused.code == "ROUND_OVER"


def test_the_joker_button_costs_a_joker_in_public() -> None:
    table = dealt("anna", "ben", jokers=(1, 1))
    table = folded(table, *play.automatic(table, START))
    seat = on_turn(table)
    issued, spent = accepted(play.move(table, commands.PressJokerButton(seat), START))
    assert isinstance(issued, rules.JokerIssued)
    assert spent == events.JokerSpent(1, seat, table.players[seat])


def played_out(table: Table) -> tuple[Table, tuple[events.Event, ...]]:
    while True:
        new = play.automatic(table, START)
        table = folded(table, *new)
        if table.status is not Status.PLAYING:
            return table, new


def test_a_round_ends_with_its_secret_its_hands_and_what_it_moves() -> None:
    table = dealt("anna", "ben", form=MatchFormat(mode=Mode.QUICK, rounds=2))
    table = folded(table, events.SeatTaken(1, "bot-1", b"ben", "normal"))
    after, new = played_out(table)
    ended, pause = new[-2:]
    assert isinstance(ended, events.RoundEnded)
    assert ended.secret == after.last_secret == secret_at(TIP, 1)
    assert ended.ending.finish is rules.Finish.EXHAUSTED
    assert [len(left) for left in ended.left] == [21, 21]
    assert set(ended.left[0]).isdisjoint(ended.left[1])
    assert ended.account_changes == (-202, 0), "a bot has no account"
    assert pause == events.BreakBegan(START + LIMITS.break_ms)
    assert due(after) == Due(What.DEAL, START + LIMITS.break_ms)
    started = play.deal(after, (0, 0), START)[0]
    assert isinstance(started, events.RoundStarted)
    assert table.round is not None
    assert (started.round, started.starter) == (2, 1 - table.round.starter)


def test_the_last_round_ends_the_match_and_closes_the_table() -> None:
    after, new = played_out(dealt("anna", "ben"))
    _, over, closed = new[-3:]
    assert isinstance(over, events.MatchEnded)
    assert over.winners == (0, 1)
    assert closed == events.TableClosed(events.CloseReason.MATCH_OVER)
    assert due(after) is None


def test_an_arena_match_is_played_off_and_moves_the_stakes_at_its_end() -> None:
    arena = MatchFormat(mode=Mode.ARENA, stake=500, rake_bps=1000)
    after, new = played_out(dealt("anna", "ben", form=arena))
    assert after.status is Status.BREAK, "equal totals are played off"
    ended = new[-2]
    assert isinstance(ended, events.RoundEnded)
    assert ended.account_changes == (0, 0)


@pytest.mark.parametrize(("left", "reason"), [(True, "left"), (False, "time_up")])
def test_an_automatic_turn_says_why(left: bool, reason: str) -> None:
    table = dealt("anna", "ben")
    seat = on_turn(table)
    if left:
        table = folded(table, events.SeatLeft(seat, table.players[seat]))
    announced = play.automatic(table, START)[0]
    assert announced == events.AutomaticTurn(seat, events.AutomaticReason(reason))


def test_bots_and_those_who_left_move_soon_and_never_later_than_the_turn() -> None:
    table = dealt("anna", "ben")
    seat = on_turn(table)
    assert due(table) == Due(What.AUTOMATIC_TURN, START + LIMITS.turn_ms)
    gone = folded(table, events.SeatLeft(seat, table.players[seat]))
    assert due(gone) == Due(What.AUTOMATIC_TURN, START + LIMITS.bot_move_ms)
    bot = folded(table, events.SeatTaken(seat, "bot", b"", "normal"))
    assert due(bot) == Due(What.BOT_MOVE, START + LIMITS.bot_move_ms)
    late = folded(gone, events.SeatLeft(1 - seat, "x"), at_ms=START + LIMITS.turn_ms - 1)
    assert due(late) == Due(What.AUTOMATIC_TURN, START + LIMITS.turn_ms)
