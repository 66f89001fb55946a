"""What of a kept array is known at boot, and how it would be: lines that the run wrote, or those to write by hand."""

import shlex
from collections.abc import Iterator

from raidtui.core.disks.identity import are_in_memory
from raidtui.core.page.blocks import Block, Code, Fenced, Heading, Span, Text
from raidtui.core.plan import slots
from raidtui.core.plan.kept import permanence, pools
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.raid.filesystems import USUAL, filesystem
from raidtui.core.run.events import PoolMade
from raidtui.core.run.kept import is_permanent
from raidtui.core.run.state import RunState


def after_a_reboot(plan: Plan, state: RunState) -> Iterator[Block]:
    """Nothing where no array is kept."""
    if not state.kept:
        return
    if made := state.pools.get(plan.kept_stage or 0):
        yield from _of_pool(plan, state, made)
    elif is_permanent(plan, state):
        folder = mount_point(plan)
        mounted = f", mounted at {folder}" if folder else ""
        ends, bare = _ends_with_machine(plan), _of_bare(plan)
        comes = f"{'Of real disks it would come' if ends else 'It comes'} back under its name{mounted}"
        yield Heading("After a reboot", 3)
        undo = Code(f"raidtui undo {state.run}")
        yield Text((f"{ends} {comes}, by the lines below. ", undo, " undoes them. ", *bare))
        yield from _once_typed(plan, folder)
        yield Fenced([line for path, edit in state.edits.items() for line in (f"# {path}", *edit.lines)])
    elif forever := permanence.shell_lines(plan):
        ends = _ends_with_machine(plan)
        how = "For real disks these lines, as root, keep it:" if ends else "As root:"
        now = _of_bare(plan) or ("It is unmounted now.",)
        yield Heading("After a reboot" if ends else "To keep it after a reboot", 3)
        yield Text((f"{ends} ", *now, f" {how}"))
        yield Fenced(forever)


def _ends_with_machine(plan: Plan) -> str:
    """That no disk of it outlives the machine, in a sentence; "" where one may."""
    if not are_in_memory(member.emulator for member in plan.members):
        return ""
    emulator = plan.members[0].emulator
    return f"The disks are in this machine's memory ({emulator}): disks and array end with it."


def _of_bare(plan: Plan) -> tuple[Span, ...]:
    """Of an array without a file system what it takes to use it; nothing of any other."""
    number = plan.kept_stage or 0
    if plan.stages[number].filesystem or not plan.stages[number].array:
        return ()
    array = slots.filled(plan).stages[number].array
    assert array
    program = filesystem(USUAL).program
    makes, all_of_it = Code(f"{program} /dev/md/{array.name}"), "or give all of it to LVM or a virtual machine."
    return "It has no file system: ", makes, f" makes one, which may be mounted then; {all_of_it}"


def _of_pool(plan: Plan, state: RunState, made: PoolMade) -> Iterator[Block]:
    if is_permanent(plan, state):
        imports = f"ZFS imports {made.pool} by its cache file, and mounts it at {mount_point(plan)}. "
        yield Heading("After a reboot", 3)
        yield Text((imports, Code(f"raidtui undo {state.run}"), " undoes it."))
    else:
        yield Heading("To keep it after a reboot", 3)
        yield Text("It is not mounted now. As root:")
        yield Fenced(pools.shell_lines(made.pool, made.guid, permanence.folder_of(plan.answers)))


def _once_typed(plan: Plan, folder: str) -> Iterator[Block]:
    """Of a LUKS container: boot goes on without its passphrase, and what brings it later."""
    if plan.kept_stage is None or plan.answers.setup.between != "luks":
        return
    layer = slots.filled(plan).stages[plan.kept_stage].layer
    assert layer
    opens = f"systemctl start systemd-cryptsetup@$(systemd-escape {layer.group}).service"
    mounts = f" && mount {shlex.quote(folder)}" if folder else ""
    closed = (
        "Its container stays closed until its passphrase is typed: at boot on the console, without holding up the boot,"
    )
    yield Text((f"{closed} or later: ", Code(f"{opens}{mounts}"), "."))
