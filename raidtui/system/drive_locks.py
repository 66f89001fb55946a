"""What a disk answers when it is asked without a word written: is it locked (Opal), has another host reserved it.

Only the kernel's own ioctls on a descriptor that was opened for reading; root alone may use them. No answer means
nothing.
"""

import ctypes
import fcntl
import struct

# include/uapi/linux/sed-opal.h: _IOR('p', 236, struct opal_status), kernel 6.1 and later
_OPAL_STATUS = 0x800870EC
_OPAL_LOCKED = 0x08
# include/scsi/sg.h
_SG_IO = 0x2285
_FROM_DEVICE = -3
_TIMEOUT_MS = 2000
# SPC-4 6.15: PERSISTENT RESERVE IN and its service actions
_RESERVE_IN, _KEYS, _RESERVATION = 0x5E, 0, 1
_HEAD_BYTES = 8
_KEY_BYTES = 8
_TYPES = {
    1: "write exclusive",
    3: "exclusive access",
    5: "write exclusive, registrants only",
    6: "exclusive access, registrants only",
    7: "write exclusive, all registrants",
    8: "exclusive access, all registrants",
}


class _Header(ctypes.Structure):
    """struct sg_io_hdr."""

    _fields_ = (
        ("interface_id", ctypes.c_int),
        ("dxfer_direction", ctypes.c_int),
        ("cmd_len", ctypes.c_ubyte),
        ("mx_sb_len", ctypes.c_ubyte),
        ("iovec_count", ctypes.c_ushort),
        ("dxfer_len", ctypes.c_uint),
        ("dxferp", ctypes.c_void_p),
        ("cmdp", ctypes.c_void_p),
        ("sbp", ctypes.c_void_p),
        ("timeout", ctypes.c_uint),
        ("flags", ctypes.c_uint),
        ("pack_id", ctypes.c_int),
        ("usr_ptr", ctypes.c_void_p),
        ("status", ctypes.c_ubyte),
        ("masked_status", ctypes.c_ubyte),
        ("msg_status", ctypes.c_ubyte),
        ("sb_len_wr", ctypes.c_ubyte),
        ("host_status", ctypes.c_ushort),
        ("driver_status", ctypes.c_ushort),
        ("resid", ctypes.c_int),
        ("duration", ctypes.c_uint),
        ("info", ctypes.c_uint),
    )


def answers(descriptor: int, *, scsi: bool) -> dict[str, str]:
    """`opal`: "locked"; `reservation`: what another host claims. `scsi`: does it take SCSI commands (no USB bridge)?"""
    by_name = {"opal": "locked" if _is_locked(descriptor) else "", "reservation": _reserved(descriptor) if scsi else ""}
    return {key: text for key, text in by_name.items() if text}


def _is_locked(descriptor: int) -> bool:
    try:
        status = fcntl.ioctl(descriptor, _OPAL_STATUS, bytes(8))
    except OSError:
        return False  # no Opal, or a kernel that cannot tell
    return bool(struct.unpack_from("=I", status)[0] & _OPAL_LOCKED)


def _reserved(descriptor: int) -> str:
    return reservation(_ask(descriptor, _RESERVATION), _ask(descriptor, _KEYS))


def reservation(holders: bytes, keys: bytes) -> str:
    """In words, what READ RESERVATION and READ KEYS answered; "" where nobody has claimed the disk."""
    if len(holders) >= 24 and struct.unpack_from(">I", holders, 4)[0] >= 16:
        return f"a reservation ({_TYPES.get(holders[21] & 0x0F, 'of an unknown type')})"
    if len(keys) >= _HEAD_BYTES and (count := struct.unpack_from(">I", keys, 4)[0] // _KEY_BYTES):
        return f"{count} registered key{'' if count == 1 else 's'}"
    return ""


def _ask(descriptor: int, action: int) -> bytes:
    """The answer to PERSISTENT RESERVE IN; empty where the disk does not know the command."""
    answer, sense = ctypes.create_string_buffer(256), ctypes.create_string_buffer(32)
    command = ctypes.create_string_buffer(struct.pack(">BB5xHx", _RESERVE_IN, action, len(answer)), 10)
    header = _Header(
        interface_id=ord("S"),
        dxfer_direction=_FROM_DEVICE,
        cmd_len=len(command),
        mx_sb_len=len(sense),
        dxfer_len=len(answer),
        dxferp=ctypes.addressof(answer),
        cmdp=ctypes.addressof(command),
        sbp=ctypes.addressof(sense),
        timeout=_TIMEOUT_MS,
    )
    try:
        fcntl.ioctl(descriptor, _SG_IO, header)
    except OSError:
        return b""
    if header.status or header.host_status or header.driver_status:
        return b""
    return answer.raw[: max(0, len(answer) - header.resid)]
