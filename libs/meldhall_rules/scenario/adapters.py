"""The games that have scenarios, by name."""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.rummy101 import RUMMY101

ADAPTERS: Final[Mapping[str, Adapter]] = {"rummy101": RUMMY101}
