"""TAB in a real bash, zsh and fish: commands, options and values; and never a word too many."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from raidtui.cli import completion
from raidtui.cli.app import program
from raidtui.cli.output import COMPLETES
from raidtui.core.raid.levels import LEVELS
from raidtui.runs import directory
from raidtui.system import discovery
from tests.cli.conftest import Command

RUN = "20260102T030405Z-ab12"
TRIALS = [
    f"{place}-{test}"
    for place in ("member0", "members", "filesystem")
    for test in ("seq_write", "seq_read", "rand_write", "rand_read")
]
LINES = {
    "sto": ["stop"],
    "report --c": ["--csv"],
    "again 2026": [RUN],
    f"again {RUN} members-seq_": ["members-seq_read", "members-seq_write"],
    "recipes show levels-": ["levels-in-short", "levels-random-4k", "levels-sequential"],
    "advise --for d": ["databases"],
    "capacity li": ["linear"],
    "capacity 10 --layout f": ["f2", "f3"],
    "predict 6 --layout left-symm": ["left-symmetric", "left-symmetric-6"],
    "completion ": ["bash", "fish", "zsh"],
}


def shell(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"there is no {name} here")


def ask(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program as the scripts start it."""
    asking = {
        COMPLETES: "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": line,
        **environment,
    }
    program = [sys.executable, "-P", "-m", "raidtui"]
    return subprocess.run(program, capture_output=True, text=True, check=False, env={**os.environ, **asking})


Values = Callable[[str], list[str]]


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], recorded_run: Path) -> Values:
    """What fits a line, asked in this process; to look at the machine fails."""

    def look() -> None:
        raise AssertionError("a disk was looked at")

    def fitting(line: str) -> list[str]:
        monkeypatch.setenv(COMPLETES, "complete_fish")
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"raidtui {line}")
        with pytest.raises(SystemExit) as ended:
            completion.answer(program())
        printed = capsys.readouterr()
        assert (ended.value.code, printed.err) == (0, "")
        return [value.partition("\t")[0] for value in printed.out.splitlines()]

    monkeypatch.setattr(discovery, "read_machine", look)
    return fitting


@pytest.mark.parametrize("line, expected", LINES.items())
def test_what_fits_is_told(values: Values, line: str, expected: list[str]) -> None:
    assert sorted(values(line)) == expected


def test_every_run_trial_level_and_layout_can_be_had(values: Values) -> None:
    for command in ("attach", "report", "compare", "again"):
        assert values(f"{command} ") == [RUN]
    assert values("again ab12 ") == TRIALS
    for command in ("capacity", "predict"):
        assert values(f"{command} ") == [level.key for level in LEVELS]
        for level in LEVELS:
            assert values(f"{command} {level.key} --layout ") == list(level.layouts)
    every = list(dict.fromkeys(layout for level in LEVELS for layout in level.layouts))
    assert values("capacity --layout ") == every
    assert values("recipes show raid0-gain --variant ")


def test_only_this_machine_s_own_runs_are_stopped_resumed_and_cleaned(
    values: Values, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    verbs = ("stop", "resume", "clean")
    assert [values(f"{verb} ") for verb in verbs] == [[RUN]] * 3
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path / "none")
    assert [values(f"{verb} ") for verb in verbs] == [[]] * 3 and values("attach ") == [RUN]


def test_the_disks_to_erase_are_those_that_the_answers_or_the_run_name(values: Values, tmp_path: Path) -> None:
    (tmp_path / "answers.toml").write_text('disks = ["wwn-0xa", "wwn-0xb"]\n[setup]\nlevel = "1"\n')
    assert values(f"run {tmp_path / 'answers.toml'} --erase ") == ["wwn-0xa", "wwn-0xb"]
    assert values(f"run {tmp_path / 'answers.toml'} --erase wwn-0xa --erase wwn-0xb") == ["wwn-0xb"]
    for command in ("resume", "clean"):
        assert values(f"{command} ab12 --erase ") == ["2000", "4000", "6000", "raidtui-e07784a4"]
    assert values(f"run {tmp_path / 'none.toml'} --erase ") == []


@pytest.mark.parametrize(
    "line", ["plan ", "run a.toml --confirm ", "again nosuch ", "capacity 7 --layout=x", "nosuch --x", "again 'a"]
)
def test_what_nothing_fits_is_silence(values: Values, line: str) -> None:
    assert values(line) == []


def test_a_broken_run_is_silence(values: Values, recorded_run: Path) -> None:
    (recorded_run / "plan.json").write_text("{")
    assert values("again ab12 ") == [] and values("attach ") == [RUN]


@pytest.mark.parametrize("asked", ["complete_fish", "complete_nosuch", "nonsense", "1"])
def test_a_shell_that_asks_gets_no_wizard_and_no_sentence(recorded_run: Path, asked: str) -> None:
    """Without arguments, as a shell starts it, on a terminal."""
    code = f"""
import os, sys
os.environ.update(_RAIDTUI_COMPLETE={asked!r}, TERM="xterm")
sys.argv[1:] = []
sys.stdin.isatty = sys.stdout.isatty = lambda: True
from raidtui.cli import app, output
def opened(): print("THE WIZARD")
output.open_wizard = opened
app.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_program_is_not_read_from_the_folder_where_one_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    (tmp_path / "raidtui").mkdir()
    (tmp_path / "raidtui" / "__main__.py").write_text("print('planted')")
    monkeypatch.chdir(tmp_path)
    assert ask("raidtui sto").stdout.startswith("stop\t")
    assert f"{sys.executable} -P -m raidtui" in command("completion", "bash")[1]


@pytest.fixture
def script(command: Command, tmp_path: Path) -> Callable[[str], Path]:
    def write(shell_name: str) -> Path:
        path = tmp_path / f"raidtui.{shell_name}"
        status, printed, _ = command("completion", shell_name)
        assert status == 0
        path.write_text(printed)
        return path

    return write


IN_SHELLS = pytest.mark.parametrize("line", ["report --c", f"again {RUN} members-seq_", "capacity 10 --layout f"])


@IN_SHELLS
def test_bash_s_own_function(script: Callable[[str], Path], recorded_run: Path, line: str) -> None:
    given = f"raidtui {line}"
    code = f"""
source {script("bash")}
COMP_LINE={given!r}; COMP_POINT={len(given)}; COMP_WORDS=({given}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$(complete -p raidtui | sed 's/.*-F //; s/ .*//') raidtui
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run([shell("bash"), "--norc", "-c", code], capture_output=True, text=True, check=True)
    assert (sorted(done.stdout.splitlines()), done.stderr) == (LINES[line], "")


@IN_SHELLS
def test_fish_s_own_answer(script: Callable[[str], Path], recorded_run: Path, line: str) -> None:
    code = f"source {script('fish')}; complete -C 'raidtui {line}'"
    done = subprocess.run([shell("fish"), "--no-config", "-c", code], capture_output=True, text=True, check=True)
    assert sorted(value.partition("\t")[0] for value in done.stdout.splitlines()) == LINES[line]
    assert done.stderr == ""


# How each is started without anybody's own settings, and what it is told before the script
STARTS = {
    "bash": (["--norc", "--noprofile", "-i"], ""),
    "zsh": (["-f", "-i"], "autoload -Uz compinit; compinit -u -D; "),
    "fish": (["--no-config", "-i"], ""),
}


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize(
    "typed, whole",
    [
        ("raidtui again 2026\tfilesystem-seq_w\t", f"raidtui again {RUN} filesystem-seq_write"),
        ("./bin/raidtui capacity 6 --layout=ddf-z\t", "./bin/raidtui capacity 6 --layout=ddf-zero-restart"),
        ("raidtui plan answ\t", "raidtui plan answers.toml"),
    ],
    ids=["values", "an option's value, by path", "a file"],
)
def test_tab_is_pressed(
    script: Callable[[str], Path],
    recorded_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    typed: str,
    whole: str,
) -> None:
    """The line as it stands after TAB is printed by `echo`, typed at its beginning."""
    options, before = STARTS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "answers.toml").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "raidtui").touch(mode=0o755)
    terminal = pexpect.spawn(shell(name), options, encoding="utf-8", timeout=60, dimensions=(40, 250))
    try:
        terminal.send(f"{before}source {script(name)}; echo RE''ADY\r")
        terminal.expect_exact("READY")
        terminal.send(typed)
        terminal.send("\x01echo GOT \r")
        terminal.expect_exact(f"GOT {whole}")
    finally:
        terminal.close(force=True)
