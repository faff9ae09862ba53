"""`meldhall scenario run FILE_OR_FOLDER…`: positions, moves and what must hold, through the real rules."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from meldhall_cli.faults import CommandFault
from meldhall_rules.scenario.runner import CaseResult, run_text


def scenario_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Give the files named, and the YAML files below the folders named, in order of their names.

    Raises:
        CommandFault: a path does not exist, or a folder has no scenario file.
    """
    for path in paths:
        if path.is_dir():
            found = sorted(file for ending in ("*.yaml", "*.yml") for file in path.rglob(ending))
            if not found:
                raise CommandFault(f"there is no .yaml file below {path}")
            yield from found
        elif path.exists():
            yield path
        else:
            raise CommandFault(f"there is no file or folder {path}")


def run_scenarios(paths: Sequence[Path], *, as_json: bool, console: Console) -> bool:
    """Run every case and print a line for each; True when all hold.

    Raises:
        CommandFault: a path cannot be read.
    """
    results: list[CaseResult] = []
    for file in scenario_files(paths):
        for result in run_text(str(file), _text(file)):
            results.append(result)
            _print(result, as_json=as_json, console=console)
    failed = sum(not result.ok for result in results)
    if not as_json:
        colour = "red" if failed else "green"
        console.print(f"[{colour}]{len(results) - failed} cases hold, {failed} do not[/]")
    return failed == 0


def _text(file: Path) -> str:
    # Bytes that are no text become characters that no scenario has: a failed case with a clear detail.
    return file.read_bytes().decode("utf-8", errors="replace")


def _print(result: CaseResult, *, as_json: bool, console: Console) -> None:
    if as_json:
        line = {"file": result.file, "id": result.id, "ok": result.ok, "detail": result.detail}
        print(json.dumps(line, ensure_ascii=False))
        return
    mark = "[green]ok  [/]" if result.ok else "[red]FAIL[/]"
    console.print(f"{mark} ", end="")
    detail = f": {result.detail}" if result.detail else ""
    console.print(f"{result.file} {result.id}{detail}", markup=False, highlight=False, soft_wrap=True)
