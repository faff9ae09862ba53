"""`meldhall token`: a signed token for development and for calling the API by hand."""

from pathlib import Path

from meldhall_cli.stack import data_dir, stack_keys
from meldhall_runtime import Role, SystemClock, TokenIssuer


def issue_token(subject: str, role: Role, *, ttl_seconds: int, key: Path | None, data: Path | None) -> str:
    """Sign a token with the key named, or with that of the data folder."""
    signing_key = key or stack_keys(data_dir(data)).signing_key_file
    return TokenIssuer.from_file(signing_key, SystemClock()).issue(subject, role, ttl_seconds=ttl_seconds)
