"""The check of logs finds what it is there to find: each test plants one fault in a log that is in order."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fixtures.history import Entry, History, Receipt, Stream, Witness, _hash_of, faults

from meldhall.table.v1 import table_view_pb2 as views

TABLE, PLAYER = "table", "anna"


def entry(version: int, command_id: str | None, prev_hash: bytes, epoch: int) -> Entry:
    blank = Entry(
        TABLE, version, f"event-{version}", "t", b"p%d" % version, command_id, epoch, prev_hash, b"", version
    )
    return replace(blank, hash=_hash_of(blank))


def chained(commands: list[str | None], epochs: list[int]) -> list[Entry]:
    entries: list[Entry] = []
    for number, (command_id, epoch) in enumerate(zip(commands, epochs, strict=True), 1):
        entries.append(entry(number, command_id, entries[-1].hash if entries else bytes(32), epoch))
    return entries


def sight(version: int) -> views.TableEvent:
    return views.TableEvent(version=version, at_unix_ms=version)


class Case:
    """A log with three commands, of which the second made two events, and the player who sent them."""

    def __init__(self) -> None:
        self.history = History(
            [Stream(TABLE, 5, 3)],
            chained(["anna:a", "anna:b", "anna:b", None, "anna:c"], [1, 1, 1, 3, 3]),
            [
                Receipt(TABLE, "anna:a", 1, 1),
                Receipt(TABLE, "anna:b", 2, 3),
                Receipt(TABLE, "anna:c", 5, 5),
            ],
        )
        self.witness = Witness(TABLE, PLAYER, after=1)
        self.witness.seen = [(float(n), sight(n)) for n in (2, 3, 4, 5)]
        self.witness.answers = {"anna:a": 1, "anna:b": 3, "anna:c": 5, "anna:d": "STALE", "anna:e": None}
        self.truth = {(TABLE, PLAYER): {n: sight(n) for n in range(1, 6)}}

    def faults(self) -> list[str]:
        return faults(self.history, [self.witness], self.truth)


def test_a_log_in_order_has_no_faults() -> None:
    assert Case().faults() == []


def drop_an_event(case: Case) -> None:
    del case.history.entries[3]


def drop_the_last_event(case: Case) -> None:
    del case.history.entries[4]
    del case.history.receipts[2]


def do_a_command_twice(case: Case) -> None:
    last = case.history.entries[-1]
    case.history.entries.append(entry(6, "anna:b", last.hash, 3))
    case.history.streams[0] = Stream(TABLE, 6, 3)


def let_an_epoch_go_back(case: Case) -> None:
    case.history.entries = chained(["anna:a", "anna:b", "anna:b", None, "anna:c"], [1, 2, 2, 1, 3])


def write_under_an_epoch_that_nobody_has(case: Case) -> None:
    case.history.streams[0] = Stream(TABLE, 5, 2)


def change_a_payload(case: Case) -> None:
    case.history.entries[1] = replace(case.history.entries[1], payload=b"other")


def write_out_of_order(case: Case) -> None:
    case.history.entries[3] = replace(case.history.entries[3], position=1)


def repeat_an_event_id(case: Case) -> None:
    case.history.entries[4] = replace(case.history.entries[4], event_id="event-1")


def lose_an_acknowledged_command(case: Case) -> None:
    case.witness.answers["anna:z"] = 5


def acknowledge_another_version(case: Case) -> None:
    case.witness.answers["anna:b"] = 2


def do_a_refused_command(case: Case) -> None:
    case.witness.answers["anna:c"] = "STALE"


def do_a_command_that_nobody_sent(case: Case) -> None:
    del case.witness.answers["anna:a"]


def lose_a_receipt(case: Case) -> None:
    del case.history.receipts[0]
    del case.witness.answers["anna:a"]
    case.witness.answers["anna:a"] = None


def show_a_gap(case: Case) -> None:
    del case.witness.seen[1]


def show_an_event_twice(case: Case) -> None:
    case.witness.seen.insert(1, case.witness.seen[0])


def show_something_else(case: Case) -> None:
    case.witness.seen[1] = (3.0, views.TableEvent(version=3, at_unix_ms=99))


def show_what_is_not_in_the_log(case: Case) -> None:
    case.witness.seen.append((6.0, sight(6)))


@pytest.mark.parametrize(
    ("plant", "word"),
    [
        (drop_an_event, "versions are not 1 to 5"),
        (drop_the_last_event, "versions are not 1 to 5"),
        (do_a_command_twice, "once is"),
        (let_an_epoch_go_back, "epoch 1 after 2"),
        (write_under_an_epoch_that_nobody_has, "the owner has epoch 2"),
        (change_a_payload, "hash chain"),
        (write_out_of_order, "written before"),
        (repeat_an_event_id, "is there twice"),
        (lose_an_acknowledged_command, "was acknowledged at 5"),
        (acknowledge_another_version, "was acknowledged at 2"),
        (do_a_refused_command, "was refused by STALE"),
        (do_a_command_that_nobody_sent, "sent by nobody"),
        (lose_a_receipt, "no receipt"),
        (show_a_gap, "where 3 follows"),
        (show_an_event_twice, "where 3 follows"),
        (show_something_else, "something else"),
        (show_what_is_not_in_the_log, "something else"),
    ],
)
def test_a_planted_fault_is_found(plant: Callable[[Case], None], word: str) -> None:
    case = Case()
    plant(case)
    assert any(word in fault for fault in case.faults()), case.faults()
