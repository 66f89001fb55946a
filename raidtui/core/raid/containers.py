"""LUKS over a whole array, data at a stripe boundary: names, argument lists, cryptsetup's output; starts nothing. A
container is found by its header's UUID, drawn for it. cryptsetup asks a person for the passphrase.
"""

import json

import msgspec

from raidtui.core.units import MIB

PROGRAM = "cryptsetup"
SIGNATURE = "crypto_LUKS"  # as libblkid calls it
# As large as cryptsetup makes it by itself: two descriptions and the keys (lib/luks2/luks2.h: LUKS2_DEFAULT_HDR_SIZE).
HEADER_BYTES: int = 16 * MIB
_SECTOR_BYTES = 512  # of --offset, whatever the device's are (cryptsetup-luksFormat(8))
_BLOCK_BYTES = 4096  # the largest sector that a container has


class LuksHeader(msgspec.Struct, frozen=True):
    """`start_bytes` of the data; `keys`: number of key slots in use."""

    start_bytes: int
    keys: int


def start_bytes(align: int) -> int:
    """Data start after the header, at a multiple of `align` bytes."""
    return -(-HEADER_BYTES // align) * align


def room_bytes(array_bytes: int, align: int) -> int:
    """Bytes inside, of an array of so many bytes."""
    return max(0, array_bytes - start_bytes(align)) // _BLOCK_BYTES * _BLOCK_BYTES


def mapped(array: str) -> str:
    return f"luks-{array}"


def mapping_uuid(uuid: str, name: str) -> str:
    """Device-mapper UUID of the open container (lib/libdevmapper.c: dm_prepare_uuid)."""
    return f"CRYPT-LUKS2-{uuid.replace('-', '')}-{name}"


def format_argv(device: str, uuid: str, align: int) -> tuple[str, ...]:
    """Asks for YES, then twice for the passphrase: only a person answers."""
    made = ("--type", "luks2", "--uuid", uuid, "--offset", str(start_bytes(align) // _SECTOR_BYTES))
    return (PROGRAM, "luksFormat", *made, "--verify-passphrase", device)


def open_argv(device: str, name: str) -> tuple[str, ...]:
    """Asks for the passphrase."""
    return (PROGRAM, "open", "--type", "luks", device, name)


def query_argv(device: str) -> tuple[str, ...]:
    return (PROGRAM, "luksDump", "--dump-json-metadata", device)


def parse_query(text: str) -> LuksHeader:
    try:
        header = json.loads(text)
        (segment,) = header["segments"].values()
        return LuksHeader(int(segment["offset"]), len(header["keyslots"]))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError("cryptsetup told of the LUKS header what cannot be read") from error
