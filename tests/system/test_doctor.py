"""What is missing is said in one sentence, with the package of this machine's own package manager."""

from pathlib import Path

import pytest

from raidtui.core.raid import filesystems
from raidtui.system import doctor, packages, privilege
from raidtui.system.process import ProcessError, run


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
    monkeypatch.setattr(doctor, "_kernel", lambda: doctor.Finding("kernel", True, "Linux"))
    return monkeypatch


def test_nothing_is_missing(able: pytest.MonkeyPatch) -> None:
    assert doctor.missing_for_run() is None


def test_not_root(able: pytest.MonkeyPatch) -> None:
    able.setattr(privilege, "is_root", lambda: False)
    able.setattr(doctor, "why_not_root", privilege.why_not_root)
    assert "needs root: start it with `sudo" in str(doctor.missing_for_run())


@pytest.mark.parametrize("program", ["fio", "mdadm"])
def test_a_missing_program_names_its_package(able: pytest.MonkeyPatch, program: str) -> None:
    able.setattr(doctor, "which", lambda name: None if name == program else f"/usr/bin/{name}")
    able.setattr(doctor, "how_to_install", lambda name: packages.how_to_install(name, "ID=debian"))
    missing = str(doctor.missing_for_run())
    assert missing.startswith(f"{program} is not installed")
    assert f"apt install {program} (elsewhere: dnf install {program}" in missing


def test_a_kernel_without_md(able: pytest.MonkeyPatch) -> None:
    lacking = doctor.Finding("kernel", False, "This kernel (Linux 6) has no md driver", "use `raidtui practice`")
    able.setattr(doctor, "_kernel", lambda: lacking)
    assert doctor.missing_for_run() == "This kernel (Linux 6) has no md driver: use `raidtui practice`."


@pytest.mark.parametrize(
    ("os_release", "program", "first"),
    [
        ("ID=debian\n", "sfdisk", "apt install fdisk ("),
        ("ID=linuxmint\nID_LIKE=ubuntu\n", "fio", "apt install fio ("),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "mkfs.xfs", "dnf install xfsprogs ("),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "mkfs.btrfs", "zypper install btrfsprogs ("),
        ("ID=arch\n", "udevadm", "pacman -S systemd ("),
        ("", "fio", "apt install fio ("),
        ("", "mkfs.ext2", "apt install e2fsprogs ("),
        ("ID=opensuse\n", "mkfs.btrfs", "zypper install btrfsprogs ("),
    ],
)
def test_packages(os_release: str, program: str, first: str) -> None:
    words = packages.how_to_install(program, os_release)
    assert words.startswith(first)
    assert words.count("install") + words.count("pacman") == 4


def test_every_program_that_is_looked_for_has_a_package() -> None:
    made = {row.program for row in filesystems.FILE_SYSTEMS}
    assert all(one.name in packages._PACKAGES or one.name in made for one in doctor.programs())


def test_monthly_checks_are_found(tmp_path: Path) -> None:
    assert doctor._monthly_checks(tmp_path).ok
    wants = tmp_path / "etc/systemd/system/mdmonitor.service.wants"
    wants.mkdir(parents=True)
    (wants / "mdcheck_start.timer").touch()
    found = doctor._monthly_checks(tmp_path)
    assert not found.ok and "mdcheck_start.timer" in found.text


def test_a_program_answers_in_the_c_locale_with_nothing_to_read() -> None:
    done = run(("sh", "-c", "cat; echo $LC_ALL; echo bad >&2; exit 3"), timeout_s=5)
    assert (done.returncode, done.stdout, done.stderr) == (3, "C\n", "bad\n")


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (("no-such-program",), "no-such-program is not installed"),
        (("sleep", "5"), "sleep 5 did not answer within 0.05 s."),
        (("/etc/passwd",), "/etc/passwd could not be started"),
    ],
)
def test_a_program_that_gives_no_answer(argv: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ProcessError) as error:
        run(argv, timeout_s=0.05)
    assert str(error.value).startswith(sentence)
