"""Where the processes of a stack listen, and which settings say so."""

import pytest

from meldhall_cli.stack_ports import MOST_ENGINES, Ports, setting_of


def test_one_engine_goes_by_the_name_of_its_service_and_has_the_documented_ports() -> None:
    ports = Ports.from_environment({})
    assert ports.processes == {
        "ledger": (7412, 7422),
        "table": (7410, 7420),
        "matchmaking": (7411, 7421),
        "tournament": (7413, 7423),
    }
    assert ports.engines == ("table",)
    assert ports.address("table") == "127.0.0.1:7410"
    assert ports.admin("table") == "http://127.0.0.1:7420"


def test_several_engines_are_numbered_and_found_under_one_address_list() -> None:
    ports = Ports.from_environment({}, 3)
    assert ports.engines == ("table-1", "table-2", "table-3")
    assert ports.address("table") == "127.0.0.1:7410,127.0.0.1:7442,127.0.0.1:7443"
    assert ports.admin("table-3") == "http://127.0.0.1:7453"
    assert ports.address("ledger") == "127.0.0.1:7412"


@pytest.mark.parametrize("engines", [1, 2, MOST_ENGINES])
def test_no_two_processes_listen_on_one_port(engines: int) -> None:
    for ports in (Ports.from_environment({}, engines), Ports.free(engines)):
        taken = [ports.nats, ports.nats_monitor, ports.postgres]
        taken += [port for pair in ports.processes.values() for port in pair]
        assert len(set(taken)) == len(taken)


def test_every_port_can_be_chosen() -> None:
    chosen = {
        "MELDHALL_TABLE_PORT": "1",
        "MELDHALL_ENGINE_2_PORT": "2",
        "MELDHALL_ENGINE_2_ADMIN_PORT": "3",
        "MELDHALL_POSTGRES_PORT": "4",
    }
    ports = Ports.from_environment(chosen, 2)
    assert ports.processes["table-1"] == (1, 7420)
    assert ports.processes["table-2"] == (2, 3)
    assert ports.postgres == 4
    assert [setting_of(name) for name in ports.engines] == ["MELDHALL_TABLE", "MELDHALL_ENGINE_2"]


@pytest.mark.parametrize("wrong", ["0", "x", "65536", "-1"])
def test_what_is_no_port_is_refused_by_the_name_of_its_setting(wrong: str) -> None:
    with pytest.raises(ValueError, match="MELDHALL_ENGINE_2_PORT"):
        Ports.from_environment({"MELDHALL_ENGINE_2_PORT": wrong}, 2)
