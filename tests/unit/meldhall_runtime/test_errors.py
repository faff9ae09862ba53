"""Errors of services, and reading them back."""

import grpc
import pytest
from google.rpc import status_pb2

from meldhall_runtime import errors
from meldhall_runtime.errors import DETAILS_KEY, ErrorInfo, ServiceError, reason_of


@pytest.mark.parametrize("reason", ["", "lower", "WITH SPACE", "1ST", "A" * 64])
def test_a_reason_is_upper_snake_case(reason: str) -> None:
    with pytest.raises(ValueError, match="UPPER_SNAKE_CASE"):
        ServiceError(grpc.StatusCode.ABORTED, reason, "text")


@pytest.mark.parametrize(
    "name",
    ["invalid_argument", "not_found", "already_exists", "failed_precondition", "permission_denied",
     "unauthenticated", "resource_exhausted", "aborted", "unavailable", "deadline_exceeded"],
)  # fmt: skip
def test_each_helper_makes_the_status_of_its_name(name: str) -> None:
    error: ServiceError = getattr(errors, name)("NOT_OWNER", "text", owner="a:1")
    assert error.code.name == name.upper()
    assert (error.reason, error.message, error.metadata) == ("NOT_OWNER", "text", {"owner": "a:1"})


def rpc_error(*trailers: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(grpc.StatusCode.ABORTED, grpc.aio.Metadata(), grpc.aio.Metadata(*trailers))


def test_an_error_without_or_with_broken_details_has_no_reason() -> None:
    assert reason_of(rpc_error()) is None
    assert reason_of(rpc_error((DETAILS_KEY, b"\xff\xff"))) is None
    assert reason_of(rpc_error((DETAILS_KEY, status_pb2.Status(code=1).SerializeToString()))) is None
    assert reason_of(grpc.RpcError()) is None


def test_error_infos_are_values() -> None:
    assert ErrorInfo("A", "meldhall", {}) == ErrorInfo("A", "meldhall", {})
