"""Settings: defaults, a TOML file, the environment; the later one wins.

The file is named by ``MELDHALL_CONFIG``. Its top level holds what all services share, a section such as
``[table]`` what one role has for itself. In the environment ``MELDHALL_TABLE_PORT`` is for one role and
``MELDHALL_PORT`` for all. The full list is deploy/docs/configuration.md.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeVar, cast

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from meldhall_runtime.errors import RuntimeFault
from meldhall_runtime.redaction import HIDDEN, is_hidden_key, scrub_text

PREFIX: Final = "MELDHALL_"
FILE_VARIABLE: Final = "MELDHALL_CONFIG"
SECTIONS: Final = frozenset({
    "table", "matchmaking", "ledger", "tournament", "gateway", "operator", "embedded",
})  # fmt: skip
"""Sections that a configuration file may have. Each role checks the keys of its own."""

DEFAULT_PORTS: Final[Mapping[str, tuple[int, int]]] = {
    "table": (7410, 7420),
    "matchmaking": (7411, 7421),
    "ledger": (7412, 7422),
    "tournament": (7413, 7423),
}
"""Role to gRPC port and admin port."""

_SERVICE_LINK: Final = re.compile(r"_SERVICE_(HOST|PORT(_.*)?)$|_PORT_\d+_(TCP|UDP)(_.*)?$")
_LINK_VALUE: Final = re.compile(r"(tcp|udp)://")

SettingsT = TypeVar("SettingsT", bound="ServiceSettings")


class ConfigError(RuntimeFault):
    """Settings cannot be used. ``faults`` has one line each, written for whoever set them."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class ServiceSettings(BaseSettings):
    """What every service can be told. A service subclasses it, names its ``section`` and adds fields."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True, env_nested_delimiter="__")

    section: ClassVar[str] = ""

    host: str = Field(
        default="127.0.0.1", min_length=1, description="Address that the gRPC and admin ports listen on."
    )
    port: int = Field(default=0, ge=0, le=65535, description="gRPC port; 0 takes a free one.")
    admin_port: int = Field(
        default=0, ge=0, le=65535, description="Port of /metrics, /livez and /readyz; 0: a free one."
    )
    advertise: str = Field(
        default="", description="host or host:port under which other services reach this one."
    )
    database_url: str = Field(default="", description="SQLAlchemy URL of the service's own database.")
    database_connections: int = Field(
        default=4, ge=1, le=100, description="PostgreSQL: connections for writing, and as many for reading."
    )
    nats_url: str = Field(
        default="nats://127.0.0.1:7430", min_length=1, description="NATS server, or several by comma."
    )
    nats_replicas: int = Field(
        default=1, ge=1, le=5, description="Servers that keep a copy of the stream of events."
    )
    log_format: Literal["auto", "console", "json"] = Field(
        default="auto", description="auto: console on a terminal."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level that is written."
    )
    drain_seconds: float = Field(
        default=20.0, ge=0, le=600, description="Time for handing over work after SIGTERM."
    )
    connection_age_seconds: int = Field(
        default=1800, ge=0, description="Age at which clients must reconnect; 0: never."
    )
    auth_public_key_file: Path | None = Field(
        default=None, description="PEM file that tokens are checked with."
    )
    auth_signing_key_file: Path | None = Field(
        default=None, description="PEM file that own tokens are signed with."
    )
    metrics: bool = Field(default=True, description="Whether /metrics answers.")
    reflection: bool = Field(default=True, description="Whether gRPC reflection answers.")
    die_with_parent: bool = Field(default=False, description="Stop when the parent process ends (Linux).")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic passes it by name; ours know two prefixes
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - no .env files: a file has one place
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - secrets are files named by settings
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, the role's environment, the common environment, the file, the role's defaults."""
        return (
            init_settings,
            *(_Environment(settings_cls, prefix) for prefix in _prefixes(cls)),
            InitSettingsSource(settings_cls, _file_values(cls)),
            InitSettingsSource(settings_cls, _role_defaults(cls)),
        )


class _Environment(EnvSettingsSource):
    """Environment variables of one prefix, without those of Kubernetes for a Service of that name."""

    def __init__(self, settings_cls: type[BaseSettings], prefix: str) -> None:
        super().__init__(settings_cls, env_prefix=prefix, env_ignore_empty=True, env_nested_delimiter="__")

    def _load_env_vars(self) -> Mapping[str, str | None]:
        loaded = super()._load_env_vars()
        return {name: value for name, value in loaded.items() if not _LINK_VALUE.match(value or "")}


def load_settings(kind: type[SettingsT], **overrides: object) -> SettingsT:
    """Read the settings of a service from arguments, environment, file and defaults.

    Raises:
        ConfigError: A value is not accepted, or the file is missing, broken or has unknown keys.
    """
    try:
        return kind(**cast("dict[str, Any]", overrides))
    except ValidationError as error:
        raise ConfigError(*(_fault(kind, entry, overrides) for entry in error.errors())) from None
    except SettingsError as error:
        raise ConfigError(scrub_text(str(error))) from None


def environment_names(kind: type[ServiceSettings], field: str) -> tuple[str, ...]:
    """The environment variables that set ``field``, the strongest first."""
    return tuple(f"{prefix}{field.upper()}" for prefix in _prefixes(kind))


def unknown_environment(kind: type[ServiceSettings], environ: Mapping[str, str] | None = None) -> list[str]:
    """Variables that look like settings of this role and are none: most likely misspelt.

    Args:
        kind: The role's settings.
        environ: The environment to search; the process's own when None.
    """
    if not kind.section:
        return []
    prefix = _prefixes(kind)[0]
    found = [name for name in (os.environ if environ is None else environ) if name.startswith(prefix)]
    known = {f"{prefix}{field.upper()}" for field in kind.model_fields}
    return sorted(
        name for name in found if name.split("__")[0] not in known and not _SERVICE_LINK.search(name)
    )


def _prefixes(kind: type[ServiceSettings]) -> tuple[str, ...]:
    return (f"{PREFIX}{kind.section.upper()}_", PREFIX) if kind.section else (PREFIX,)


def _role_defaults(kind: type[ServiceSettings]) -> dict[str, Any]:
    port, admin_port = DEFAULT_PORTS.get(kind.section, (0, 0))
    name = kind.section or "meldhall"
    wanted = {
        "port": port,
        "admin_port": admin_port,
        "database_url": f"sqlite+aiosqlite:///.meldhall/{name}.sqlite",
    }
    return {field: value for field, value in wanted.items() if not kind.model_fields[field].default}


def _file_values(kind: type[ServiceSettings]) -> dict[str, Any]:
    name = os.environ.get(FILE_VARIABLE, "")
    if not name:
        return {}
    content = _read_toml(name)
    section = content.get(kind.section, {}) if kind.section else {}
    if not isinstance(section, dict):
        raise ConfigError(f"[{kind.section}] in {name} is not a section")
    faults = [*_unknown_top_level(kind, content, name), *_unknown_in_section(kind, section, name)]
    if faults:
        raise ConfigError(*faults)
    common = {key: value for key, value in content.items() if key in kind.model_fields}
    return common | section


def _read_toml(name: str) -> dict[str, Any]:
    try:
        with Path(name).open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{FILE_VARIABLE} names {name}, which cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name} is not valid TOML: {error}") from None


def _unknown_top_level(kind: type[ServiceSettings], content: Mapping[str, Any], name: str) -> Iterator[str]:
    for key, value in content.items():
        if key in ServiceSettings.model_fields or (key in SECTIONS and isinstance(value, dict)):
            continue
        if isinstance(value, dict):
            yield f"unknown section [{key}] in {name}{_did_you_mean(key, SECTIONS)}"
        elif kind.section and key in kind.model_fields:
            yield f'unknown key "{key}" in {name}; it belongs under [{kind.section}]'
        else:
            yield f'unknown key "{key}" in {name}{_did_you_mean(key, ServiceSettings.model_fields)}'


def _unknown_in_section(kind: type[ServiceSettings], section: Mapping[str, Any], name: str) -> Iterator[str]:
    for key in section:
        if key not in kind.model_fields:
            hint = _did_you_mean(key, kind.model_fields)
            yield f'unknown key "{key}" under [{kind.section}] in {name}{hint}'


def _did_you_mean(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _fault(kind: type[ServiceSettings], entry: Mapping[str, Any], overrides: Mapping[str, object]) -> str:
    location = [str(part) for part in entry["loc"]]
    field = location[0] if location else ""
    accepted = str(entry["msg"]).removeprefix("Value error, ").replace("Input should", "should", 1)
    if field not in kind.model_fields:
        return f"{field or kind.__name__}: {accepted}"
    shown = _shown(kind.model_fields[field], location[-1], entry.get("input"))
    names = environment_names(kind, field)
    dotted = ".".join(location)
    place = f'"{dotted}" under [{kind.section}]' if kind.section else f'"{dotted}"'
    given = f"{dotted} = {shown}{_origin(field, names, overrides)}"
    return f"{given}: {accepted}; set {' or '.join(names)}, or {place} in the file"


def _origin(field: str, names: tuple[str, ...], overrides: Mapping[str, object]) -> str:
    if field in overrides:
        return " (an argument)"
    given = {name.upper() for name, value in os.environ.items() if value}
    for name in names:
        if name in given:
            return f" (from {name})"
    path = os.environ.get(FILE_VARIABLE)
    return f" (from {path})" if path else ""


def _shown(field: FieldInfo, name: str, value: object) -> str:
    if "Secret" in str(field.annotation) or is_hidden_key(name):
        return HIDDEN
    return scrub_text(repr(value))
