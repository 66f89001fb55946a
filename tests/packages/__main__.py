"""`python -m tests.packages [ROW]…`: all rows, or those that are named; what was seen, what it took."""

import sys
import tempfile
import time
from pathlib import Path

from tests.packages import rows
from tests.packages.row import Failed, NotRun, Place


def main() -> int:
    wanted = sys.argv[1:] or [row.name for row in rows.ROWS]
    if unknown := set(wanted) - {row.name for row in rows.ROWS}:
        print(f"There is no row {', '.join(sorted(unknown))}; there are {', '.join(row.name for row in rows.ROWS)}.")
        return 2
    carried = failed = not_run = 0
    # Not in /tmp, which a practice kernel does not see.
    with tempfile.TemporaryDirectory(prefix="raidtui-packages-", dir="/var/tmp") as scratch:
        Path(scratch).chmod(0o755)  # other users look at it, too
        made = Path(scratch) / "made"
        for row in rows.ROWS:
            if row.name not in wanted and row.name != rows.ROWS[0].name:  # the first one makes what others install
                continue
            carried += 1
            began_s = time.monotonic()
            try:
                seen = row.carry_out(Place(Path(scratch) / row.name, made))
            except Failed as reason:
                failed += 1
                seen = f"FAILED: {reason}"
            except NotRun as reason:
                not_run += 1
                seen = f"not run: {reason}"
            print(f"{row.name:16} {time.monotonic() - began_s:6.0f} s  {seen}", flush=True)
    print(f"\n{carried - failed - not_run} passed, {failed} failed, {not_run} not run")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
