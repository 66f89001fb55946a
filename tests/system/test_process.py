"""Where programs are looked for."""

import os
import stat
from pathlib import Path
from threading import Barrier, current_thread

import pytest

from raidtui.system.process import ProcessError, environment, run, side_by_side
from raidtui.system.programs import search_path, which

SBIN = "/usr/local/sbin:/usr/sbin:/sbin"


@pytest.mark.parametrize(
    "path, places",
    [
        ("/usr/bin:/bin", f"/usr/bin:/bin:{SBIN}"),
        (":/usr/bin::.:bin:../x:", f"/usr/bin:{SBIN}"),
        ("", f"/usr/bin:/bin:{SBIN}"),
        (".", f"/usr/bin:/bin:{SBIN}"),
        ("/sbin:/a b", "/sbin:/a b:/usr/local/sbin:/usr/sbin"),
    ],
)
def test_never_the_current_folder(path: str, places: str) -> None:
    assert search_path(path) == places


@pytest.mark.parametrize("path", ["", ":/usr/bin", "/usr/bin:", "/usr/bin::/bin", ".:/usr/bin", "planted:/usr/bin"])
def test_a_program_that_lies_in_the_current_folder_is_not_started(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path, tmp_path / "planted"):
        folder.mkdir(exist_ok=True)
        for name in ("true", "raidtui-planted"):
            (folder / name).write_text("#!/bin/sh\necho planted\n")
            (folder / name).chmod(stat.S_IRWXU)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    assert which("raidtui-planted") is None
    assert run(["true"], 10).stdout == ""
    assert all(place.startswith("/") for place in environment()["PATH"].split(os.pathsep))


def test_a_program_answers_in_the_c_locale_with_nothing_to_read() -> None:
    done = run(("sh", "-c", "cat; echo $LC_ALL; echo bad >&2; exit 3"), timeout_s=5)
    assert (done.returncode, done.stdout, done.stderr) == (3, "C\n", "bad\n")


@pytest.mark.parametrize("name", ["LOCK_BLOCK_DEVICE", "MDADM_NO_UDEV", "MKE2FS_CONFIG", "BLKID_FILE"])
def test_what_would_change_a_programs_work_is_not_passed_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "/tmp/other")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    told = dict(line.split("=", 1) for line in run(("env",), timeout_s=5).stdout.splitlines())
    assert name not in told
    assert (told["TZ"], told["LANG"], told["LC_ALL"]) == ("UTC", "C", "C")


@pytest.mark.parametrize(
    "argv, sentence",
    [
        (("no-such-program",), "no-such-program is not installed"),
        (("sleep", "5"), "sleep 5 did not answer within 0.05 s."),
        (("/etc/passwd",), "/etc/passwd could not be started"),
    ],
)
def test_a_program_that_gives_no_answer(argv: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ProcessError) as error:
        run(argv, timeout_s=0.05)
    assert str(error.value).startswith(sentence)


def test_what_is_asked_side_by_side_is_answered_in_its_order() -> None:
    both_here = Barrier(2)

    def ask(number: int) -> tuple[int, int]:
        both_here.wait(10)
        return number, current_thread().ident or 0

    answers = side_by_side(ask, range(6), at_once=2)
    assert [number for number, _ in answers] == [*range(6)] and len({thread for _, thread in answers}) == 2
    assert side_by_side(ask, ()) == []


def test_an_error_of_one_of_several_is_told() -> None:
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda number: 1 // number, (1, 0, 2))
