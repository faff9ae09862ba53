"""What every service is made of: settings, logs, gRPC, tokens, health, metrics, traces, draining."""

from meldhall_runtime.auth import (
    AccessTable,
    Principal,
    Role,
    TokenIssuer,
    TokenVerifier,
    current_principal,
    generate_keypair,
)
from meldhall_runtime.clock import Clock, SystemClock
from meldhall_runtime.config import ConfigError, ServiceSettings, load_settings
from meldhall_runtime.errors import ErrorInfo, RuntimeFault, ServiceError, reason_of
from meldhall_runtime.grpc_client import open_channel, with_retries
from meldhall_runtime.grpc_server import PortTaken
from meldhall_runtime.health import NotReady
from meldhall_runtime.ids import Ids, SystemIds
from meldhall_runtime.lifecycle import run_service, serve
from meldhall_runtime.logging import configure_logging
from meldhall_runtime.service import Bind, Runtime
from meldhall_runtime.tracing import Tracing, current_traceparent

__all__ = [
    "AccessTable",
    "Bind",
    "Clock",
    "ConfigError",
    "ErrorInfo",
    "Ids",
    "NotReady",
    "PortTaken",
    "Principal",
    "Role",
    "Runtime",
    "RuntimeFault",
    "ServiceError",
    "ServiceSettings",
    "SystemClock",
    "SystemIds",
    "TokenIssuer",
    "TokenVerifier",
    "Tracing",
    "configure_logging",
    "current_principal",
    "current_traceparent",
    "generate_keypair",
    "load_settings",
    "open_channel",
    "reason_of",
    "run_service",
    "serve",
    "with_retries",
]
