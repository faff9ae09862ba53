import pytest
from tests.fixtures.ledger import canasta_won, match_ended

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.common.v1.game_pb2 import MODE_ARENA, MODE_QUICK, MatchFormat
from meldhall.table.v1 import table_events_pb2 as pb
from meldhall_ledger.domain.happenings import ArenaOpened, JokerSpent, NothingToPost, Numbered, TableClosed
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.rounds import RoundEnded
from meldhall_ledger.events import read_event
from meldhall_rules.match import Mode


def _envelope(name: str, payload: bytes, *, schema_version: int = 1) -> EventEnvelope:
    return EventEnvelope(stream_id="t", sequence=7, type=name, schema_version=schema_version, payload=payload)


def _of(
    message: pb.RoundEnded | pb.TableCreated | pb.JokerSpent | pb.TableClosed | pb.SeatTaken | pb.MatchEnded,
) -> EventEnvelope:
    return _envelope(message.DESCRIPTOR.full_name, message.SerializeToString())


ROUND = pb.RoundEnded(
    table_id="t",
    game="rummy101",
    mode=MODE_QUICK,
    result=pb.RoundResult(round=3, scores=[101, -101]),
    players=["ann", "ben"],
    account_changes=[101, -101],
    bots=[False, False],
)


def test_a_round_is_read_as_it_was_written() -> None:
    event = read_event(_of(ROUND))

    assert (event.stream_id, event.sequence) == ("t", 7)
    assert event.happening == RoundEnded(
        table_id="t",
        round=3,
        game="rummy101",
        mode=Mode.QUICK,
        players=("ann", "ben"),
        bots=(False, False),
        scores=(101, -101),
        account_changes=(101, -101),
    )


def test_a_joker_is_spent_at_the_table_of_its_stream() -> None:
    event = read_event(_of(pb.JokerSpent(round=3, seat=1, player_id="ben")))

    assert event.happening == JokerSpent("t", 3, 1, "ben")


def test_a_match_is_read_as_it_was_written() -> None:
    won = canasta_won("t", 1, 3, ("ann", "ben", "", "dan"))

    assert read_event(_of(match_ended(won))).happening == won


def test_the_end_of_a_table_is_seen() -> None:
    assert read_event(_of(pb.TableClosed())).happening == TableClosed("t")


def test_no_round_follows_a_match_or_a_closed_table() -> None:
    won = canasta_won("t", 1, 3, ("ann", "ben", "", "dan"))

    assert read_event(_of(match_ended(won))).ends_play
    assert read_event(_of(pb.TableClosed())).ends_play
    assert not read_event(_of(ROUND)).ends_play
    assert not Numbered("t", 1, NothingToPost()).ends_play


def test_other_events_only_count() -> None:
    assert read_event(_of(pb.SeatTaken(seat=1))).happening == NothingToPost()
    assert read_event(_envelope("meldhall.table.v9.Unheard", b"")).happening == NothingToPost()


def test_an_unknown_mode_is_none_and_faults_later() -> None:
    ended = pb.RoundEnded()
    ended.CopyFrom(ROUND)
    ended.ClearField("mode")
    happening = read_event(_of(ended)).happening

    assert isinstance(happening, RoundEnded)
    assert happening.mode is None


@pytest.mark.parametrize(
    "name", [kind.DESCRIPTOR.full_name for kind in (pb.RoundEnded, pb.MatchEnded, pb.JokerSpent)]
)
@pytest.mark.parametrize(("payload", "schema_version"), [(b"\xff\xff", 1), (b"", 2)])
def test_what_cannot_be_read_is_a_fault(name: str, payload: bytes, schema_version: int) -> None:
    happening = read_event(_envelope(name, payload, schema_version=schema_version)).happening

    assert isinstance(happening, Fault)
    assert happening.code is FaultCode.MALFORMED


def test_a_round_of_another_table_is_a_fault() -> None:
    ended = pb.RoundEnded()
    ended.CopyFrom(ROUND)
    ended.table_id = "other"
    happening = read_event(_of(ended)).happening

    assert isinstance(happening, Fault)
    assert happening.code is FaultCode.FOREIGN


def test_a_match_of_another_table_is_a_fault() -> None:
    happening = read_event(_of(match_ended(canasta_won("other", 1, 1, ("ann",) * 4)))).happening

    assert isinstance(happening, Fault)
    assert happening.code is FaultCode.FOREIGN


def test_a_table_that_is_opened_for_stakes_is_noted_and_any_other_is_not() -> None:
    form = MatchFormat(mode=MODE_ARENA, stake=500, rake_bps=250)

    assert read_event(_of(pb.TableCreated(table_id="t", seats=4, format=form))).happening == ArenaOpened(
        "t", 500, 250, 4
    )
    quick = pb.TableCreated(table_id="t", seats=4, format=MatchFormat(mode=MODE_QUICK))
    assert read_event(_of(quick)).happening == NothingToPost()
