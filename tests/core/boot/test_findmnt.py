"""Errors of one line of fstab, told apart from others' and from warnings. The text is util-linux 2.38's."""

import subprocess
from pathlib import Path

from raidtui.core.boot.findmnt import errors_of

PRINTED = """\
/srv/array
   [E] unreachable on boot required source: UUID=aaaa-bbbb
   [W] cannot detect on-disk filesystem type
/mnt/x
   [E] unreachable on boot required target: No such file or directory
   [W] unreachable source: /dev/nope: No such file or directory

1 parse error, 2 errors, 2 warnings
"""


def test_only_errors_and_only_of_this_folder() -> None:
    assert errors_of(PRINTED, "/srv/array") == ("unreachable on boot required source: UUID=aaaa-bbbb",)
    assert errors_of(PRINTED, "/srv") == () and errors_of("", "/srv/array") == ()
    assert errors_of("Success, no errors or warnings detected\n", "/srv/array") == ()


def test_the_program_itself_prints_so(tmp_path: Path) -> None:
    table = tmp_path / "fstab"
    table.write_text("UUID=aaaa-bbbb /srv/my\\040array ext4 defaults,nofail 0 2\n")
    argv = ("findmnt", "--verify", "--tab-file", str(table))
    printed = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    assert any("UUID=aaaa-bbbb" in error for error in errors_of(printed, "/srv/my array"))
