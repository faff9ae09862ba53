"""Running scenario files through the rules: text in, results out.

Source: ``deploy/docs/scenarios.md``.
"""

from dataclasses import dataclass

from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.adapters import ADAPTERS
from meldhall_rules.scenario.check import differences, refuse_unknown
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import BadCase, Case, load
from meldhall_rules.scenario.play import play
from meldhall_rules.scenario.values import shown


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of a case. ``detail`` says what differed or is wrong with the case; empty when ``ok``."""

    file: str
    id: str
    ok: bool
    detail: str


def run_text(name: str, text: str) -> tuple[CaseResult, ...]:
    """Run every case of a file.

    Never raises for what the text holds: what cannot be read, cannot be or is not known is a failed case.

    Args:
        name: how the results shall call the file.
        text: its content.

    Returns:
        A result for each case in order, at least one.
    """
    return tuple(_run(name, case) for case in load(text))


def _run(name: str, case: Case | BadCase) -> CaseResult:
    detail = case.detail if isinstance(case, BadCase) else _detail(case)
    return CaseResult(name, case.id, not detail, detail)


def _detail(case: Case) -> str:
    try:
        adapter = _adapter(case.game)
        refuse_unknown(case, adapter)
        session = adapter.begin(case)
        play(session, case.play)
        return "; ".join(differences(case, adapter, session))
    except Fault as fault:
        return str(fault)
    except Exception as error:  # noqa: BLE001 - a bug in the rules is a failed case, and the next case still runs
        return f"the rules broke down: {type(error).__name__}: {error}"


def _adapter(game: str) -> Adapter:
    adapter = ADAPTERS.get(game)
    if adapter is None:
        raise Fault("game", f"there is no game {shown(game)}, known are {', '.join(sorted(ADAPTERS))}")
    return adapter
