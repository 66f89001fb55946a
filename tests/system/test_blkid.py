"""libblkid's low-level probing: every signature of an image is seen."""

import subprocess
from pathlib import Path

import pytest

from raidtui.system import signatures


@pytest.mark.parametrize(
    "argv, kinds",
    [
        (("mkfs.ext4", "-q", "-F", "-L", "home"), {"ext4"}),
        (("mkfs.xfs", "-q", "-f"), {"xfs"}),
        (("mkswap", "-q"), {"swap"}),
        (("sfdisk", "--quiet", "--label", "gpt"), {"gpt"}),
        (("sfdisk", "--quiet", "--label", "dos"), {"dos"}),
        (None, set()),
    ],
)
def test_signatures_in_an_image(tmp_path: Path, argv: tuple[str, ...] | None, kinds: set[str]) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(400 << 20)
    if argv:
        subprocess.run([*argv, str(image)], check=True, input=b"size=+\n", capture_output=True)
    with image.open("rb") as file:
        found = signatures.probe(file.fileno())
    assert found is not None and {one.kind for one in found} == kinds


def test_two_signatures_on_one_device_are_both_seen(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
    with image.open("r+b") as file:  # LVM's label in sector 1, which ext4 leaves alone
        file.seek(512)
        file.write(b"LABELONE" + (1).to_bytes(8, "little") + bytes(4) + (32).to_bytes(4, "little") + b"LVM2 001")
    with image.open("rb") as file:
        found = signatures.probe(file.fileno())
    assert found is not None and {"ext4", "LVM2_member"} <= {one.kind for one in found}
