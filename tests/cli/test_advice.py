"""`advise`: a purpose and some disks give a proposal, in words and as JSON; what is wrong is one sentence."""

import json
from pathlib import Path

import pytest

from raidtui.cli import output
from raidtui.core.raid.purposes import Workload
from tests.cli.conftest import RECORDED, Command

ADVISE = ("advise", "--for", "media", "--disk", "8TBx6")


def test_advice_is_a_proposal_its_reasons_the_second_best_and_where_the_bytes_go(command: Command) -> None:
    status, words, _ = command(*ADVISE)
    assert status == 0 and words.startswith("Proposed: RAID 6, chunk 512 KiB, xfs: 32.0 TB = 29.1 TiB usable\n")
    for said in (
        "up to 720 MB/s",
        "Second best, RAID 10 n2: 24.0 TB",
        "Besides: RAID is no backup;",
        "6 x 8.00 TB = 48.0 TB =",
        "df -h:",
    ):
        assert said in " ".join(words.split())
    assert max(map(len, words.splitlines())) < 80
    document = json.loads(command(*ADVISE, "--survive", "2", "--json")[1])
    first, second = document["ranked"]
    assert (first["level"], first["filesystem"], first["capacity"]["survives"]) == ("6", "xfs", 2)
    assert second["times_one_disk"]["small_writes"] == pytest.approx(2.0) and len(document["sentences"]) == 3


@pytest.mark.parametrize("use", Workload)
def test_what_must_survive_is_by_default_what_the_wizard_proposes(command: Command, use: Workload) -> None:
    asked = ("advise", "--for", use, "--disk", "8TBx6")
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
    ("asked", "sentence"),
    [
        (
            ("--disk", "8TBx6"),
            "--for: purpose must be one of backup, media, files, vms, databases, scratch; like --for files",
        ),
        (("--for", "games", "--disk", "8TBx6"), "--for games: purpose must"),
        (("--for", "media", "--disk", "8TB"), "add 1, or survive fewer"),
        (("--for", "media", "--disk", "8TBx6", "--survive", "3"), "use 0 to 2"),
        (("--for", "media", "sda", "--disk", "8TBx6"), "imaginary disks"),
        (("--for", "media", "--disk", "8TBx6", "--answers"), "--answers, --disk: give only one"),
        (("--for", "media", "--disk", "8TBx6", "--disk-speed", "0MB/s"), "must be over 0"),
    ],
)
def test_what_cannot_be_advised_is_one_sentence(command: Command, asked: tuple[str, ...], sentence: str) -> None:
    status, out, err = command("advise", *asked)
    assert (status, out) == (output.BAD_INPUT, "") and sentence in err


def test_a_disks_known_speed_is_what_a_rebuild_is_reckoned_with(command: Command) -> None:
    _, words, _ = command(*ADVISE, "--disk-speed", "90MB/s")
    assert "(90.0 MB/s, as measured or given)" in " ".join(words.split())


def test_the_answer_file_of_a_recommendation_can_be_planned(command: Command, tmp_path: Path) -> None:
    recorded = ("--machine", str(RECORDED / "machines" / "server.json"))
    status, printed, _ = command("advise", "--for", "media", "--answers", *recorded)
    (path := tmp_path / "answers.toml").write_text(printed)
    plan = json.loads(command("plan", str(path), "--json", *recorded)[1])
    advised = json.loads(command("advise", "--for", "media", "--json", *recorded)[1])
    assert status == 0 and plan["answers"]["setup"]["level"] == advised["ranked"][0]["level"]
    assert len(plan["members"]) == advised["disks"]
