"""What is loaded at boot: the newest kernel and its own initramfs, whatever lies beside them."""

import pytest

from tests.server.machine import Broken, loaded_at_boot

_OLD, _NEW = (
    ("vmlinuz-6.1.0-50-amd64", "initrd.img-6.1.0-50-amd64"),
    ("vmlinuz-6.1.0-56-amd64", "initrd.img-6.1.0-56-amd64"),
)


@pytest.mark.parametrize("beside", [(), (f"{_NEW[1]}.dpkg-bak",), (f"{_NEW[1]}.dpkg-bak", f"{_NEW[1]}.new")])
def test_half_an_initramfs_beside_it_is_not_loaded(beside: tuple[str, ...]) -> None:
    assert loaded_at_boot(sorted((*_OLD, *_NEW, *beside))) == _NEW


def test_a_kernel_without_its_initramfs_does_not_boot() -> None:
    with pytest.raises(Broken, match=r"no initrd\.img-6\.1\.0-56-amd64"):
        loaded_at_boot(sorted((*_OLD, _NEW[0], f"{_NEW[1]}.new")))
