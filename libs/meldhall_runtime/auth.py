"""Who calls: Ed25519-signed tokens, and what each role may call.

A token is a JSON web token (RFC 7519) with the algorithm EdDSA, issuer and audience ``meldhall``, a
subject, a role and an end. Nothing is allowed that the access table does not name.
"""

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from meldhall_runtime.clock import Clock, SystemClock
from meldhall_runtime.config import ConfigError
from meldhall_runtime.errors import permission_denied, unauthenticated

ISSUER: Final = "meldhall"
AUDIENCE: Final = "meldhall"
ALGORITHM: Final = "EdDSA"
LEEWAY_SECONDS: Final = 5
PUBLIC_KEY_NAME: Final = "auth-public.pem"
SIGNING_KEY_NAME: Final = "auth-signing.pem"
_MAX_SUBJECT: Final = 128
_MAX_TOKEN: Final = 4096
_REMEMBERED: Final = 4096


class Role(StrEnum):
    """What a caller is."""

    PLAYER = "player"
    SERVICE = "service"
    OPERATOR = "operator"


def is_pseudonym(text: str) -> bool:
    """Tell whether a player's id can be a pseudonym: an address of mail or a full name cannot.

    Player ids lie in logs that nothing is ever erased from (``deploy/docs/retention.md``). That one is a
    pseudonym indeed only its issuer can know; this stops the likeliest mistakes.
    """
    return "@" not in text and not any(character.isspace() for character in text)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls. ``subject`` is a pseudonymous id, or a service's name."""

    subject: str
    role: Role


AccessTable = Mapping[str, frozenset[Role]]
"""Full method name, such as ``/meldhall.table.v1.TableService/Act``, to the roles that may call it."""

OPEN_SERVICES: Final = frozenset({"grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"})
"""Needs no token: probes cannot sign in, and reflection tells what the repository tells."""

_principal: ContextVar[Principal | None] = ContextVar("meldhall_principal", default=None)


def current_principal() -> Principal:
    """Who makes the call that is being handled.

    Raises:
        LookupError: No authorised call is being handled.
    """
    principal = _principal.get()
    if principal is None:
        raise LookupError("no authorised call is being handled")
    return principal


def set_principal(principal: Principal | None) -> None:
    """Note who calls, for the task of this call."""
    _principal.set(principal)


class TokenIssuer:
    """Signs tokens.

    Args:
        signing_key: The private key.
        clock: Wall time for the token's start and end.
    """

    def __init__(self, signing_key: Ed25519PrivateKey, clock: Clock | None = None) -> None:
        self._key = signing_key
        self._clock = clock or SystemClock()

    @classmethod
    def from_file(cls, path: Path, clock: Clock | None = None) -> "TokenIssuer":
        """Read the private key from a PEM file.

        Raises:
            ConfigError: The file cannot be read or is not such a key.
        """
        key = _load(path, lambda raw: serialization.load_pem_private_key(raw, password=None))
        if not isinstance(key, Ed25519PrivateKey):
            raise ConfigError(f"{path} is not an Ed25519 private key")
        return cls(key, clock)

    def issue(self, subject: str, role: Role, *, ttl_seconds: int) -> str:
        """Make a token that ends after ``ttl_seconds``.

        Raises:
            ValueError: The subject is empty, longer than 128 characters, or that of a player and no
                pseudonym.
        """
        if not 0 < len(subject) <= _MAX_SUBJECT:
            raise ValueError(f"a subject has 1 to {_MAX_SUBJECT} characters, not {len(subject)}")
        if role is Role.PLAYER and not is_pseudonym(subject):
            raise ValueError(f"a player's id is a pseudonym, without @ and white space, not {subject!r}")
        now = self._clock.now_ms() // 1000
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": subject,
            "role": role.value,
            "iat": now,
            "exp": now + ttl_seconds,
        }
        return jwt.encode(claims, self._key, algorithm=ALGORITHM)

    def source(self, subject: str, role: Role, *, ttl_seconds: int = 600) -> Callable[[], str]:
        """A function that gives a valid token at any time, renewed when half of its time is over."""
        token, renew_at = "", 0

        def current() -> str:
            nonlocal token, renew_at
            now = self._clock.now_ms()
            if now >= renew_at:
                token = self.issue(subject, role, ttl_seconds=ttl_seconds)
                renew_at = now + ttl_seconds * 500
            return token

        return current


class TokenVerifier:
    """Checks tokens. Those that passed are remembered until they end: a signature costs more than a call.

    Args:
        public_key: The issuer's public key.
        clock: Wall time for the end of remembered tokens.
    """

    def __init__(self, public_key: Ed25519PublicKey, clock: Clock | None = None) -> None:
        self._key = public_key
        self._clock = clock or SystemClock()
        self._passed: OrderedDict[str, tuple[Principal, int]] = OrderedDict()

    @classmethod
    def from_file(cls, path: Path, clock: Clock | None = None) -> "TokenVerifier":
        """Read the public key from a PEM file.

        Raises:
            ConfigError: The file cannot be read or is not such a key.
        """
        key = _load(path, serialization.load_pem_public_key)
        if not isinstance(key, Ed25519PublicKey):
            raise ConfigError(f"{path} is not an Ed25519 public key")
        return cls(key, clock)

    def verify(self, token: str) -> Principal:
        """Check a token and tell who it is for.

        Raises:
            ServiceError: UNAUTHENTICATED with reason TOKEN_EXPIRED or TOKEN_INVALID; the token is in no text.
        """
        now = self._clock.now_ms() // 1000
        known = self._passed.get(token)
        if known is not None and now < known[1] + LEEWAY_SECONDS:
            self._passed.move_to_end(token)
            return known[0]
        self._passed.pop(token, None)
        principal, end = self._check(token, now)
        self._passed[token] = (principal, end)
        if len(self._passed) > _REMEMBERED:
            self._passed.popitem(last=False)
        return principal

    def _check(self, token: str, now: int) -> tuple[Principal, int]:
        if len(token) > _MAX_TOKEN:
            raise unauthenticated("TOKEN_INVALID", "the token is not valid")
        try:
            # The end is compared below, with the injected clock; pyjwt would read the machine's.
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                options={"require": ["exp", "iat", "sub", "role"], "verify_exp": False, "verify_iat": False},
            )
            end = int(claims["exp"])
            principal = Principal(str(claims["sub"]), Role(claims["role"]))
        except (jwt.InvalidTokenError, ValueError, TypeError, OverflowError):
            raise unauthenticated("TOKEN_INVALID", "the token is not valid") from None
        if not 0 < len(principal.subject) <= _MAX_SUBJECT:
            raise unauthenticated("TOKEN_INVALID", "the token is not valid")
        if principal.role is Role.PLAYER and not is_pseudonym(principal.subject):
            raise unauthenticated("TOKEN_INVALID", "the subject of the token is no pseudonym")
        if now >= end + LEEWAY_SECONDS:
            raise unauthenticated("TOKEN_EXPIRED", "the token has expired")
        return principal, end


class Authoriser:
    """Decides about each call: open service, token, access table. What the table lacks is denied."""

    def __init__(self, verifier: TokenVerifier, access: AccessTable) -> None:
        self._verifier = verifier
        self._access = access

    def authorise(self, method: str, authorization: str) -> Principal | None:
        """Tell who calls, or None when the method is open.

        Args:
            method: Full method name.
            authorization: The call's ``authorization`` metadata, empty if there is none.

        Raises:
            ServiceError: UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED) or PERMISSION_DENIED
                (ROLE_NOT_ALLOWED).
        """
        if method.split("/")[1] in OPEN_SERVICES:
            return None
        if not authorization:
            raise unauthenticated("TOKEN_MISSING", "the call has no bearer token")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise unauthenticated("TOKEN_INVALID", "the authorization metadata is no bearer token")
        principal = self._verifier.verify(token)
        if principal.role not in self._access.get(method, frozenset()):
            raise permission_denied(
                "ROLE_NOT_ALLOWED",
                f"a {principal.role.value} may not call {method}",
                role=principal.role.value,
            )
        return principal


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """Where a pair of keys lies."""

    public_key_file: Path
    signing_key_file: Path


def generate_keypair(folder: Path) -> KeyFiles:
    """Make a pair of keys: ``auth-public.pem``, and ``auth-signing.pem`` that only the owner can read.

    Raises:
        FileExistsError: There is a key already; it is never overwritten, since that would end every session.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = KeyFiles(folder / PUBLIC_KEY_NAME, folder / SIGNING_KEY_NAME)
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    _write_new(files.signing_key_file, private, mode=0o600)
    _write_new(files.public_key_file, public, mode=0o644)
    return files


def _write_new(path: Path, content: bytes, *, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _load(path: Path, parse: Callable[[bytes], object]) -> object:
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"the key file {path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ConfigError(f"{path} is not a PEM file of a key without a passphrase") from None
