"""`meldhall token`: a signed token for development and for calling the API by hand."""

from pathlib import Path

from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import data_dir
from meldhall_runtime import Role, SystemClock, TokenIssuer
from meldhall_runtime.auth import SIGNING_KEY_NAME


def issue_token(subject: str, role: Role, *, ttl_seconds: int, key: Path | None, data: Path | None) -> str:
    """Sign a token with the key named, or with that of the data folder.

    Raises:
        CommandFault: there is no key.
    """
    signing_key = key or data_dir(data).path / "keys" / SIGNING_KEY_NAME
    if not signing_key.is_file():
        raise CommandFault(
            f"there is no signing key at {signing_key}; `meldhall up` makes one at its first start"
        )
    return TokenIssuer.from_file(signing_key, SystemClock()).issue(subject, role, ttl_seconds=ttl_seconds)
