"""The traps of the NATS client that are avoided by not going near them; numbers as in messaging.md."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRAPPER = ROOT / "libs" / "meldhall_messaging"
SOURCES = [
    path
    for folder in ("libs", "services")
    for path in (ROOT / folder).rglob("*.py")
    if (ROOT / "libs" / "meldhall") not in path.parents
]
UNUSED = r"ordered_consumer|key_value\(|\.watch\(|watchall|KeyValueConfig"


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def test_only_the_wrapper_knows_the_client() -> None:
    # A bench of a store publishes what no service would, from a process that ends with it.
    bench = ROOT / "libs" / "meldhall_cli" / "bench"
    knowing = {path for path in SOURCES if any(name.split(".")[0] == "nats" for name in imports(path))}
    assert {path for path in knowing if bench not in path.parents} == {
        WRAPPER / name for name in ("jetstream.py", "_ensure.py", "_pull.py")
    }


def test_n12_n13_n14_n15_neither_ordered_consumers_nor_key_value_stores_are_used() -> None:
    used = {
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in WRAPPER.glob("*.py")
        if (found := re.search(UNUSED, path.read_text()))
    }
    assert used == set()


def test_n21_no_fetch_without_waiting() -> None:
    assert [path.name for path in WRAPPER.glob("*.py") if "no_wait" in path.read_text()] == []
