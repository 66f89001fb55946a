"""Output that is no UTF-8: signs get their stand-ins, JSON stays JSON, on every command."""

import io
import json
from pathlib import Path

import pytest

from raidtui.cli import app
from raidtui.cli.app import _COMMANDS
from tests.builders.machines import CASES, MACHINES

DISKS = ("--machine", str(CASES / "t56_wide_labels.json"))
NAMED = "東芝±µ…"  # nothing has this name: it is quoted in the error
# Each command with texts that ASCII lacks: its data, its own words, what a person typed; `--json` where it has it
GIVEN: dict[str, tuple[str, ...]] = {
    "disks": (*DISKS, "--json"),
    "advise": (*DISKS, "--use", NAMED),
    "capacity": ("5", "--disk", "2TBx3", "--json"),
    "predict": ("5", "--disks", "3", "--assume", "hdd", "--json"),
    "recipes": ("--json",),
    "plan": (NAMED,),
    "run": (NAMED,),
    "ensure": (NAMED,),
    "practice": (),  # a word that no command takes is quoted by click, byte for byte as it was typed
    "demo": (),
    "runs": ("--json",),
    "attach": (NAMED,),
    "stop": (NAMED,),
    "resume": (NAMED,),
    "again": (NAMED,),
    "passphrase": (NAMED,),
    "clean": (NAMED,),
    "undo": (NAMED,),
    "forget": (NAMED,),
    "report": ("RUN", "--json"),
    "explain": (NAMED,),
    "compare": ("RUN", "RUN", "--json"),
    "check": (NAMED,),
    "fleet": ("RUN", "--json"),
    "export": (NAMED,),
    "commissioning": (NAMED,),
    "status": ("--machine", str(MACHINES / "arrays.json"), "--json"),
    "watch": (),
    "scrub": (NAMED,),
    "replace": (NAMED, NAMED, NAMED),
    "grow": (NAMED, NAMED),
    "health": (NAMED,),
    "controllers": ("--json",),
    "locate": (NAMED,),
    "doctor": ("--json",),
    "config": ("--json",),
    "themes": (),
    "schema": ("event",),
    "completion": ("bash",),
}


class Output(io.TextIOWrapper):
    """A stream as Python opens it with PYTHONIOENCODING=ascii: an unknown sign is an error."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="ascii", errors="strict")

    def printed(self) -> str:
        self.flush()
        return str(self._bytes.getvalue(), "ascii")


def ran(monkeypatch: pytest.MonkeyPatch, *argv: str) -> tuple[str, str]:
    out, err = Output(), Output()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setattr("sys.argv", ["raidtui", *argv])
    with pytest.raises(SystemExit):
        app.main()
    return out.printed(), err.printed()


@pytest.mark.parametrize("name", GIVEN)
def test_every_command_prints_ascii(name: str, recorded_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = [str(recorded_run) if word == "RUN" else word for word in GIVEN[name]]
    out, err = ran(monkeypatch, name, *argv)
    assert out + err and "codec" not in err
    if "--json" in argv:
        assert json.loads(out), err


@pytest.mark.parametrize("name", GIVEN)
def test_every_help_prints_ascii(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = ran(monkeypatch, name, "--help")
    assert "Usage: raidtui" in out and not err


def test_no_command_is_left_out() -> None:
    assert set(GIVEN) == set(_COMMANDS)


def test_signs_have_their_stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = ran(monkeypatch, "disks", *DISKS)
    assert [line.split(" ")[0] for line in out.splitlines() if not line.startswith(" ")] == ["sda", "sdb", "sdc", "sdd"]
    assert "ext4 (???????????)" in out and "xfs (??backup)" in out
    _, err = ran(monkeypatch, "stop", "±3 µ… ≥ 5 ≤ 7≥")
    assert "~3 u~ >=5 <=7>" in err


def test_json_has_every_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = ran(monkeypatch, "disks", *DISKS, "--json")
    assert json.loads(out)["disks"][0]["model"].startswith("東芝 MG08 ")
