"""The games that have scenarios, by name."""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.canasta import CANASTA
from meldhall_rules.scenario.rummy import RUMMY_ADAPTER
from meldhall_rules.scenario.rummy101 import RUMMY101
from meldhall_rules.scenario.three_thirteen import THREE_THIRTEEN_ADAPTER

ADAPTERS: Final[Mapping[str, Adapter]] = {
    "canasta": CANASTA,
    "rummy": RUMMY_ADAPTER,
    "rummy101": RUMMY101,
    "three_thirteen": THREE_THIRTEEN_ADAPTER,
}
