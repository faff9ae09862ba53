import pytest

from meldhall_ledger.failpoints import AFTER_COMMIT, BEFORE_COMMIT, VARIABLE, _die, failpoint


def test_a_failpoint_does_nothing_unless_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    failpoint(BEFORE_COMMIT)()
    monkeypatch.setenv(VARIABLE, AFTER_COMMIT)
    failpoint(BEFORE_COMMIT)()

    assert failpoint(AFTER_COMMIT) is _die
