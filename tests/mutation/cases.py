"""Every scenario file, run inside a test: where the rules are mutated, they are so only while tests run."""

from pathlib import Path
from typing import Final

import pytest

from meldhall_rules.scenario import run_text

FOLDER: Final = Path(__file__).parents[1] / "conformance"
FILES: Final = sorted(FOLDER.rglob("*.yaml"))


@pytest.mark.parametrize("file", [pytest.param(file, id=str(file.relative_to(FOLDER))) for file in FILES])
def test_every_case_of_a_file_holds(file: Path) -> None:
    results = run_text(file.name, file.read_text(encoding="utf-8"))
    assert results
    assert [result.detail for result in results if not result.ok] == []
