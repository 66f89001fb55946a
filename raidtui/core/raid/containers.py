"""LUKS between an array and its file system: one container over all of it, whose data begin at a whole stripe.

Builds names and argument lists, and reads what cryptsetup tells; starts nothing. What was made is found again by the
UUID of its header, which was drawn for it. Knows no passphrase: cryptsetup asks for it on the terminal of a person.
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
    """A container as its header tells it: where its data begin, and how many passphrases or keys open it."""

    start_bytes: int
    keys: int


def start_bytes(align: int) -> int:
    """Where the data begin: behind the header, at a multiple of `align` bytes."""
    return -(-HEADER_BYTES // align) * align


def room_bytes(array_bytes: int, align: int) -> int:
    """What the container holds of an array of so many bytes."""
    return max(0, array_bytes - start_bytes(align)) // _BLOCK_BYTES * _BLOCK_BYTES


def mapped(array: str) -> str:
    """The name of the open container on the array of this name, as the device mapper has it."""
    return f"luks-{array}"


def mapping_uuid(uuid: str, name: str) -> str:
    """The UUID that the device mapper gives the open container (lib/libdevmapper.c: dm_prepare_uuid)."""
    return f"CRYPT-LUKS2-{uuid.replace('-', '')}-{name}"


def format_argv(device: str, uuid: str, align: int) -> tuple[str, ...]:
    """It asks whether it may, and for the passphrase twice: nothing answers it for a person."""
    made = ("--type", "luks2", "--uuid", uuid, "--offset", str(start_bytes(align) // _SECTOR_BYTES))
    return (PROGRAM, "luksFormat", *made, "--verify-passphrase", device)


def open_argv(device: str, name: str) -> tuple[str, ...]:
    """It asks for the passphrase."""
    return (PROGRAM, "open", "--type", "luks", device, name)


def close_argv(name: str) -> tuple[str, ...]:
    """Nothing is asked: what is open is let go of, and not by force."""
    return (PROGRAM, "close", name)


def told_argv(device: str) -> tuple[str, ...]:
    """What tells of the container on this device."""
    return (PROGRAM, "luksDump", "--dump-json-metadata", device)


def parse_told(text: str) -> LuksHeader:
    """What `told_argv`'s command says. ValueError where it is not to be read."""
    try:
        told = json.loads(text)
        (segment,) = told["segments"].values()
        return LuksHeader(int(segment["offset"]), len(told["keyslots"]))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError("cryptsetup told of the LUKS header what cannot be read") from error
