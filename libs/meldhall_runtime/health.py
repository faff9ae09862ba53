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
    """How one check went.

    ``fault`` is empty when it passed. A fault that is not ``required`` is told and leaves the service ready:
    it works on without what is missing.
    """

    name: str
    fault: str = ""
    required: bool = True

    @property
    def blocks(self) -> bool:
        """Tell whether the service is not ready because of it."""
        return bool(self.fault) and self.required


class Readiness:
    """The checks of a service, and the two states in which it is not ready whatever they say.

    Args:
        timeout: Seconds that each check may take.
    """

    def __init__(self, timeout: float = 2.0) -> None:
        self._timeout = timeout
        self._checks: dict[str, tuple[ReadyCheck, bool]] = {}
        self._held_back = "the service is starting"

    def add(self, name: str, check: ReadyCheck, *, required: bool = True) -> None:
        """Add a check; one that is not required is told and never makes the service not ready.

        Raises:
            ValueError: The name is taken.
        """
        if name in self._checks:
            raise ValueError(f"there is a readiness check named {name} already")
        self._checks[name] = (check, required)

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
        checks = (self._run(name, check, required) for name, (check, required) in self._checks.items())
        return (own, *await asyncio.gather(*checks))

    async def _run(self, name: str, check: ReadyCheck, required: bool) -> CheckResult:  # noqa: FBT001 - a field of the result
        try:
            async with asyncio.timeout(self._timeout):
                await check()
        except TimeoutError:
            return CheckResult(name, f"no answer within {self._timeout:g} s", required)
        except Exception as error:  # noqa: BLE001 - whatever a check raises means that it failed
            fault = scrub_text(f"{type(error).__name__}: {error}".replace("\n", " "))
            return CheckResult(name, fault, required)
        return CheckResult(name, required=required)
