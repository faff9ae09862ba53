import hashlib

import pytest

from meldhall_contracts.ids import table_id_of
from meldhall_runtime.auth import Principal, Role
from meldhall_table.owner.commands import digest, response_of, stored_id
from meldhall_table.store.stream import shard_of


def test_a_table_is_named_by_who_opened_it_and_how() -> None:
    names = {table_id_of(subject, command) for subject in ("a", "ab") for command in ("c", "bc")}
    assert len(names) == 4
    assert table_id_of("anna", "c1") == table_id_of("anna", "c1")
    assert all(len(name) == 26 and name == name.lower() and name.isalnum() for name in names)


def test_the_shard_is_the_first_byte_of_the_hash() -> None:
    assert shard_of("table") == hashlib.sha256(b"table").digest()[0]


@pytest.mark.parametrize("subject", ["anna", "x" * 63, "x" * 64, "x" * 128, "a\nb", "\ud800"])
def test_ids_fit_into_the_log_whatever_the_name(subject: str) -> None:
    found = stored_id(subject, "c" * 64)
    assert len(found) <= 128
    assert found.isprintable()
    assert found.endswith(":" + "c" * 64)
    assert Principal(subject, Role.PLAYER).subject == subject


def test_ids_of_two_callers_differ() -> None:
    assert stored_id("anna", "1") != stored_id("ben", "1")
    assert stored_id("x" * 127 + "a", "1") != stored_id("x" * 127 + "b", "1")


def test_a_digest_tells_caller_method_and_body_apart() -> None:
    digests = {
        digest("a", "Join", b"x"),
        digest("b", "Join", b"x"),
        digest("a", "Leave", b"x"),
        digest("a", "Join", b"y"),
        digest("aJoin", "", b"x"),
        digest("a", "Joinx", b""),
    }
    assert len(digests) == 6
    assert all(len(one) == 32 for one in digests)


def test_a_receipt_answers_the_request_that_made_it_only() -> None:
    wanted = digest("a", "Join", b"x")
    assert response_of(wanted + b"answer", wanted) == b"answer"
    assert response_of(digest("b", "Join", b"x") + b"answer", wanted) is None
    assert response_of(b"", wanted) is None
