import pytest

pytest.register_assert_rewrite("meldhall_eventlog.testing")
