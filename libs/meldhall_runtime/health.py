"""Readiness: named checks that are run together, each within its time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from meldhall_runtime.errors import RuntimeFault
from meldhall_runtime.redaction import scrub_text

ReadyCheck = Callable[[], Awaitable[None]]
"""Returns when all is well; raises, with a sentence for people, when not."""


class NotReady(RuntimeFault):
    """A readiness check says no."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one check went. ``fault`` is empty when it passed."""

    name: str
    fault: str = ""


class Readiness:
    """The checks of a service, and the two states in which it is not ready whatever they say.

    Args:
        timeout: Seconds that each check may take.
    """

    def __init__(self, timeout: float = 2.0) -> None:
        self._timeout = timeout
        self._checks: dict[str, ReadyCheck] = {}
        self._held_back = "the service is starting"

    def add(self, name: str, check: ReadyCheck) -> None:
        """Add a check.

        Raises:
            ValueError: The name is taken.
        """
        if name in self._checks:
            raise ValueError(f"there is a readiness check named {name} already")
        self._checks[name] = check

    def open(self) -> None:
        """From now on the checks decide."""
        self._held_back = ""

    def close(self) -> None:
        """Not ready any more, for good."""
        self._held_back = "the service is draining"

    async def report(self) -> tuple[CheckResult, ...]:
        """Run every check; the first result is the service's own state."""
        own = CheckResult("service", self._held_back)
        if self._held_back:
            return (own,)
        return (own, *await asyncio.gather(*(self._run(name, check) for name, check in self._checks.items())))

    async def _run(self, name: str, check: ReadyCheck) -> CheckResult:
        try:
            async with asyncio.timeout(self._timeout):
                await check()
        except TimeoutError:
            return CheckResult(name, f"no answer within {self._timeout:g} s")
        except Exception as error:  # noqa: BLE001 - whatever a check raises means that it failed
            return CheckResult(name, scrub_text(f"{type(error).__name__}: {error}".replace("\n", " ")))
        return CheckResult(name)
