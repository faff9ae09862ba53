import pytest

from meldhall.common.v1 import game_pb2
from meldhall_contracts.options import canonical_of, game_of, to_message
from meldhall_rules import registry
from meldhall_rules.rejections import Rejection

GIVEN = [
    ("rummy101", {}),
    ("rummy101", {"opening": "rising"}),
    (
        "rummy101",
        {
            "starter_may_meld": False,
            "playable_discard_penalty": 101,
            "joker_discard_penalty": 202,
            "joker_button_source": "stock",
            "set_joker_color": "open",
        },
    ),
    ("canasta", {}),
    ("canasta", {"joker_button_source": "extra"}),
    ("rummy", {}),
    ("rummy", {"ace_high_low": True, "max_melds_per_turn": 2, "max_reshuffles": 0}),
    ("three_thirteen", {}),
    ("three_thirteen", {"forbid_return_discard": True, "max_reshuffles": 0}),
]


@pytest.mark.parametrize(("game", "given"), GIVEN)
def test_canonical_options_survive_the_wire(game: str, given: dict[str, object]) -> None:
    canonical = registry.game(game).parse_options(given)
    assert not isinstance(canonical, Rejection)

    message = game_pb2.GameOptions.FromString(to_message(game, canonical).SerializeToString())

    assert canonical_of(message) == (game, tuple(sorted(canonical.items())))
    name, read = game_of(message) or ("", {})
    assert (name, registry.game(game).parse_options(read)) == (game, canonical)


@pytest.mark.parametrize("game", registry.names())
def test_what_is_not_given_is_absent(game: str) -> None:
    message = game_pb2.GameOptions()
    getattr(message, game).SetInParent()

    assert game_of(message) == (game, {})


def test_what_is_unlimited_is_absent_and_read_back_as_unlimited() -> None:
    canonical = registry.game("rummy").parse_options({})
    assert not isinstance(canonical, Rejection)
    message = to_message("rummy", canonical)

    assert canonical["max_reshuffles"] == "unlimited"
    assert not message.rummy.HasField("max_reshuffles")
    assert dict(canonical_of(message)[1])["max_reshuffles"] == "unlimited"


def test_options_written_before_others_existed_are_read_with_their_defaults() -> None:
    old = game_pb2.GameOptions.FromString(bytes.fromhex("0a020802"))

    name, options = canonical_of(old)

    assert (name, dict(options)) == (
        "rummy101",
        registry.game("rummy101").parse_options({"opening": "rising"}),
    )


def test_a_value_that_the_game_does_not_have_is_told() -> None:
    message = game_pb2.GameOptions()
    message.rummy101.joker_discard_penalty = 2_000_000
    with pytest.raises(ValueError, match="joker_discard_penalty is 2000000"):
        canonical_of(message)


def test_no_game_and_unknown_values_are_told() -> None:
    assert game_of(game_pb2.GameOptions()) is None
    with pytest.raises(ValueError, match="name no game"):
        canonical_of(game_pb2.GameOptions())
    unknown = game_pb2.GameOptions.FromString(bytes.fromhex("0a020863"))
    with pytest.raises(ValueError, match=r"options\.rummy101\.opening has no value 99"):
        game_of(unknown)
