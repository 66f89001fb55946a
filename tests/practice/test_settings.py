"""What the guest is told, as bash reads it."""

import subprocess
from pathlib import Path

from raidtui.practice import guest_settings
from raidtui.practice.rack import MIB, Rack

MODULES = Path("/usr/lib/uml/modules")


def bash(text: str, wanted: str) -> str:
    return subprocess.run(["bash", "-c", f'{text}printf "%s|" {wanted}'], capture_output=True, text=True).stdout


def test_settings_survive_bash_whatever_the_folders_are_called() -> None:
    odd = Path("/tmp/it's; $(a) folder")
    text = guest_settings.settings_text(
        Rack(3, 64 * MIB, 94_000_000, 120),
        odd,
        odd,
        [odd],
        guest_settings.Screen(40, 132),
        keep_disks=False,
        systemd=True,
    )
    read = bash(
        text,
        '$disks "${sizes_mib[*]}" $bytes_per_s $iops "$files" $systemd $terminal $rows $columns'
        ' "$modules" "$directory" "${visible[@]}"',
    )
    assert read == f"3|64 64 64|94000000|120||1|1|40|132|{odd}|{odd}|{odd}|"


def test_without_a_terminal_there_is_no_screen() -> None:
    text = guest_settings.settings_text(Rack(1), MODULES, Path("/"), [], None, keep_disks=True, systemd=False)
    assert bash(text, '$terminal "$files" ${#visible[@]}') == "0|kept|0|"


def test_disks_of_unequal_sizes_are_files_in_the_guests_memory() -> None:
    rack = Rack(3, (512 * MIB, 400 * MIB, 640 * MIB))
    text = guest_settings.settings_text(rack, MODULES, Path("/"), [], None, keep_disks=False, systemd=False)
    assert bash(text, '"$files" ${sizes_mib[@]}') == "in memory|512|400|640|"
    kept = guest_settings.settings_text(rack, MODULES, Path("/"), [], None, keep_disks=True, systemd=False)
    assert bash(kept, '"$files"') == "kept|"


def test_only_what_is_meant_for_the_guest_is_passed_on() -> None:
    host = {"PATH": "/a b/bin", "TERM": "tmux", "AWS_SECRET": "x", "RAIDTUI_X": "1", "XDG_STATE_HOME": "/home/me"}
    host |= {name: "1" for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")}
    text = guest_settings.environment_text(host, {"ADDED": "yes"})
    assert "AWS_SECRET" not in text
    assert "XDG" not in text
    assert bash(text, '"$NO_COLOR" "$FORCE_COLOR" "$CLICOLOR_FORCE"') == "1|1|1|"
    read = bash(text, '"$PATH" "$TERM" "$RAIDTUI_X" "$RAIDTUI_PRACTICE" "$HOME" "$ADDED"')
    assert read == "/a b/bin:/usr/local/sbin:/usr/sbin:/sbin|tmux|1|1|/run/home|yes|"


def test_folders_that_the_guests_tmp_would_hide() -> None:
    folders = [Path(path) for path in ("/home/me", "/tmp", "/tmp/a/.venv", "/tmp/a", "/tmp/ab", "/tmp/a")]
    assert guest_settings.folders_in_tmp(folders) == [Path("/tmp/a"), Path("/tmp/ab")]


def test_the_kernels_arguments() -> None:
    piped = guest_settings.kernel_arguments(Path("/usr/bin/linux.uml"), 640 * MIB, terminal=False)
    assert piped[:2] == ["/usr/bin/linux.uml", "mem=640M"]
    assert {"con2=null,fd:4", "con3=null,fd:5", "ro", "rootfstype=hostfs"} <= set(piped)
    assert "con2=fd:4,fd:5" in guest_settings.kernel_arguments(Path("linux.uml"), 640 * MIB, terminal=True)
