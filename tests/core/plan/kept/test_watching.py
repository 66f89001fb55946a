"""Lines for smartd and a test mail: what is written, what is not as it is there already, what is refused."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.boot.distributions import BootPlace, place
from raidtui.core.disks.disk import Disk
from raidtui.core.plan import planner, validate
from raidtui.core.plan.answers import AnswersError, PlanRefused, Setup, Watching, parse
from raidtui.core.plan.kept import watching
from raidtui.core.plan.model import Plan, encode, undo
from raidtui.core.plan.steps import Command, Edit, TakeOut, role_of, shell
from raidtui.core.plan.summary import imagined
from raidtui.core.raid import zfs
from raidtui.core.units import GB
from tests.builders.plans import planned

CONF = "/etc/smartd.conf"
LINKS = tuple(f"/dev/disk/by-id/wwn-0x5000c500a1b2c3d{number}" for number in range(3))
DISKS = tuple(
    replace(disk, id=link.rpartition("/")[2], links=(link,))
    for disk, link in zip(imagined([100 * GB] * 3, flash=False), LINKS, strict=True)
)
NAMES = tuple(disk.name for disk in DISKS)


def debian(**given: Any) -> BootPlace:
    smartd: dict[str, Any] = {"smartd_conf": CONF, "smartd": dict.fromkeys(NAMES, "not named")} | given
    files = ("/usr/lib/systemd/system/smartmontools.service",)
    found = place("ID=debian", files.__contains__, lambda program: True, systemd=True, mailaddr="root", **smartd)
    assert found
    return found


def plan_of(
    where: BootPlace | None,
    *watch: Watching,
    disks: tuple[Disk, ...] = DISKS,
    programs: tuple[str, ...] = (),
    **given: Any,
) -> Plan:
    setup = given.pop("setup", Setup(level="5", filesystem="ext4"))
    return planned(disks, setup, where, programs, repeat=1, after="keep", permanent=True, watch=watch, **given)


def lines(plan: Plan) -> tuple[str, ...]:
    steps = plan.stages[-1].steps
    return tuple(line for step in steps if isinstance(step, Edit) and step.path == CONF for line in step.lines)


def notes(plan: Plan) -> list[str]:
    return [note for note in plan.notes if note.startswith(("smartd", "A test mail"))]


def test_each_disk_gets_a_line_that_undo_takes_out() -> None:
    plan = plan_of(debian(), "smartd")
    assert lines(plan) == tuple(f"{link} -a -d removable -m root" for link in LINKS)
    assert notes(plan) == [f"smartd: 3 of 3 disks get a line in {CONF}, with mail to root."]
    steps = plan.stages[-1].steps
    at = next(number for number, step in enumerate(steps) if isinstance(step, Edit) and step.path == CONF)
    assert shell(steps[at + 1]) == "systemctl try-reload-or-restart smartmontools.service"
    undone = [*undo(steps)]
    assert next(step.path for step in undone if isinstance(step, TakeOut)) == CONF
    assert shell(undone[1]) == shell(steps[at + 1])
    assert validate.decode(encode(planner.sealed(plan))) == plan


def test_mail_goes_to_the_answers_address() -> None:
    plan = plan_of(debian(), "smartd", "test-mail", mailaddr="ops@example.org")
    assert all(line.endswith(" -m ops@example.org") for line in lines(plan))
    (mail,) = [step for step in plan.stages[-1].steps if role_of(step) == "test-mail"]
    assert isinstance(mail, Command) and mail.argv == ("mdadm", "--monitor", "--oneshot", "--test", "{array}")
    assert notes(plan)[-1].startswith("A test mail of the array is handed to sendmail for ops@example.org;")
    assert "for root;" in notes(plan_of(debian(), "test-mail"))[0]


@pytest.mark.parametrize(
    "given, note",
    [
        ({"smartd": dict.fromkeys(NAMES, "by DEVICESCAN")}, f"smartd: DEVICESCAN in {CONF} covers the disks"),
        ({"smartd_conf": ""}, "smartd: smartd without a file covers the disks"),
        ({"smartd": dict.fromkeys(NAMES, "by name")}, f"smartd: {', '.join(NAMES)} named already; no line"),
    ],
)
def test_nothing_is_written_where_smartd_has_the_disks(given: dict[str, Any], note: str) -> None:
    plan = plan_of(debian(**given), "smartd")
    assert not lines(plan) and not any("smart" in shell(step) for step in plan.stages[-1].steps)
    assert notes(plan)[0].startswith(note) and len(notes(plan)) == 1


def test_some_named_some_ignored_some_without_a_stable_name() -> None:
    first, second, third = NAMES
    plan = plan_of(debian(smartd={first: "by name", second: "ignored", third: "not named"}), "smartd")
    assert lines(plan) == (f"{LINKS[2]} -a -d removable -m root",)
    assert notes(plan)[1:] == [
        f"smartd: {first} named already; no line is written.",
        f"smartd: {second} ignored by a line (-d ignore); no line is written.",
    ]
    unlinked = (DISKS[0], replace(DISKS[1], links=()), DISKS[2])
    plan = plan_of(debian(), "smartd", disks=unlinked)
    assert len(lines(plan)) == 2 and f"smartd: {second} without a stable name" in notes(plan)[1]


@pytest.mark.parametrize("link", ["/dev/disk/by-id/a b", "/dev/disk/by-id/a#b", "/dev/disk/by-id/", "/dev/sda", ""])
def test_a_strange_link_is_no_line(link: str) -> None:
    member = plan_of(debian(), "smartd").members[0]
    assert watching.line_of(member, "root") and not watching.line_of(replace(member, link=link), "root")


@pytest.mark.parametrize(
    "where, watch, given, words",
    [
        (None, "smartd", {}, "boot files of this distribution are not known"),
        (debian(smartd=dict.fromkeys(NAMES, "not checked")), "smartd", {}, "cannot be read"),
        (debian(smartd_conf="/opt/smartd.conf"), "smartd", {}, "smartd reads /opt/smartd.conf"),
        (replace(debian(), smartd_unit=""), "smartd", {}, "smartd is not installed"),
        (replace(debian(), mailaddr=""), "test-mail", {}, "no recipient"),
        (debian(), "test-mail", {"programs": ("mdadm", "mkfs.ext4", "fio")}, "no mail program"),
        (debian(), "smartd", {"setup": Setup(level="zfs-raidz1"), "programs": (*zfs.PROGRAMS, zfs.MODULE)}, "zed"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    where: BootPlace | None, watch: Watching, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanRefused, match=rf"watch: .*{words}"):
        plan_of(where, watch, **given)


def test_no_line_of_somebodys_passes() -> None:
    plan = plan_of(debian(), "smartd")
    stage = plan.stages[-1]
    for strange in ("/dev/sda -a -M exec /bin/sh", f"{LINKS[0]} -a -d removable -m root -M exec /bin/sh"):
        steps = tuple(
            replace(step, lines=(*step.lines, strange)) if isinstance(step, Edit) and step.path == CONF else step
            for step in stage.steps
        )
        changed = replace(plan, stages=(*plan.stages[:-1], replace(stage, steps=steps)))
        with pytest.raises(ValueError, match=r"smartd\.conf"):
            validate.check(changed)


def test_it_needs_a_permanent_array_and_known_words() -> None:
    with pytest.raises(AnswersError, match="`watch` needs `permanent = true`"):
        parse({"disks": ["a"], "after": "keep", "watch": ["smartd"]})
    with pytest.raises(AnswersError, match="smartd"):
        parse({"disks": ["a"], "after": "keep", "permanent": True, "watch": ["zed"]})
