"""The lab server's image: a whole Debian 12 as one ext4 file, made once and kept under a hash of all that is in it.

Needs neither root nor KVM: mmdebstrap makes the tree, fakeroot owns it, mke2fs fills the file from it. The folder is
RAIDTUI_SERVER, else ~/.cache/raidtui/server. Knows nothing of machines that boot it.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path

import msgspec

_REPOSITORY = Path(__file__).parents[2]
_SUITE, _PYTHON = "bookworm", "3.11"  # the Python that this suite has
_ROOT_SIZE = "4G"
LIBRARIES = "/opt/raidtui"  # in the guest: what raidtui imports, made for the guest's Python
READY = "raidtui-server: ssh answers"  # on the console, once it does

# Of a server that has ZFS: Debian compiles its modules where they are installed, a quarter of an hour. Of contrib.
_ZFS_PACKAGES = " linux-headers-amd64 zfs-dkms zfsutils-linux"
_PACKAGES = (
    "linux-image-amd64 systemd-sysv udev kmod dbus initramfs-tools openssh-server iproute2 ifupdown isc-dhcp-client "
    "python3 mdadm fio e2fsprogs xfsprogs btrfs-progs lvm2 cryptsetup-bin fdisk smartmontools nvme-cli ledmon sysstat "
    "pciutils procps util-linux"
)
# Written before the kernel's package makes its initramfs: one with all modules takes 12 minutes to make in the guest.
_BEFORE_KERNEL = {
    "etc/initramfs-tools/conf.d/small": "MODULES=list\n",
    "etc/initramfs-tools/modules": "virtio_pci\nvirtio_blk\next4\nnvme\nmegaraid_sas\nahci\nsd_mod\n",
}
_FILES = {
    "etc/hostname": "server\n",
    "etc/fstab": "LABEL=root / ext4 errors=remount-ro 0 1\n",
    "etc/network/interfaces": "auto lo\niface lo inet loopback\nauto enp0s2\niface enp0s2 inet dhcp\n",
    "etc/modules-load.d/lab.conf": "9pnet_virtio\n9p\n",
    "etc/systemd/system/lab-ready.service": (
        "[Unit]\nAfter=ssh.service network-online.target systemd-udev-settle.service\n"
        "Wants=network-online.target systemd-udev-settle.service\n"
        f"[Service]\nType=oneshot\nStandardOutput=tty\nTTYPath=/dev/ttyS0\nExecStart=/bin/echo {READY}\n"
    ),
    "root/.ssh/authorized_keys": "",  # the key that is made with the image
}
_IDLE = (
    "apt-daily",
    "apt-daily-upgrade",
    "dpkg-db-backup",
    "e2scrub_all",
    "fstrim",
)  # timers: work beside measurements
_LINKS = {
    "etc/systemd/system/multi-user.target.wants/lab-ready.service": "../lab-ready.service",
    **{f"etc/systemd/system/{name}.timer": "/dev/null" for name in _IDLE},
}
_NO_PASSWORD = 'sed -i \'s/^root:[^:]*:/root:*:/\' "$1/etc/shadow"; chmod -R go= "$1/root"'


class Image(msgspec.Struct, frozen=True):
    """A built image: its root file system, and the key that lets root in."""

    root: Path
    key: Path


def folder() -> Path:
    """Where images and machines lie."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("RAIDTUI_SERVER") or Path(cache) / "raidtui/server")


def image(*, zfs: bool = False) -> Image:
    """The image as it has to be now; built where it is not there yet (a minute on an idle machine, 500 MB from Debian).

    `zfs`: one that has OpenZFS and its modules, which are compiled.
    Raises subprocess.CalledProcessError where a program that builds it failed; what it printed is on standard error.
    """
    packages = _PACKAGES + _ZFS_PACKAGES * zfs
    recipe = msgspec.json.encode((_SUITE, packages, _BEFORE_KERNEL, _FILES, _LINKS, _NO_PASSWORD, _libraries()))
    home = folder() / "images" / sha256(recipe).hexdigest()[:16]
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="build-", dir=home.parent))
        try:
            _build(work, packages)
            (work / "image").rename(home)
        finally:
            shutil.rmtree(work)
    return Image(home / "root.img", home / "key")


def _libraries() -> list[str]:
    required: list[str] = tomllib.loads((_REPOSITORY / "pyproject.toml").read_text())["project"]["dependencies"]
    return required


def _build(work: Path, packages: str) -> None:
    """The finished image in `work`/image."""
    out, libraries, tar = work / "image", work / "libraries", work / "root.tar"
    out.mkdir()
    key = out / "key"
    _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    files = _FILES | {"root/.ssh/authorized_keys": key.with_suffix(".pub").read_text()}
    _run(
        *("mmdebstrap", "--variant=apt", "--format=tar", "--components=main,contrib"),
        f"--include={packages.replace(' ', ',')}",
        '--aptopt=APT::Install-Recommends "false"',
        f"--essential-hook={_write(_BEFORE_KERNEL)}",
        f"--customize-hook={_write(files)}; {_link(_LINKS)}; {_NO_PASSWORD}",
        *(_SUITE, str(tar)),
    )
    wheels = ("--only-binary=:all:", f"--python-version={_PYTHON}", "--implementation=cp")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wheels)
    _run(*pip, f"--target={libraries}", *_libraries())
    tree = work / "root"
    tree.mkdir()
    fill = (
        f"tar -C {_q(tree)} -xpf {_q(tar)} && rm {_q(tar)} && cp -r {_q(libraries)} {_q(tree)}{LIBRARIES} "
        f"&& mke2fs -q -t ext4 -L root -d {_q(tree)} {_q(out / 'root.img')} {_ROOT_SIZE}"
    )
    _run("fakeroot", "--", "sh", "-c", fill)


def _run(*argv: str) -> None:
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)


def _q(path: Path) -> str:
    return shlex.quote(str(path))


def _write(files: dict[str, str]) -> str:
    """A hook of mmdebstrap's, whose $1 is the tree."""
    return "; ".join(
        f'mkdir -p "$1/{Path(name).parent}"; printf %s {shlex.quote(text)} >"$1/{name}"' for name, text in files.items()
    )


def _link(links: dict[str, str]) -> str:
    return "; ".join(f'mkdir -p "$1/{Path(name).parent}"; ln -s {target} "$1/{name}"' for name, target in links.items())
