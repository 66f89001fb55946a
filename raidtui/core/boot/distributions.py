"""Where each family of distributions has mdadm.conf, and what makes its initramfs and lists what is in it.

A machine of no family here is not guessed at: `of` says None.
"""

from collections.abc import Callable

import msgspec


class Initramfs(msgspec.Struct, frozen=True, kw_only=True):
    """A program that makes an initramfs. `argv` makes it again for every kernel; `listing` prints the names of the
    files in one, whose path follows. `package`: its name where it is the usual one.
    """

    argv: tuple[str, ...]
    listing: tuple[str, ...]
    package: str
    keeps_old: bool = False  # until the new one is whole: only then a run starts it, and a person does otherwise


class OsFamily(msgspec.Struct, frozen=True, kw_only=True):
    """A family. `words` are those of ID and ID_LIKE in os-release(5); `manager` is its package manager.

    `mdadm_confs` in mdadm's own order: the first that is there is read, and where none is the first is made. `makers`:
    what may make the initramfs, the usual one first; `image` is its path, with the kernel's release in it.
    """

    title: str
    words: tuple[str, ...]
    manager: str
    mdadm_confs: tuple[str, ...]
    makers: tuple[Initramfs, ...]
    image: str


SENDMAIL = "sendmail"  # by which mdadm mails, as it is built by default
TEST_MAIL = "`mdadm --monitor --scan --oneshot --test` mails a test: see that it arrives"  # --test of mdadm(8)
MAILERS = (
    "install a mail program that brings /usr/sbin/sendmail (postfix, as “local only”, keeps mail here, where `mail`"
    " reads it; msmtp-mta hands it on to your provider, as the examples in `man msmtp` say)"
)


class BootPlace(msgspec.Struct, frozen=True, kw_only=True):
    """What is written where on one machine. `initramfs`: what is installed that makes it and keeps the old one until
    then; None: there is none, or only one to be started by a person, which `by_hand` then is. `mailaddr`: whom its
    mdadm.conf has `mdadm --monitor` write to, "" where nobody. `pool_units_off`: the units that bring ZFS' pools back
    at boot and are not enabled; `pools_by_scan`: why pools must not come into a cache file here, in a sentence.
    """

    distribution: OsFamily
    mdadm_conf: str
    initramfs: Initramfs | None = None
    by_hand: tuple[str, ...] = ()
    systemd: bool = False  # is it what runs here
    mailaddr: str = ""
    pool_units_off: tuple[str, ...] = ()
    pools_by_scan: str = ""


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
    """The family of a machine by the text of its os-release; None where it is of none that is known."""
    words: list[str] = []
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
) -> BootPlace | None:
    """What is written where on the machine whose os-release this is; None where no rule is known for it."""
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
    )
