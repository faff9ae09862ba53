from pathlib import Path

import pytest
from tests.fixtures.table_domain import START, dealt

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.sql import SqlEventLog
from meldhall_runtime.errors import ServiceError
from meldhall_table.api.watching import Viewer, stream
from meldhall_table.domain import play
from meldhall_table.owner.watchers import End, Watcher
from meldhall_table.store.stream import fold


async def opened_log(folder: Path) -> SqlEventLog:
    url = f"sqlite:///{folder}/log.sqlite"
    upgrade(url)
    return await SqlEventLog.open(url)


async def test_a_viewer_who_reads_too_slowly_is_told_where_to_go_on(tmp_path: Path) -> None:
    log = await opened_log(tmp_path)
    table = dealt("anna", "ben")
    watcher = Watcher(2, lambda _watcher: None)
    answers = stream(log, table, watcher, Viewer("anna"), None)
    assert (await anext(answers)).snapshot.version == table.version
    steps = fold(table, play.automatic(table, START), START)
    watcher.offer(steps[0])
    assert (await anext(answers)).event.version == table.version + 1
    for step in (*steps[1:], *steps[1:]):
        watcher.offer(step)
    away = (await anext(answers)).go_away
    assert away.reason == pb.GO_AWAY_REASON_TOO_SLOW
    assert away.resume_version == table.version + 1
    assert away.retry_after_ms > 0
    assert [answer async for answer in answers] == []
    await log.close()


async def test_a_viewer_of_a_table_that_is_reloaded_is_told_to_come_again(tmp_path: Path) -> None:
    log = await opened_log(tmp_path)
    table = dealt("anna", "ben")
    watcher = Watcher(2, lambda _watcher: None)
    watcher.end(End.LOST)
    answers = stream(log, table, watcher, Viewer("anna"), table.version)
    with pytest.raises(ServiceError, match="TABLE_RELOADING"):
        await anext(answers)
    await log.close()
