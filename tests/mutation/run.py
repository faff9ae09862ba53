"""Mutates the rules and tells which mutants the tests let live: `python -m tests.mutation.run [PATTERN...]`.

A pattern is a path below `libs`, such as `meldhall_rules/melds.py` or `meldhall_rules/games/*/score.py`. It
works on a copy in `.cache/mutate`, which it makes anew; see `deploy/docs/mutation.md`.
"""

import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
COPY: Final = ROOT / ".cache" / "mutate"
PACKAGE: Final = "meldhall_rules"

DECIDING: Final = ("score", "decide", "laying", "turns", "melds", "going_out", "auto")
"""The modules of a game that decide what a command causes and what a round costs."""

PATTERNS: Final = (
    f"{PACKAGE}/melds.py",
    f"{PACKAGE}/card_melds.py",
    *(f"{PACKAGE}/games/*/{module}.py" for module in DECIDING),
    f"{PACKAGE}/solve/arrange.py",
)
"""What is mutated if nothing is named: the rules themselves, not what shows or suggests."""

TESTS: Final = (f"tests/unit/{PACKAGE}", "tests/mutation/cases.py")

SETTINGS: Final = """\
[tool.mutmut]
source_paths = ["{package}"]
only_mutate = [{modules}]
also_copy = ["deploy"]
pytest_add_cli_args = ["-p", "no:randomly", "-p", "no:asyncio", "-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = [{tests}]
use_git_change_detection = false

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "-x"]
pythonpath = ["."]
"""

KILLED: Final = frozenset({"killed", "timeout", "caught by type check"})
"""How a mutant ends that is noticed; one for which a test runs for ever is noticed, too."""


def main(patterns: Sequence[str]) -> None:
    """Mutate what the patterns name and print the result."""
    modules = _modules(patterns or PATTERNS)
    if not modules:
        sys.exit(f"no module is named by {' '.join(patterns)}")
    _copy(modules)
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    subprocess.run((mutmut, "run", "--max-children", "2"), cwd=COPY, check=True)
    told = subprocess.run(
        (mutmut, "results", "--all", "true"), cwd=COPY, check=True, capture_output=True, text=True
    )
    _report(_read(told.stdout))


def _modules(patterns: Iterable[str]) -> list[str]:
    found = sorted(str(file.relative_to(ROOT / "libs")) for file in (ROOT / "libs" / PACKAGE).rglob("*.py"))
    return [name for name in found if any(fnmatch(name, pattern) for pattern in patterns)]


def _copy(modules: Iterable[str]) -> None:
    """Lay out the rules and their tests as one small project, in which mutmut finds both."""
    shutil.rmtree(COPY, ignore_errors=True)
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "libs" / PACKAGE, COPY / PACKAGE, ignore=skip)
    for folder in (f"tests/unit/{PACKAGE}", "tests/conformance", "tests/mutation", "deploy/docs"):
        shutil.copytree(ROOT / folder, COPY / folder, ignore=skip)
    settings = SETTINGS.format(package=PACKAGE, modules=_quoted(modules), tests=_quoted(TESTS))
    (COPY / "pyproject.toml").write_text(settings, encoding="utf-8")


def _quoted(values: Iterable[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


def _read(told: str) -> dict[str, str]:
    """Return the end of every mutant by its name."""
    pairs = (line.rsplit(": ", 1) for line in told.splitlines() if "__mutmut_" in line)
    return {name.strip(): end.strip() for name, end in pairs}


def _report(ends: Mapping[str, str]) -> None:
    """Print the survivors, then by module the share of mutants that were killed."""
    by_module: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, end in ends.items():
        by_module[name.rsplit(".", 1)[0]][end] += 1
        if end not in KILLED:
            print(f"{end}: {name}")  # noqa: T201 - a command prints
    for module, counts in (*sorted(by_module.items()), ("all", Counter(ends.values()))):
        killed = sum(counts[end] for end in KILLED)
        total = sum(counts.values())
        print(f"{module:45} {killed:5} of {total:5} killed  {killed / max(total, 1):7.1%}")  # noqa: T201 - see above


if __name__ == "__main__":
    main(sys.argv[1:])
