"""For developers: `python -m raidtui.practice [OPTIONS] -- COMMAND ...`."""

import argparse
import sys
import tempfile
from pathlib import Path

from raidtui.practice.errors import PracticeError
from raidtui.practice.kernel import boot
from raidtui.practice.rack import MIB, Rack, RackError
from raidtui.practice.refusal import Kernel

# User-Mode Linux of 6.16 and later catches its programs' system calls by seccomp where the host can, with ptrace where
# not: a guest's tests took a quarter less of a processor. An older one does not know the word, and goes on.
_BY_SECCOMP = ("seccomp=auto",)


def _kernel(folder: str) -> Kernel:
    kernel = Kernel(Path(folder, "linux.uml").absolute(), Path(folder, "modules").absolute(), _BY_SECCOMP)
    if not (kernel.program.is_file() and kernel.modules.is_dir()):
        raise argparse.ArgumentTypeError(f"there is no linux.uml with a folder modules/ beside it in {folder}")
    return kernel


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m raidtui.practice", description="Run a command on practice disks.")
    parser.add_argument("-n", dest="disks", type=int, help="number of disks (6, or as many as sizes are given)")
    parser.add_argument(
        "-s", dest="sizes_mib", default="512", help="MiB of each (512), or of each in turn: 512,400,640"
    )
    parser.add_argument("-b", dest="mbps", type=float, default=0, help="MB/s of each, each way (0: not limited)")
    parser.add_argument("-i", dest="iops", type=int, default=0, help="IOPS of each (0: not limited)")
    parser.add_argument("-m", dest="memory_mib", type=int, default=0, help="memory of the kernel, MiB (0: as needed)")
    parser.add_argument("-o", dest="out_dir", type=Path, help="folder that is the guest's /var/lib/raidtui")
    parser.add_argument("-p", dest="keep_disks", type=Path, help="keep the disks as files in this folder")
    parser.add_argument(
        "-k", dest="kernel", type=_kernel, help="folder of another kernel: linux.uml, and modules/ (the installed one)"
    )
    parser.add_argument("-S", dest="systemd", action="store_true", help="systemd as the guest's first process")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    return parser.parse_args()


def _rack(arguments: argparse.Namespace) -> Rack:
    words = arguments.sizes_mib.split(",")
    if not all(word.isascii() and word.isdecimal() for word in words):
        raise RackError(
            f"-s {arguments.sizes_mib}: give the disks' sizes as whole numbers of MiB: 512, or 512,400,640."
        )
    disk_bytes = tuple(int(word) * MIB for word in words)
    several = len(disk_bytes) > 1
    disks = arguments.disks if arguments.disks is not None else len(disk_bytes) if several else Rack.disks
    return Rack(
        disks,
        disk_bytes if several else disk_bytes[0],
        int(arguments.mbps * 1e6),
        arguments.iops,
        arguments.memory_mib * MIB,
    )


def main() -> int:
    """Exit status: the command's; 1 without kernel; 2 for an invalid rack."""
    arguments = _arguments()
    try:
        rack = _rack(arguments)
        with tempfile.TemporaryDirectory() as scratch:
            return boot(
                rack,
                arguments.command,
                arguments.out_dir or Path(scratch),
                keep_disks=arguments.keep_disks,
                systemd=arguments.systemd,
                kernel=arguments.kernel,
            )
    except RackError as error:
        print(error, file=sys.stderr)
        return 2
    except PracticeError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
