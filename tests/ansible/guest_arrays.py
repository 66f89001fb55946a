"""Rows of several arrays on one host, and of an array that shall be absent; they follow those of `guest`.

`store` is there, of sda to sdc. `vault` is a mirror of sdd and sde that is mounted at boot; sdf stands beside it.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.ansible import practice
from tests.ansible.plays import changes, need
from tests.ansible.practice import bytes_at_rest, plays, refused, serial, unchanged
from tests.lab.guest.disk_states import clear, command, settle, until

HOST = "rack1"
STORE, VAULT, BESIDE = ("/dev/sda", "/dev/sdb", "/dev/sdc"), ("/dev/sdd", "/dev/sde"), "/dev/sdf"
_CONF, _FSTAB, _TOOLS = Path("/etc/mdadm/mdadm.conf"), Path("/etc/fstab"), Path("/usr/local/sbin")
_IMAGE, _AT = Path("/boot/initrd.img-stands-in"), Path("/srv/vault")
_BOOT = (b"# of the machine's own\nHOMEHOST <system>\n", b"# fstab\nproc /proc proc defaults 0 0\n")
_MIRROR = {"level": "1", "filesystem": "ext4", "first_sync": "wait"}


def _prepare(recipe: str) -> None:
    """Two programs stand in for those that make Debian's initramfs, of which the practice kernel has none."""
    clear(*VAULT, BESIDE)
    _TOOLS.mkdir(parents=True, exist_ok=True)
    _IMAGE.parent.mkdir(exist_ok=True)
    _CONF.write_bytes(_BOOT[0])
    _FSTAB.write_bytes(_BOOT[1])
    for name, text in (("update-initramfs", f"cp {_CONF} {_IMAGE}"), ("lsinitramfs", f"ls {_IMAGE} && echo {_CONF}")):
        (_TOOLS / name).write_text(f"#!/bin/sh -e\n{text}\n")
        (_TOOLS / name).chmod(0o755)
    named = [serial(node) for node in VAULT]
    practice.answers_file("vault.toml", disks=named, recipe=recipe, setup=_MIRROR, permanent=True, mount_point=str(_AT))
    practice.answers_file("one.toml", disks=named, recipe=recipe, setup=_MIRROR)
    practice.answers_file("two.toml", disks=[named[1], serial(BESIDE)], recipe=recipe, setup=_MIRROR)


def _arrays(*names: str, **vault: Any) -> None:
    files = {"store": "by-rule"}
    arrays = [{"name": name, "answers": str(practice.FOLDER / f"{files.get(name, name)}.toml")} for name in names]
    practice.inventory([HOST], *({**array, **(vault if array["name"] == "vault" else {})} for array in arrays))


def _decided(erase: str = "") -> None:
    """Codes of what was built, and what may be erased of vault."""
    confirm = {name: practice.code(HOST, name) for name in ("store", "vault")}
    plays.decided(HOST, commission_confirm=confirm, commission_erase={"vault": [erase]} if erase else {})


def _uuid(of: tuple[str, ...]) -> str:
    """As mdadm writes it, of the array that a member is in."""
    examined = command("mdadm", "--examine", of[0])
    return next(line.split(" : ")[1].strip() for line in examined.splitlines() if "Array UUID" in line)


def _node(of: tuple[str, ...]) -> str:
    name = of[0].removeprefix("/dev/")
    return f"/dev/{next(Path(f'/sys/block/{name}/holders').iterdir()).name}"


def two_arrays_planned_on_one_disk() -> str:
    _prepare(practice.write_recipe())
    _arrays("one", "two")
    said = refused("not approved", "as that of another array of this host does")
    need("array one: " in said and "array two: the plan names" in said, said)
    need((practice.COLLECTED / f"plans/{HOST}/one.txt").exists(), "the first has no plan")
    need(not (practice.COLLECTED / f"plans/{HOST}/two.txt").exists(), "the second has a plan with a disk of the first")
    return "the second is refused, the first planned; nothing on any disk changed"


def an_unwell_array_does_not_hide_the_next() -> str:
    _arrays("store", "vault")
    command("mdadm", _node(STORE), "--fail", "/dev/sdb")
    command("mdadm", _node(STORE), "--remove", "/dev/sdb")
    refused("array store: ", "is not in sync in it", "array vault: ", "plans/rack1/vault.txt")
    _decided()
    before = bytes_at_rest()
    said = plays.play(status=2)
    need("is not in sync in it" in said and "array vault" not in said, said)
    unchanged(before, VAULT)
    need(_AT.is_mount() and "UUID" in _FSTAB.read_text(), "vault is not mounted at boot")
    runs = sorted((practice.COLLECTED / f"runs/{HOST}").iterdir())
    need(len(runs) == 2, f"collected: {runs}")
    return "with a disk out of store, vault is planned, built and collected; sda to sdc and sdf as before"


def both_stand_and_a_play_changes_nothing() -> str:
    command("mdadm", _node(STORE), "--add", "/dev/sdb")
    degraded = Path("/sys/block", _node(STORE).removeprefix("/dev/"), "md/degraded")
    until(lambda: degraded.read_text() == "0\n")
    settle()
    before = bytes_at_rest()
    said = plays.play()
    need(changes(said, HOST) == 0, said)
    unchanged(before)
    return "changed=0; sha256 of all disks equal"


def absent_with_files_of_others_while_mounted() -> str:
    (_AT / "photos").mkdir()
    subprocess.run(("sync",), check=True)
    boot = _CONF.read_bytes(), _FSTAB.read_bytes()
    _arrays("store", "vault", state="absent")
    _decided(_uuid(VAULT))
    refused("it holds 'photos', which the run did not write", "nothing was changed", but=VAULT)  # mounted: ext4's own
    need((_CONF.read_bytes(), _FSTAB.read_bytes()) == boot and (_AT / "photos").is_dir(), "something was undone")
    return "refused before anything; boot files and the folder as before, all other disks too"


def absent_without_a_uuid_takes_the_boot_lines_only() -> str:
    _decided()
    uuid = _uuid(VAULT)
    refused(f"is kept; `--erase {uuid}` removes it", but=VAULT)  # unmounted
    need((_CONF.read_bytes(), _FSTAB.read_bytes()) == _BOOT and not _AT.exists(), "boot files are not as before")
    refused(f"`--erase {uuid}` removes it")
    return "mdadm.conf and fstab byte for byte as before the run; refused with the UUID, then no disk changed"


def absent_with_another_uuid() -> str:
    _decided(_uuid(STORE))
    refused(f"'{_uuid(STORE)}' is not the UUID of")
    return "store's UUID given for vault: refused; nothing on any disk changed"


def absent_with_another_code() -> str:
    plays.decided(
        HOST,
        commission_confirm={"store": practice.code(HOST, "store"), "vault": "00000000"},
        commission_erase={"vault": [_uuid(VAULT)]},
    )
    refused("the code '00000000' is not that of run")
    return "nothing on any disk changed"


def absent_with_files_of_others() -> str:
    _decided(_uuid(VAULT))
    refused("holds 'photos', which this run did not write")
    return "not mounted: the look on the disks refuses; nothing on any disk changed"


def absent_with_a_foreign_member() -> str:
    _AT.mkdir()
    command("mount", _node(VAULT), str(_AT))
    (_AT / "photos").rmdir()
    command("umount", str(_AT))
    _AT.rmdir()
    command("mdadm", _node(VAULT), "--add", BESIDE)
    settle()
    refused(f"{serial(BESIDE)} is not the run's", "nothing was changed")
    command("mdadm", _node(VAULT), "--remove", BESIDE)
    clear(BESIDE)
    return "with sdf as a spare by hand: refused; nothing on any disk changed"


def absent_with_its_uuid() -> str:
    before = bytes_at_rest()
    said = plays.play("--check")
    need(changes(said, HOST) == 1, said)
    unchanged(before)
    said = plays.play()
    need(changes(said, HOST) == 1, said)
    unchanged(before, VAULT)
    for node in VAULT:
        need(not command("wipefs", "--no-act", node), f"{node} is not blank")
    need(len(list(Path("/sys/block").glob("md*"))) == 1, "an array too many, or too few")
    again = bytes_at_rest()
    need(changes(plays.play(), HOST) == 0, "a second play changes something")
    unchanged(again)
    return "a check changes nothing; vault is gone, sdd and sde blank, sda to sdc and sdf as before; then changed=0"


ROWS: tuple[Callable[[], str], ...] = (
    two_arrays_planned_on_one_disk,
    an_unwell_array_does_not_hide_the_next,
    both_stand_and_a_play_changes_nothing,
    absent_with_files_of_others_while_mounted,
    absent_without_a_uuid_takes_the_boot_lines_only,
    absent_with_another_uuid,
    absent_with_another_code,
    absent_with_files_of_others,
    absent_with_a_foreign_member,
    absent_with_its_uuid,
)
