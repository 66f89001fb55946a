"""The functions of a script that makes an array permanent, run by bash on files of the test's own."""

import subprocess
from pathlib import Path

import pytest

from raidtui.core.boot.entries import with_lines
from raidtui.core.script.render import BOOT, script
from tests.builders import sweeps
from tests.runs.rig import plan_permanent


def bash(folder: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    text = "\n".join(
        ('set -euo pipefail; refuse() { echo "$1" >&2; exit 3; }; mark="raidtui abc, by hand"', BOOT, *lines)
    )
    return subprocess.run(["bash", "-c", text], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("before", [b"a\n", b"a", b"", None])
def test_lines_come_at_the_end_and_the_file_as_it_was_is_kept(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "fstab"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o640)
    done = bash(tmp_path, f"add_lines {file} 'UUID=1 /srv/a\\040b ext4' second")
    assert done.returncode == 0, done.stderr
    first, *rest = file.read_text().removeprefix("a\n").splitlines()
    assert "from here" in first and rest[:2] == ["UUID=1 /srv/a\\040b ext4", "second"] and "to here" in rest[2]
    assert file.stat().st_mode & 0o777 == (0o644 if before is None else 0o640)
    kept = [one for one in tmp_path.iterdir() if one.name.startswith("before")]
    assert [one.read_bytes() for one in kept] == ([] if before is None else [before])
    assert {*tmp_path.iterdir()} == {file, *kept}


@pytest.mark.parametrize("before", [b"a\n", b"a", b"", None, b"# x\n\na\n b", b" a\n#\n\tb\nc\nd", b" a", b"#"])
def test_lines_that_have_to_be_first_come_where_a_run_puts_them(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "mdadm.conf"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o640)
    done = bash(tmp_path, f"add_lines_at_top {file} first second")
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == with_lines(before, ("first", "second"), "raidtui abc, by hand", at_top=True)
    assert file.stat().st_mode & 0o777 == (0o644 if before is None else 0o640)


def test_a_folder_that_is_full_is_refused(tmp_path: Path) -> None:
    assert bash(tmp_path, f"check_place {tmp_path}/new").returncode == 0
    (tmp_path / "file").touch()
    assert bash(tmp_path, f"check_place {tmp_path}").returncode == 3


def test_a_script_does_what_the_plan_says_with_uuids_of_its_own() -> None:
    text = script(sweeps.linked(plan_permanent(mount_point="/srv/a b")))
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0
    end = text.partition("# Add boot entries")[2]
    assert "add_lines /etc/mdadm/mdadm.conf 'ARRAY /dev/md/raidtui-'\"${name_" in end
    assert "mount '/srv/a b'" in end and "mkdir -p fio mnt\n" in text and '"$array"' in end
