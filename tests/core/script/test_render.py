"""A plan as a bash script: bash reads it, each array has its name, a disk is found by the kind of its identity."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from raidtui.core.disks.disk import Content
from raidtui.core.plan import slots
from raidtui.core.plan.answers import PlanNotSafe
from raidtui.core.plan.model import shown_steps
from raidtui.core.plan.steps import Command, shell_word
from raidtui.core.script.bash_checks import CHECKS, OWN_FOLDERS
from raidtui.core.script.render import script
from tests.builders import sweeps, targets
from tests.builders.racks import RACK, answers, disk, plan
from tests.builders.targets import device, folder


@pytest.mark.parametrize(
    "identity, link",
    [
        ("wwn-0x1", "/dev/disk/by-id/wwn-0x1"),
        ("serial-IRONDISK_SER0", "/dev/disk/by-id/ata-IRONDISK_SER0"),
        ("path-pci-1", ""),
        ("name-sda", ""),
        ("wwn-eui.0025385b71b0", "/dev/disk/by-id/nvme-eui.0025385b71b0"),
        ("serial-FLASH_S1", "/dev/disk/by-id/nvme-FLASH_S1"),
    ],
)
def test_a_script_finds_a_disk_by_the_kind_of_its_identity(identity: str, link: str) -> None:
    """A doubled WWN makes udev's wwn link point at either disk, nvme-MODEL_SERIAL is any namespace's: neither is taken
    where it is not the identity. Who is in a place may be another disk tomorrow, and is no disk for a script.
    """
    links = (
        "/dev/disk/by-id/ata-IRONDISK_SER0",
        "/dev/disk/by-id/nvme-FLASH_S1",
        "/dev/disk/by-id/nvme-FLASH_S1_1",
        "/dev/disk/by-id/nvme-eui.0025385b71b0",
        "/dev/disk/by-id/wwn-0x1",
        "/dev/disk/by-path/pci-1",
    )
    first = disk(0, id=identity, links=links)
    given = msgspec.structs.replace(answers(), disks=(identity, *(d.id for d in RACK[1:3])))
    assert plan(given, (first, *RACK[1:])).members[0].link == link


@pytest.mark.parametrize("name, disks", [("jbod-vs-raid0", 4), ("stripe-x-allocation-unit-x-offset", 4),
                                            ("levels-sequential", 3), ("levels-random-4k", 6)])  # fmt: skip
def test_the_script_of_a_sweep_is_bash_and_names_each_array(name: str, disks: int) -> None:
    made = sweeps.linked(sweeps.plan(name, disks))
    text = script(made)
    assert subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).stderr == ""
    arrays = {shell_word(stage.array.name) for stage in made.stages if stage.array}
    assert {line.removeprefix("array=/dev/md/") for line in text.splitlines() if line.startswith("array=")} == arrays
    mounts = [step.argv[-1] for step in shown_steps(made) if isinstance(step, Command) and step.argv[0] == "mount"]
    (folders,) = [line for line in text.splitlines() if line.startswith("mkdir -p fio")]
    assert set(folders.split()[3:]) == set(mounts)


def test_the_script_looks_at_the_array_after_each_wait() -> None:
    lines = script(sweeps.linked(sweeps.plan("quick", 3, level="5", first_sync="wait"))).splitlines()
    waits = [line for line in lines if line.startswith("mdadm --wait")]
    assert waits and all(line.partition("  #")[0].endswith('; mdadm --detail --test "$array"') for line in waits)


def test_the_script_draws_uuids_of_its_own_each_time() -> None:
    """mdadm's with colons, the name's digits the first eight of them; what it made is known by the digits of all."""
    text = script(sweeps.linked(sweeps.plan("quick", 3, level="5", filesystem="ext4")))
    drawing = text[text.index("own=") : text.index("expect=planned")]
    told = f'set -euo pipefail\n{drawing}\nprintf \'%s\\n\' "$uuid_0" "$name_0" "$uuid_1" "$own"'
    drawn = []
    for _ in range(2):
        done = subprocess.run(["bash"], input=told, text=True, capture_output=True, check=True)
        drawn.append(done.stdout.splitlines())
    for array, name, filesystem, own in drawn:
        assert re.fullmatch(r"[0-9a-f]{8}(:[0-9a-f]{8}){3}", array) and name == array[:8]
        assert slots.UUID.fullmatch(filesystem)
        assert own.split() == [array.replace(":", ""), filesystem.replace("-", "")]
    assert not set(drawn[0]) & set(drawn[1])


def test_no_script_is_made_for_a_disk_that_a_script_would_not_find() -> None:
    with pytest.raises(PlanNotSafe, match=r"^sda \(IRONDISK SER0000\) has no link .* `raidtui run`"):
        script(plan(disks=(disk(0, links=()), *RACK[1:])))


def bash(functions: str, *, udev: str, asks: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """The script's own checks, on a machine whose programs answer what `functions` and `udev` say."""
    node = tmp_path / "node"
    node.touch()
    head = f"""set -euo pipefail; shopt -s inherit_errexit
links=({node}); identities=(wwn-eui.01); serials=(S1); sizes=(4096); planned=(''); blank=(blank); expect=planned
mdadm() {{ :; }}; stat() {{ echo 0x1 0x0; }}; blockdev() {{ echo 4096; }}; wipefs() {{ :; }}; flock() {{ :; }}
command() {{ :; }}; folder() {{ :; }}
udevadm() {{ printf '%s\\n' {udev}; }}
"""
    # what is only on a host: it is no container
    checks = CHECKS.replace("[ \"$(readlink /proc/self/ns/pid)\" = 'pid:[4026531836]' ]", "true")
    checks = checks.replace("/sys/", f"{tmp_path}/sys/")
    text = f"{head}\n{checks}\n{functions}\nfolder_of() {{ echo {tmp_path}; }}\n{asks}\n"
    return subprocess.run(["bash"], input=text, text=True, capture_output=True, check=False)


@pytest.mark.parametrize(
    "udev, says",
    [
        ("ID_WWN=eui.01 ID_SERIAL_SHORT=S1", ""),
        ("ID_WWN=eui.02 ID_SERIAL_SHORT=S1", "which is wwn-eui.02, not wwn-eui.01"),  # the other namespace
        ("ID_WWN=eui.01 ID_SERIAL_SHORT=S2", "with serial number S2, not S1"),
        ("ID_SERIAL_SHORT=S1", "not wwn-eui.01"),
    ],
)
def test_a_link_that_leads_to_another_disk_of_the_same_size_is_refused(udev: str, says: str, tmp_path: Path) -> None:
    done = bash("", udev=udev, asks="member_0=$(disk 0); members=($member_0); same; echo passed", tmp_path=tmp_path)
    assert (done.returncode, "passed" in done.stdout) == ((3, False) if says else (0, True)), done.stderr
    assert says in done.stderr
    changed = f"members=({tmp_path}/node); udevadm() {{ printf '%s\\n' {udev}; }}; same; echo passed"
    later = bash("", udev="ID_WWN=eui.01 ID_SERIAL_SHORT=S1", asks=changed, tmp_path=tmp_path)
    assert (later.returncode, says in later.stderr) == (3 if says else 0, True)


def _leads_here(path: str) -> str:
    return f"""
devices_of() {{ local one; for one; do [ "$one" = "{path}" ] && echo "8:0 $one" || echo "9:9 $one"; done; }}"""


@pytest.mark.parametrize(
    "folder, file, text, says",
    [
        ("bus/xen-backend/devices/vbd-3-51712", "physical_device", "103:1a", "exported"),
        ("bus/xen-backend/devices/vbd-3-51712", "physical_device", "103:1b", ""),
        ("class/rnbd-server/ctl/devices/x", "block_dev/dev", "259:26", "exported"),
        ("class/rnbd-server/ctl/devices/x", "block_dev/dev", "259:27", ""),
        ("kernel/scst_tgt/devices/x", "filename", "/dev/here\n[key]", "exported"),
        ("kernel/scst_tgt/devices/x", "filename", "/dev/there", ""),
        ("class/udc/dummy/device/gadget.0/lun0", "file", "/dev/here", "exported"),
        ("kernel/config/usb_gadget/g/functions/mass_storage.0/lun.0", "file", "/dev/here", "exported"),
        ("kernel/config/cluster/web/heartbeat/77D9", "dev", "here", "written to"),
        ("kernel/config/cluster/web/heartbeat/77D9", "dev", "", ""),
    ],
)
def test_who_the_kernel_serves_it_to(folder: str, file: str, text: str, says: str, tmp_path: Path) -> None:
    told = tmp_path / "sys" / folder / file
    told.parent.mkdir(parents=True)
    told.write_text(f"{text}\n")
    functions = 'numbers() { echo " 8:0  103:1a "; }; find() { :; }' + _leads_here("/dev/here")
    asks = "members=(/dev/here); locks=(); array=/dev/md/x; own=; why_not used 0"
    done = bash(functions, udev="", asks=asks, tmp_path=tmp_path)
    lines = [line for line in done.stdout.splitlines() if str(tmp_path / "sys") in line]
    assert lines == ([f"/dev/here is {says} by {tmp_path}/sys/{folder}"] if says else []), done.stderr


def test_a_partition_is_one_that_the_kernel_says_is_on_the_member(tmp_path: Path) -> None:
    for name, number in (("sda3", 3), ("sda31", 31)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "partition").write_text(f"{number}\n")
        (tmp_path / name / "uevent").write_text(f"MAJOR=8\nDEVNAME={name}\n")
    asks = "members=(/dev/sda); part_0_31=$(part 0 31); echo $part_0_31; part_0_1=$(part 0 1); echo passed"
    done = bash("", udev="", asks=asks, tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (3, "/dev/sda31\n") and "/dev/sda has no partition 1" in done.stderr


def test_the_node_of_a_partition_is_looked_up_before_each_command_that_names_it() -> None:
    held = disk(0, partitions=("sda1",), contents=(Content("sda", "gpt"), Content("sda1", "ext4", uuid="u")))
    lines = script(plan(disks=(held, *RACK[1:]))).splitlines()
    uses = [number for number, line in enumerate(lines) if '"${part_0_1}"' in line]
    assert uses and all("part_0_1=$(part 0 1)" in lines[number - 3 : number] for number in uses)


@pytest.mark.parametrize(
    "blank, expect, asked",
    [
        ("blank", "planned", "disks --free --blank wwn-eui.01"),
        ("''", "planned", "disks --free wwn-eui.01"),
        ("blank", "own", "disks --free wwn-eui.01"),
    ],
)
def test_of_a_disk_that_was_blank_the_program_is_asked_whether_it_still_is(
    blank: str, expect: str, asked: str, tmp_path: Path
) -> None:
    functions = 'why_not() { :; }; writes() { echo 7; }; raidtui() { echo "asked: $*"; }'
    asks = f"members=({tmp_path}/node); blank=({blank}); expect={expect}; check_members free 0"
    done = bash(functions, udev="ID_WWN=eui.01 ID_SERIAL_SHORT=S1", asks=asks, tmp_path=tmp_path)
    assert f"asked: {asked}\n" in done.stderr
    refusing = "why_not() { :; }; writes() { echo 7; }; raidtui() { return 3; }"
    refuses = bash(refusing, udev="ID_WWN=eui.01 ID_SERIAL_SHORT=S1", asks=asks, tmp_path=tmp_path)
    assert refuses.returncode == 3


def test_a_disk_that_was_written_while_it_was_looked_at_is_refused(tmp_path: Path) -> None:
    functions = "why_not() { :; }; writes() { date +%N; }; raidtui() { :; }"
    asks = f"members=({tmp_path}/node); blank=(blank); expect=planned; check_members free 0"
    done = bash(functions, udev="ID_WWN=eui.01 ID_SERIAL_SHORT=S1", asks=asks, tmp_path=tmp_path)
    assert done.returncode == 3 and "was written by somebody a moment ago" in done.stderr


def test_slow_looks_end_when_what_probes_a_disk_has_gone(tmp_path: Path) -> None:
    functions = "writes() { echo 7; }; why_not() { echo look >&2; echo held; }; sleep() { SECONDS=$((SECONDS + 4)); }"
    asks = f"members=({tmp_path}/node); blank=(blank); check_members free 0"
    done = bash(functions, udev="ID_WWN=eui.01 ID_SERIAL_SHORT=S1", asks=asks, tmp_path=tmp_path)
    assert (done.returncode, done.stderr.count("look\n")) == (3, 3), done.stderr


@pytest.mark.parametrize("noted, silent", [("", True), ("/dev/sdz", False)])
def test_a_disk_that_lio_passes_on_without_saying_which_is_refused(noted: str, silent: bool, tmp_path: Path) -> None:
    store = tmp_path / "sys/kernel/config/target/core/pscsi_0/theirs"
    store.mkdir(parents=True)
    for file, text in (("info", "Status: ACTIVATED\n"), ("udev_path", noted and f"{noted}\n")):
        (store / file).write_text(text)  # `enable` is only written to before Linux 4.13: it need not be readable
    asks = "members=(/dev/here); locks=(); array=/dev/md/x; own=; why_not used 0"
    functions = 'numbers() { echo " 8:0 "; }; find() { :; }; devices_of() { :; }'
    done = bash(functions, udev="", asks=asks, tmp_path=tmp_path)
    assert (f"{store} may export /dev/here: it does not say what" in done.stdout.splitlines()) == silent, done.stderr


def test_what_cannot_be_read_is_said_and_what_fails_inside_of_a_substitution_ends_the_script(tmp_path: Path) -> None:
    done = bash("wipefs() { return 1; }", udev="", asks="found=$(on_device 0 x); echo $found", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "0 unreadable\n")
    assert "shopt -s inherit_errexit" in script(plan())
    for program in ("awk", "sed", "sort", "grep", "cat", "tr", "basename", "udevadm"):
        missing = f'command() {{ [ "$2" != {program} ]; }}'
        text = f"set -eu\n{missing}\n{CHECKS}"
        refused = subprocess.run(["bash"], input=text, text=True, capture_output=True, check=False)
        assert refused.returncode == 3 and f"{program} is missing" in refused.stderr


@pytest.mark.parametrize(
    "path, file, text, says",
    [
        ("here", "info", "TCM FILEIO ID: 0        File: {}  Size: 4096  Mode: Buffered-WCE Async: 0", True),
        ("the  other disk", "info", "TCM FILEIO ID: 0        File: {}  Size: 4096  Mode: O_DSYNC Async: 0", True),
        ("h*e", "info", "TCM FILEIO ID: 0        File: {}  Size: 4096  Mode: O_DSYNC Async: 0", False),
        ("a b", "info", "iBlock device: sdb  UDEV PATH: {}  readonly: 0", True),
        ("a b", "udev_path", "{}", True),
        ("here", "info", "Status: ACTIVATED  Config: file{} Size: 4096 HwMaxSectors: 128", True),
        ("a b", "info", "Status: ACTIVATED  Config: file{} Size: 4096 HwMaxSectors: 128", True),
        ("here", "info", 'backed by "{}" of a kind that nobody knows', True),
        ("there", "udev_path", "{}", False),
    ],
)
def test_a_backstore_of_any_path_is_seen(path: str, file: str, text: str, says: bool, tmp_path: Path) -> None:
    store = tmp_path / "sys/kernel/config/target/core/fileio_0/theirs"
    store.mkdir(parents=True)
    (tmp_path / "here").touch()
    told = text.format(tmp_path / path)
    (store / file).write_text(f"{told}\n")
    functions = 'numbers() { echo " 8:0 "; }; find() { :; }' + _leads_here(f"{tmp_path}/{path if says else 'here'}")
    asks = "members=(/dev/here); locks=(); array=/dev/md/x; own=; why_not used 0"
    done = bash(functions, udev="", asks=asks, tmp_path=tmp_path)
    assert (f"/dev/here is exported by {store}" in done.stdout.splitlines()) == says, done.stderr


@pytest.mark.parametrize(
    "vanishes, says",
    [
        (False, ["{sys}/block/loop7/loop/backing_file cannot be read: it may be about /dev/here"]),
        (True, []),  # detached meanwhile
    ],
)
def test_who_cannot_be_asked_whether_it_uses_a_disk_is_named(vanishes: bool, says: list[str], tmp_path: Path) -> None:
    sys = tmp_path / "sys"
    for name in ("loop7/loop/backing_file", "loop8/loop"):
        (sys / "block" / name).mkdir(parents=True)  # a folder is what root cannot read either
    (sys / "block/loop8/loop/backing_file").write_text("/dev/here\n")
    functions = 'numbers() { echo " 8:0 "; }; find() { :; }' + _leads_here("/dev/here")
    if vanishes:
        functions += f'\ngrep() {{ command grep "$@"; local e=$?; rm -rf {sys}/block/loop7; return $e; }}'
        functions += "\nunset -f command"
    asks = "members=(/dev/here); locks=(); array=/dev/md/x; own=; why_not used 0"
    done = bash(functions, udev="", asks=asks, tmp_path=tmp_path)
    lines = [line for line in done.stdout.splitlines() if "cannot be read" in line]
    assert lines == [line.format(sys=sys) for line in says], done.stderr
    assert f"/dev/here lies under {sys}/block/loop8: losetup --detach" in done.stdout.splitlines()


@pytest.mark.parametrize("columns", [" SER1 4096", "IRON SER1 4096"])
def test_another_node_of_one_disk_is_seen_also_where_it_tells_no_model(columns: str, tmp_path: Path) -> None:
    listed = "\n".join((f"sda {columns}", f"sdb {columns}", "sdc IRON SER2 4096"))
    functions = f'numbers() {{ echo " 8:0 "; }}; find() {{ :; }}; lsblk() {{ echo "{listed}"; }}'
    asks = "members=(/dev/sda); identities=(serial-SER1); locks=(); array=/dev/md/x; own=; why_not used 0"
    done = bash(functions, udev="", asks=asks, tmp_path=tmp_path)
    lines = [line for line in done.stdout.splitlines() if "one disk" in line]
    assert lines == ["/dev/sda and /dev/sdb are one disk: make a multipath map, or unplug one path"], done.stderr


@pytest.mark.parametrize(
    "before, passes",
    [
        ("", True),
        ("mkdir fio mnt0", True),
        ("ln -s /etc mnt", False),
        ("ln -s nowhere fio", False),
        ("touch fio", False),
        ("mkdir -m 777 mnt", False),
        ("chmod 770 .", False),
        ("chmod 1777 .", False),
        ("ln -s /etc else", True),
    ],
)
def test_a_script_writes_only_to_a_folder_that_is_ones_own(before: str, passes: bool, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    looks = OWN_FOLDERS.format(folders="fio mnt")
    assert looks in script(plan(answers(filesystem="ext4"))) and OWN_FOLDERS.format(folders="fio") in script(plan())
    assert OWN_FOLDERS.format(folders="fio") in script(targets.plan(targets.folder("/srv")))
    told = f"set -euo pipefail\n{before}\n{looks}\necho passed"
    done = subprocess.run(["bash"], input=told, cwd=tmp_path, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == ((0, "passed\n") if passes else (3, "")), done.stderr


def test_the_script_looks_reads_and_removes_its_file_by_a_trap() -> None:
    text = script(targets.plan(folder("/srv")))
    assert "trap 'rm --force \"$file\"' EXIT" in text and "wipefs" not in text and "ERASES" not in text
    assert text.index("conv=excl") < text.index("trap")
    assert "--readonly" in script(targets.plan(device()))
