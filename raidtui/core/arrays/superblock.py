"""A member's md superblock, version 1 (include/uapi/linux/raid/md_p.h: struct mdp_superblock_1)."""

import struct

import msgspec

BYTES = 4096
_MAGIC, _VERSION = 0xA92B4EFC, 1
_RESHAPING, _WITH_JOURNAL = 4, 512  # feature_map
_ROLES_AT, _MOST_SLOTS = 256, 1920
_CLEAN = (1 << 64) - 1  # resync_offset
_SECTOR_BYTES = 512


class Superblock(msgspec.Struct, frozen=True, kw_only=True):
    """`updated_s`: UTC. `level`: as in Array; `layout`: md's number. `slot`: None for a spare, a journal, a failed
    member. `clean`: no resync waits. `with_journal`: the array has one. `reshape_at_bytes`: of an unfinished reshape.
    `block_bytes`: logical block size; 0: none.
    """

    updated_s: int
    events: int
    level: str = ""
    layout: int = 0
    slots: int = 0
    slot: int | None = None
    clean: bool = True
    with_journal: bool = False
    reshape_at_bytes: int | None = None
    block_bytes: int = 0


def superblock_of(page: bytes) -> Superblock | None:
    """None if these 4 KiB are no superblock of version 1."""
    if len(page) < BYTES or struct.unpack_from("<II", page) != (_MAGIC, _VERSION):
        return None
    (features,) = struct.unpack_from("<I", page, 8)
    level, layout = struct.unpack_from("<ii", page, 72)
    slots, number, block_bytes = (struct.unpack_from("<I", page, at)[0] for at in (92, 160, 224))
    reshape_sectors, updated_s, events, resync_sectors = (
        struct.unpack_from("<Q", page, at)[0] for at in (104, 192, 200, 208)
    )
    slot = struct.unpack_from("<H", page, _ROLES_AT + 2 * number)[0] if number < _MOST_SLOTS else slots
    return Superblock(
        updated_s=updated_s & (1 << 40) - 1,
        events=events,
        level="linear" if level == -1 else str(level),
        layout=layout,
        slots=slots,
        slot=slot if slot < slots else None,
        clean=resync_sectors == _CLEAN,
        with_journal=bool(features & _WITH_JOURNAL),
        reshape_at_bytes=reshape_sectors * _SECTOR_BYTES if features & _RESHAPING else None,
        block_bytes=block_bytes,
    )
