"""mdadm.conf and initramfs tools by distribution family. Unknown families: `of` gives None."""

from collections.abc import Callable, Mapping

import msgspec


class Initramfs(msgspec.Struct, frozen=True, kw_only=True):
    """`argv`: rebuilds it for every kernel; `listing`: prints file names of one (path appended)."""

    argv: tuple[str, ...]
    listing: tuple[str, ...]
    package: str
    keeps_old: bool = False  # until the new one is whole: only then a run starts it, and a person does otherwise


class OsFamily(msgspec.Struct, frozen=True, kw_only=True):
    """`words`: of ID and ID_LIKE in os-release(5). `mdadm_confs`: mdadm's order; the first existing one is used, else
    the first is made. `makers`: usual one first. `image`: path with the kernel release.
    """

    title: str
    words: tuple[str, ...]
    manager: str
    mdadm_confs: tuple[str, ...]
    makers: tuple[Initramfs, ...]
    image: str


SMARTD_CONFS = ("/etc/smartd.conf", "/etc/smartmontools/smartd.conf")  # Debian, Arch, SUSE; Red Hat
SMARTD_UNITS = ("smartd.service", "smartmontools.service")  # as Debian has it, with the other as an alias
_UNIT_FOLDERS = ("/usr/lib/systemd/system", "/lib/systemd/system", "/etc/systemd/system")
SENDMAIL = "sendmail"  # by which mdadm mails, as it is built by default
TEST_MAIL = "`mdadm --monitor --scan --oneshot --test` mails a test: see that it arrives"  # --test of mdadm(8)
MAILERS = (
    "install a mail program that brings /usr/sbin/sendmail (postfix, as “local only”, keeps mail here, where `mail`"
    " reads it; msmtp-mta hands it on to your provider, as the examples in `man msmtp` say)"
)


class BootPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Boot files of one machine. `initramfs`: a tool that keeps the old image; None if none, or only one for a person
    (`by_hand`). `mailaddr`: of mdadm.conf. `pool_units_off`: disabled units for ZFS pools; `pools_by_scan`: why no pool
    may enter a cache file. `udev_rules`: is their folder there; `smartctl`: is it installed. `smartd_unit`: its unit
    ("": not installed), `smartd_conf`: its file ("": none), `smartd`: kernel name -> how that file has the disk.
    """

    distribution: OsFamily
    mdadm_conf: str
    initramfs: Initramfs | None = None
    by_hand: tuple[str, ...] = ()
    systemd: bool = False  # is it what runs here
    mailaddr: str = ""
    pool_units_off: tuple[str, ...] = ()
    pools_by_scan: str = ""
    udev_rules: bool = False
    smartctl: bool = False
    smartd_unit: str = ""
    smartd_conf: str = ""
    smartd: dict[str, str] = {}


# It writes beside the image and renames (update-initramfs(8): generate_initramfs). dracut.sh copies over the image, and
# removes it where that fails; of mkinitcpio it is not known.
_INITRAMFS_TOOLS = Initramfs(
    argv=("update-initramfs", "-u", "-k", "all"), listing=("lsinitramfs",), package="initramfs-tools", keeps_old=True
)
_DRACUT = Initramfs(argv=("dracut", "--regenerate-all", "--force"), listing=("lsinitrd",), package="dracut")
_MKINITCPIO = Initramfs(argv=("mkinitcpio", "--allpresets"), listing=("lsinitcpio",), package="mkinitcpio")
_UPSTREAM = ("/etc/mdadm.conf", "/etc/mdadm/mdadm.conf")  # mdadm.conf(5)

DISTRIBUTIONS = (
    OsFamily(
        title="Debian",
        words=("debian", "ubuntu"),
        manager="apt",
        mdadm_confs=_UPSTREAM[::-1],
        makers=(_INITRAMFS_TOOLS, _DRACUT),
        image="/boot/initrd.img-{kernel}",
    ),
    OsFamily(
        title="Red Hat",
        words=("fedora", "rhel", "centos"),
        manager="dnf",
        mdadm_confs=_UPSTREAM,
        makers=(_DRACUT,),
        image="/boot/initramfs-{kernel}.img",
    ),
    OsFamily(
        title="SUSE",
        words=("suse", "opensuse"),
        manager="zypper",
        mdadm_confs=_UPSTREAM,
        makers=(_DRACUT,),
        image="/boot/initrd-{kernel}",
    ),
    OsFamily(
        title="Arch",
        words=("arch",),
        manager="pacman",
        mdadm_confs=_UPSTREAM,
        makers=(_MKINITCPIO, _DRACUT),
        image="/boot/initramfs-linux.img",
    ),
)

MDADM_CONFS = tuple(dict.fromkeys(conf for row in DISTRIBUTIONS for conf in row.mdadm_confs))


def of(os_release: str) -> OsFamily | None:
    words = []
    for line in os_release.splitlines():
        key, _, value = line.partition("=")
        if key in ("ID", "ID_LIKE"):
            words += value.strip("\"'").lower().replace("-", " ").split()
    return next((row for row in DISTRIBUTIONS if not set(row.words).isdisjoint(words)), None)


def place(
    os_release: str,
    is_file: Callable[[str], bool],
    installed: Callable[[str], bool],
    *,
    systemd: bool,
    mailaddr: str = "",
    udev_rules: bool = False,
    smartd_conf: str = "",
    smartd: Mapping[str, str] | None = None,
) -> BootPlace | None:
    row = of(os_release)
    if row is None:
        return None
    maker = next((maker for maker in row.makers if installed(maker.argv[0])), None)
    return BootPlace(
        distribution=row,
        mdadm_conf=next((path for path in row.mdadm_confs if is_file(path)), row.mdadm_confs[0]),
        initramfs=maker if maker and maker.keeps_old else None,
        by_hand=maker.argv if maker and not maker.keeps_old else (),
        systemd=systemd,
        mailaddr=mailaddr,
        udev_rules=udev_rules,
        smartctl=installed("smartctl"),
        smartd_unit=_smartd_unit(is_file) if installed("smartd") else "",
        smartd_conf=smartd_conf,
        smartd=dict(smartd or {}),
    )


def _smartd_unit(is_file: Callable[[str], bool]) -> str:
    units = (unit for unit in reversed(SMARTD_UNITS) if any(is_file(f"{folder}/{unit}") for folder in _UNIT_FOLDERS))
    return next(units, SMARTD_UNITS[0])
