"""Tokens and the access table, without a server."""

import json
import stat
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from meldhall_runtime.auth import (
    Authoriser,
    Principal,
    Role,
    TokenIssuer,
    TokenVerifier,
    current_principal,
    generate_keypair,
)
from meldhall_runtime.config import ConfigError
from meldhall_runtime.errors import ServiceError
from meldhall_runtime.testing import Keys, ManualClock

METHOD = "/meldhall.table.v1.TableService/Act"


def reason(verifier: TokenVerifier, token: str) -> str:
    with pytest.raises(ServiceError) as caught:
        verifier.verify(token)
    assert not token.strip() or token not in str(caught.value)
    return caught.value.reason


def claims(**changes: object) -> dict[str, object]:
    now = ManualClock().now_ms() // 1000
    base: dict[str, object] = {
        "iss": "meldhall", "aud": "meldhall", "sub": "p1", "role": "player", "iat": now, "exp": now + 60,
    }  # fmt: skip
    return {key: value for key, value in (base | changes).items() if value is not None}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def test_a_token_tells_who_it_is_for(clock: ManualClock) -> None:
    keys = Keys(clock)
    assert keys.verifier.verify(keys.token("p1", Role.OPERATOR)) == Principal("p1", Role.OPERATOR)


async def test_a_token_ends_also_when_it_was_accepted_before(clock: ManualClock) -> None:
    keys = Keys(clock)
    token = keys.token(ttl_seconds=60)
    keys.verifier.verify(token)
    await clock.advance(64)
    keys.verifier.verify(token)
    await clock.advance(1)
    assert reason(keys.verifier, token) == "TOKEN_EXPIRED"


def test_a_token_of_another_key_is_invalid(clock: ManualClock) -> None:
    assert reason(Keys(clock).verifier, Keys(clock).token()) == "TOKEN_INVALID"


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "somebody"}, {"aud": "others"}, {"iss": None}, {"aud": None}, {"exp": None}, {"iat": None},
        {"sub": None}, {"role": None}, {"role": "king"}, {"sub": ""}, {"sub": "x" * 129}, {"sub": 7},
        {"exp": "soon"}, {"exp": [1]},
    ],
)  # fmt: skip
def test_a_token_with_a_wrong_or_missing_claim_is_invalid(
    clock: ManualClock, changes: dict[str, object]
) -> None:
    key = Ed25519PrivateKey.generate()
    verifier = TokenVerifier(key.public_key(), clock)
    verifier.verify(_signed(key, claims()))
    assert reason(verifier, _signed(key, claims(**changes))) == "TOKEN_INVALID"


def _signed(key: Ed25519PrivateKey, content: dict[str, object]) -> str:
    # Signed as bytes, since pyjwt would refuse to make some of the claims that a stranger can send.
    return jwt.api_jws.encode(json.dumps(content).encode(), key, algorithm="EdDSA")


def test_another_algorithm_is_invalid_even_with_the_public_key_as_its_secret(clock: ManualClock) -> None:
    verifier = Keys(clock).verifier
    assert reason(verifier, jwt.encode(claims(), "k" * 64, algorithm="HS256")) == "TOKEN_INVALID"
    assert reason(verifier, jwt.encode(claims(), "", algorithm="none")) == "TOKEN_INVALID"
    strange = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert reason(verifier, jwt.encode(claims(), strange, algorithm="RS256")) == "TOKEN_INVALID"


@pytest.mark.parametrize("token", ["x", "a.b.c", "é.é.é", "x" * 5000, "..", " "])
def test_garbage_is_invalid(clock: ManualClock, token: str) -> None:
    assert reason(Keys(clock).verifier, token) == "TOKEN_INVALID"


def test_the_memory_of_accepted_tokens_is_bounded(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_runtime.auth._REMEMBERED", 3)
    keys = Keys(clock)
    for number in range(10):
        keys.verifier.verify(keys.token(f"p{number}"))
    assert len(keys.verifier._passed) == 3


async def test_a_source_gives_the_same_token_until_half_of_its_time_is_over(clock: ManualClock) -> None:
    keys = Keys(clock)
    source = keys.issuer.source("table", Role.SERVICE, ttl_seconds=100)
    first = source()
    await clock.advance(49)
    assert source() == first
    await clock.advance(2)
    assert source() != first
    assert keys.verifier.verify(source()) == Principal("table", Role.SERVICE)


@pytest.mark.parametrize("subject", ["", "x" * 129])
def test_a_subject_has_1_to_128_characters(subject: str) -> None:
    with pytest.raises(ValueError, match="1 to 128"):
        Keys().issuer.issue(subject, Role.PLAYER, ttl_seconds=1)


@pytest.mark.parametrize("subject", ["jane.doe@example.org", "Jane Doe", "jane\tdoe", "p-1\n"])
def test_a_player_is_called_by_a_pseudonym(subject: str, clock: ManualClock) -> None:
    keys = Keys(clock)
    with pytest.raises(ValueError, match="pseudonym"):
        keys.issuer.issue(subject, Role.PLAYER, ttl_seconds=60)
    # Operators and services are no players; a token of somebody else's making is refused as well.
    assert keys.verifier.verify(keys.issuer.issue(subject, Role.OPERATOR, ttl_seconds=60)).subject == subject
    foreign = jwt.encode(claims(sub=subject), keys.issuer._key, algorithm="EdDSA")
    assert reason(keys.verifier, foreign) == "TOKEN_INVALID"


def test_a_pair_of_keys_in_files_works_and_only_the_owner_reads_the_private_one(tmp_path: Path) -> None:
    files = generate_keypair(tmp_path / "keys")
    token = TokenIssuer.from_file(files.signing_key_file).issue("p1", Role.PLAYER, ttl_seconds=60)
    assert TokenVerifier.from_file(files.public_key_file).verify(token).subject == "p1"
    assert stat.S_IMODE(files.signing_key_file.stat().st_mode) == 0o600


def test_a_pair_of_keys_is_never_overwritten(tmp_path: Path) -> None:
    generate_keypair(tmp_path)
    with pytest.raises(FileExistsError):
        generate_keypair(tmp_path)


def test_a_missing_or_wrong_key_file_is_told_to_people(tmp_path: Path) -> None:
    files = generate_keypair(tmp_path)
    (tmp_path / "junk.pem").write_text("junk")
    with pytest.raises(ConfigError, match=r"missing\.pem cannot be read"):
        TokenVerifier.from_file(tmp_path / "missing.pem")
    with pytest.raises(ConfigError, match=r"junk\.pem is not a PEM file"):
        TokenIssuer.from_file(tmp_path / "junk.pem")
    with pytest.raises(ConfigError, match=r"auth-signing\.pem is not a PEM file"):
        TokenVerifier.from_file(files.signing_key_file)


@pytest.mark.parametrize(
    ("role", "allowed"), [(Role.PLAYER, True), (Role.SERVICE, True), (Role.OPERATOR, False)]
)
def test_the_access_table_decides_by_role(role: Role, allowed: bool) -> None:
    keys = Keys()
    authoriser = Authoriser(keys.verifier, {METHOD: frozenset({Role.PLAYER, Role.SERVICE})})
    header = f"Bearer {keys.token('p1', role)}"
    if allowed:
        assert authoriser.authorise(METHOD, header) == Principal("p1", role)
        return
    with pytest.raises(ServiceError) as caught:
        authoriser.authorise(METHOD, header)
    assert (caught.value.code.name, caught.value.reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")


@pytest.mark.parametrize("role", list(Role))
def test_what_the_access_table_does_not_name_is_denied_to_everybody(role: Role) -> None:
    keys = Keys()
    with pytest.raises(ServiceError) as caught:
        Authoriser(keys.verifier, {}).authorise(METHOD, f"Bearer {keys.token('x', role)}")
    assert caught.value.code.name == "PERMISSION_DENIED"


@pytest.mark.parametrize(
    ("header", "expected"),
    [("", "TOKEN_MISSING"), ("Basic abc", "TOKEN_INVALID"), ("Bearer", "TOKEN_INVALID")],
)
def test_a_call_without_a_bearer_token_is_not_authenticated(header: str, expected: str) -> None:
    with pytest.raises(ServiceError) as caught:
        Authoriser(Keys().verifier, {}).authorise(METHOD, header)
    assert (caught.value.code.name, caught.value.reason) == ("UNAUTHENTICATED", expected)


def test_health_needs_no_token() -> None:
    assert Authoriser(Keys().verifier, {}).authorise("/grpc.health.v1.Health/Check", "") is None


def test_outside_of_a_call_there_is_no_principal() -> None:
    with pytest.raises(LookupError):
        current_principal()
