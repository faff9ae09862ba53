"""The leases against a model: any order of beats, claims, releases, sleeps and appends of three engines."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from meldhall_eventlog import Fenced, ShardLeases, SqlEventLog, WrongVersion
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.testing import Clock, appending

SHARDS = (0, 1, 2)

engines = st.integers(0, 2)
some_shards = st.lists(st.sampled_from(SHARDS), max_size=3, unique=True)
one_shard = st.sampled_from(SHARDS)


@dataclass
class Engine:
    name: str
    expires_at: int | None = None
    draining: bool = False
    # What it was given, and does not know to have lost.
    epochs: dict[int, int] = field(default_factory=dict)


@dataclass
class Shard:
    holder: Engine | None = None
    epoch: int = 0
    served_until: int | None = None


class Leases(RuleBasedStateMachine):
    runner: ClassVar[asyncio.Runner]
    log: ClassVar[SqlEventLog]
    clock: ClassVar[Clock]
    examples: ClassVar[Iterator[int]] = count()

    @initialize()
    def begin(self) -> None:
        self.leases = ShardLeases(self.log.database, clock=self.clock)
        self.example = next(self.examples)
        self.engines = [Engine(f"{self.example}/{number}") for number in range(3)]
        self.shards = {shard: Shard() for shard in SHARDS}
        self.last_epoch = self.runner.run(self.log.next_epoch())
        self.streams: dict[int, tuple[int, int]] = {}
        for shard in SHARDS:
            request = appending(self.stream(shard), epoch=0, shard=shard)
            self.runner.run(self.log.append(request))
            self.streams[shard] = (1, 0)

    def teardown(self) -> None:
        for engine in getattr(self, "engines", ()):
            self.runner.run(self.leases.resign(engine.name))

    def stream(self, shard: int) -> str:
        return f"table-{self.example}-{shard}"

    def alive(self, engine: Engine | None) -> bool:
        return engine is not None and engine.expires_at is not None and engine.expires_at > self.clock.now

    @rule(who=engines, draining=st.sampled_from([False, False, False, True]))
    def beat(self, who: int, draining: bool) -> None:
        engine = self.engines[who]
        self.runner.run(self.leases.beat(engine.name, f"{who}:1", draining=draining))
        engine.expires_at = self.clock.now + self.leases.ttl_ms
        engine.draining = draining
        for shard in self.shards.values():
            if shard.holder is engine:
                shard.served_until = self.clock.now

    @rule(ms=st.sampled_from([1, 2_000, 7_999, 8_000, 20_000]))
    def sleep(self, ms: int) -> None:
        self.clock.now += ms

    @rule(who=engines, wanted=some_shards)
    def claim(self, who: int, wanted: list[int]) -> None:
        engine = self.engines[who]
        expected = {
            shard
            for shard in wanted
            if self.alive(engine) and not engine.draining and not self.alive(self.shards[shard].holder)
        }
        got = self.runner.run(self.leases.claim(engine.name, wanted))
        assert set(got) == expected
        for number, claimed in got.items():
            assert claimed.epoch > self.last_epoch
            shard = self.shards[number]
            if shard.served_until is not None:
                assert claimed.outage_ms == self.clock.now - shard.served_until
            assert engine.expires_at is not None
            # The beat that keeps it alive is from when its expiry says.
            beat_at = engine.expires_at - self.leases.ttl_ms
            self.shards[number] = Shard(engine, claimed.epoch, beat_at)
            engine.epochs[number] = claimed.epoch
        self.last_epoch = max([self.last_epoch, *(claimed.epoch for claimed in got.values())])

    @rule(who=engines, given_back=some_shards)
    def release(self, who: int, given_back: list[int]) -> None:
        engine = self.engines[who]
        self.runner.run(self.leases.release(engine.name, given_back))
        for number in given_back:
            engine.epochs.pop(number, None)
            self.free(number, engine)

    @rule(who=engines)
    def resign(self, who: int) -> None:
        engine = self.engines[who]
        self.runner.run(self.leases.resign(engine.name))
        for number in SHARDS:
            self.free(number, engine)
        engine.expires_at = None
        engine.epochs.clear()

    def free(self, number: int, engine: Engine) -> None:
        if self.shards[number].holder is engine:
            self.shards[number].holder = None
            self.shards[number].served_until = self.clock.now

    @rule(who=engines, number=one_shard)
    def activate(self, who: int, number: int) -> None:
        epoch = self.engines[who].epochs.get(number)
        if epoch is None:
            return
        version, fence = self.streams[number]
        if epoch < fence:
            with pytest.raises(Fenced):
                self.runner.run(self.log.claim(self.stream(number), epoch))
            return
        self.runner.run(self.log.claim(self.stream(number), epoch))
        self.streams[number] = (version, epoch)

    @rule(who=engines, number=one_shard, stale=st.booleans())
    def append(self, who: int, number: int, stale: bool) -> None:
        epoch = self.engines[who].epochs.get(number)
        if epoch is None:
            return
        version, fence = self.streams[number]
        after = version - 1 if stale and version > 1 else version
        request = appending(self.stream(number), after=after, epoch=epoch, shard=number)
        if epoch != fence or after != version:
            with pytest.raises(Fenced if epoch != fence else WrongVersion):
                self.runner.run(self.log.append(request))
        else:
            self.runner.run(self.log.append(request))
            self.streams[number] = (version + 1, fence)

    @invariant()
    def the_map_is_the_models(self) -> None:
        if not hasattr(self, "shards"):
            return
        seen = self.runner.run(self.leases.map())
        for number, shard in self.shards.items():
            owner = seen.shards[number]
            assert owner.instance == (shard.holder.name if shard.holder else None)
            assert (owner.address is not None) == self.alive(shard.holder)
            if shard.epoch:
                assert owner.epoch == shard.epoch
        served = [owner for owner in seen.shards if owner.address is not None]
        holders = {owner.epoch: owner.instance for owner in served}
        assert all(holders[owner.epoch] == owner.instance for owner in served)

    @invariant()
    def the_streams_are_the_models(self) -> None:
        for number, (version, fence) in getattr(self, "streams", {}).items():
            stream = self.runner.run(self.log.info(self.stream(number)))
            assert stream is not None
            assert (stream.version, stream.owner_epoch) == (version, fence)


def test_no_two_live_owners_share_an_epoch_and_no_fenced_append_lands(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    upgrade(url)
    with asyncio.Runner() as runner:
        Leases.runner, Leases.clock = runner, Clock()
        Leases.log = runner.run(SqlEventLog.open(url))
        try:
            run_state_machine_as_test(
                Leases, settings=settings(max_examples=25, stateful_step_count=30, deadline=None)
            )
        finally:
            runner.run(Leases.log.close())
