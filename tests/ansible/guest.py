"""The plays, in a practice kernel: `python -m tests.ansible.guest FOLDER`, with Ansible's programs in it.

One host, reached without ssh. Each row is a play and what must have come of it; status 1 where one did not.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.ansible import guest_arrays, guest_same_plan, practice
from tests.ansible.plays import Failed, Task, changes, need
from tests.ansible.practice import COLLECTED, FOLDER, OUT, RAIDTUI, bytes_at_rest, bytes_of_disks, plays, serial
from tests.lab.guest.disk_states import command, settle

HOST = "rack1"
_RULE = {"count": 3, "standing": "ok"}
_SETUP = {"level": "5", "filesystem": "ext4", "first_sync": "wait"}
_HOLDING = tuple(f"/dev/sd{letter}" for letter in "defgh")  # so that the rule means three disks


def array(answers: str, *options: str, status: int = 0, **decisions: Any) -> dict[str, Any]:
    """The result of the module raidtui_array, written by the play itself."""
    text = "{{ lookup('ansible.builtin.file', '" + str(FOLDER / answers) + "') }}"
    result = FOLDER / "result.json"
    asked = {"executable": RAIDTUI, "answers": text, **decisions}
    content = {"content": "{{ seen | to_json }}", "dest": str(result), "mode": "0644"}
    tasks: list[Task] = [
        {"raidtui.raidtui.raidtui_array": asked, "register": "seen", "ignore_errors": True},
        {"ansible.builtin.copy": content, "check_mode": False},
        {"ansible.builtin.fail": {"msg": "as the module"}, "when": "seen is failed"},
    ]
    plays.play(*options, tasks=tasks, status=status)
    return dict(json.loads(result.read_text()))


def prepare() -> None:
    FOLDER.mkdir()
    for node in _HOLDING:
        command("mkfs.ext4", "-q", node)
    settle()
    recipe = practice.write_recipe()
    answers = practice.answers_file("by-rule.toml", disks=_RULE, recipe=recipe, setup=_SETUP)
    doubtful = [serial(node) for node in _HOLDING[:3]]
    practice.answers_file("doubtful.toml", disks=doubtful, recipe=recipe, setup=_SETUP)
    practice.inventory([HOST], {"name": "store", "answers": answers})


def stops_for_approval() -> str:
    before = bytes_of_disks()
    said = plays.play(status=2)
    need("the confirmation code" in said or "not approved" in said, said)
    need(bytes_of_disks() == before, "a disk was changed without a code")
    need(code() and (COLLECTED / f"plans/{HOST}/disks.json").exists(), "no plan, no disks")
    return "plan and disks are on the controller, nothing on any disk changed"


def code() -> str:
    return practice.code(HOST, "store")


def refuses_another_code() -> str:
    plays.decided(HOST, commission_confirm={"store": "00000000"})
    before = bytes_of_disks()
    said = plays.play(status=2)
    need("is not this plan" in said, said)
    need(bytes_of_disks() == before, "a disk was changed with another plan's code")
    return "nothing on any disk changed"


_promised = ""


def check_mode_changes_nothing() -> str:
    global _promised
    before = bytes_of_disks()
    seen = array("by-rule.toml", "--check", "--diff")
    need(bytes_of_disks() == before, "a check changed a disk")
    need(seen["changed"] and seen["diff"]["before"].startswith("array: none\n"), json.dumps(seen["diff"]))
    need(seen["code"] == code(), "another code than the plan's")
    _promised = seen["diff"]["after"]
    return "sha256 of all disks equal; says that it would change"


def doubtful_disks_need_their_names() -> str:
    before = bytes_of_disks()
    offered = array("doubtful.toml", "--check", status=2)
    need(len(offered["erase"]) == 3 and "--erase" in offered["msg"], json.dumps(offered))
    refused = array("doubtful.toml", status=2, confirm=offered["code"], erase=[offered["erase"][0]["name"]])
    need("--erase" in refused["msg"] and not refused["changed"], json.dumps(refused))
    need(bytes_of_disks() == before, "a disk was changed without its name")
    return "three disks with ext4, the code and one name: refused, nothing on any disk changed"


def builds_with_approval() -> str:
    plays.decided(HOST, commission_confirm={"store": code()})
    said = plays.play()
    runs = sorted((COLLECTED / f"runs/{HOST}").iterdir())
    need(len(runs) == 1 and (runs[0] / "report.md").exists(), f"collected: {runs}")
    need(
        HOST in (OUT / "fleet.csv").read_text() or runs[0].name in (OUT / "fleet.csv").read_text(), "not in the report"
    )
    need("</html>" in (OUT / "fleet.html").read_text(), "no report")
    return f"{changes(said, HOST)} tasks changed something; run {runs[0].name} collected and reported"


def a_second_play_changes_nothing() -> str:
    before = bytes_at_rest()
    said = plays.play()
    need(changes(said, HOST) == 0, said)
    need(bytes_of_disks() == before, "a second play changed a disk")
    return "changed=0; sha256 of all disks equal"


def the_diff_told_the_truth() -> str:
    before = bytes_at_rest()
    checked, seen = array("by-rule.toml", "--check", "--diff"), array("by-rule.toml")
    need(not checked["changed"] and not seen["changed"] and seen["uuid"], json.dumps(seen))
    need(seen["diff"]["before"] == seen["diff"]["after"] == checked["diff"]["after"], json.dumps(seen["diff"]))
    promised = [line for line in _promised.splitlines() if not line.endswith(", erased")]  # what becomes of each disk
    need(seen["diff"]["before"].splitlines() == promised, f"promised:\n{_promised}\n{seen['diff']['before']}")
    need(bytes_of_disks() == before, "a look changed a disk")
    detail = subprocess.run(("mdadm", "--detail", "--scan"), capture_output=True, text=True, check=True).stdout
    need(seen["uuid"] in detail, f"{seen['uuid']} is not in {detail}")
    return "changed: false; what stands is, word for word, what the check had promised; mdadm has its UUID"


def facts_name_array_and_run() -> str:
    tasks: list[Task] = [
        {"raidtui.raidtui.raidtui_facts": {"executable": RAIDTUI}},
        {
            "ansible.builtin.assert": {
                "that": [
                    "ansible_facts.raidtui.status.arrays | length == 1",
                    "ansible_facts.raidtui.status.arrays[0].run == ansible_facts.raidtui.runs[0].run",
                ]
            }
        },
    ]
    plays.play(tasks=tasks)
    return "one array, and the run that built it"


ROWS: tuple[Callable[[], str], ...] = (
    stops_for_approval,
    refuses_another_code,
    check_mode_changes_nothing,
    doubtful_disks_need_their_names,
    builds_with_approval,
    a_second_play_changes_nothing,
    the_diff_told_the_truth,
    facts_name_array_and_run,
    *guest_arrays.ROWS,
    *guest_same_plan.ROWS,
)


def main() -> int:
    prepare()
    for row in ROWS:
        name, began_s = row.__name__.replace("_", " "), time.monotonic()
        try:
            seen = row()
        except Failed as failed:
            print(f"FAILED  {name}: {failed}", flush=True)
            return 1  # the next rows stand on this one
        print(f"ok  {name}: {seen} ({time.monotonic() - began_s:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
