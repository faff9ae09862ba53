"""From start to exit code: signals, draining, and dying with a parent."""

import asyncio
import ctypes
import gc
import os
import signal
import sys
from typing import Final

import structlog

from meldhall_runtime.config import ServiceSettings
from meldhall_runtime.errors import RuntimeFault
from meldhall_runtime.logging import configure_logging
from meldhall_runtime.service import Bind, Runtime

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_NOT_STARTED: Final = 2
_PR_SET_PDEATHSIG: Final = 1

_COLLECT: Final = (50_000, 50, 100)
"""When the cyclic garbage collector looks: new objects, then rounds of each generation. With Python's own
numbers a service of thousands of messages a second walks over its whole state many times a second, for next
to no cycles."""


def set_collection() -> None:
    """Have the garbage collector walk over new things only, and seldom, as services and their benches do."""
    gc.set_threshold(*_COLLECT)
    # What was imported stays; nobody needs to look at it again.
    gc.freeze()


def run_service(name: str, settings: ServiceSettings, bind: Bind, *, parent_pid: int | None = None) -> int:
    """Run a service in this process until it ends, and return the exit code.

    0: it was told to stop and drained. 1: it failed, or something went wrong while draining or closing. 2:
        it could not start for a reason that whoever started it can mend. A second SIGTERM or SIGINT ends
        the process at once with 128 + the signal's number.

    Args:
        name: The role.
        settings: The role's settings.
        bind: The service's composition root.
        parent_pid: With ``die_with_parent``: who started this, to notice a parent that is gone already.
    """
    configure_logging(settings.log_format, settings.log_level)
    log = structlog.stdlib.get_logger(f"meldhall.{name}")
    if settings.die_with_parent:
        die_with_parent(parent_pid)
    set_collection()
    try:
        return asyncio.run(_run(name, settings, bind))
    except RuntimeFault as fault:
        log.critical("service_not_started", service=name, reason=str(fault))
        return EXIT_NOT_STARTED
    except Exception:
        log.exception("service_crashed", service=name)
        return EXIT_FAILED


async def serve(runtime: Runtime, bind: Bind) -> int:
    """Start, wait until the runtime is to stop, drain and close; return the exit code.

    It may run beside others in one loop. Cancelling it drains too. A stop that comes while the service
    starts gives up the start.

    Raises:
        RuntimeFault: It could not start, for a reason that people can mend.
    """
    clean = True
    try:
        await _start(runtime, bind)
        if runtime.serving:
            await runtime.wait()
    finally:
        if runtime.serving:
            clean = await runtime.stop()
    return EXIT_OK if clean and not runtime.failure else EXIT_FAILED


def die_with_parent(parent_pid: int | None = None) -> None:
    """Have Linux send SIGTERM to this process when its parent ends. Other systems only get a warning.

    The kernel means the *thread* that started this process: start it from a thread that lives on.

    Args:
        parent_pid: Who the parent should be; if it is gone already, SIGTERM comes at once.

    Raises:
        OSError: The kernel refused.
    """
    if sys.platform != "linux":
        structlog.stdlib.get_logger("meldhall").warning("die_with_parent_unsupported", platform=sys.platform)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if parent_pid is not None and os.getppid() != parent_pid:
        os.kill(os.getpid(), signal.SIGTERM)


async def _run(name: str, settings: ServiceSettings, bind: Bind) -> int:
    runtime = Runtime(name, settings)
    signals: list[signal.Signals] = []

    def on_signal(received: signal.Signals) -> None:
        signals.append(received)
        runtime.log.info("signal_received", signal=received.name)
        if len(signals) > 1:
            # No clean-up on purpose: whoever sends a second signal finds that the first one takes too long.
            os._exit(128 + received)
        runtime.request_stop()

    for one in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(one, on_signal, one)
    return await serve(runtime, bind)


async def _start(runtime: Runtime, bind: Bind) -> None:
    # A task of its own: what is bound to its context (service, instance) reaches its own tasks only.
    starting = asyncio.create_task(runtime.start(bind))
    stopping = asyncio.create_task(runtime.wait())
    try:
        await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not starting.done():
            starting.cancel()
        await asyncio.wait({starting, stopping})
    if not starting.cancelled():
        starting.result()
