"""`recipes` and `plan` on a recorded machine; `run` without its code."""

import json
import tomllib
from pathlib import Path

import pytest
import tomli_w

from raidtui.cli import output
from raidtui.core.advice.answer_file import EXAMPLE
from raidtui.core.boot.distributions import DISTRIBUTIONS, BootPlace
from raidtui.core.plan.confirmation import UNSEEN
from raidtui.core.raid import zfs
from raidtui.runs import planning
from raidtui.system import doctor
from raidtui.system.arrays import boot_files, pool_units
from tests.cli.conftest import RECORDED, Command

RACK = str(RECORDED / "machines" / "rack-of-six.json")


@pytest.fixture
def answers(command: Command, tmp_path: Path) -> str:
    """Three disks of the recorded rack, RAID 5."""
    disks = [each["id"] for each in json.loads(command("disks", "--machine", RACK, "--json")[1])["disks"]]
    path = tmp_path / "answers.toml"
    path.write_text(tomli_w.dumps({"disks": disks[:3], "recipe": "quick", "setup": {"level": "5"}}))
    return str(path)


def test_a_plan_in_words_as_json_and_as_a_script_is_one_plan(command: Command, answers: str) -> None:
    status, words, _ = command("plan", answers, "--machine", RACK)
    assert status == 0
    plan = json.loads(command("plan", answers, "--machine", RACK, "--json")[1])
    assert words.splitlines()[-1] == plan["code"] and len(plan["members"]) == 3
    assert all(f"member {index}: {disk['name']}  " in words for index, disk in enumerate(plan["members"]))
    script = command("plan", answers, "--machine", RACK, "--script")[1]
    assert script.startswith("#!") and "mdadm --create" in script and "mdadm --create" in words


@pytest.mark.parametrize("case", ["d03_lsblk_nodeps.json", "d01_lsblk_list_flat.json"])
def test_a_plan_of_a_dump_without_mounts_has_no_code(command: Command, tmp_path: Path, case: str) -> None:
    machine = str(RECORDED / "cases" / case)
    disks = [each["id"] for each in json.loads(command("disks", "--machine", machine, "--json")[1])["disks"]]
    path = tmp_path / "answers.toml"
    path.write_text(tomli_w.dumps({"disks": disks[-1:], "recipe": "quick", "setup": {"level": "jbod"}}))
    status, words, _ = command("plan", str(path), "--machine", machine)
    assert status == 0
    assert words.startswith("mounts not recorded: no code; run `raidtui plan` on the machine itself\n")
    assert "fio " in words and "code" not in words.replace("no code", "") and "--confirm" not in words
    assert json.loads(command("plan", str(path), "--machine", machine, "--json")[1])["code"] == ""
    status, out, err = command("plan", str(path), "--machine", machine, "--script")
    assert (status, out) == (output.BAD_INPUT, "")
    assert err.endswith(f"{case}: mounts not recorded; run `raidtui plan --script` on the machine itself\n")


def test_a_first_answer_file_is_printed_and_named_where_none_is_given(command: Command) -> None:
    status, printed, _ = command("plan", "--example")
    assert status == 0 and printed == EXAMPLE


def test_of_three_documents_one_is_printed(command: Command, answers: str) -> None:
    status, out, err = command("plan", answers, "--machine", RACK, "--json", "--erase-list")
    assert (status, out) == (output.BAD_INPUT, "") and "give only one" in err


@pytest.mark.parametrize(
    "option, says",
    [
        ({"direct": "maybe"}, "job.seq_read: direct cannot be 'maybe'; fio(1) has its form"),
        ({"rwmixread": 150}, "job.seq_read: fio does not take its options: rwmixread: max value out of range"),
        ({"iodepth": 1.5}, "job.seq_read: iodepth cannot be 1.5; write a whole number"),
        ({"runtime": "60x"}, "job.seq_read: runtime cannot be '60x'; write 60s or 2m"),
    ],
)
def test_what_fio_would_refuse_is_refused_before_anything_is_done(
    command: Command, answers: str, option: dict[str, object], says: str
) -> None:
    given = tomllib.loads(Path(answers).read_text())
    Path(answers).write_text(tomli_w.dumps(given | {"job": {"seq_read": option}}))
    status, out, err = command("plan", answers, "--machine", RACK)
    assert (status, out) == (output.BAD_INPUT, "") and says in err


def test_so_it_is_where_something_stands_already(command: Command, tmp_path: Path) -> None:
    path, on_a_disk = tmp_path / "answers.toml", str(Path(__file__).parent)  # `tmp_path` may lie in memory
    path.write_text(tomli_w.dumps({"target": on_a_disk, "recipe": "existing", "fio": {"rwmixread": 150}}))
    status, out, err = command("plan", str(path))
    assert (status, out) == (output.BAD_INPUT, "") and "rwmixread: max value out of range" in err


def test_what_must_be_named_to_be_erased_stands_in_the_json(command: Command, answers: str, tmp_path: Path) -> None:
    assert json.loads(command("plan", answers, "--machine", RACK, "--json")[1])["erase"] == []
    holding = str(RECORDED / "machines" / "left-behind.json")
    ruled = tmp_path / "ruled.toml"
    ruled.write_text('disks = { count = 4, standing = "warn" }\nsetup = { level = "6" }\n')
    status, printed, _ = command("plan", str(ruled), "--machine", holding, "--json")
    plan = json.loads(printed)
    assert status == 0 and plan["disk_rule"]["count"] == 4 and plan["answers"]["disks"][0].startswith("wwn-")
    listed = command("plan", str(ruled), "--machine", holding, "--erase-list")[1].splitlines()
    assert [f"{disk['name']}  {disk['found']}" for disk in plan["erase"]] == listed and len(listed) == 3
    assert all("it will be erased" in disk["warning"] for disk in plan["erase"])
    words = command("plan", str(ruled), "--machine", holding)[1]
    assert words.startswith("selected by rule: 4 disks, with a warning or without\nmember 0: ")
    ruled.write_text('disks = { count = 5, standing = "warn" }\nsetup = { level = "6" }\n')
    status, printed, refused = command("plan", str(ruled), "--machine", holding)
    assert (status, printed) == (output.REFUSED, "") and refused.startswith("raidtui: refused: disks: 5 are asked for")


def test_what_raidtui_cannot_see_is_said_before_the_code(command: Command, answers: str) -> None:
    words = command("plan", answers, "--machine", RACK)[1]
    assert UNSEEN in words and words.index(UNSEEN) < words.index("--confirm")
    script = command("plan", answers, "--machine", RACK, "--script")[1]
    assert script.count(f"echo '{UNSEEN}' >&2\n") == 1 and script.index(UNSEEN) < script.index("read -r -p 'Everything")


def test_every_recipe_that_is_listed_can_be_shown(command: Command) -> None:
    status, listed, _ = command("recipes")
    names = [line.partition(":")[0] for line in listed.splitlines() if not line.startswith(" ")]
    assert status == 0 and names[0] == "quick" and len(names) > 10
    status, shown, _ = command("recipes", "show", "quick", "--disk", "1TBx3")
    assert status == 0 and "\nOn 3 disks:\n" in shown


def test_nothing_is_started_where_a_program_is_missing(
    command: Command, monkeypatch: pytest.MonkeyPatch, answers: str
) -> None:
    monkeypatch.setattr(doctor, "missing_for_run", lambda: "fio is not there")
    assert command("run", answers, "--confirm", "0") == (output.FAILED, "", "raidtui: fio is not there\n")


@pytest.mark.parametrize("level", [{"setup": {"level": "zfs-raidz1"}}, {"axes": {"level": ["zfs-raidz1"]}}])
def test_whether_boot_imports_pools_is_asked_before_the_tests(
    command: Command, answers: str, monkeypatch: pytest.MonkeyPatch, level: dict[str, object]
) -> None:
    """However the pool is asked for: its run would be refused after hours."""
    debian = BootPlace(distribution=DISTRIBUTIONS[0], mdadm_conf="/etc/mdadm/mdadm.conf", systemd=True)
    monkeypatch.setattr(planning, "installed", lambda: frozenset((*zfs.PROGRAMS, zfs.MODULE)))
    monkeypatch.setattr(boot_files, "place_here", lambda: debian)
    monkeypatch.setattr(boot_files, "why_not_mountable", lambda folder: "")
    monkeypatch.setattr(pool_units, "is_loaded", lambda: True)
    monkeypatch.setattr(pool_units, "units_off", lambda: ("zfs.target",))
    disks = tomllib.loads(Path(answers).read_text())["disks"]
    Path(answers).write_text(tomli_w.dumps({"disks": disks, "after": "keep", "permanent": True, **level}))
    status, _, said = command("plan", answers, "--machine", RACK)
    assert status == 2 and "systemctl enable zfs.target" in said
