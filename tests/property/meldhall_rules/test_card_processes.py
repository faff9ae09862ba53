"""Card games are played the same in every process, whatever its hash seed and optimisation."""

import subprocess
import sys
from pathlib import Path

from tests.property.meldhall_rules.card_digest import digest

ROOT = Path(__file__).parents[3]


def test_fault_15_the_same_is_played_and_refused_in_every_process() -> None:
    script = "from tests.property.meldhall_rules.card_digest import digest; print(digest(range(3)))"
    found = set()
    for flags, hash_seed in (([], "0"), (["-O"], "1"), (["-OO"], "4242")):
        run = subprocess.run(
            [sys.executable, *flags, "-c", script],
            env={
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": f"{ROOT / 'libs'}:{ROOT}",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(run.stdout.strip())
    assert found == {digest(range(3))}
