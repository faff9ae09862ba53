from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_runtime import load_settings


def test_players_are_told_the_address_of_tables_that_the_service_uses_unless_there_is_another() -> None:
    assert load_settings(MatchmakingSettings, table_address="a:1").told_address == "a:1"
    public = load_settings(MatchmakingSettings, table_address="a:1", table_public_address="play.example:443")
    assert public.told_address == "play.example:443"
