"""What a line of boot's means on these disks, and whether the system needs it."""

import msgspec
import pytest

from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.disks.machine import BlockDevice, BootLine, Signature, decode, encode
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import device, machine, part

WARN, REFUSE = Usability.WARN, Usability.REFUSE
PART = msgspec.structs.replace(
    part("sda1", "sda"),
    signatures=(Signature(kind="ext4", label="my data", uuid="0a2B-11"),),
    properties={
        "DEVNAME": "/dev/sda1",
        "DEVLINKS": "/dev/disk/by-id/ata-X-part1 /dev/disk/by-path/pci-1-part1",
        "ID_PART_ENTRY_UUID": "c0ffee00-01",
        "ID_PART_ENTRY_NAME": "EFI\\x20system",
    },
)


def line(source: str, place: str = "/boot") -> BootLine:
    return BootLine(file="/etc/fstab", text=f"{source} {place} ext4", source=source, place=place)


def verdict(*lines: BootLine, more: tuple[BlockDevice, ...] = ()) -> Verdict:
    return disks_of(machine(device(), PART, *more, boot_lines=lines))[0].verdict


@pytest.mark.parametrize(
    "source",
    [
        "UUID=0A2b-11",
        'UUID="0a2b-11"',
        "LABEL=my data",
        "PARTUUID=C0FFEE00-01",
        "PARTLABEL=EFI system",
        "/dev/sda1",
        "/dev/disk/by-id/ata-X-part1",
        "/dev/disk/by-path/pci-1-part1",
        "/dev/disk/by-uuid/0a2B-11",  # another device has the link now
        "/dev/disk/by-label/my\\x20data",
        "/dev/disk/by-partuuid/c0ffee00-01",
        "/dev/disk/by-partlabel/EFI\\x20system",
    ],
)
def test_a_device_is_meant_by_any_of_its_names(source: str) -> None:
    found = verdict(line(source))
    assert (found.standing, found.reason) == (
        REFUSE,
        f"sda1 is named as the system's /boot by /etc/fstab: {source} /boot ext4",
    )
    assert found.remedy == "none where the system needs it; else take that out of /etc/fstab, and look again"


@pytest.mark.parametrize(
    "source", ["UUID=0a2b-12", "LABEL=my", "PARTUUID=c0ffee00-02", "/dev/sdb1", "UUID=", "tmpfs", "", "0a2b-11"]
)
def test_another_device_is_not(source: str) -> None:
    assert verdict(line(source)) == verdict()


@pytest.mark.parametrize(
    ("place", "standing"),
    [
        *((place, REFUSE) for place in ("/", "/boot", "/boot/efi", "/efi", "/usr", "/var", "/var/lib/mysql", "/home")),
        *((place, REFUSE) for place in ("swap", "resume", "EFI system partition")),
        *((place, WARN) for place in ("/srv", "/srv/array", "/mnt/backup", "/variable", "none", "secret")),
    ],
)
def test_places_of_the_system_refuse_and_others_are_told(place: str, standing: Usability) -> None:
    found = verdict(line("UUID=0a2b-11", place))
    assert found.standing is standing
    words = (
        f"sda1 is named as {'the system' + chr(39) + 's ' if standing is REFUSE else ''}{place} by /etc/fstab: UUID="
    )
    assert found.reason.startswith(words)


def test_the_systems_line_wins_and_what_is_stacked_counts() -> None:
    both = line("/dev/sda1", "/srv"), line("UUID=77", "swap")
    array = BlockDevice(name="md0", slaves=("sda",), signatures=(Signature(kind="swap", uuid="77"),))
    assert verdict(*both).standing is WARN
    assert verdict(*both, more=(array,)).standing is REFUSE


def test_a_recording_has_the_lines_and_an_older_one_has_none() -> None:
    seen = machine(device(), boot_lines=(line("UUID=1"),))
    assert decode(encode(seen)) == seen
    older = encode(seen).replace(b'"boot_lines"', b'"other_lines"')
    assert decode(older).boot_lines == ()
