"""The shuffle, done twice: by the library and by a plain script from the page that players read.

Both must give the committed vectors, which every other verifier (the web client has one) is held to as well.
Source: ``deploy/docs/shuffle.md``.
"""

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from meldhall_rules.shuffle import (
    Published,
    Stream,
    first_dealer,
    permutation,
    secret_at,
    secret_chain,
    shuffle_key,
    verify_deal,
    verify_secret,
)

FILE = Path(__file__).parent / "vectors" / "shuffle.json"

CASES = [
    ("two seats", b"\x01" * 32, 1, [b"a" * 16, b"b" * 16]),
    ("three seats, one without a seed", bytes(range(32)), 2, [b"\x00" * 16, b"", b"\xff" * 16]),
    ("four seats", b"\xfe" * 32, 1023, [bytes([seat]) * 16 for seat in range(4)]),
]


def script_words(key: bytes, label: str, count: int) -> list[int]:
    words: list[int] = []
    block = 0
    while len(words) < count:
        text = label.encode("ascii") + b"\x00" + block.to_bytes(8, "big")
        digest = hmac.new(key, text, hashlib.sha256).hexdigest()
        words += [int(digest[at : at + 8], 16) for at in range(0, 64, 8)]
        block += 1
    return words[:count]


def script_shuffle(key: bytes, label: str, count: int) -> list[int]:
    words = iter(script_words(key, label, 4 * count + 16))
    tiles = list(range(count))
    i = count - 1
    while i > 0:
        w = next(words)
        if w >= 2**32 - 2**32 % (i + 1):
            continue
        j = w % (i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]
        i -= 1
    return tiles


def script_case(name: str, tip: bytes, round_number: int, seeds: list[bytes]) -> dict[str, Any]:
    chain = {1024: tip}
    for step in range(1024, 0, -1):
        chain[step - 1] = hashlib.sha256(chain[step]).digest()
    text = b"meldhall/shuffle/1" + chain[round_number]
    for seed in seeds:
        text += bytes([len(seed)]) + seed
    key = hashlib.sha256(text).digest()
    first_word = script_words(key, "dealer", 1)[0]
    return {
        "name": name,
        "tip": tip.hex(),
        "round": round_number,
        "first_secret": chain[0].hex(),
        "previous_secret": chain[round_number - 1].hex(),
        "secret": chain[round_number].hex(),
        "seeds": [seed.hex() for seed in seeds],
        "key": key.hex(),
        "deal_words": script_words(key, "deal", 10),
        "dealer": first_word % len(seeds),
        "deal_106": script_shuffle(key, "deal", 106),
        "deal_52": script_shuffle(key, "deal", 52),
        "reshuffle_1_of_17": script_shuffle(key, "reshuffle/1", 17),
        "reshuffle_2_of_17": script_shuffle(key, "reshuffle/2", 17),
    }


def script_vectors() -> list[dict[str, Any]]:
    return [script_case(*case) for case in CASES]


def committed() -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = json.loads(FILE.read_text())
    return vectors


def by_library(case: dict[str, Any]) -> dict[str, Any]:
    tip, number = bytes.fromhex(case["tip"]), case["round"]
    seeds = [bytes.fromhex(seed) for seed in case["seeds"]]
    secret = secret_at(tip, number)
    key = shuffle_key(secret, seeds)
    stream = Stream(key, "deal")
    return {
        **case,
        "first_secret": secret_chain(tip)[0].hex(),
        "previous_secret": secret_at(tip, number - 1).hex(),
        "secret": secret.hex(),
        "key": key.hex(),
        "deal_words": [stream.word() for _ in range(10)],
        "dealer": first_dealer(key, len(seeds)),
        "deal_106": list(permutation(key, "deal", 106)),
        "deal_52": list(permutation(key, "deal", 52)),
        "reshuffle_1_of_17": list(permutation(key, "reshuffle/1", 17)),
        "reshuffle_2_of_17": list(permutation(key, "reshuffle/2", 17)),
    }


def published(case: dict[str, Any], **changes: Any) -> Published:
    values: dict[str, Any] = {
        "commitment": bytes.fromhex(case["previous_secret"]),
        "secret": bytes.fromhex(case["secret"]),
        "seeds": tuple(bytes.fromhex(seed) for seed in case["seeds"]),
        "order": tuple(case["deal_106"]),
        "tiles": 106,
        "dealer": case["dealer"],
        "reshuffles": ((tuple(range(17)), tuple(case["reshuffle_1_of_17"])),),
    }
    return Published(**{**values, **changes})


def test_the_script_gives_the_committed_vectors() -> None:
    assert script_vectors() == committed()


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_library_gives_the_committed_vectors(number: int) -> None:
    case = committed()[number]
    assert by_library(case) == case


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_finished_round_is_verified_from_any_secret_before_it(number: int) -> None:
    case = committed()[number]
    assert verify_deal(published(case)) is None
    first = bytes.fromhex(case["first_secret"])
    assert verify_deal(published(case, commitment=first, steps=case["round"])) is None


PILE = tuple(range(17))
DIFFERENCES: list[tuple[str, Any, str]] = [
    ("commitment", bytes(32), "commitment[1]"),
    ("secret", bytes(32), "commitment[1]"),
    ("steps", 2, "commitment[2]"),
    ("seeds", (b"b" * 16, b"a" * 16), "order[0]"),
    ("order", PILE, "order length[0]"),
    ("order", tuple(range(106)), "order[0]"),
    ("dealer", 2, "dealer[0]"),
    ("reshuffles", ((PILE, PILE),), "reshuffle/1[0]"),
    ("reshuffles", ((PILE, PILE[:5]),), "reshuffle/1 length[0]"),
]


@pytest.mark.parametrize(("field", "value", "where"), DIFFERENCES)
def test_a_round_that_is_not_what_its_secret_says_is_told_where(field: str, value: Any, where: str) -> None:
    changes: dict[str, Any] = {"dealer": None, field: value}
    difference = verify_deal(published(committed()[0], **changes))
    assert difference is not None
    assert str(difference).startswith(f"{where} is ")
    assert difference.found != difference.expected


def test_a_chain_leads_back_to_its_first_secret() -> None:
    chain = secret_chain(b"\x07" * 32, 5)
    assert len(chain) == 6
    assert [secret_at(b"\x07" * 32, number, 5) for number in range(6)] == list(chain)
    assert verify_secret(chain[0], chain[5], 5)
    assert not verify_secret(chain[0], chain[5], 4)
    with pytest.raises(ValueError, match="no round 6"):
        secret_at(b"\x07" * 32, 6, 5)


def test_secrets_and_seeds_of_a_wrong_size_are_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        shuffle_key(bytes(31), ())
    with pytest.raises(ValueError, match="seat 1 has 256 bytes"):
        shuffle_key(bytes(32), (b"", bytes(256)))


def test_a_boundary_between_seeds_is_part_of_the_key() -> None:
    assert shuffle_key(bytes(32), (b"ab", b"c")) != shuffle_key(bytes(32), (b"a", b"bc"))


def test_words_past_the_last_whole_multiple_are_skipped() -> None:
    stream = Stream(bytes(32), "deal")
    most = 2**31 + 1
    words = script_words(bytes(32), "deal", 200)
    expected = [word for word in words if word < most]
    assert [stream.uniform(most) for _ in range(len(expected))] == expected
    assert len(expected) < 150, "about half of the words must have been skipped"


@pytest.mark.parametrize("below", [0, -1, 2**32 + 1])
def test_there_is_no_number_below(below: int) -> None:
    with pytest.raises(ValueError, match="uniform below"):
        Stream(bytes(32), "deal").uniform(below)


def test_a_thousand_keys_deal_a_thousand_hands() -> None:
    keys = [shuffle_key(number.to_bytes(32, "big"), ()) for number in range(1000)]
    assert len({permutation(key, "deal", 106)[:21] for key in keys}) == 1000
