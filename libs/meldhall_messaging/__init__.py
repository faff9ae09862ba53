"""Events between services over NATS JetStream: published from logs, consumed exactly once in effect.

A service that owns a log runs a ``Relay``; a service that listens runs a ``Consumer`` whose handler asks
``admit``. Both work on a ``JetStreamBus``.
"""

from meldhall_messaging._source import (
    RelayProgress,
    RelaySource,
    relay_lease,
    relay_progress,
    request_rebuild,
)
from meldhall_messaging.bus import (
    Bus,
    Delivery,
    OutboundMessage,
    PublishAck,
    StoredMessage,
    StreamState,
    Subscription,
)
from meldhall_messaging.consumer import Consumer
from meldhall_messaging.envelope import decode, encode, envelope_of
from meldhall_messaging.errors import (
    BusUnavailable,
    GapFound,
    GapNotFilled,
    IncompatibleConfig,
    InvalidSubject,
    MessagingError,
    PartitionsStopped,
    PoisonMessage,
    PublishRefused,
    PublishUncertain,
    ServerTooOld,
    StreamMissing,
    UndecodableMessage,
)
from meldhall_messaging.jetstream import JetStreamBus, NatsOptions
from meldhall_messaging.metrics import MessagingMetrics
from meldhall_messaging.partition import ConsumerSettings, Handler, ReadMissing, Stop
from meldhall_messaging.position import Standing, admit, classify
from meldhall_messaging.relay import Relay, RelayStopped, ToEnvelope
from meldhall_messaging.stops import StopStore, StoredStop, upgrade_stops
from meldhall_messaging.streams import EVENTS_STREAM, ConsumerSpec, StreamSpec
from meldhall_messaging.subjects import Subject, area_filter

__all__ = [
    "EVENTS_STREAM",
    "Bus",
    "BusUnavailable",
    "Consumer",
    "ConsumerSettings",
    "ConsumerSpec",
    "Delivery",
    "GapFound",
    "GapNotFilled",
    "Handler",
    "IncompatibleConfig",
    "InvalidSubject",
    "JetStreamBus",
    "MessagingError",
    "MessagingMetrics",
    "NatsOptions",
    "OutboundMessage",
    "PartitionsStopped",
    "PoisonMessage",
    "PublishAck",
    "PublishRefused",
    "PublishUncertain",
    "ReadMissing",
    "Relay",
    "RelayProgress",
    "RelaySource",
    "RelayStopped",
    "ServerTooOld",
    "Standing",
    "Stop",
    "StopStore",
    "StoredMessage",
    "StoredStop",
    "StreamMissing",
    "StreamSpec",
    "StreamState",
    "Subject",
    "Subscription",
    "ToEnvelope",
    "UndecodableMessage",
    "admit",
    "area_filter",
    "classify",
    "decode",
    "encode",
    "envelope_of",
    "relay_lease",
    "relay_progress",
    "request_rebuild",
    "upgrade_stops",
]
