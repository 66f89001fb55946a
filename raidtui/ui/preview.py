"""What the draft would become over its disks, and what is proposed for its purpose."""

from collections.abc import Mapping

import msgspec

from raidtui.core.advice.groups import Split, divided, splits
from raidtui.core.advice.preview import HELD, LevelPreview, PreviewSpeed, assumed, preview_level
from raidtui.core.advice.proposals import USUALLY_SURVIVED, Advice, NoAdvice, Wish, advise, proposed_chunk_bytes
from raidtui.core.advice.wording import with_groups
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Answers
from raidtui.core.raid import filesystems
from raidtui.core.raid.layers import LAYERS, align_bytes
from raidtui.core.raid.levels import level
from raidtui.core.raid.purposes import Workload
from raidtui.core.raid.space import Story, given_percent, story
from raidtui.core.results.disk_speeds import MeasuredSpeed, slowest
from raidtui.core.units import MB
from raidtui.ui.draft import Draft, LevelChoice, level_choice, with_proposal
from raidtui.ui.services import Scan

USUAL_PURPOSE = Workload.FILES  # of an array that is kept, until another is chosen
_NOTHING_TO_KEEP = "no array to keep; disks by themselves can only be measured"


def preview(draft: Draft, disks: tuple[Disk, ...], speed: PreviewSpeed) -> LevelPreview:
    """What `draft` gives over `disks`, its members in order, each of which does so much."""
    key, layout, chunk_bytes = draft.level_or_suggested, draft.layout_or_default, draft.chunk_bytes
    if draft.is_kept and level(key).md_name is None:
        return LevelPreview(key, level(key).name, len(disks), problem=_NOTHING_TO_KEEP)
    return preview_level(
        key,
        layout,
        chunk_bytes,
        disks,
        speed,
        partitioned=draft.partitioned,
        parity_log=draft.bitmap == "ppl",
        journal=draft.bitmap == "journal",
        groups=draft.groups,
    )


def speed_of(disks: tuple[Disk, ...], known: Mapping[str, MeasuredSpeed]) -> PreviewSpeed:
    """What each of them did alone in earlier runs; where the speed of one is not known, what is assumed of its kind."""
    measured, usual = slowest(known, [disk.id for disk in disks]), assumed(disks)
    if not measured.bytes_per_s:
        return usual
    return PreviewSpeed(measured.bytes_per_s, measured.iops or usual.iops, HELD if measured.held else "")


def with_measured_speed(answers: Answers, scan: Scan) -> Answers:
    """`answers` with what an earlier run measured of these disks, where they do not say themselves what a disk does."""
    if answers.disk_speed or answers.disk_iops or isinstance(answers.disks, DiskRule):
        return answers
    measured = slowest(scan.measured_speeds, answers.disks)
    if not measured.bytes_per_s:
        return answers
    megabytes = max(0.1, round(measured.bytes_per_s / MB, 1))
    return msgspec.structs.replace(answers, disk_speed=f"{megabytes}MB/s", disk_iops=float(round(measured.iops)))


def with_usual_purpose(draft: Draft, disks: tuple[Disk, ...], speed: PreviewSpeed) -> Draft:
    """`draft` with a purpose in force and its proposal filled in; what was chosen by hand before, or since, stays."""
    fills_in = draft.proposed_for != draft.disks and (draft.use is not None or not draft.level)
    if draft.use is None:
        draft = draft.having(use=USUAL_PURPOSE, survive=USUALLY_SURVIVED[USUAL_PURPOSE])
    return proposed(draft, disks, speed) if fills_in else draft


def proposed(draft: Draft, disks: tuple[Disk, ...], speed: PreviewSpeed) -> Draft:
    """`draft` with the proposal of its purpose; where these disks cannot do what is asked, with nothing chosen."""
    draft = draft.having(proposed_for=draft.disks, bitmap="internal")
    advice = advice_of(draft, offered(draft, disks), speed)
    return with_proposal(draft, advice.best if isinstance(advice, Advice) else None, disks)


def offered(draft: Draft, disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """Of all that are chosen: what levels are made of, and the spares that groups leave."""
    return disks if draft.groups > 1 else disks[: draft.array_disks]


def splits_of(draft: Draft, disks: tuple[Disk, ...]) -> tuple[Split, ...]:
    return splits(offered(draft, disks), spared=draft.is_kept)


def level_view(
    draft: Draft, choice: LevelChoice, disks: tuple[Disk, ...], speed: PreviewSpeed, advice: Advice | None
) -> LevelPreview:
    """What this level would be: the chosen one as it is chosen, the proposed one as proposed, others as mdadm's.
    `disks`: `offered` ones.
    """
    key, layout, groups, left = choice
    is_chosen = choice == level_choice(draft)
    disks = divided(disks, len(disks) - left)[0] if left else disks
    if is_chosen or (draft.is_kept and level(key).md_name is None):
        kept_layout = draft.layout if is_chosen else ""
        return preview(draft.having(level=key, layout=kept_layout, groups=groups), disks, speed)
    if advice and is_view(advice.best.preview, choice, len(disks)):
        return advice.best.preview
    rotating = any(disk.rotational for disk in disks)
    chunk_bytes = proposed_chunk_bytes(key, len(disks) // groups, rotating) if groups > 1 else None
    return preview_level(key, layout or level(key).default_layout, chunk_bytes, disks, speed, groups=groups)


def is_view(view: LevelPreview, choice: LevelChoice, disks: int) -> bool:
    """Is it of this row, with so many disks? Layouts of RAID 10 and groups are rows."""
    row = (choice.key, choice.groups, disks)
    return (view.key, view.groups, view.disks) == row and (choice.key != "10" or view.layout == choice.layout)


def filesystem_problem(draft: Draft, view: LevelPreview, key: str) -> str:
    """Why this file system cannot be made on the array, or on each of separate disks."""
    if view.capacity is None:
        return ""
    is_array = view.raid.md_name is not None
    size = view.capacity.array_bytes if is_array else view.capacity.member_used_bytes
    can, reason = filesystems.possible(key, size, geometry_of(draft))
    return "" if can else reason


def geometry_of(draft: Draft) -> filesystems.Geometry:
    key, layout = draft.level_or_suggested, draft.layout_or_default
    return filesystems.geometry(key, draft.array_disks, draft.chunk_bytes, layout, draft.groups)


def space_story(
    draft: Draft, disks: tuple[Disk, ...], view: LevelPreview, key: str, *, rmapbt: bool = False
) -> Story | None:
    """The way from the labels of `disks` to `df` with this file system; None where there is no array."""
    holds = view.capacity
    percent = int(draft.reserved) if draft.reserved and draft.is_kept else None
    if holds is None:
        return None
    separate, sizes = view.raid.md_name is None, [disk.size_bytes for disk in disks]
    if not draft.between or not draft.is_kept or not filesystems.filesystem(key).program:
        return story(sizes, holds, key, separate, level_key=view.key, rmapbt=rmapbt, percent=percent)
    layer = LAYERS[draft.between]
    own_bytes = holds.array_bytes - layer.room_bytes(holds.array_bytes, align_bytes(geometry_of(draft)))
    layered = (layer.title, own_bytes)
    return story(sizes, holds, key, separate, *layered, level_key=view.key, rmapbt=rmapbt, percent=percent)


def percent_for_root(draft: Draft, account: Story | None) -> int | None:
    """As mkfs gets it."""
    return given_percent(draft.filesystem_or_default, account.device_bytes if account else 0, draft.reserved_percent)


def advice_of(draft: Draft, disks: tuple[Disk, ...], speed: PreviewSpeed) -> Advice | str | None:
    """What is proposed for the purpose that was told, why nothing can be, or None where no purpose was told."""
    if draft.use is None:
        return None
    try:
        found = advise(Wish(draft.use, draft.survive), disks, speed)
        return with_groups(found, disks) if draft.is_kept else found
    except NoAdvice as reason:
        return str(reason)
