"""A bare bidirectional echo over grpc.aio, without code of ours in the server: what the transport can do.

`python -m meldhall_cli.bench.echo serve PORT` serves; `python -m meldhall_cli.bench.echo load JSON` loads it
and prints what it measured as one line of JSON.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import grpc

from meldhall_cli.bench.meter import Meter

METHOD: Final = "/meldhall.bench.Echo/Talk"
READY_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class EchoLoad:
    """What an echo client does: groups of streams, one of each group in use at a time, in turn.

    Times are in seconds, ``size`` is in bytes; ``server`` is the server's process id.
    """

    address: str
    server: int
    groups: int
    streams: int
    size: int
    warm_up: float
    seconds: float
    connections: int


async def serve(port: int) -> None:
    """Answer every message with itself."""

    async def talk(_requests: AsyncIterator[bytes], context: Any) -> None:
        while (message := await context.read()) is not grpc.aio.EOF:
            await context.write(message)

    handler: Any = grpc.stream_stream_rpc_method_handler(talk)
    service, _, name = METHOD[1:].partition("/")
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: handler}),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


async def load(plan: EchoLoad) -> dict[str, float]:
    """Return echoes a second, and the server's CPU time for each."""
    meter = Meter()
    channels = [
        # One connection each: channels to the same address share one otherwise.
        grpc.aio.insecure_channel(plan.address, options=(("bench.connection", number),))
        for number in range(plan.connections)
    ]
    message = bytes(plan.size)

    async def group(number: int) -> None:
        talks: list[Any] = [
            channels[number % len(channels)].stream_stream(METHOD)() for _ in range(plan.streams)
        ]
        while True:
            for talk in talks:
                await talk.write(message)
                await talk.read()
                if meter.window is not None:
                    meter.window.done += 1

    async with asyncio.timeout(READY_SECONDS):
        await asyncio.gather(*(channel.channel_ready() for channel in channels))
    async with asyncio.TaskGroup() as tasks:
        groups = [tasks.create_task(group(number)) for number in range(plan.groups)]
        await asyncio.sleep(plan.warm_up)
        window = await meter.measure(plan.seconds, plan.server)
        for one in groups:
            one.cancel()
    for channel in channels:
        await channel.close()
    return {
        "echo_per_second": window.per_second,
        "echo_cpu_us": window.each(window.server_cpu),
        "echo_client_cpu_us": window.each(window.client_cpu),
    }


def main(arguments: list[str]) -> None:
    """Run as a process: ``serve PORT`` or ``load JSON``."""
    match arguments:
        case ["serve", port]:
            asyncio.run(serve(int(port)))
        case ["load", plan]:
            print(json.dumps(asyncio.run(load(EchoLoad(**json.loads(plan))))))
        case _:
            raise SystemExit("echo serve PORT | echo load JSON")


if __name__ == "__main__":
    main(sys.argv[1:])
