"""`advise`: a purpose and some disks give a proposal, in words and as JSON; what is wrong is one sentence."""

import json
import re
import shlex
from pathlib import Path

import pytest

from raidtui.cli import output
from raidtui.core.raid.purposes import Workload
from tests.cli.conftest import RECORDED, Command

ADVISE = ("advise", "--for", "media", "--disk", "8TBx6")


def test_advice_is_a_table_of_two_its_reasons_and_the_next_command(command: Command) -> None:
    status, words, _ = command(*ADVISE)
    assert status == 0 and words.startswith("Proposed: RAID 6, chunk 512 KiB, xfs: 32.0 TB = 29.1 TiB usable\n")
    rows = [re.split(" {2,}", line) for line in words.splitlines()]
    for row in (
        ["6 disks", "Proposed", "Second best"],
        ["level", "RAID 6", "RAID 10 n2"],
        ["sequential reads", "720 MB/s", "up to 540 MB/s"],
        ["Next", "raidtui advise --for media"],
    ):
        assert row in rows
    document = json.loads(command(*ADVISE, "--survive", "2", "--json")[1])
    first, second = document["ranked"]
    assert (first["level"], first["filesystem"], first["capacity"]["survives"]) == ("6", "xfs", 2)
    assert second["times_one_disk"]["small_writes"] == pytest.approx(2.0) and len(document["sentences"]) == 3


def test_all_reasons_and_every_byte_are_behind_an_option(command: Command) -> None:
    brief = command(*ADVISE)[1]
    status, words, _ = command(*ADVISE, "--why")
    assert status == 0 and words.startswith(brief)
    more = " ".join(words.removeprefix(brief).split())
    for said in ("sequential reads 720 MB/s, 4.0x", "Second best, RAID 10 n2: 24.0 TB", "md cannot tell which copy"):
        assert said in more and said not in brief
    assert "Besides: RAID is no backup;" in more and "6 x 8.00 TB = 48.0 TB =" in more and "df -h:" in more
    assert max(map(len, words.splitlines())) <= 80 and words.isascii()


def test_commands_of_groups_are_behind_an_option(command: Command) -> None:
    asked = ("advise", "--for", "files", "--disk", "16TBx24")
    brief = command(*asked)[1]
    status, words, _ = command(*asked, "--by-hand")
    assert status == 0 and words.startswith(brief) and "mdadm" not in brief
    for said in ("\nzpool create ", "`--answers` writes them;"):
        assert said in words.removeprefix(brief)
    assert max(map(len, words.splitlines())) <= 80


def test_the_next_command_writes_the_answer_file_as_printed(command: Command) -> None:
    recorded = str(RECORDED / "machines" / "server.json")
    asked = ("advise", "--for", "vms", "--survive", "2", "--machine", recorded)
    words = command(*asked)[1].replace("\\\n", "")
    _, raidtui, *argv = shlex.split(next(line for line in words.splitlines() if line.startswith("Next")))
    assert (raidtui, argv[-2:]) == ("raidtui", [">", "advice.toml"])
    assert command(*argv[:-2]) == command(*asked, "--answers")


@pytest.mark.parametrize("use", Workload)
def test_what_must_survive_is_by_default_what_the_wizard_proposes(command: Command, use: Workload) -> None:
    asked = ("advise", "--for", use, "--disk", "8TBx6", "--json")
    wanted = {Workload.SCRATCH: "0"}.get(use, "1")
    assert command(*asked) == command(*asked, "--survive", wanted) != command(*asked, "--survive", "2")


def test_advice_for_disks_of_a_machine_by_name(command: Command) -> None:
    recorded = str(RECORDED / "machines" / "server.json")
    known = json.loads(command("disks", "--machine", recorded, "--json")[1])["disks"]
    free = [one for one in known if one["verdict"]["standing"] == "ok"]
    asked = ("advise", "--for", "vms", "--survive", "1", "--machine", recorded, "--json")
    document = json.loads(command(*asked, *(one["name"] for one in free[:2]))[1])
    assert document["disks"] == 2 and document["ranked"][0]["level"] == "1"
    assert json.loads(command(*asked)[1])["disks"] == len(free)
    refused = next(one for one in known if one["verdict"]["standing"] == "refuse")
    status, _, said = command(*asked, free[0]["name"], refused["name"])
    assert status == output.BAD_INPUT and f"{refused['name']} cannot be a member" in said


@pytest.mark.parametrize(
    "given, known, assumed",
    [
        ((), "", "HDD 180 MB/s, 150 IOPS, 1.57 % fail a year (Backblaze 2024); "),
        (("--disk-speed", "90MB/s"), "each disk 90.0 MB/s", "HDD 150 IOPS, 1.57 % fail a year (Backblaze 2024); "),
        (("--disk-iops", "150"), "each disk 150 IOPS", "HDD 180 MB/s, 1.57 % fail a year (Backblaze 2024); "),
        (
            ("--disk-speed", "90MB/s", "--disk-iops", "90", "--afr", "5"),
            "each disk 90.0 MB/s, 90 IOPS, 5 % fail a year",
            "independent failures; ",
        ),
    ],
)
def test_what_is_known_of_a_disk_is_given_and_the_rest_assumed(
    command: Command, given: tuple[str, ...], known: str, assumed: str
) -> None:
    said = dict(re.findall("^(Given|Assumed) +(.*)$", command(*ADVISE, *given)[1], re.MULTILINE))
    assert said.get("Given", "") == known and said["Assumed"].startswith(assumed.rstrip())
    assert command(*ADVISE, "--disk-speed", "90MB/s", "--why")[1].count("as measured or given") == 2


def test_the_answer_file_of_a_recommendation_can_be_planned(command: Command, tmp_path: Path) -> None:
    recorded = ("--machine", str(RECORDED / "machines" / "server.json"))
    status, printed, _ = command("advise", "--for", "media", "--answers", *recorded)
    (path := tmp_path / "answers.toml").write_text(printed)
    plan = json.loads(command("plan", str(path), "--json", *recorded)[1])
    advised = json.loads(command("advise", "--for", "media", "--json", *recorded)[1])
    assert status == 0 and plan["answers"]["setup"]["level"] == advised["ranked"][0]["level"]
    assert len(plan["members"]) == advised["disks"]
