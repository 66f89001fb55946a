"""Members on this machine: found by identity, checked before writes, with the run's own writes known."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import msgspec

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.identity import digits, is_weak
from raidtui.core.disks.machine import partition_prefix, sysfs_name
from raidtui.core.disks.verdicts import TABLES, disks_of
from raidtui.core.plan.model import Member, Plan, Stage
from raidtui.core.raid import layers
from raidtui.runs.host import Host
from raidtui.system.claims import IO_IDLE_S, MemberError, MemberGone, NotOpened, find, gone

_CHECKED_S = 1.0  # how long a look at the members holds
_OWN_TRACES = {"blank", "unknown data"}  # what a member holds once the run has written to it


class MembersError(Exception):
    """Missing (`is_gone`), another disk, or in use; one sentence."""

    def __init__(self, sentence: str, *, is_gone: bool = False) -> None:
        super().__init__(sentence)
        self.is_gone = is_gone


class NotBegun(MembersError):
    """In use at the last check before the first write: nothing was written."""


class Members:
    """As last seen. `written`: identities that this run began to write to, in any worker. `blanked`: the planned
    contents are gone and must not reappear.
    """

    def __init__(self, plan: Plan, host: Host, written: Collection[str] = ()) -> None:
        self._plan = plan
        self._host = host
        pools = (stage.filesystem.tables for stage in plan.stages if stage.filesystem)
        tables = (*plan.tables.values(), *(uuid for of_pool in pools for uuid in of_pool))
        self._own_tables = frozenset(map(digits, tables))
        self._disks: dict[str, Disk] = {}
        self._beneath: dict[str, Disk] = {}
        self._checked_s: dict[str, float] = {}
        self._locks: ExitStack | None = None
        self.tables = plan.tables  # identity -> the UUID of the partition table that the stage has made on it
        self.written = set(written)
        self.blanked = False

    def begin(self, stage: Stage) -> None:
        """A ZFS pool's members are partitions in any plan."""
        pool_tables = stage.filesystem.tables if stage.filesystem else ()
        of_pool = dict(zip((member.id for member in self._plan.members), pool_tables, strict=False))
        self.tables = self._plan.tables or of_pool

    @property
    def partitioned(self) -> bool:
        return self._plan.partitioned or bool(self.tables)

    def look(self, *, all_needed: bool = True) -> dict[str, Disk]:
        """By identity. MembersError if gone or replaced. `all_needed` False: present ones, for a teardown."""
        disks = disks_of(self._host.read_machine(), self._own_tables)
        disks_before, self._disks = self._disks, {}
        for member in self._plan.members:
            try:
                self._disks[member.id] = self._same(member, find(member, disks))
            except ValueError as error:
                if all_needed:
                    raise MembersError(str(error), is_gone=isinstance(error, MemberGone)) from error
                if disk := self._unmistakable(member, disks_before.get(member.id), disks):
                    self._disks[member.id] = disk
        return self._disks

    def here(self) -> dict[str, Disk]:
        """As last seen while the kernel means the same disks, else searched again."""
        return self._disks if self._are_same(self._disks, self._plan.members) else self.look(all_needed=False)

    def _unmistakable(self, member: Member, disk_before: Disk | None, disks: Sequence[Disk]) -> Disk | None:
        """If another disk claims its identity: by diskseq, unique in a boot. Only good enough for undo."""
        numbers = {disk_before.diskseq if disk_before else None} - {None}
        if member.diskseq and self._plan.boot_id == self._host.boot_id():
            numbers.add(member.diskseq)
        model_serial_size = member.model, member.serial, member.size_bytes
        return next(
            (d for d in disks if d.diskseq in numbers and (d.model, d.serial, d.size_bytes) == model_serial_size), None
        )

    def beneath(self) -> dict[str, Disk]:
        """Planned disks beneath a target or cared-for array, if present; as `here`."""
        if not self._are_same(self._beneath, self._plan.beneath):
            disks, self._beneath = disks_of(self._host.read_machine(), self._own_tables), {}
            for member in self._plan.beneath:
                with suppress(ValueError):
                    self._beneath[member.id] = self._same(member, find(member, disks))
        return self._beneath

    def disk_beneath(self, member: Member) -> Disk:
        try:
            return self._same(member, find(member, disks_of(self._host.read_machine(), self._own_tables)))
        except ValueError as error:
            raise MembersError(str(error), is_gone=isinstance(error, MemberGone)) from error

    def disk(self, member: Member) -> Disk:
        """As last seen if the name still means it, else searched again."""
        disk = self._disk_there(member)
        if disk is None:
            raise MembersError(gone(member), is_gone=True)
        return disk

    def _disk_there(self, member: Member) -> Disk | None:
        disk = self._disks.get(member.id)
        return disk if disk and self._is_same(disk) else self.look(all_needed=False).get(member.id)

    def _are_same(self, disks: dict[str, Disk], members: Sequence[Member]) -> bool:
        """All are there, and the kernel means the same ones."""
        return len(disks) == len(members) and all(map(self._is_same, disks.values()))

    def _is_same(self, disk: Disk) -> bool:
        diskseq = self._host.text(f"/sys/block/{sysfs_name(disk.name)}/diskseq")
        return bool(disk.diskseq) and diskseq == str(disk.diskseq)

    def remember(self, members: Sequence[Member]) -> None:
        """Contents of members count as a test's own, for this boot. Only if it was blank (erased or partly overwritten
        disks may keep old data), and unused by others.
        """
        disks = [disk for member in members if member.found == "blank" and (disk := self._disk_there(member))]
        if not disks:
            return
        in_use = self._host.not_free([node for disk in disks for node in (disk.path, *disk.nodes)])
        for disk in disks:
            if not {disk.path, *disk.nodes} & in_use.keys():
                self._host.remember(disk.name)

    def strangers(self, names: Collection[str]) -> list[str]:
        """Names that are no member or path to one; with partitions as members, whole disks are strangers too."""
        own_names = {name for disk in self._disks.values() if self._is_same(disk) for name in self._names_of(disk)}
        if not set(names) <= own_names:
            own_names = {name for disk in self.look(all_needed=False).values() for name in self._names_of(disk)}
        return sorted(set(names) - own_names)

    def carrier(self, disk: Disk) -> str:
        """Kernel name of the disk or partition used by array or pool, or ""."""
        if not self.partitioned:
            return disk.name
        return (self._host.partition(disk.name, layers.PARTITION_NUMBER) or "").removeprefix("/dev/")

    def _names_of(self, disk: Disk) -> Iterator[str]:
        for name in _nodes_of(disk):
            node = self._host.partition(name, layers.PARTITION_NUMBER) if self.partitioned else name
            if node:
                yield node.removeprefix("/dev/")

    def why_no_own_table(self, member: Member, disk: Disk) -> str:
        """What is on it besides the plan's partition table, by each node; "" if nothing."""
        uuid = digits(self.tables.get(member.id, ""))
        for name in _nodes_of(disk):
            signatures = self._host.signatures_on((name,))[name].signatures
            if not signatures:
                return f"nothing is known on {name}" if signatures is None else f"there is none on {name}"
            for signature in signatures:
                if not uuid or (signature.kind, digits(signature.uuid)) != ("gpt", uuid):
                    return f"{signature.kind} {signature.uuid}".strip() + f" on {name}"
        return ""

    def _without_own_table(self, member: Member, disk: Disk) -> Disk:
        if not self.tables or member.id not in self.written or self.why_no_own_table(member, disk):
            return disk
        own = {(disk.name, "gpt"), *((self.carrier(disk), kind) for kind in ("partition", "unknown data"))}
        return msgspec.structs.replace(
            disk, contents=tuple(content for content in disk.contents if (content.device, content.kind) not in own)
        )

    def title(self, name: str) -> str:
        """Of a member by the kernel name of it or its partition."""
        disks = (disk for disk in self._disks.values() if name in (disk.name, self.carrier(disk)))
        return next((f"{name} ({disk.title})" for disk in disks), name)

    def check_free(self, identities: Collection[str], watched_s: float = IO_IDLE_S) -> None:
        """As planned and unused: identity, verdict, contents, openers, counters (for `watched_s` seconds)."""
        with self._gone_reported(identities):
            self._check_free(identities, watched_s)

    def _check_free(self, identities: Collection[str], watched_s: float) -> None:
        self.look()
        for member in self._plan.members:
            if member.id not in identities:
                continue
            disk = self._disks[member.id]
            if disk.verdict.standing is Usability.REFUSE:
                raise MembersError(f"{disk.name} ({disk.title}) must not be touched: {disk.verdict.reason}")
            if not disk.checked:
                raise MembersError(
                    f"{disk.name} ({disk.title}) must not be touched before it is: {disk.verdict.reason}"
                )
            disk = _as_its_map(self._without_own_table(member, disk), written=member.id in self.written)
            # names may have changed since the plan was made, contents may not
            holds = set(disk.found.replace(disk.name, member.name).split(", "))
            planned = set(member.found.split(", "))
            may_hold = _OWN_TRACES if self.blanked else planned | _OWN_TRACES | set(_erased(member))
            is_unchanged = not _changed_marks(member, disk, written=member.id in self.written)
            if not (is_unchanged and (holds <= may_hold if member.id in self.written else holds == planned)):
                raise MembersError(
                    f"{disk.name} ({disk.title}) holds {disk.found}, the plan was made for {member.found}: plan again"
                )
        for reason in self._host.not_free(self.nodes(identities), watched_s=watched_s).values():
            raise MembersError(reason)
        self._checked_s |= dict.fromkeys(identities, self._host.clock.monotonic())

    def last_look(self, identities: Collection[str], other_nodes: Collection[str] = ()) -> None:
        """Still the same disks and unused; NotBegun else. No waits after it. `other_nodes` must be unused too."""
        with self._gone_reported(identities):
            for disk in map(self._disks.__getitem__, identities):
                diskseq = self._host.text(f"/sys/block/{sysfs_name(disk.name)}/diskseq")
                if disk.diskseq and diskseq != str(disk.diskseq):
                    raise NotBegun(f"{disk.name} is another disk since the last look (number {diskseq}): plan again")
            for reason in self._host.not_free([*self.nodes(identities), *other_nodes]).values():
                raise NotBegun(reason)

    def nodes(self, identities: Collection[str]) -> list[str]:
        """All of these members, as last seen."""
        return [node for disk in map(self._disks.__getitem__, identities) for node in (disk.path, *disk.nodes)]

    @contextmanager
    def claimed(self, nodes: Collection[str]) -> Iterator[tuple[int, ...]]:
        """`system.members.claimed` as the last act before a write; NotBegun if denied."""
        with ExitStack() as locks:
            with self._gone_reported(self._disks):
                try:
                    descriptors = locks.enter_context(self._host.claimed(tuple(nodes)))
                except MemberError as error:
                    raise NotBegun(str(error)) from error
            yield descriptors

    @contextmanager
    def _gone_reported(self, identities: Collection[str]) -> Iterator[None]:
        """Errors of a disk just pulled out become "it is gone"."""
        disks_before = self._disks
        try:
            yield
        except MembersError as error:
            for member in self._plan.members:
                disk = {**disks_before, **self._disks}.get(member.id)
                if disk and member.id in identities and self._host.is_gone(disk.path):
                    raise type(error)(gone(member), is_gone=True) from error
            raise

    def due(self, identities: Collection[str]) -> bool:
        """The last check is too old for a write."""
        now_s = self._host.clock.monotonic()
        oldest_s = min((self._checked_s.get(identity, 0.0) for identity in identities), default=now_s)
        return now_s - oldest_s > _CHECKED_S

    def _same(self, member: Member, disk: Disk) -> Disk:
        """`disk` if it matches the plan in all it reports, not only identity and size."""
        if (disk.model, disk.serial) != (member.model, member.serial):
            raise ValueError(
                f"{disk.name} says it is {disk.title}, the plan named {member.model} {member.serial}: plan again"
            )
        weak = is_weak(member.id)  # another disk in the same place would have it too
        if weak and (disk.diskseq, self._host.boot_id()) != (member.diskseq, self._plan.boot_id):
            raise ValueError(
                f"{disk.name} ({member.id}) has no identity of its own and was plugged in or booted anew: plan again"
            )
        return disk

    @property
    def held(self) -> bool:
        return self._locks is not None

    def hold(self, locked: bool) -> None:
        """Locks present members against udev's probing, or unlocks. Nodes that cannot be opened cannot be probed: an
        offline disk must not block teardown of the others.
        """
        if locked and self._locks is None:
            disks_here = [disk for member in self._plan.members if (disk := self._disk_there(member))]
            with ExitStack() as stack:
                for path in sorted(disk.path for disk in disks_here):  # always in one order
                    with suppress(NotOpened):
                        stack.enter_context(self._host.lock_nodes([path]))
                self._locks = stack.pop_all()
        elif not locked and self._locks is not None:
            self._locks.close()
            self._locks = None


def _changed_marks(member: Member, disk: Disk, *, written: bool) -> bool:
    """Other signatures than planned, even with the same label."""
    planned = {(content.kind, content.uuid) for content in member.contents}
    now_signatures = {(content.kind, content.uuid) for content in disk.contents}
    if written:
        now_signatures = {(kind, uuid) for kind, uuid in now_signatures if kind not in ("unknown data", "partition")}
    return bool(planned) and not (now_signatures <= planned if written else now_signatures == planned)


def _as_its_map(disk: Disk, *, written: bool) -> Disk:
    """Without partitions that a map's paths still show after the run erased its table."""
    if not written or any(content.device == disk.name and content.kind in TABLES for content in disk.contents):
        return disk
    own_contents = (content for content in disk.contents if content.device in (disk.name, *disk.partitions))
    return msgspec.structs.replace(disk, contents=tuple(own_contents))


def _nodes_of(disk: Disk) -> Iterator[str]:
    yield disk.name
    yield from (node.removeprefix("/dev/") for node in disk.nodes)


def _erased(member: Member) -> Iterator[str]:
    """Planned contents, while signatures are erased and the table (last) is not."""
    for number in member.partitions:
        device = f"{partition_prefix(member.name)}{number}"
        yield from (f"{kind} on {device}" for kind in ("unknown data", "partition"))
