from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class PlayerErased(_message.Message):
    __slots__ = ("player_id", "erased_by", "tickets", "commands")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    ERASED_BY_FIELD_NUMBER: _ClassVar[int]
    TICKETS_FIELD_NUMBER: _ClassVar[int]
    COMMANDS_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    erased_by: str
    tickets: int
    commands: int
    def __init__(self, player_id: _Optional[str] = ..., erased_by: _Optional[str] = ..., tickets: _Optional[int] = ..., commands: _Optional[int] = ...) -> None: ...
