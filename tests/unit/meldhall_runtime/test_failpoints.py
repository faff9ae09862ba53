import subprocess
import sys

import pytest

from meldhall_runtime.failpoints import KILLED, VARIABLE, failpoint

HERE, ELSEWHERE = "test.here", "test.elsewhere"


def test_a_failpoint_does_nothing_unless_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    failpoint(HERE)()
    monkeypatch.setenv(VARIABLE, ELSEWHERE)
    failpoint(HERE)()


def test_a_failpoint_that_is_named_ends_the_process_at_once() -> None:
    program = (
        "from meldhall_runtime.failpoints import failpoint\n"
        "try:\n    failpoint('test.here')()\nfinally:\n    print('went on')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], env={VARIABLE: HERE}, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (KILLED, b"")
