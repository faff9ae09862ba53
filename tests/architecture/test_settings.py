"""Every setting of every role is documented, with its default, and nothing else is."""

from pathlib import Path

import pytest

from meldhall_cli.roles import ROLES, service_role
from meldhall_runtime import ServiceSettings, load_settings

PAGE = (Path(__file__).parents[2] / "deploy" / "docs" / "configuration.md").read_text()


def own_settings(role: str) -> set[str]:
    """Settings that a role has beyond those that all share."""
    return set(service_role(role).settings.model_fields) - set(ServiceSettings.model_fields)


@pytest.mark.parametrize("role", ROLES)
def test_every_setting_of_a_role_is_documented_by_its_variable(role: str) -> None:
    missing = {
        field for field in own_settings(role) if f"`MELDHALL_{role.upper()}_{field.upper()}`" not in PAGE
    }
    assert missing == set()


def test_no_setting_is_documented_that_does_not_exist() -> None:
    known = set(ServiceSettings.model_fields).union(*(own_settings(role) for role in ROLES))
    documented = {line.split("`")[1] for line in PAGE.splitlines() if line.startswith("| `")}
    assert {name for name in documented if not name.startswith("MELDHALL_")} <= known


@pytest.mark.parametrize("role", ROLES)
def test_every_setting_of_a_role_can_be_given_in_the_environment(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = service_role(role).settings
    given = {
        name: field.default for name, field in kind.model_fields.items() if field.default not in {None, ""}
    }
    for name, value in given.items():
        if isinstance(value, bool | int | float | str):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            monkeypatch.setenv(f"MELDHALL_{role.upper()}_{name.upper()}", text)
    read = load_settings(kind)
    assert {name: getattr(read, name) for name in given} == given
