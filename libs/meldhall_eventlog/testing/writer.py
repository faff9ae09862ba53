"""A process that appends to one stream and prints each version once it is acknowledged.

    python -m meldhall_eventlog.testing.writer URL STREAM_ID COUNT

Appends one event at a time and takes the next version when another process was first. The suite runs two at a
time, and kills some.
"""

import asyncio
import sys

from meldhall_eventlog.errors import WrongVersion
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.samples import appending


async def append_and_tell(url: str, stream_id: str, count: int) -> None:
    """Append ``count`` events, printing ``<version> <event id>`` for each as soon as it is durable."""
    log = await SqlEventLog.open(url)
    try:
        stream = await log.info(stream_id)
        version = stream.version if stream else 0
        while count:
            try:
                (event,) = await log.append(appending(stream_id, after=version))
            except WrongVersion as error:
                version = error.actual
                continue
            version = event.version
            count -= 1
            sys.stdout.write(f"{version} {event.event_id}\n")
            sys.stdout.flush()
    finally:
        await log.close()


if __name__ == "__main__":
    asyncio.run(append_and_tell(sys.argv[1], sys.argv[2], int(sys.argv[3])))
