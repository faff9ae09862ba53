"""Alerts and documents name metrics that exist."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from prometheus_client import CollectorRegistry

from meldhall_ledger.metrics import LedgerMetrics
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_messaging.metrics import MessagingMetrics
from meldhall_runtime.metrics import RuntimeMetrics
from meldhall_table.metrics import TableMetrics
from meldhall_tournament.metrics import TournamentMetrics

ROOT: Final = Path(__file__).parents[2]
ALERTS: Final = ROOT / "deploy" / "monitoring" / "alerts.yaml"
PAGES: Final = sorted((*ROOT.glob("*.md"), *ROOT.glob("deploy/docs/**/*.md"), *ROOT.glob("services/*/*.md")))
NAME: Final = re.compile(
    r"\bmeldhall_(?:(?:grpc|ledger|matchmaking|messaging|runtime|table|tournament)_[a-z_]+|[a-z_]+_(?:seconds|total))\b"
)
WORD: Final = re.compile(r"meldhall_[a-z]+/|meldhall_[a-z_]+\.(?:py|[a-z])")
SUFFIXES: Final = ("", "_total", "_bucket", "_sum", "_count")


def known() -> dict[str, tuple[str, ...]]:
    """Every metric of every service by the names that samples have, with its labels."""
    registry = CollectorRegistry()
    RuntimeMetrics("table", "1", registry)
    for metrics in (TableMetrics, LedgerMetrics, MatchmakingMetrics, MessagingMetrics, TournamentMetrics):
        metrics(registry)
    found: dict[str, tuple[str, ...]] = {}
    for collector in registry._collector_to_names:
        labels = tuple(getattr(collector, "_labelnames", ()))
        for metric in collector.describe() if hasattr(collector, "describe") else collector.collect():
            found |= {f"{metric.name}{suffix}": labels for suffix in SUFFIXES}
    return found


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["alert"]))
def test_an_alert_asks_for_metrics_and_labels_that_exist_and_says_what_to_do(rule: dict[str, Any]) -> None:
    metrics = known()
    named = NAME.findall(rule["expr"])
    assert named
    assert not [name for name in named if name not in metrics]
    labels = {label for name in named for label in metrics[name]}
    for names in re.findall(r"by \(([a-z_, ]+)\)", rule["expr"]):
        assert set(names.split(", ")) <= labels
    assert set(re.findall(r"\{([a-z_]+)=", rule["expr"])) <= labels
    told = set(re.findall(r"\$labels\.([a-z_]+)", rule["annotations"]["summary"]))
    assert told <= labels | {"instance"}
    assert rule["labels"]["severity"] in {"page", "ticket"}
    page = ROOT / rule["annotations"]["runbook"].partition(",")[0]
    assert page.is_file()
    heading = rule["annotations"]["runbook"].partition(", ")[2].strip('"')
    assert re.search(rf"^#+ {re.escape(heading)}", page.read_text(), re.MULTILINE)


def test_no_two_alerts_have_one_name() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_metrics_that_exist(page: Path) -> None:
    metrics = known()
    text = WORD.sub("", page.read_text())
    wrong = {name for name in NAME.findall(text) if name not in metrics and not name.endswith("_")}
    assert not wrong
