"""libblkid's signatures of a device through ctypes, several per device (24 processes take longer than reading 24
disks). Reads by the caller's read-only descriptor. Without the library nothing is known.
"""

import ctypes
import functools
from collections.abc import Iterator

from raidtui.core.disks.machine import Signature
from raidtui.core.text import clean

_LIBRARY = "libblkid.so.1"  # the name that util-linux has kept since 2.15
# blkid.h: what to look for. BADCSUM: a damaged superblock is somebody's data, too.
_LABEL, _UUID, _TYPE, _BADCSUM = 1 << 1, 1 << 3, 1 << 5, 1 << 10
_FORCE_GPT = 1 << 1
_PROTECTIVE = "PMBR"  # every gpt has one
_MOST_SIGNATURES = 64  # signatures of one device; a broken library must not keep us here


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(_LIBRARY, use_errno=True)
        library.blkid_new_probe.restype = ctypes.c_void_p
        library.blkid_new_probe.argtypes = ()
        for name, arguments in {
            "blkid_free_probe": (ctypes.c_void_p,),
            "blkid_probe_set_device": (ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_int64),
            "blkid_probe_enable_superblocks": (ctypes.c_void_p, ctypes.c_int),
            "blkid_probe_set_superblocks_flags": (ctypes.c_void_p, ctypes.c_int),
            "blkid_probe_enable_partitions": (ctypes.c_void_p, ctypes.c_int),
            "blkid_probe_set_partitions_flags": (ctypes.c_void_p, ctypes.c_int),
            "blkid_do_probe": (ctypes.c_void_p,),
            "blkid_probe_lookup_value": (
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.POINTER(ctypes.c_char_p),
                ctypes.POINTER(ctypes.c_size_t),
            ),
        }.items():
            getattr(library, name).argtypes = arguments
            getattr(library, name).restype = None if name == "blkid_free_probe" else ctypes.c_int
    except (OSError, AttributeError):
        return None
    return library


def probe(descriptor: int) -> tuple[Signature, ...] | None:
    """One per kind; None if unreadable."""
    library = _library()
    if library is None:
        return None
    handle = library.blkid_new_probe()
    if not handle:
        return None
    try:
        if library.blkid_probe_set_device(handle, descriptor, 0, 0) != 0:
            return None
        library.blkid_probe_enable_superblocks(handle, 1)
        library.blkid_probe_set_superblocks_flags(handle, _LABEL | _UUID | _TYPE | _BADCSUM)
        library.blkid_probe_enable_partitions(handle, 1)
        library.blkid_probe_set_partitions_flags(handle, _FORCE_GPT)
        by_kind: dict[str, Signature] = {}
        for _ in range(_MOST_SIGNATURES):
            answer = library.blkid_do_probe(handle)
            if answer == 1:  # nothing more
                return tuple(by_kind.values())
            if answer != 0:
                return None
            for signature in _signatures(library, handle):
                by_kind.setdefault(signature.kind, signature)
        return tuple(by_kind.values())
    finally:
        library.blkid_free_probe(handle)


def _signatures(library: ctypes.CDLL, handle: int) -> Iterator[Signature]:
    if kind := _value(library, handle, "TYPE"):
        yield Signature(kind=kind, label=_value(library, handle, "LABEL"), uuid=_value(library, handle, "UUID"))
    table = _value(library, handle, "PTTYPE")
    if table and table != _PROTECTIVE:
        yield Signature(kind=table, uuid=_value(library, handle, "PTUUID"))


def _value(library: ctypes.CDLL, handle: int, name: str) -> str:
    value, length = ctypes.c_char_p(), ctypes.c_size_t()
    if library.blkid_probe_lookup_value(handle, name.encode(), ctypes.byref(value), ctypes.byref(length)) != 0:
        return ""
    return clean((value.value or b"").decode(errors="replace"))
