"""Words of the domain and the enum values that stand for them in messages."""

from typing import Final, cast

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as public_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_rules.commands import MeldKind
from meldhall_rules.events import Finish
from meldhall_rules.match import Mode
from meldhall_rules.view import Phase
from meldhall_table.domain.events import AutomaticReason, CloseReason, Limit

MODE: Final = {mode: cast("game_pb2.Mode", game_pb2.Mode.Value(f"MODE_{mode.name}")) for mode in Mode}
FINISH: Final = {
    finish: cast("public_pb.Finish", public_pb.Finish.Value(f"FINISH_{finish.name}")) for finish in Finish
}
CLOSE_REASON: Final = {
    reason: cast("public_pb.CloseReason", public_pb.CloseReason.Value(f"CLOSE_REASON_{reason.name}"))
    for reason in CloseReason
}
AUTOMATIC_REASON: Final = {
    reason: cast("view_pb.AutomaticReason", view_pb.AutomaticReason.Value(f"AUTOMATIC_REASON_{reason.name}"))
    for reason in AutomaticReason
}
LIMIT: Final = {limit: cast("view_pb.Limit", view_pb.Limit.Value(f"LIMIT_{limit.name}")) for limit in Limit}
PHASE: Final = {phase: cast("view_pb.Phase", view_pb.Phase.Value(f"PHASE_{phase.name}")) for phase in Phase}
MELD_KIND: Final = {
    kind: cast("moves_pb.MeldKind", moves_pb.MeldKind.Value(f"MELD_KIND_{kind.name}")) for kind in MeldKind
}
OPENING_KIND: Final = {"melds": view_pb.OPENING_KIND_MELDS, "pairs": view_pb.OPENING_KIND_PAIRS}

MODE_OF: Final = {number: mode for mode, number in MODE.items()}
FINISH_OF: Final = {number: finish for finish, number in FINISH.items()}
CLOSE_REASON_OF: Final = {number: reason for reason, number in CLOSE_REASON.items()}
AUTOMATIC_REASON_OF: Final = {number: reason for reason, number in AUTOMATIC_REASON.items()}
LIMIT_OF: Final = {number: limit for limit, number in LIMIT.items()}
PHASE_OF: Final = {number: phase for phase, number in PHASE.items()}
MELD_KIND_OF: Final = {number: kind for kind, number in MELD_KIND.items()}
OPENING_KIND_OF: Final = {number: kind for kind, number in OPENING_KIND.items()}
