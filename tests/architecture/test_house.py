"""The house rules that no linter knows."""

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 400


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    generated = ROOT / "libs" / "meldhall"
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked("*.py")
        if generated not in path.parents and (lines := len(path.read_text().splitlines())) > LIMIT
    }
    assert long == {}


def test_no_lock_file_carries_an_address() -> None:
    assert [str(path) for path in tracked("*.lock") if re.search(r"https?://", path.read_text())] == []


def test_every_locked_package_is_pinned_by_hash() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text().strip())
        assert entries
        for entry in entries:
            assert "==" in entry, entry
            assert "--hash=sha256:" in entry, entry


def test_what_runs_in_production_is_locked_alike_in_both_files() -> None:
    def pins(lock: str) -> set[str]:
        return set(re.findall(r"^([a-z0-9._-]+==[^\s;]+)", (ROOT / lock).read_text(), flags=re.MULTILINE))

    assert pins("requirements.lock") <= pins("requirements-dev.lock")


def test_every_package_is_listed_in_the_wheel_and_the_architecture() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {
        str(path.parent.relative_to(ROOT))
        for root in ("libs", "services")
        for path in (ROOT / root).glob("*/__init__.py")
    }
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == packages
    assert set(project["tool"]["importlinter"]["root_packages"]) == {
        Path(package).name for package in packages
    }


def test_every_package_says_what_it_is_in_forty_lines() -> None:
    for root in ("libs", "services"):
        for init in (ROOT / root).glob("meldhall_*/__init__.py"):
            readme = init.parent / "README.md"
            assert readme.exists(), f"{init.parent} has no README.md"
            assert len(readme.read_text().splitlines()) <= 40, readme


def test_every_decision_record_has_a_number_of_its_own() -> None:
    numbers = [path.name[:4] for path in (ROOT / "deploy" / "docs" / "adr").glob("*.md")]
    assert all(number.isdigit() for number in numbers)
    assert len(numbers) == len(set(numbers))


def test_no_link_in_the_docs_is_broken() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in tracked("*.md")
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_docs_named_in_code_exist() -> None:
    missing = set()
    for path in tracked("*.py", "*.proto", "*.md"):
        if path == Path(__file__):
            continue
        for named in re.findall(r"deploy/docs/[A-Za-z0-9_/-]+\.md", path.read_text()):
            if not (ROOT / named).exists():
                missing.add(f"{path.relative_to(ROOT)}: {named}")
    assert missing == set()
