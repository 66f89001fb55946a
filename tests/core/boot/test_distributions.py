"""Which family a machine is of, and what is written where on it; of none that is known, nothing."""

import pytest

from raidtui.core.boot.distributions import DISTRIBUTIONS, MDADM_CONFS, SMARTD_CONFS, BootPlace, of, place
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.kept import permanence

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n'
UBUNTU = "ID=ubuntu\nID_LIKE=debian\n"
ROCKY = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n'
LEAP = 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n'
ARCH = "ID=arch\n"
ALL = (DEBIAN, UBUNTU, ROCKY, LEAP, ARCH)


@pytest.mark.parametrize(
    "release, title, conf, initramfs",
    [
        (DEBIAN, "Debian", "/etc/mdadm/mdadm.conf", "update-initramfs"),
        (UBUNTU, "Debian", "/etc/mdadm/mdadm.conf", "update-initramfs"),
        ("ID=fedora\n", "Red Hat", "/etc/mdadm.conf", "dracut"),
        (ROCKY, "Red Hat", "/etc/mdadm.conf", "dracut"),
        (LEAP, "SUSE", "/etc/mdadm.conf", "dracut"),
        (ARCH, "Arch", "/etc/mdadm.conf", "mkinitcpio"),
    ],
)
def test_each_family_has_its_places(release: str, title: str, conf: str, initramfs: str) -> None:
    found = place(release, lambda path: False, lambda program: True, systemd=True)
    assert found and bool(found.initramfs) is not bool(found.by_hand)
    (maker, *_) = found.initramfs.argv if found.initramfs else found.by_hand
    assert (found.distribution.title, found.mdadm_conf, maker) == (title, conf, initramfs)


def test_what_overwrites_an_initramfs_in_place_is_started_by_a_person_alone() -> None:
    families = {release: place(release, lambda path: False, lambda program: True, systemd=True) for release in ALL}
    assert [release for release, found in families.items() if found and found.initramfs] == [DEBIAN, UBUNTU]
    assert "`dracut --regenerate-all --force`" in permanence.notes(Answers(), families[ROCKY])[0]


@pytest.mark.parametrize("release", ["", "ID=alpine\n", "ID=nixos\nVERSION=debian\n", "no line of it\0"])
def test_nothing_is_guessed(release: str) -> None:
    assert of(release) is None and place(release, lambda path: True, lambda program: True, systemd=True) is None


def test_the_file_that_is_there_is_written_and_the_tool_that_is_installed_is_used() -> None:
    found = place(DEBIAN, "/etc/mdadm.conf".__eq__, "dracut".__eq__, systemd=False)
    assert found and (found.mdadm_conf, found.by_hand[0]) == ("/etc/mdadm.conf", "dracut")
    bare = place(DEBIAN, lambda path: False, lambda program: False, systemd=False)
    assert bare and bare.initramfs is None


def test_each_tool_has_its_command_its_list_and_its_package() -> None:
    tools = {maker.package: maker for row in DISTRIBUTIONS for maker in row.makers}
    assert {name: (" ".join(one.argv), *one.listing, one.keeps_old) for name, one in tools.items()} == {
        "initramfs-tools": ("update-initramfs -u -k all", "lsinitramfs", True),
        "dracut": ("dracut --regenerate-all --force", "lsinitrd", False),
        "mkinitcpio": ("mkinitcpio --allpresets", "lsinitcpio", False),
    }
    makers = {row.title: [maker.package for maker in row.makers] for row in DISTRIBUTIONS}
    assert makers == {
        "Debian": ["initramfs-tools", "dracut"],
        "Red Hat": ["dracut"],
        "SUSE": ["dracut"],
        "Arch": ["mkinitcpio", "dracut"],
    }


def test_each_file_that_mdadm_or_smartd_may_read_is_known() -> None:
    """mdadm.conf(5): Debian builds it with its own first. smartd's: Debian, Arch and SUSE; Red Hat."""
    assert {*MDADM_CONFS} == {"/etc/mdadm.conf", "/etc/mdadm/mdadm.conf"}
    assert SMARTD_CONFS == ("/etc/smartd.conf", "/etc/smartmontools/smartd.conf")
    for row in DISTRIBUTIONS:
        first = "/etc/mdadm/mdadm.conf" if row.title == "Debian" else "/etc/mdadm.conf"
        assert row.mdadm_confs[0] == first and {*row.mdadm_confs} == {*MDADM_CONFS}


@pytest.mark.parametrize(
    "folder, unit",
    [
        ("/usr/lib/systemd/system", "smartd.service"),
        ("/lib/systemd/system", "smartd.service"),
        ("/etc/systemd/system", "smartd.service"),
        ("/usr/lib/systemd/system", "smartmontools.service"),
        ("/lib/systemd/system", "smartmontools.service"),
    ],
)
def test_smartd_has_the_unit_that_is_there(folder: str, unit: str) -> None:
    found = place(DEBIAN, f"{folder}/{unit}".__eq__, lambda program: True, systemd=True)
    assert found and found.smartd_unit == unit and found.smartctl
    both = place(DEBIAN, lambda path: path.startswith(folder), lambda program: True, systemd=True)
    assert both and both.smartd_unit == "smartmontools.service"  # the other is an alias of it
    none = place(DEBIAN, lambda path: False, lambda program: True, systemd=True)
    assert none and none.smartd_unit == "smartd.service"
    absent = place(DEBIAN, lambda path: True, lambda program: False, systemd=True, smartd_conf="x", smartd={"sda": "y"})
    assert absent and (absent.smartd_unit, absent.smartctl, absent.smartd_conf, absent.smartd) == (
        "",
        False,
        "x",
        {"sda": "y"},
    )


def test_of_a_machine_that_was_not_asked_nothing_is_there() -> None:
    bare = BootPlace(distribution=DISTRIBUTIONS[0], mdadm_conf="/etc/mdadm.conf")
    assert not (bare.systemd or bare.udev_rules or bare.smartctl or bare.initramfs or bare.smartd_conf)
