"""What is missing is said in one sentence, with the package of this machine's own package manager."""

import sys
from pathlib import Path

import pytest

from raidtui.core.documents.documents import Finding
from raidtui.system import doctor, packages, privilege
from raidtui.system.process import Done


def test_every_finding_says_something_and_a_bad_one_what_to_do() -> None:
    findings = doctor.doctor()
    assert {"privilege", "kernel", "mdadm", "fio", "libaio", "terminal", "monthly checks"} <= {
        finding.subject for finding in findings
    }
    assert all(finding.text and (finding.ok or finding.remedy) for finding in findings)


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine that lacks nothing."""
    monkeypatch.setattr(doctor, "why_not_root", lambda: None)
    monkeypatch.setattr(doctor, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(doctor, "_kernel", lambda: Finding("kernel", True, "Linux"))
    return monkeypatch


def test_nothing_is_missing(able: pytest.MonkeyPatch) -> None:
    assert doctor.missing_for_run() is None


def test_not_root(able: pytest.MonkeyPatch) -> None:
    able.setattr(privilege, "is_root", lambda: False)
    able.setattr(doctor, "why_not_root", privilege.why_not_root)
    assert "needs root: start it with `sudo" in str(doctor.missing_for_run())


@pytest.mark.parametrize(
    "started, mode, sudo_finds, command, why",
    [
        (
            "home/.local/bin/raidtui",
            0o755,
            "",
            "sudo {started}",
            "`sudo raidtui` finds no program: sudo does not look in",
        ),
        ("home/.local/bin/raidtui", 0o755, "usr/bin/raidtui", "sudo {started}", "`sudo raidtui` starts another one, "),
        ("usr/bin/raidtui", 0o755, "usr/bin/raidtui", "sudo {started}", ""),
        ("home/raidtui.pyz", 0o644, "", "sudo {python} {started}", "`sudo raidtui` finds no program"),
        ("lib/raidtui/__main__.py", 0o644, "", "sudo {python} -P -m raidtui", "`sudo raidtui` finds no program"),
    ],
)
def test_the_very_command_that_starts_it_as_root(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, started: str, mode: int, sudo_finds: str, command: str, why: str
) -> None:
    """pipx and uv put it below a person's home, where sudo does not look."""
    for name in filter(None, (started, sudo_finds)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [started, "doctor"])
    monkeypatch.setattr(privilege, "is_root", lambda: False)
    monkeypatch.setattr(doctor, "is_root", lambda: False)
    monkeypatch.setattr(privilege, "_SUDO_LOOKS_IN", str(tmp_path / "usr/bin"))
    finding = doctor._root()
    expected = command.format(started=tmp_path / started, python=sys.executable)
    assert f"start it with `{expected}`." in finding.remedy and not finding.ok
    assert why in finding.remedy and bool(why) == ("`sudo raidtui`" in finding.remedy)


@pytest.mark.parametrize("program", ["fio", "mdadm"])
def test_a_missing_program_names_its_package(able: pytest.MonkeyPatch, program: str) -> None:
    able.setattr(doctor, "which", lambda name: None if name == program else f"/usr/bin/{name}")
    able.setattr(doctor, "how_to_install", lambda name: packages.how_to_install(name, "ID=debian"))
    missing = str(doctor.missing_for_run())
    assert missing.startswith(f"{program} is not installed")
    assert f"apt install {program} (elsewhere: dnf install {program}" in missing


def test_a_kernel_without_md(able: pytest.MonkeyPatch) -> None:
    lacking = Finding("kernel", False, "This kernel (Linux 6) has no md driver", "use `raidtui practice`")
    able.setattr(doctor, "_kernel", lambda: lacking)
    assert doctor.missing_for_run() == "This kernel (Linux 6) has no md driver: use `raidtui practice`."


def test_the_kernels_remedy_names_nothing_that_may_be_impossible_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda self: False)
    monkeypatch.setattr(doctor, "run", lambda *_: Done(1, "", ""))
    assert doctor._kernel().remedy == "boot the distribution's standard kernel"


def test_a_missing_database_of_udev_is_noticed(tmp_path: Path) -> None:
    missing = doctor._udev(tmp_path)
    assert not missing.ok and missing.text.startswith("/run/udev is missing") and "systemd-udevd" in missing.remedy
    (tmp_path / "run/udev/data").mkdir(parents=True)
    assert doctor._udev(tmp_path).ok


def test_monthly_checks_are_found(tmp_path: Path) -> None:
    assert doctor._monthly_checks(tmp_path).ok
    wants = tmp_path / "etc/systemd/system/mdmonitor.service.wants"
    wants.mkdir(parents=True)
    (wants / "mdcheck_start.timer").touch()
    found = doctor._monthly_checks(tmp_path)
    assert not found.ok and "mdcheck_start.timer" in found.text
