from pathlib import Path

from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_runtime import ServiceSettings, load_settings

EMPTY = {"table_public_address": "table_address", "invite_link_prefix": "none"}
"""What stands for an empty setting."""


def test_players_are_told_the_address_of_tables_that_the_service_uses_unless_there_is_another() -> None:
    assert load_settings(MatchmakingSettings, table_address="a:1").told_address == "a:1"
    public = load_settings(MatchmakingSettings, table_address="a:1", table_public_address="play.example:443")
    assert public.told_address == "play.example:443"


def test_every_setting_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[3] / "deploy" / "docs" / "configuration.md").read_text()
    own = set(MatchmakingSettings.model_fields) - set(ServiceSettings.model_fields)

    for name in own:
        default = MatchmakingSettings.model_fields[name].default
        number = isinstance(default, float)
        shown = f"{default:g}" if number else str(default).lower() if default else EMPTY[name]
        assert f"| `{name}` | `MELDHALL_MATCHMAKING_{name.upper()}` | `{shown}` |" in page
