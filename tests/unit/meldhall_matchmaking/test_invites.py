"""Codes, what counts as a guess too many, and what the list makes of a table's public events."""

import pytest
from google.protobuf.message import Message

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall_matchmaking.domain.invite import ALPHABET, CODE_BYTES, CODE_LENGTH, Lobby, new_code, read_code
from meldhall_matchmaking.invites.guesses import MOST, PLAYERS, WINDOW_SECONDS, Guesses
from meldhall_matchmaking.invites.lobbies import fold


def test_every_bit_that_counts_makes_another_code() -> None:
    bits = 5 * CODE_LENGTH
    assert bits <= 8 * CODE_BYTES
    codes = {new_code((1 << bit).to_bytes(CODE_BYTES, "big")) for bit in range(bits)}
    assert len(codes | {new_code(bytes(CODE_BYTES))}) == bits + 1
    assert set("".join(codes)) <= set(ALPHABET)


def test_a_code_is_understood_however_it_is_typed() -> None:
    code = new_code(b"\x01\x23\x45\x67\x89\xab\xcd")
    assert read_code(code) == code
    assert read_code(f" {code[:5].lower()}-{code[5:]} ") == code
    assert read_code("O0IL1O0IL1") == "0011100111"


@pytest.mark.parametrize("typed", ["", "ABC", "A" * 11, "UUUUUUUUUU", "ÄÄÄÄÄÄÄÄÄÄ", "A" * 4000])
def test_what_is_no_code_is_seen_at_once(typed: str) -> None:
    assert read_code(typed) is None


def test_who_guesses_too_often_has_to_wait_and_nobody_else() -> None:
    guesses = Guesses()
    for second in range(MOST):
        assert not guesses.used_up("eve", second)
        guesses.failed("eve", second)
    assert guesses.used_up("eve", MOST)
    assert not guesses.used_up("anna", MOST)
    assert not guesses.used_up("eve", WINDOW_SECONDS)
    for number in range(PLAYERS):
        guesses.failed(f"p{number}", 1.0)
    assert not guesses.used_up("eve", MOST)


def said(*messages: Message, lobby: Lobby | None = None) -> Lobby:
    lobby = lobby or Lobby()
    for message in messages:
        lobby = fold(
            lobby,
            EventEnvelope(
                type=message.DESCRIPTOR.full_name,
                payload=message.SerializeToString(),
                sequence=lobby.sequence + 1,
            ),
        )
    return lobby


def test_the_list_knows_who_sits_where() -> None:
    lobby = said(
        events_pb.TableCreated(seats=3),
        events_pb.SeatTaken(seat=0, player_id="anna"),
        events_pb.SeatTaken(seat=1, bot="easy", player_id="bot-1"),
        events_pb.SeatLeft(seat=1),
        events_pb.SeatChanged(from_seat=0, to_seat=2),
    )
    assert (lobby.taken, lobby.sequence) == (frozenset({2}), 5)
    assert lobby.open_to_all(3)
    assert not lobby.open_to_all(1)
    locked = said(events_pb.TableLocked(locked=True), lobby=lobby)
    assert not locked.open_to_all(3)
    assert said(events_pb.TableLocked(), lobby=locked).open_to_all(3)


@pytest.mark.parametrize("last", [events_pb.RoundStarted(), events_pb.TableClosed()])
def test_a_match_that_has_begun_is_over_for_the_list(last: Message) -> None:
    assert said(last).over


def test_what_cannot_be_read_is_not_shown_to_strangers() -> None:
    broken = EventEnvelope(type="meldhall.table.v1.SeatTaken", payload=b"\xff", sequence=1)
    assert fold(Lobby(), broken).over
