"""Settings: where they come from, and what people are told when they are wrong."""

import os
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import Field, SecretStr

from meldhall_runtime.config import (
    ConfigError,
    ServiceSettings,
    environment_names,
    load_settings,
    unknown_environment,
)

DOCS = Path(__file__).parents[3] / "deploy" / "docs" / "configuration.md"


class DemoSettings(ServiceSettings):
    section: ClassVar[str] = "table"

    shards: int = Field(default=4, ge=1)
    password: SecretStr = Field(default=SecretStr(""), max_length=8)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("MELDHALL_"):
            monkeypatch.delenv(name)


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "meldhall.toml"
    monkeypatch.setenv("MELDHALL_CONFIG", str(path))
    return path


def faults_of(kind: type[ServiceSettings], **overrides: object) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load_settings(kind, **overrides)
    return caught.value.faults


def test_without_file_and_environment_a_role_has_its_own_ports_and_database() -> None:
    settings = load_settings(DemoSettings)
    assert (settings.port, settings.admin_port) == (7410, 7420)
    assert settings.database_url == "sqlite+aiosqlite:///.meldhall/table.sqlite"
    assert settings.host == "127.0.0.1"


def test_the_roles_section_wins_over_the_top_of_the_file(config_file: Path) -> None:
    config_file.write_text('host = "10.0.0.7"\ndrain_seconds = 5\n[table]\ndrain_seconds = 7\nshards = 9\n')
    settings = load_settings(DemoSettings)
    assert (settings.host, settings.drain_seconds, settings.shards) == ("10.0.0.7", 7, 9)


def test_the_environment_wins_over_the_file_and_the_roles_variable_over_the_common_one(
    config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text("[table]\nport = 1\nadmin_port = 2\nshards = 3\n")
    monkeypatch.setenv("MELDHALL_PORT", "11")
    monkeypatch.setenv("MELDHALL_TABLE_PORT", "21")
    monkeypatch.setenv("MELDHALL_ADMIN_PORT", "12")
    settings = load_settings(DemoSettings)
    assert (settings.port, settings.admin_port, settings.shards) == (21, 12, 3)


def test_an_argument_wins_over_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDHALL_TABLE_PORT", "21")
    assert load_settings(DemoSettings, port=0).port == 0


def test_an_empty_variable_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDHALL_TABLE_PORT", "")
    assert load_settings(DemoSettings).port == 7410


def test_what_kubernetes_sets_for_a_service_of_the_same_name_is_no_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MELDHALL_TABLE_PORT", "tcp://10.0.0.7:7410")
    assert load_settings(DemoSettings).port == 7410


def test_a_value_that_is_not_accepted_is_named_with_its_origin_and_every_way_to_set_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MELDHALL_TABLE_PORT", "99999")
    (fault,) = faults_of(DemoSettings)
    assert fault == (
        "port = '99999' (from MELDHALL_TABLE_PORT): should be less than or equal to 65535; "
        'set MELDHALL_TABLE_PORT or MELDHALL_PORT, or "port" under [table] in the file'
    )


def test_every_fault_has_a_line_of_its_own(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config_file.write_text('[table]\nshards = 0\nlog_format = "xml"\n')
    monkeypatch.setenv("MELDHALL_DRAIN_SECONDS", "soon")
    faults = sorted(faults_of(DemoSettings))
    assert [fault.split(" =")[0] for fault in faults] == ["drain_seconds", "log_format", "shards"]
    assert f"(from {config_file})" in faults[2]
    assert "'auto', 'console' or 'json'" in faults[1]


def test_a_secret_value_is_never_in_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDHALL_TABLE_PASSWORD", "correct-horse-battery")
    (fault,) = faults_of(DemoSettings)
    assert "correct" not in fault
    assert "password = <hidden>" in fault


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("prot = 1\n", 'unknown key "prot" in {file}; did you mean "port"?'),
        ("[tabel]\nport = 1\n", 'unknown section [tabel] in {file}; did you mean "table"?'),
        ("[table]\nshard = 1\n", 'unknown key "shard" under [table] in {file}; did you mean "shards"?'),
        ("shards = 1\n", 'unknown key "shards" in {file}; it belongs under [table]'),
        ("table = 1\n", "[table] in {file} is not a section"),
    ],
)
def test_an_unknown_key_of_the_file_is_an_error_that_names_key_and_file(
    config_file: Path, content: str, expected: str
) -> None:
    config_file.write_text(content)
    assert faults_of(DemoSettings) == (expected.format(file=config_file),)


def test_a_section_of_another_role_is_left_to_that_role(config_file: Path) -> None:
    config_file.write_text("[ledger]\nanything = 1\n")
    assert load_settings(DemoSettings).port == 7410


def test_a_missing_file_is_an_error(config_file: Path) -> None:
    (fault,) = faults_of(DemoSettings)
    assert fault == f"MELDHALL_CONFIG names {config_file}, which cannot be read: No such file or directory"


def test_a_broken_file_is_an_error(config_file: Path) -> None:
    config_file.write_text("port = \n")
    assert faults_of(DemoSettings)[0].startswith(f"{config_file} is not valid TOML: ")


def test_an_unknown_argument_is_an_error() -> None:
    assert faults_of(DemoSettings, prot=1)[0].startswith("prot: ")


def test_misspelt_variables_of_the_role_are_found_and_those_of_kubernetes_are_not() -> None:
    environ = {
        "MELDHALL_TABLE_PROT": "1",
        "MELDHALL_TABLE_PORT": "1",
        "MELDHALL_TABLE_SERVICE_HOST": "10.0.0.7",
        "MELDHALL_TABLE_SERVICE_PORT_GRPC": "7410",
        "MELDHALL_TABLE_PORT_7410_TCP_ADDR": "10.0.0.7",
        "MELDHALL_CONFIG": "x",
    }
    assert unknown_environment(DemoSettings, environ) == ["MELDHALL_TABLE_PROT"]


@pytest.mark.parametrize("field", sorted(ServiceSettings.model_fields))
def test_every_common_setting_is_documented_with_its_variable(field: str) -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith(f"| `{field}` |")]
    assert len(rows) == 1
    assert f"`{environment_names(ServiceSettings, field)[0]}`" in rows[0]


@pytest.mark.parametrize(
    "field", sorted(set(ServiceSettings.model_fields) - {"port", "admin_port", "database_url"})
)
def test_the_documented_default_is_the_real_one(field: str) -> None:
    (row,) = (line for line in DOCS.read_text().splitlines() if line.startswith(f"| `{field}` |"))
    default = ServiceSettings.model_fields[field].default
    shown = (
        str(default).lower() if isinstance(default, bool) else "none" if default in {None, ""} else default
    )
    assert row.split("|")[3].strip() in {
        f"`{shown}`",
        f"`{shown:g}`" if isinstance(shown, float) else "",
        shown,
    }
