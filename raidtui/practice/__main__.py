"""A developer's way into the practice kernel: `python -m raidtui.practice [OPTIONS] -- COMMAND ...`."""

import argparse
import sys
import tempfile
from pathlib import Path

from raidtui.practice.errors import PracticeError
from raidtui.practice.kernel import boot
from raidtui.practice.rack import MIB, Rack, RackError


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m raidtui.practice", description="Run a command on practice disks.")
    parser.add_argument("-n", dest="disks", type=int, default=6, help="number of disks (6)")
    parser.add_argument("-s", dest="size_mib", type=int, default=512, help="MiB of each (512)")
    parser.add_argument("-b", dest="mbps", type=float, default=0, help="MB/s of each, each way (0: not limited)")
    parser.add_argument("-i", dest="iops", type=int, default=0, help="IOPS of each (0: not limited)")
    parser.add_argument("-m", dest="memory_mib", type=int, default=0, help="memory of the kernel, MiB (0: as needed)")
    parser.add_argument("-o", dest="out_dir", type=Path, help="folder that is the guest's /var/lib/raidtui")
    parser.add_argument("-p", dest="keep_disks", type=Path, help="keep the disks as files in this folder")
    parser.add_argument("-S", dest="systemd", action="store_true", help="systemd as the guest's first process")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    return parser.parse_args()


def main() -> int:
    """Exit status: the command's; 1 if there is no kernel; 2 for a rack that cannot be."""
    wanted = _arguments()
    try:
        rack = Rack(wanted.disks, wanted.size_mib * MIB, int(wanted.mbps * 1e6), wanted.iops, wanted.memory_mib * MIB)
        with tempfile.TemporaryDirectory() as scratch:
            return boot(
                rack,
                wanted.command,
                wanted.out_dir or Path(scratch),
                keep_disks=wanted.keep_disks,
                systemd=wanted.systemd,
            )
    except RackError as error:
        print(error, file=sys.stderr)
        return 2
    except PracticeError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
