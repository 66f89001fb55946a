"""Kernel log lines about disks, links, arrays, by the kernel's format strings (6.1 unless stated)."""

import re
from collections.abc import Collection, Iterable
from typing import Literal

import msgspec

from raidtui.core.text import clean

Kind = Literal["reset", "I/O error", "link", "NCQ off", "throttling", "array", "offline", "controller", "hang"]
_MOST_MESSAGES = 20  # different messages of one test
_LONGEST = 200  # characters


class Message(msgspec.Struct, frozen=True):
    """`device`: kernel name of disk, array, port (ata3) or CPU."""

    kind: Kind
    device: str
    text: str
    times: int = 1


_DISK = r"(?P<device>(?:sd[a-z]+|nvme\d+(?:c\d+)?n\d+|vd[a-z]+|xvd[a-z]+|mmcblk\d+|md\d+|md_\w+)(?:p?\d+)?)"
_FORMS: tuple[tuple[Kind, str], ...] = (
    # drivers/ata/libata-eh.c: ata_eh_reset, ata_eh_link_report, ata_eh_speed_down; libata-core.c: sata_down_spd_limit
    ("reset", r"(?P<device>ata\d+(?:\.\d+)?): (?:hard|soft) resetting link"),
    ("link", r"(?P<device>ata\d+(?:\.\d+)?): exception Emask 0x\w+ SAct 0x\w+ SErr 0x\w+ action 0x\w+"),
    ("NCQ off", r"(?P<device>ata\d+(?:\.\d+)?): NCQ disabled due to excessive errors"),
    ("link", r"(?P<device>ata\d+(?:\.\d+)?): limiting (?:SATA link|speed)"),
    ("link", r"(?P<device>ata\d+(?:\.\d+)?): (?:SATA link down|link is slow to respond)"),
    # block/blk-mq.c: blk_print_req_error, its first words from blk-core.c: blk_errors; before 5.16 after
    # "blk_update_request: ". fs/buffer.c: buffer_io_error
    ("I/O error", r"(?:blk_update_request: )?[\w/ ]{3,32} error, dev " + _DISK + ", "),
    ("I/O error", r"Buffer I/O error on dev " + _DISK + ", "),
    # drivers/scsi: scsi_error.c (scsi_report_sense), scsi_lib.c (scsi_device_state_check), sd.c by sd_printk
    ("reset", r"sd (?P<device>\d+:\d+:\d+:\d+): Power-on or device reset occurred"),
    ("offline", r"sd (?P<device>\d+:\d+:\d+:\d+): (?:rejecting I/O to offline device|Device offlined)"),
    ("I/O error", r"sd \d+:\d+:\d+:\d+: \[" + _DISK + r"\] tag#\d+ (?:FAILED Result|Sense Key : (?:Medium|Hardware))"),
    # drivers/scsi/mpt3sas/mpt3sas_base.c: _base_sas_log_info, and the controller's own resets
    ("controller", r"(?P<device>mpt\dsas_cm\d+): (?:log_info\(|sending diag reset)"),
    # drivers/nvme/host/pci.c: nvme_timeout, nvme_warn_reset
    ("reset", r"nvme (?P<device>nvme\d+): (?:I/O (?:tag )?\d+ .*timeout|controller is down; will reset)"),
    # drivers/md: raid5.c, raid1.c, raid10.c (error, end of a corrected read); md.c (md_do_sync)
    ("array", r"md/raid\d*:(?P<device>md\w+): (?:Disk failure on|read error (?:corrected|NOT corrected)|Operation)"),
    ("array", r"md: (?:resync|recovery|data-check|reshape) of RAID array (?P<device>md\w+)"),
    # arch/x86/kernel/cpu/mce, since 5.6 drivers/thermal/intel/therm_throt.c: therm_throt_process
    ("throttling", r"(?:mce: )?(?P<device>CPU\d+): .*temperature.* above threshold, cpu clock (?:is )?throttled"),
    # drivers/pci/pcie/aer.c: aer_print_port_info
    ("link", r"pcieport (?P<device>[\w:.]+): AER: (?:Multiple )?(?:Corrected|Correctable|Uncorrected)"),
    # kernel/hung_task.c: check_hung_task
    ("hang", r"INFO: task (?P<device>(?:md|fio|kworker)[\w/:-]*):\d+ blocked for more than \d+ seconds"),
)
_MESSAGE_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _FORMS)
_RECORD = re.compile(r"(\d+),\d+,\d+,[^;]*;(.*)")
_FACILITIES = 8  # levels in each; the kernel's own facility is the first


def parse(record: str) -> Message | None:
    """A record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg); None if unknown, or written by a program."""
    match = _RECORD.match(record)
    if match is None or int(match[1]) >= _FACILITIES:
        return None
    for kind, pattern in _MESSAGE_PATTERNS:
        if matched := pattern.match(match[2]):
            return Message(kind, matched["device"], clean(match[2])[:_LONGEST])
    return None


def messages(records: Iterable[str], our_disks: Collection[str]) -> tuple[Message, ...]:
    """Distinct, with counts. Of `our_disks` and arrays; of all ports, controllers, CPUs: may affect these."""
    counts: dict[Message, int] = {}
    first_alike: dict[tuple[Kind, str, str], Message] = {}
    for record in records:
        message = parse(record)
        if message is None or (_is_block(message.device) and not _is_ours(message.device, our_disks)):
            continue
        like = (message.kind, message.device, re.sub(r"\d+|0x\w+", "#", message.text))
        first = first_alike.setdefault(like, message)
        counts[first] = counts.get(first, 0) + 1
    return tuple(msgspec.structs.replace(count, times=times) for count, times in list(counts.items())[:_MOST_MESSAGES])


def _is_block(device: str) -> bool:
    return re.fullmatch(_DISK.replace("?P<device>", ""), device) is not None


def _is_ours(device: str, our_disks: Collection[str]) -> bool:
    return any(device == name or re.fullmatch(rf"{re.escape(name)}p?\d+", device) for name in our_disks)


def words(messages: Iterable[Message]) -> str:
    """The first of each kind, in the kernel's words; number of others."""
    known_messages = list(messages)
    first = {message.kind: message for message in reversed(known_messages)}
    quoted = [
        f"{message.text}{f' ({message.times} times)' if message.times > 1 else ''}"
        for message in known_messages
        if first[message.kind] is message
    ]
    more_messages = len(known_messages) - len(quoted)
    return (
        f"the kernel told: {'; '.join(quoted)}{f'; and {more_messages} more' if more_messages else ''}"
        if known_messages
        else ""
    )
