"""Opal lock and reservations of a disk, by read-only ioctls (root only). Without an answer: unknown."""

import ctypes
import errno
import fcntl
import os
import struct
import time
from collections.abc import Callable

import msgspec

# include/uapi/linux/sed-opal.h: _IOR('p', 236, struct opal_status), kernel 6.1 and later
_OPAL_STATUS = 0x800870EC
_OPAL_LOCKED = 0x08
# include/scsi/sg.h
_SG_IO = 0x2285
_FROM_DEVICE = -3
_TRIES, _TRIES_S, _PAUSE_S = 3, 5.0, 0.2
_TIMEOUT_MS = 1500
# SPC-4 6.15: PERSISTENT RESERVE IN and its service actions
_RESERVE_IN, _KEYS, _RESERVATION = 0x5E, 0, 1
_HEAD_BYTES = 8
_KEY_BYTES = 8
# SAM-5 5.3.1: status codes; SPC-4 4.5.6 and annex D: sense keys and additional sense codes
_GOOD, _CHECK_CONDITION, _CONFLICT = 0x00, 0x02, 0x18
_STATUSES = {0x08: "BUSY", 0x28: "TASK SET FULL", 0x30: "ACA ACTIVE", 0x40: "TASK ABORTED"}
_NO_SENSE, _RECOVERED, _ILLEGAL = 0x0, 0x1, 0x5
_KEYS_OF_SENSE = {0x2: "NOT READY", 0x3: "MEDIUM ERROR", 0x4: "HARDWARE ERROR", 0x6: "UNIT ATTENTION", 0xB: "ABORTED"}
_INVALID_OPCODE, _INVALID_FIELD = 0x20, 0x24
_DRIVER_SENSE = 0x08  # include/scsi/scsi.h, before 5.14: the driver's word that there is sense data
_NEXUS_FAILURE = 0x11
_BY_STATUS = (0x10, _NEXUS_FAILURE)  # that older kernels set for a status of the disk's own: target, nexus failure
_HOSTS = {0x01: "no connection", 0x03: "timed out", 0x0E: "transport disrupted", 0x0F: "transport failed"}
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


class NotAnswered(Exception):
    pass


def answers(descriptor: int, *, scsi: bool) -> dict[str, str]:
    """`opal`: "locked"; `reservation`: by others; `reservation not read`: why. `scsi`: takes SCSI commands."""
    answers_read = {"opal": "locked"} if _is_locked(descriptor) else {}
    if scsi:
        try:
            if claim := reserved(lambda action: _send(descriptor, action)):
                answers_read["reservation"] = claim
        except NotAnswered as failure:
            answers_read["reservation not read"] = str(failure)
    return answers_read


def _is_locked(descriptor: int) -> bool:
    try:
        status = fcntl.ioctl(descriptor, _OPAL_STATUS, bytes(8))
    except OSError:
        return False  # no Opal, or a kernel that cannot tell
    return bool(struct.unpack_from("=I", status)[0] & _OPAL_LOCKED)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """SCSI status, host and driver status (sg.h), sense, data. `error`: errno; 0: the rest is valid."""

    error: int = 0
    status: int = 0
    host: int = 0
    driver: int = 0
    sense: bytes = b""
    data: bytes = b""


def reserved(
    ask: Callable[[int], Reply],
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """As `reservation`, with each question put three times at most, all within 5 s; NotAnswered without an answer."""
    end_s = clock() + _TRIES_S
    answered = {}
    for action in (_RESERVATION, _KEYS):
        for left in reversed(range(_TRIES)):
            try:
                answered[action] = answer(ask(action))
                break
            except NotAnswered:
                if not left or clock() > end_s:
                    raise
                sleep(_PAUSE_S)
        if answered[action] is None:
            return "a reservation (RESERVATION CONFLICT)"
        if claim := reservation(answered.get(_RESERVATION) or b"", answered.get(_KEYS) or b""):
            return claim
    return ""


def answer(reply: Reply) -> bytes | None:
    """Data; b"" if reservations are unsupported; None on a conflict. NotAnswered otherwise: it may be reserved."""
    if reply.error == errno.ENOTTY:
        return b""  # takes no SCSI commands at all
    if reply.error:
        raise NotAnswered(os.strerror(reply.error))
    if reply.host and reply.host not in _BY_STATUS:
        raise NotAnswered(_HOSTS.get(reply.host, f"host error {reply.host:#04x}"))
    if reply.status == _CONFLICT or reply.host == _NEXUS_FAILURE:
        return None
    if reply.status == _CHECK_CONDITION:
        key, code = sense_of(reply.sense)
        if key == _ILLEGAL and code in (_INVALID_OPCODE, _INVALID_FIELD):
            return b""
        if key not in (_NO_SENSE, _RECOVERED):
            raise NotAnswered(f"{_KEYS_OF_SENSE.get(key, f'sense key {key:#x}')}, {code:#04x}")
    elif reply.status != _GOOD or reply.driver & ~_DRIVER_SENSE:
        raise NotAnswered(_STATUSES.get(reply.status, f"status {reply.status:#04x}, driver {reply.driver:#04x}"))
    if len(reply.data) < _HEAD_BYTES:
        raise NotAnswered(f"an answer of {len(reply.data)} bytes")
    return reply.data


def sense_of(sense: bytes) -> tuple[int, int]:
    """Sense key and ASC of both formats (SPC-4 4.5); (-1, -1) if neither, or deferred."""
    if len(sense) >= 13 and sense[0] & 0x7F == 0x70:
        return sense[2] & 0x0F, sense[12]
    if len(sense) >= 4 and sense[0] & 0x7F == 0x72:
        return sense[1] & 0x0F, sense[2]
    return -1, -1


def reservation(holders: bytes, keys: bytes) -> str:
    """From READ RESERVATION and READ KEYS, in words; "" if unclaimed."""
    if len(holders) >= _HEAD_BYTES and struct.unpack_from(">I", holders, 4)[0] >= 16:
        kind = holders[21] & 0x0F if len(holders) >= 24 else 0  # announced, and not all of it came
        return f"a reservation ({_TYPES.get(kind, 'of an unknown type')})"
    if len(keys) >= _HEAD_BYTES and (count := struct.unpack_from(">I", keys, 4)[0] // _KEY_BYTES):
        return f"{count} registered key{'' if count == 1 else 's'}"
    return ""


def _send(descriptor: int, action: int) -> Reply:
    """PERSISTENT RESERVE IN."""
    data, sense = ctypes.create_string_buffer(256), ctypes.create_string_buffer(32)
    command = ctypes.create_string_buffer(struct.pack(">BB5xHx", _RESERVE_IN, action, len(data)), 10)
    header = _Header(
        interface_id=ord("S"),
        dxfer_direction=_FROM_DEVICE,
        cmd_len=len(command),
        mx_sb_len=len(sense),
        dxfer_len=len(data),
        dxferp=ctypes.addressof(data),
        cmdp=ctypes.addressof(command),
        sbp=ctypes.addressof(sense),
        timeout=_TIMEOUT_MS,
    )
    try:
        fcntl.ioctl(descriptor, _SG_IO, header)
    except OSError as failure:
        return Reply(error=failure.errno or errno.EIO)
    return Reply(
        status=header.status,
        host=header.host_status,
        driver=header.driver_status,
        sense=sense.raw[: header.sb_len_wr],
        data=data.raw[: max(0, len(data) - header.resid)],
    )
