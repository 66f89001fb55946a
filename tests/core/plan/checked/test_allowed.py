"""The closed table of steps: every plan that is made passes, and no step with a word that is none of its form."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple, get_args

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.plan import validate
from raidtui.core.plan.checked import allowed
from raidtui.core.plan.checked.allowed import StageNames
from raidtui.core.plan.model import Plan, carried_out, encode
from raidtui.core.plan.roles import CommandRole, Condition, PersonRole, Question
from raidtui.core.plan.steps import (
    Check,
    Command,
    Edit,
    ManualStep,
    Restore,
    SetOwner,
    Step,
    TakeOut,
    Write,
    role_of,
    undo_of,
)
from raidtui.core.raid.filesystems import FILE_SYSTEMS
from tests.builders import every_plan
from tests.seeds import cases

# Words that belong nowhere: programs, options, places, what a shell would make something of.
FOREIGN = (
    "sh", "-c", "--force", "/dev/sda", "/etc", "/etc/passwd", "../mnt", "mnt/../../etc", "{member:0};sh", "$(sh)",
    "a b", "", "{array}\nsh", "--filename=/dev/sda", "--filename={member:0}:/dev/sda", "--exec_prerun=sh",
    "--exec_postrun=sh", "--ioengine=external:/x.so", "--ioengine=exec", "--read_iolog=/etc/shadow",
    "--write_iolog=x", "--replay_redirect=/dev/sda", "--write_bw_log=/etc/x", "--opendir=/etc", "--directory=/etc",
    "--aux-path=/etc", "--output=/etc/x", "--output=fio/../../x.json", "--include=/etc/x", "--trigger=sh",
    "--client=host", "--verify_state_load=1", "--verify_pattern='/etc/shadow'", "--config=/tmp/mdadm.conf",
    "--reference=/etc/passwd",
)  # fmt: skip


class Kind(NamedTuple):
    """A step as a stage has it, with what that may name."""

    step: Step
    named: StageNames


def _flat(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _flat(undo_of(step))


MAKERS = (every_plan.built, every_plan.others, every_plan.recorded)


@cache
def plans(make: Callable[[], Iterator[Plan]]) -> tuple[Plan, ...]:
    return tuple(make())


@cache
def kinds() -> tuple[Kind, ...]:
    """One step of each form that any plan has: numbers and members in its words make no other."""
    found: dict[str, Kind] = {}
    for plan in (plan for make in MAKERS for plan in plans(make)):
        for number, stage in enumerate(plan.stages):
            named = allowed.named_by(carried_out(plan, number), plan.answers, plan.members)
            for step in _flat(stage.steps):
                words = step.argv if isinstance(step, Command | ManualStep) else (str(step),)
                numbers = "[0-9]+" if role_of(step) in ("fill", "measure") else "(?<![a-z])(?<!-m )[0-9]+"
                key = re.sub(numbers, "9", f"{type(step)} {role_of(step)} {' '.join(words)}")
                found.setdefault(key, Kind(step, named))
    return tuple(found.values())


def of_role(role: str) -> list[Kind]:
    return [kind for kind in kinds() if role_of(kind.step) == role]


def with_argv(step: Command | ManualStep, argv: tuple[str, ...]) -> Step:
    return replace(step, argv=argv)


ROLES = (*get_args(CommandRole), *get_args(PersonRole))


def test_every_kind_of_step_is_in_some_plan() -> None:
    missing = {*ROLES, *get_args(Condition), *get_args(Question), "set", "put-back", "edit", "take-out-lines"}
    missing -= {role_of(kind.step) for kind in kinds()}
    assert missing == {"short-self-tests-ended"}  # it has nothing but its name


@pytest.mark.parametrize("make", MAKERS)
def test_plans_of_every_kind_are_read_as_they_were_written(make: Callable[[], Iterator[Plan]]) -> None:
    assert len(plans(make)) >= 12
    for plan in plans(make):
        assert validate.decode(encode(plan)) == plan


def _shapes(step: Step) -> set[str]:
    return {re.sub("=.*|[0-9]+", "", word) for word in getattr(step, "argv", ())}


@pytest.mark.parametrize("role", ROLES)
def test_a_command_with_one_foreign_word_is_refused(role: str) -> None:
    assert of_role(role)
    seen: set[str] = set()
    for step, named in of_role(role):
        if _shapes(step) <= seen:  # each of its words had its turn
            continue
        seen |= _shapes(step)
        assert isinstance(step, Command | ManualStep) and not allowed.why_not(step, named)
        for place in range(len(step.argv)):
            own = (f"{step.argv[place]};sh", f"{step.argv[place]}/..", f"./{step.argv[place]}")
            for word in (*FOREIGN, *own)[place % (nth := cases(1, few=5)) :: nth]:
                changed = with_argv(step, (*step.argv[:place], word, *step.argv[place + 1 :]))
                between = with_argv(step, (*step.argv[:place], word, *step.argv[place:]))
                after = with_argv(step, (*step.argv, word))
                for edited in (changed, between, after):
                    if edited == step or _is_others_folder(step, place, word):
                        continue
                    assert allowed.why_not(edited, named), (edited, word)


BY_ROW = [role for role in get_args(CommandRole) if role not in ("fill", "measure")]  # fio's are by its options


def forms(role: str) -> tuple[tuple[allowed._Row, re.Pattern[str]], ...]:
    return allowed._forms(role, tuple(row.key for row in FILE_SYSTEMS))


def _needed(role: str, row: allowed._Row, form: re.Pattern[str], fewer: re.Pattern[str]) -> bool:
    steps = [step for step, _ in of_role(role) if isinstance(step, Command)]
    texts = ["\n".join((*step.argv, "", step.stdin)) for step in steps]
    return any(form.fullmatch(text) and not fewer.fullmatch(text) for text in texts)


def _without_a_word(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """What is left out, and the row without it: an optional word, or one of those that may stand at a place."""
    for at, word in enumerate(words):
        body, _, many = word[1:].rpartition(")") if word.startswith("(") else (word, "", "+")
        choices = body.split("|")
        if many in ("?", "*"):
            yield word, [*words[:at], *words[at + 1 :]]
        for choice in choices if len(choices) > 1 else ():
            fewer = "|".join(other for other in choices if other != choice)
            yield choice, [*words[:at], f"({fewer}){many}", *words[at + 1 :]]


@pytest.mark.parametrize("role", BY_ROW)
def test_each_word_that_a_row_allows_is_in_a_plan(role: str) -> None:
    """Nothing is allowed for no plan: without it one would be refused."""
    spare = set()
    assert forms(role)
    for row, form in forms(role):
        assert _needed(role, row, form, re.compile("(?!)")), row.words
        for word, words in _without_a_word(row.words.split()):
            if not _needed(role, row, form, allowed._compiled(row._replace(words=" ".join(words)))):
                spare.add(word)
    assert not spare


@pytest.mark.parametrize("name", [name for name, text in allowed._FRAGMENTS.items() if "|" in text])
def test_each_form_of_a_word_is_in_a_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = allowed._FRAGMENTS[name].split("|")
    spare = set()
    for choice in choices:
        monkeypatch.setitem(allowed._FRAGMENTS, name, "|".join(other for other in choices if other != choice))
        rows = [(role, row, form) for role in BY_ROW for row, form in forms(role) if f"<{name}>" in row.words]
        if not any(_needed(role, row, form, allowed._compiled(row)) for role, row, form in rows):
            spare.add(choice)
    assert not spare


def _is_others_folder(step: Step, place: int, word: str) -> bool:
    """The one place that is free text: where a file system that is grown is mounted; its look is the worker's."""
    return role_of(step) == "grow-filesystem" and (word.startswith("/") or word.endswith((";sh", "/..")))


@pytest.mark.parametrize("role", ROLES)
def test_no_command_passes_for_another_role_or_with_what_it_does_not_have(role: str) -> None:
    for step, named in of_role(role):
        if not isinstance(step, Command):
            continue
        for other in set(get_args(CommandRole)) - {role}:
            assert allowed.why_not(replace(step, role=other), named), other
        for field, value in (("stdin", "start=1\nsh\n"), ("folder", "/etc"), ("trial", "another")):
            assert allowed.why_not(replace(step, **{field: value}), named), field


# Where a plan may have another number, and is a plan yet: of its words with the number as N.
FREE = """
create --raid-devices=N | create --chunk=N | create --size=N | create --level=N | create --layout=nN
create --layout=oN | create --layout=fN | create --data-offset=N
create --name=raidtui-{name:N}-gN | create --name=store-gN
reshape --raid-devices=N | lengthen --size=N | pvcreate Nk | lvcreate N
mkfs N | mkfs size=N | mkfs su=N | mkfs su=N,sw=N | mkfs stride=N,stripe_width=N
mkfs stride=N,stripe_width=N,lazy_itable_init=N,lazy_journal_init=N | mkfs raidN
create-pool ashift=N | create-pool recordsize=N | create-pool raidzN | wipe seek=N
"""
_FIO_FREE = re.compile(r"--(?!output|filename|ioengine|verify=|rw=|allow_file_create)[a-z_]+=")


@pytest.mark.parametrize("role", get_args(CommandRole))
def test_only_numbers_of_this_list_are_free(role: str) -> None:
    listed = {entry.strip() for line in FREE.splitlines() for entry in line.split("|")}
    for step, named in of_role(role):
        assert isinstance(step, Command)
        for place, word in enumerate(step.argv):
            if role in ("fill", "measure") and _FIO_FREE.match(word):
                continue  # numbers of fio's own options; what they may be is its list's
            shape = re.sub(r"[0-9]+", "N", word)
            for found in re.finditer(r"[0-9]+", re.sub(r"\{[^}]*\}", lambda slot: "x" * len(slot[0]), word)):
                changed = f"{word[: found.start()]}{int(found[0]) + 1}{word[found.end() :]}"
                edited = with_argv(step, (*step.argv[:place], changed, *step.argv[place + 1 :]))
                passes = not allowed.why_not(edited, named) and not _is_others_folder(step, place, word)
                is_own_file = role in ("fill", "measure", "remove", "mount", "unmount") and "mnt" in word
                assert not passes or f"{role} {shape}" in listed or is_own_file or "fio/fill" in word, (edited, word)


@pytest.mark.parametrize(
    "role, argv",
    [
        ("wipe", ("sh", "-c", "rm -rf /")),
        ("mkfs", ("mkfs.xfs", "/dev/sda")),
        ("stop", ("mdadm", "--stop", "/dev/md0")),
        ("mount", ("mount", "-t", "ext4", "{array}", "/etc")),
        ("mount", ("mount", "/etc")),
        ("remove", ("rm", "--force", "/etc/passwd")),
        ("remove", ("rm", "--force", "mnt/../raidtui.fio")),
        ("initramfs", ("dracut", "--regenerate-all", "--force", "/boot/x")),
        ("enable", ("systemctl", "enable", "sshd.service")),
        ("destroy-pool", ("zpool", "destroy", "rpool")),
        ("lvremove", ("lvremove", "--yes", "vg0/data")),
        ("lock", ("cryptsetup", "close", "luks-root")),
        ("assemble", ("mdadm", "--assemble", "--scan", "--no-degraded", "--config=/tmp/x", "{array}")),
    ],
)
def test_what_would_reach_beyond_the_run_is_refused(role: CommandRole, argv: tuple[str, ...]) -> None:
    for _, named in kinds():
        step = Command(what="x", role=role, argv=argv, folder=argv[-1] if role == "mount" else "")
        assert allowed.why_not(step, named)


def test_a_device_that_somebody_uses_is_never_opened_for_writing() -> None:
    used = [kind for kind in of_role("measure") if "--filename={target}" in getattr(kind.step, "argv", ())]
    assert used
    for step, named in used:
        assert isinstance(step, Command)
        argv = tuple(word for word in step.argv if word != "--readonly")
        assert allowed.why_not(with_argv(step, argv), named)


def changes(step: Step) -> list[dict[str, object]]:
    """Of a step that is no command: the fields that somebody would change."""
    paths: list[dict[str, object]] = [{"path": path} for path in ("/etc/shadow", "/sys/block/sda/queue/scheduler")]
    paths += [{"path": path} for path in ("/proc/sys/kernel/core_pattern", "/sys/block/{array}/md/../../x", "")]
    match step:
        case Write():
            return [*paths, {"value": "sh"}, {"value": "1\n2"}, {"restore": not step.restore}]
        case Restore() | TakeOut():
            return paths
        case Edit():
            more = ("PROGRAM /bin/sh",)
            return [*paths, {"lines": (*step.lines, *more)}, {"lines": more}, {"lines": ()}]
        case SetOwner():
            return [{"folder": "/etc"}, {"owner": "nobody"}, {"mode": "0777"}]
        case Check():
            return [{"where": where} for where in ("/dev/sda", "/etc", "mnt/..", "{member:0}")]
    return []


@pytest.mark.parametrize("kind", [Write, Restore, Edit, TakeOut, SetOwner, Check])
def test_a_step_of_another_kind_with_one_field_changed_is_refused(kind: type) -> None:
    steps = [(step, named) for step, named in kinds() if isinstance(step, kind)]
    assert steps
    for step, named in steps:
        assert not allowed.why_not(step, named)
        for change in changes(step):
            assert allowed.why_not(replace(step, **change), named), change


@pytest.mark.parametrize(
    "field, value, says",
    [
        ("mount_point", "/etc", "the system's own"),
        ("mount_owner", "--reference=/x", "is no owner"),
        ("mount_mode", "0", "is no mode"),
        ("mailaddr", "root\nPROGRAM /bin/sh", "is no address"),
    ],
)
def test_answers_give_no_step_what_no_answers_may_say(field: str, value: str, says: str) -> None:
    plan = next(plan for plan in plans(every_plan.built) if plan.stages[-1].permanent)
    answers = replace(plan.answers, **{field: value})
    with pytest.raises(ValueError, match=says):
        validate.check(replace(plan, answers=answers))


@pytest.mark.parametrize("name", ["root", "raidtui-x\nPROGRAM /bin/sh", "raidtui-0011223g", ""])
def test_an_array_has_no_other_name_than_one_of_the_runs_own(name: str) -> None:
    plan = next(plan for plan in plans(every_plan.built) if plan.stages[-1].array)
    stage = plan.stages[-1]
    assert stage.array
    renamed = replace(stage, array=replace(stage.array, name=name))
    with pytest.raises(ValueError, match="its name cannot be"):
        validate.check(replace(plan, stages=(*plan.stages[:-1], renamed)))


def test_an_undo_is_checked_as_its_step_is() -> None:
    plan = next(plan for plan in plans(every_plan.built) if plan.stages[-1].array)
    document = msgspec.json.decode(encode(plan))
    create = next(step for step in document["stages"][-1]["steps"] if step.get("role") == "create")
    create["undo"][2]["argv"] = ["sh", "-c", "true"]
    with pytest.raises(ValueError, match="no plan has 'sh -c true'"):
        validate.decode(msgspec.json.encode(document))
