"""Members and array of the stage. Names are resolved at each use: disks and arrays (md127) are renamed."""

import errno
import os
import time
from pathlib import Path

from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import sysfs_name
from raidtui.core.plan import member_steps, steps, sweep
from raidtui.core.plan.member_steps import carrier
from raidtui.core.plan.model import ArrayPlan, GroupPlan, Member, Plan, Stage, array_of
from raidtui.core.plan.steps import Command, Step
from raidtui.core.run import events
from raidtui.core.run.kept import pool_made
from raidtui.core.run.samples import ARRAY
from raidtui.core.run.state import offered
from raidtui.runs import mapping
from raidtui.runs.host import Host
from raidtui.runs.journal import Journal
from raidtui.runs.member_guard import Members, NotBegun
from raidtui.runs.sampler import Sampler
from raidtui.runs.waiting import Ended, Refused, StepFailed, Unending, Waiter
from raidtui.system.claims import IO_IDLE_S
from raidtui.system.settings import Setting

_ERASING = ("zero", "wipe", "clear-label")
_FAR = (  # that reach members which they do not name
    *("create", "create-pool", "destroy-pool", "mount", "unmount"),
    *("export-pool", "import-pool", "place-pool", "forget-pool"),
)
_BARE = ("partition", "pvcreate", "mkfs", "fill", "measure")  # that write to one of these, and find it nobody's
_ON_ARRAY = {"array", "array:1", "volume"}
_OF_GROUPS = ("create", "zero")  # that write to groups, and find them nobody's
_CLAIMED = ("fill", "measure")  # that last, and open what they work on without a claim of their own


class StageContext:
    """`ours`: indices of members on which this worker saw this stage's superblock."""

    def __init__(self, path: Path, plan: Plan, journal: Journal, sampler: Sampler, waiter: Waiter, host: Host) -> None:
        self.path = path
        self.plan = plan
        self.journal = journal
        self.sampler = sampler
        self.waiter = waiter
        self.host = host
        self.members = Members(plan, host, journal.state.written)
        self.members.blanked = bool(journal.state.stages_done)
        self._to_look_at: tuple[str, ...] = ()  # identities, right before the next command
        self._unwritten: set[str] = set()  # of them, those that nothing was written to before it
        self.ours: set[int] = set()
        self.absent: set[int] = set()  # indices of members that the stage has taken out of its array
        self.read_before: dict[str, int] = {}  # member -> bytes, when its array's check began
        self.number = 0
        self.stage: Stage | None = None
        self.geometry: dict[str, int] = {}
        self.array: str | None = None  # kernel name
        self.own_file: int | None = None  # descriptor of the file that the run made in what is measured as it stands

    def begin(self, number: int, stage: Stage) -> None:
        """The former stage's array may be its own."""
        self.enter(number, stage)
        self.journal.add(events.StageStarted(at_s=time.time(), stage=number))

    def enter(self, number: int, stage: Stage) -> None:
        self.number, self.stage = number, stage
        self.members.begin(stage)
        self.sampler.names[ARRAY] = self.find_array()
        self.ours, self.absent, self.geometry = set(), set(), {}

    def find_array(self) -> str | None:
        """Kernel name or None. Members that do not respond are not queried."""
        if self.held():
            return self.array
        planned = array_of(self.plan, self.stage)
        self.array = self.host.find_array(planned.uuid) if planned else None
        return self.array

    def own_array(self) -> str | None:
        """As `find_array`; StepFailed if it has a disk outside of the plan: the UUID is in a file and on removed
        members, so a kept array's disks may have been replaced.
        """
        name = self.find_array()
        if name and not self.held() and (strangers := self._strangers(name)):
            raise Refused(
                f"the array /dev/{name} is on {', '.join(strangers)}, which this run's plan does not name:"
                " it is left alone"
            )
        return name

    @property
    def groups(self) -> tuple[GroupPlan, ...]:
        return self.stage.array.groups if self.stage and self.stage.array else ()

    def own_group(self, number: int) -> str | None:
        """Kernel name of a group, by its drawn UUID; Refused if it has a disk outside of the plan."""
        name = None if self.held() else self.host.find_array(self.groups[number].uuid)
        if name and (strangers := self._strangers_among(name, set(self.host.slaves(name)))):
            raise Refused(f"the group /dev/{name} is on {', '.join(strangers)}, none of this run's plan; left alone")
        return name

    def own_groups(self) -> list[str]:
        """Kernel names of those that run."""
        return [name for number in range(len(self.groups)) if (name := self.own_group(number))]

    def parts(self) -> list[str]:
        """Kernel names of the arrays that are made of disks: groups, or the array; those that run."""
        return self.own_groups() if self.groups else [self.array] if self.array else []

    def is_without(self, step: Command) -> bool:
        """Whether what an undo would take back of array or group is not there. Refused if it is not ours."""
        number = _group_in(step)
        if number is None:
            return self.own_array() is None
        assert self.stage and self.stage.array
        name = self.own_group(number)
        if name is None or step.role != "zero":
            return name is None
        uuid = self.host.superblock(f"/dev/{name}")
        if uuid not in (None, self.stage.array.uuid):
            raise Refused(f"/dev/{name} carries the superblock of another array ({uuid}); it is left alone")
        return uuid is None

    def _strangers(self, name: str) -> list[str]:
        """Disks of the array outside of the plan; a removed one is not of the array."""
        names = set(self.host.slaves(name))
        if self.groups:  # each of which is asked for its disks
            return sorted(names - {*self.own_groups()})
        return self._strangers_among(name, names)

    def _strangers_among(self, name: str, names: set[str]) -> list[str]:
        if self.plan.care and names:
            names -= {self.members.carrier(disk) for disk in self.members.beneath().values()}
        strangers = self.members.strangers(names)
        return sorted({*strangers} & {*self.host.slaves(name)}) if strangers else []

    def why_not_whole(self) -> str:
        lost = self.lost()
        if not lost:
            return ""
        by_group = []
        for number, group in enumerate(self.groups, 1):
            assert self.stage and self.stage.array
            own = {self.plan.members[index].id for index in group.members}
            gone = [member for member in lost if member.id in own]
            more = ", more than it survives" if len(gone) > self.stage.array.capacity.survives else ""
            by_group += [f"group {number} has lost {_titles(gone)}{more}"] if gone else []
        if by_group:
            return f"the array {self.array} has lost disks: {'; '.join(by_group)}"
        return f"the array {self.array} has lost {_titles(lost)}"

    def lost(self) -> list[Member]:
        """Missing members, except those failed by this stage or being rebuilt. By identity: one that returns does not
        replace another. In a stage with failures only the failed ones are rebuilt; others stay lost meanwhile.
        """
        setup, name = self.stage.setup if self.stage else None, self.array
        if name is None:
            return []
        parts = self.parts()
        syncs = any(map(self.host.sync, parts))  # before what works: it may be done just now
        built = {node for part in parts for node in self.host.building(part)}
        working = {node for part in parts for node in self.host.working(part)}  # empty once the array is gone
        members_taken = sweep.taken(setup, self.plan.members) if setup else self.plan.members
        failed = (
            member_steps.members_out(setup, len(members_taken)) if setup and setup.failed else range(len(members_taken))
        )
        disks_here = self.members.here()

        def is_missed(index: int, member: Member) -> bool:
            if index in self.absent:
                return False
            if member.id not in disks_here:
                return True
            node = self.members.carrier(disks_here[member.id])
            is_built = syncs and node in built and index in failed
            return bool(working) and node not in working and not is_built

        return [member for index, member in enumerate(members_taken) if is_missed(index, member)]

    def has_lost(self) -> bool:
        """Array dead or degraded; without array a disk gone."""
        if self.array:
            return self.host.is_dead(self.array) or bool(self.lost())
        return len(self.members.look(all_needed=False)) < len(self.plan.members)

    @property
    def proves(self) -> bool:
        """Whether its stage proves its array: what failed in it may be in part."""
        return self.stage is not None and self.stage.proof is not None

    @property
    def proves_array(self) -> bool:
        """Not a file on an existing one."""
        return self.proves and self.stage is not None and self.stage.array is not None

    def passed(self, step: Step, *, undoing: bool) -> None:
        """A step that took effect before: a proof's members are out, or back, since then."""
        if self.proves and not undoing:
            self.absent = member_steps.absent_after(self.absent, step)

    def forget_array(self) -> None:
        self.array = self.sampler.names[ARRAY] = None

    def device_of(self, placeholder: str) -> str:
        """Node of `member:0`, `part:0:1`, `array` or `array:1`; StepFailed if absent."""
        kind, *numbers = placeholder.split(":")
        if kind == "rate":
            return offered(self.journal.state, numbers[0], int(numbers[1]), int(numbers[2]))
        if kind in ("target", "file"):
            return self.existing_path(kind)
        if kind == "held":
            if self.own_file is None:
                raise StepFailed("the run has made no file of its own yet")
            return f"/proc/{os.getpid()}/fd/{self.own_file}"  # its name may lead to another file by the time
        if kind in ("run", "code"):
            return self.path.name if kind == "run" else self.plan.code
        if kind == "pool":
            return pool_made(self.plan, self.journal.state, self.number).guid
        if kind == "group":
            if (group := self.own_group(int(numbers[0]))) is None:
                raise StepFailed(f"the run's group {int(numbers[0]) + 1} is not there any more")
            return f"/dev/{group}"
        if kind in ("array", "volume"):
            if self.own_array() is None:
                raise StepFailed("the run's array is not there any more")
            assert self.array
            if kind == "volume":
                assert self.stage and self.stage.layer
                return mapping.node(self.host, self.stage.layer, self.array)
            node = self.host.partition(self.array, int(numbers[0])) if numbers else f"/dev/{self.array}"
            if node is None:
                raise StepFailed(f"the run's array {self.array} has no partition {numbers[0]}")
            return node
        if kind == "beneath":
            disk = self.members.disk_beneath(self.plan.beneath[int(numbers[0])])
        else:
            member = self.plan.members[int(numbers[0])]
            disk = self.members.disk(member)
            self.sampler.names[member.id] = disk.name
        node = self.host.partition(disk.name, int(numbers[1])) if numbers[1:] else disk.path
        if node is None:
            raise StepFailed(f"{disk.name} ({disk.title}) no longer has partition {numbers[1]}; plan again")
        return self.host.stable_link(node) if kind == "stable" else node

    def existing_path(self, kind: str) -> str:
        """Target, or the run's file in it. Device by node: fio would split link names at `:`."""
        assert self.stage and self.stage.existing
        target = self.stage.existing.path
        return str(Path(target).resolve()) if kind == "target" else f"{target.rstrip('/')}/raidtui-{self.path.name}.fio"

    def resolved(self, step: Command) -> tuple[str, ...]:
        """Placeholders filled. Only creation and assembly may name an absent array."""
        argv = step.argv
        if step.role in ("create", "assemble") and self.array_in(step) is None:
            assert self.stage and self.stage.array
            number = _group_in(step)
            placeholder = "{array}" if number is None else steps.group_node(number)
            node = f"/dev/md/{(self.stage.array if number is None else self.groups[number]).name}"
            if Path(node).exists():
                raise StepFailed(f"{node} is there already and is not this run's: stop that array or rename it")
            argv = tuple(word.replace(placeholder, node) for word in argv)
        return tuple(steps.resolve(word, self.device_of) for word in argv)

    def part_with(self, index: int) -> str | None:
        """Kernel name of the array made of disks that this member is in by the plan: the array, or its group."""
        number = self.stage.array.group_with(index) if self.stage and self.stage.array else None
        return self.own_array() if number is None else self.own_group(number)

    def array_in(self, step: Command) -> str | None:
        """Kernel name of the array or group that a command is about; None: it does not run."""
        number = _group_in(step)
        return self.find_array() if number is None else self.own_group(number)

    def setting(self, path: str) -> Setting:
        """Placeholders become kernel names, `*` matches. FileNotFoundError if absent."""
        setting_path = steps.resolve(
            path, lambda placeholder: sysfs_name(self.device_of(placeholder).removeprefix("/dev/"))
        )
        if not steps.is_setting(setting_path):
            raise StepFailed(f"{setting_path} is no setting of the kernel: it is left alone")
        settings = self.host.settings_at(setting_path)
        if not settings:
            raise FileNotFoundError(errno.ENOENT, "the kernel has no such setting", setting_path)
        return settings[0]

    def is_gone(self, step: Command) -> bool:
        """The partition was erased with its table by an earlier worker."""
        erasing = step.partition and step.role in _ERASING
        members_of_step = [self.plan.members[index] for index in step.members if erasing]
        return any(
            member.id in self.members.written
            and not self.host.partition(self.members.disk(member).name, step.partition)
            for member in members_of_step
        )

    def look_for_members(self) -> dict[str, str]:
        disks_by_identity = {**self.members.look(all_needed=False), **self.members.beneath()}
        self.sampler.names.update({identity: disk.name for identity, disk in disks_by_identity.items()})
        return {identity: disk.path for identity, disk in disks_by_identity.items()}

    def named(self, step: Command) -> tuple[str, ...]:
        """Identities of members named, directly or by partition."""
        return tuple(self.plan.members[index].id for index in step.members)

    def check_free(self, identities: tuple[str, ...], watched_s: float = IO_IDLE_S) -> None:
        if not self.members.held:  # what udev probes after our own last write is not somebody else's use
            self.settle()
        self.members.check_free(identities, watched_s)

    def about_to_write(self, step: Command) -> None:
        """Last check of the named members before a write."""
        if step.role in _BARE and not self.members.held:  # what udev probes after our own last write is nobody's use
            self.settle()
        identities = self.named(step)
        if step.role == "mount":
            for index in step.members:
                if not self.carries_ours(index):
                    raise StepFailed(f"{self.node(index)} does not carry this run's file system")
        elif step.role == "assemble":
            if strange := [self.node(index) for index in step.members if not self.carries_array(index)]:
                raise Refused(f"{strange[0]} does not carry the run's array; it is left alone")
            self._unwritten, self._to_look_at = set(), ()
        elif step.role in ("fail", "take-out", "zero"):
            self._check_taken_out(step)
            self.about_to_take_back(step)
        elif step.role == "replace":  # it is the array's by now, and looked at before it was added
            self._unwritten, self._to_look_at = set(), ()
        else:
            if self.members.due(identities):
                self.check_free(identities)
            self._unwritten, self._to_look_at = set(identities) - self.members.written, identities
        self.members.written |= set(identities)

    def need_mounted(self) -> None:
        """StepFailed if the stage's file system is not mounted: files would go into the run's folder. Not for a
        proof, which has none.
        """
        assert self.stage
        if self.proves:
            return
        folders = [step.folder for step in self.stage.steps if isinstance(step, Command) and step.role == "mount"]
        if not all(self.host.is_mounted(self.path / folder) for folder in folders):
            raise StepFailed("the run's file system is not mounted any more")

    def about_to_take_back(self, step: Command) -> None:
        """As before any write."""
        self._unwritten, self._to_look_at = set(), self.named(step) if step.role in _ERASING else ()

    def _check_taken_out(self, step: Command) -> None:
        """A removed disk must be the array's member, and then carry only its superblock."""
        for index in step.members:
            node, name = self.node(index), self.part_with(index)
            if name is None:
                raise StepFailed("the run's array is not there any more")
            if not self.carries_array(index) or (foreign := self.foreign(index)):
                reason = foreign if self.carries_array(index) else "no superblock of the run's array"
                raise Refused(f"{self.members.title(node.removeprefix('/dev/'))} holds {reason}; it is left alone")
            if (step.role == "zero") == (node.removeprefix("/dev/") in self.host.slaves(name)):
                raise StepFailed(f"{node} is {'still' if step.role == 'zero' else 'not'} a member of {name}")

    def node(self, index: int) -> str:
        return self.device_of(carrier(index, partitioned=self.members.partitioned).strip("{}"))

    def carries_array(self, index: int) -> bool:
        """The superblock of the stage's or cared-for array."""
        planned = array_of(self.plan, self.stage)
        if planned is None or not self.members.carrier(self.members.disk(self.plan.members[index])):
            return False
        uuids = planned.uuids_on(index) if isinstance(planned, ArrayPlan) else {planned.uuid}
        return self.host.superblock(self.node(index)) in uuids

    def carries_ours(self, index: int) -> bool:
        """Only the stage's own file system is on it."""
        if self.stage is None or self.stage.filesystem is None:
            return False
        name = self.node(index).removeprefix("/dev/")
        return bool(self.host.signatures_on((name,))[name].signatures) and not self.foreign(index)

    def foreign(self, index: int) -> str:
        """In words, by the plan's UUIDs; "" if none. The kernel may still list erased partitions."""
        assert self.stage
        member = self.plan.members[index]
        array, own_filesystem = self.stage.array, self.stage.filesystem
        own_uuids = {digits(uuid) for uuid in (array.uuids_on(index) if array else ())}
        own_uuids |= {
            digits(uuid) for uuid in (own_filesystem.uuids or (own_filesystem.uuid,) if own_filesystem else ())
        }
        name = self.node(index).removeprefix("/dev/")
        signatures = self.host.signatures_on((name,))[name].signatures
        if signatures is None:
            return "what cannot be read"
        strange = [
            f"{signature.kind} {signature.uuid}".strip()
            for signature in signatures
            if digits(signature.uuid) not in own_uuids
        ]
        erased = {self.host.partition(name, number) for number in member.partitions}
        made_since = [partition for partition in self.host.partitions_of(name) if f"/dev/{partition}" not in erased]
        return ", ".join((*strange, *(f"the partition {partition}" for partition in made_since)))

    def run(self, step: Command) -> Ended:
        """A program that does not end keeps the members that it may use."""
        argv = self.resolved(step)
        identities, self._to_look_at = self._to_look_at, ()
        bare = self._bare(step)
        claim = None
        if step.role in _CLAIMED:
            claim = self.members.claimed((*self.members.nodes(identities), *bare, *self._nodes_out()))
        try:
            self.members.last_look(identities, bare)  # since the look before, the journal may have waited for its disk
            log = self.path / steps.printed_file(step.trial) if step.trial else None
            return self.waiter.run(argv, steps.resolve(step.stdin, self.device_of), step.role, claim, log)
        except NotBegun:
            self.members.written -= self._unwritten
            raise
        except Unending as left:
            for pid in left.pids:
                self.journal.add(
                    events.ProgramLeft(
                        at_s=time.time(),
                        program=left.program,
                        pid=pid,
                        start_ticks=self.host.process_started(pid),
                        boot_id=self.host.boot_id(),
                        members=self.touched(step),
                    )
                )
            raise

    def _nodes_out(self) -> list[str]:
        """Of present members removed by the stage: unused for hours."""
        if not self.absent:
            return []
        disks_here = self.members.here()
        identities_out = (self.plan.members[index].id for index in sorted(self.absent))
        return self.members.nodes([identity for identity in identities_out if identity in disks_here])

    def _bare(self, step: Command) -> tuple[str, ...]:
        """Array or partition node that a command uses like a disk; groups."""
        placeholders = {placeholder for word in step.argv for placeholder in steps.PLACEHOLDER.findall(word)}
        if step.role in _OF_GROUPS and not step.members:
            return tuple(sorted(self.device_of(name) for name in placeholders if name.startswith("group:")))
        if step.role not in _BARE:
            return ()
        return tuple(self.device_of(placeholder) for placeholder in sorted(placeholders & _ON_ARRAY))

    def touched(self, step: Command) -> tuple[str, ...]:
        """Identities of members that it may use; all, if it is about a folder or the array."""
        return (() if step.role in _FAR else self.named(step)) or tuple(member.id for member in self.plan.members)

    def held(self, identities: tuple[str, ...] = ()) -> str:
        """A program of ours that does not end and may use one of these members (empty: any), or ""."""
        boot_id = self.host.boot_id() if self.journal.state.programs_left else ""
        for left in self.journal.state.programs_left:
            concerns_these = not identities or set(left.members) & set(identities)
            if concerns_these and left.boot_id == boot_id and self.host.process_lives(left.pid, left.start_ticks):
                member_titles = [
                    f"{m.model} {m.serial}".strip() or m.id for m in self.plan.members if m.id in left.members
                ]
                where = ", ".join(member_titles) or self.plan.answers.target
                return (
                    f"{where}: left standing, as {left.program} (pid {left.pid}) may still write there;"
                    f" once it has ended: `raidtui clean {self.path.name}`"
                )
        return ""

    def settle(self) -> None:
        self.waiter.settle()


def _titles(members: list[Member]) -> str:
    return ", ".join(f"{member.model} {member.serial}".strip() or member.id for member in members)


def _group_in(step: Command) -> int | None:
    """Number of the group that a command is about; None: the array, or all of them."""
    places = (word for word in step.argv if word == "{array}" or word.startswith("{group:"))
    first = next(places, "{array}")
    return None if first == "{array}" else int(first.strip("{}").partition(":")[2])
