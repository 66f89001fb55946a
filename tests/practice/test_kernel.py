"""The practice kernel from outside: its jail, its terminal, its end, and whom it works for."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from raidtui.practice import kernel, warden
from raidtui.practice.kernel import reach
from raidtui.practice.refusal import installed_kernel

pytestmark = pytest.mark.lab

REPOSITORY = Path(__file__).parents[2]
LONG_S = 900.0  # a busy machine is no failure
PRACTICE = [sys.executable, "-m", "raidtui.practice", "-n", "0", "-m", "400"]


def practice(*arguments: str, command: str, out_dir: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PRACTICE, "-o", str(out_dir), *arguments, "--", "bash", "-c", command],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG_S,
        check=False,
    )


def kernels(out_dir: Path) -> list[int]:
    """Host processes, of any namespace, that belong to the kernel of this out folder."""
    found = subprocess.run(["pgrep", "-f", f"jail.py.*{out_dir}"], capture_output=True, text=True).stdout.split()
    children = subprocess.run(["pgrep", "-P", ",".join(found)], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in [*found, *children]]


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + LONG_S
    while time.monotonic() < deadline:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_output_and_status_come_through_without_a_terminal(tmp_path: Path) -> None:
    done = practice(command="test -t 1 && echo tty; seq 200000; echo oops >&2; exit 7", out_dir=tmp_path)
    assert done.returncode == 7, done.stderr
    assert done.stdout == "".join(f"{number}\n" for number in range(1, 200001))
    assert done.stderr == "oops\n"


def test_a_kernel_that_does_not_halt_is_ended_and_its_status_counts(tmp_path: Path) -> None:
    within_1_s = "import sys; from raidtui.practice import __main__, kernel; kernel.HALTS_WITHIN_S = 1.0; "
    command = "printf '#!/bin/sh\nexec sleep 1000\n' >/usr/bin/systemctl; echo done; exit 3"
    program = [sys.executable, "-c", f"{within_1_s}sys.exit(__main__.main())"]
    done = subprocess.run(
        [*program, *PRACTICE[3:], "-o", str(tmp_path), "--", "bash", "-c", command],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )
    assert (done.returncode, done.stdout) == (3, "done\n"), done.stderr


def test_programs_keep_their_vector_registers(tmp_path: Path) -> None:
    """Three side by side: the shim moves them only where the task has others."""
    subprocess.run(["cc", "-O2", "-o", tmp_path / "vectors", Path(__file__).with_name("vectors.c")], check=True)
    each = "/var/lib/raidtui/vectors {} 1000"
    done = practice(command=" & ".join(each.format(number) for number in (1, 2, 3)) + "; wait", out_dir=tmp_path)
    assert done.stdout.split() == ["kept"] * 3, done.stdout + done.stderr


def test_guest_root_cannot_write_to_the_host(tmp_path: Path) -> None:
    """Remounting, and mounting hostfs anew: each attempt fails, and only the out folder is writable."""
    script = f"""
    host=/run/raidtui-practice/host
    umount $host/dev  # the guest's own, over the host's
    mount -o remount,rw $host; mount -o remount,rw /
    mkdir /mnt/again; mount -t hostfs again /mnt/again -o / ; mount -o remount,rw /mnt/again
    for root in $host /mnt/again; do
      for folder in /etc /root {REPOSITORY} {Path.home()} /tmp /var /usr/bin /dev / /run {tmp_path}; do
        touch "$root$folder/raidtui-escaped" 2>/dev/null && echo "wrote $root$folder"
      done
      chmod 777 "$root/etc/hostname" 2>/dev/null && echo chmod
      ls "$root/dev" | grep -E '^(sd|vd|nvme|hd|mem$|kmsg)' && echo devices
      mknod "$root/run/raidtui-practice/out/disk" b 8 0 2>/dev/null; rm -f "$root/run/raidtui-practice/out/disk"
    done
    ls /mnt/again/etc >/dev/null && echo looked
    touch /var/lib/raidtui/allowed && echo allowed
    """
    done = practice(command=script, out_dir=tmp_path)
    # The nest and its tmpfs are the jail's own; nothing else may have been written.
    own = ["wrote /run/raidtui-practice/host/run", "wrote /mnt/again/run"]
    assert done.stdout.splitlines() == [*own, "looked", "allowed"]
    assert [path.name for path in tmp_path.iterdir()] == ["allowed"]
    assert not list(Path("/").glob("*/raidtui-escaped"))


def test_guest_root_reads_nothing_that_is_roots_alone(tmp_path: Path) -> None:
    """Whoever starts it, in there root is nobody of this machine; what it keeps is its starter's all the same."""
    secret = tmp_path.parent / f"{tmp_path.name}-secret"
    secret.write_text("secret")
    needed = (sys.prefix, sys.base_prefix, str(REPOSITORY))
    pruned = " -o ".join(f"-path '*{folder}'" for folder in needed)
    script = f"""
    host=/run/raidtui-practice/host
    mkdir /mnt/again; mount -t hostfs again /mnt/again -o /
    for root in "" $host /mnt/again; do
      for file in /etc/shadow /etc/gshadow {secret} {Path.home()}/.bashrc; do
        cat "$root$file" >/dev/null 2>&1 && echo "read $root$file"
      done
      find "$root"/home "$root{Path.home()}" "$root/tmp" "$root/var/tmp" \\
        \\( {pruned} \\) -prune -o -type f -print 2>&1 | head -n 1
    done
    mkdir /var/lib/raidtui/folder; umask 077; echo kept >/var/lib/raidtui/folder/result
    """
    done = practice(command=script, out_dir=tmp_path)
    assert done.stdout == "", done.stderr
    result = tmp_path / "folder" / "result"
    owners = result.stat().st_uid, result.parent.stat().st_uid
    assert (result.read_text(), *owners) == ("kept\n", os.geteuid(), os.geteuid())


_PROBE = """
import os, socket, sys
def tried(what, call):
    try: call()
    except OSError as error: return
    print(what, flush=True)
def connect(kind, path):
    with socket.socket(socket.AF_UNIX, kind) as one: one.connect(path)
def pair():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"x", sys.argv[2])
for folder in sys.argv[3:]:
    tried("connect " + folder, lambda: connect(socket.SOCK_STREAM, folder + "/stream"))
    tried("send " + folder, lambda: connect(socket.SOCK_DGRAM, folder + "/datagrams"))
    tried("fifo " + folder, lambda: os.open(folder + "/fifo", os.O_RDWR))
    tried("file " + folder, lambda: os.open(folder + "/file", os.O_RDONLY))
tried("socket pair", pair)
tried("tcp", lambda: socket.socket())
tried("shadow", lambda: os.open("/etc/shadow", os.O_RDONLY))
tried("streams", socket.socketpair)
print("mapped onto", os.stat("/etc/passwd").st_uid, "groups", os.getgroups(), flush=True)
os.write(int(sys.argv[1]), b"wrote")
"""


def test_the_jail_holds_whatever_runs_in_the_kernels_place(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Guest root could make its kernel do as it likes: a program in the kernel's place tries it on this machine."""
    folders = [
        Path(tempfile.mkdtemp(prefix="raidtui-", dir=place))
        for place in ("/tmp", "/var/tmp", "/run", str(Path.home()), "/var/lib")
        if os.access(place, os.W_OK)
    ]
    listening = []
    control, theirs = socket.socketpair()
    try:
        for folder in folders:
            folder.chmod(0o755)
            for name, kind in (("stream", socket.SOCK_STREAM), ("datagrams", socket.SOCK_DGRAM)):
                listening.append(socket.socket(socket.AF_UNIX, kind))
                listening[-1].bind(str(folder / name))
                (folder / name).chmod(0o777)
                if kind == socket.SOCK_STREAM:
                    listening[-1].listen()
            os.mkfifo(folder / "fifo")
            (folder / "fifo").chmod(0o666 if folder.parent != Path("/var/lib") else 0o600)
            (folder / "file").write_text("")
            (folder / "file").chmod(0o600)
        installed = installed_kernel()
        assert installed
        covered, shown = reach(installed)
        with tempfile.TemporaryFile() as log:
            process = warden.start(
                warden.Sentence(
                    argv=["/usr/bin/python3", "-c", _PROBE, "3", str(folders[0] / "datagrams"), *map(str, folders)],
                    covered=list(map(str, covered)),
                    shown=list(map(str, shown)),
                    memory_bytes=1 << 20,
                    descriptors=(theirs.fileno(),),
                    control=control.fileno(),
                ),
                log,
            )
            assert process.wait(LONG_S) == 0
            log.seek(0)
            assert log.read().decode() == "streams\nmapped onto 65534 groups []\n"
        assert control.recv(16) == b"wrote"
    finally:
        for one in (*listening, control, theirs):
            one.close()
        for folder in folders:
            shutil.rmtree(folder)


def test_a_guest_that_goes_without_reading_is_gone_and_no_error() -> None:
    control, theirs = socket.socketpair()
    control.sendall(b"never read")
    theirs.close()
    with control:
        assert kernel._received(control) == b""


def test_disks_of_unequal_sizes_have_serials_wwns_and_no_geometry_of_their_own(tmp_path: Path) -> None:
    done = practice(
        *("-n", "3", "-s", "64,48,80", "-m", "600", "-b", "20"),
        command="lsblk -dnbo NAME,SIZE,ROTA,OPT-IO,SERIAL,WWN /dev/sd?; cat /run/blkio/blkio.throttle.write_bps_device;"
        " cat /sys/block/sd?/queue/max_sectors_kb; echo /sys/block/*",
        out_dir=tmp_path,
    )
    lines = done.stdout.splitlines()
    disks, limits, requests_kib, (there,) = [line.split() for line in lines[:3]], lines[3:6], lines[6:9], lines[9:]
    assert [disk[:4] for disk in disks] == [
        ["sda", str(64 << 20), "0", "0"],
        ["sdb", str(48 << 20), "0", "0"],
        ["sdc", str(80 << 20), "0", "0"],
    ], done.stderr
    assert len({disk[4] for disk in disks}) == len({disk[5] for disk in disks}) == 3
    assert [line.split()[1] for line in limits] == ["20000000"] * 3
    assert requests_kib == ["128"] * 3 and there == "/sys/block/sda /sys/block/sdb /sys/block/sdc"


@pytest.mark.parametrize(
    "rack, says",
    [
        (["-s", "512,400"], "2 sizes for 3 practice disks: give one for all, or one per disk"),
        (["-s", "512,,400"], "-s 512,,400: give the disks' sizes as whole numbers of MiB: 512, or 512,400,640."),
        (["-s", "64,x,80"], "-s 64,x,80: give the disks' sizes as whole numbers of MiB: 512, or 512,400,640."),
        (["-s", "64,4,80"], "practice disk of 4194304 bytes: must be a multiple of 1 MiB, at least 8MiB"),
        (
            ["-s", "64,48,80", "-i", "9"],
            "practice disks with an IOPS limit must have equal sizes: give one size, or no IOPS limit",
        ),
    ],
)
def test_a_bad_list_of_sizes_is_one_sentence(rack: list[str], says: str, tmp_path: Path) -> None:
    done = practice("-n", "3", *rack, command="true", out_dir=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", says + "\n")


def test_a_boot_that_fails_says_so_with_the_log(tmp_path: Path) -> None:
    code = (
        "from raidtui.practice import guest_settings, boot, Rack, BootError; from pathlib import Path\n"
        "guest_settings.kernel_arguments = lambda *_, **__: ['/bin/sh', '-c', 'echo no luck; exit 1']\n"
        f"try: boot(Rack(0), ['true'], Path({str(tmp_path)!r}))\n"
        "except BootError as error: print(error)\n"
    )
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=REPOSITORY)
    assert done.stdout == "The practice kernel did not come up. Its log ends:\nno luck\n", done.stderr


@pytest.fixture
def session(tmp_path: Path) -> Iterator[pexpect.spawn]:
    child = pexpect.spawn(
        PRACTICE[0],
        [*PRACTICE[1:], "-o", str(tmp_path), "--", "bash", "--norc", "-i"],
        cwd=str(REPOSITORY),
        dimensions=(33, 101),
        encoding="utf-8",
        timeout=LONG_S,
        env={**os.environ, "PS1": "ready> ", "TERM": "xterm"},
    )
    child.expect(r"[#$] ")
    yield child
    child.close(force=True)


def test_the_size_is_right_a_resize_reaches_the_guest_and_a_large_picture_us(session: pexpect.spawn) -> None:
    session.sendline("stty size; trap 'echo chan''ged' WINCH")
    session.expect("33 101")
    session.expect("# ")  # bash takes the signal only once it waits for a line
    session.setwinsize(41, 133)
    session.expect("changed")
    session.sendline("stty size")
    session.expect("41 133")
    session.sendline("head -c 200000 /dev/zero | tr '\\0' x; echo all of it is show''n; read key; exit $key")
    session.expect("all of it is shown")  # and no key was pressed meanwhile
    session.sendline("5")
    session.expect(pexpect.EOF)
    session.wait()
    assert session.exitstatus == 5


@pytest.mark.parametrize("how", ["hang-up", "SIGTERM", "SIGKILL"])
def test_the_launchers_end_is_the_kernels_and_results_are_kept(
    session: pexpect.spawn, tmp_path: Path, how: str
) -> None:
    session.sendline("for i in 1 2 3; do echo line $i; done > /var/lib/raidtui/journal; echo writ''ten")
    session.expect("written")
    pids = kernels(tmp_path)
    assert len(pids) == 2
    if how == "hang-up":
        with contextlib.suppress(pexpect.ExceptionPexpect):  # that it lives on for a moment
            session.close(force=False)
    else:
        os.kill(session.pid, getattr(signal, how))
    assert gone(pids)
    assert (tmp_path / "journal").read_text() == "line 1\nline 2\nline 3\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_without_root_from_a_checkout_in_tmp(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The distribution's own Python, for a virtual environment of root's is not for everyone."""
    checkout = Path(f"/tmp/raidtui-checkout-{os.getpid()}")
    nobody = pwd.getpwnam("nobody")
    try:
        shutil.copytree(REPOSITORY / "raidtui/practice", checkout / "raidtui/practice")
        (checkout / "raidtui/system").mkdir()
        shutil.copy(REPOSITORY / "raidtui/system/programs.py", checkout / "raidtui/system")
        (checkout / "raidtui/__init__.py").touch()
        (checkout / "out").mkdir()
        for path in [checkout, *checkout.rglob("*")]:
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        done = subprocess.run(
            [
                *("/usr/bin/python3", "-m", "raidtui.practice", "-n", "2", "-s", "16", "-m", "400", "-o", "out", "--"),
                *("bash", "-c", "id -u; pwd; ls raidtui; ls /dev/sd?; echo kept >/var/lib/raidtui/result"),
            ],
            cwd=checkout,
            user=nobody.pw_uid,
            group=nobody.pw_gid,
            extra_groups=[],
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONG_S,
        )
        assert done.stdout.split()[:2] == ["0", str(checkout)], done.stderr
        assert done.stdout.endswith("/dev/sda\n/dev/sdb\n")
        assert (checkout / "out/result").read_text() == "kept\n"
        assert (checkout / "out/result").owner() == "nobody"
    finally:
        shutil.rmtree(checkout, ignore_errors=True)
