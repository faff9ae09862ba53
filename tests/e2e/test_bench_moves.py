"""`meldhall bench moves` on a few tables: it plays real moves, and its figures fit together."""

import asyncio
import io

from rich.console import Console

from meldhall_cli.bench.moves import MovesPlan, measure_moves, print_moves


def test_moves_are_measured_beside_an_echo() -> None:
    result = asyncio.run(measure_moves(MovesPlan(tables=3, seats=3, seconds=1.0)))
    assert result["ratio"] == result["moves_per_second"] / result["echo_per_second"]
    # Two moves a turn and a player at a time: nobody is told before the answer's time at the earliest.
    for pass_ in ("", "half_"):
        assert result[f"{pass_}moves_per_second"] > 0
        assert 0 < result[f"{pass_}ack_ms_p50"] <= result[f"{pass_}ack_ms_p99"]
        assert 0 < result[f"{pass_}seen_ms_p50"] <= result[f"{pass_}seen_ms_p99"]
    assert result["half_moves_per_second"] < 0.8 * result["moves_per_second"]
    assert 5 < result["message_bytes"] < 60
    # An echo does nothing but pass a message on.
    assert result["echo_per_second"] > result["moves_per_second"]
    shown = Console(file=io.StringIO(), width=120)
    print_moves(result, shown)
    assert "moves a second" in shown.file.getvalue()  # type: ignore[attr-defined]
