"""Lines of the kernel's log as values: each known form with a line as it was seen, and those of no concern."""

import pytest

from raidtui.core.answer.numbers import words
from raidtui.core.results.analysis import compare
from raidtui.core.run import events, journal_lines, kernel
from raidtui.core.run.state import fold_all
from tests.builders import handmade

# As in reports of users (kernel.org's Bugzilla, the linux-raid and linux-ide lists), numbers changed.
SEEN = (
    ("reset", "ata3", "ata3: hard resetting link"),
    ("link", "ata3.00", "ata3.00: exception Emask 0x10 SAct 0x7fe00 SErr 0x400100 action 0x6 frozen"),
    ("NCQ off", "ata3.00", "ata3.00: NCQ disabled due to excessive errors"),
    ("link", "ata3", "ata3: limiting SATA link speed to 3.0 Gbps"),
    ("link", "ata3", "ata3: SATA link down (SStatus 0 SControl 300)"),
    ("I/O error", "sdc", "I/O error, dev sdc, sector 1234 op 0x0:(READ) flags 0x4000 phys_seg 1 prio class 2"),
    ("I/O error", "sdc", "critical medium error, dev sdc, sector 976773160 op 0x0:(READ) flags 0x0 phys_seg 1 prio"),
    ("I/O error", "sdc", "device offline error, dev sdc, sector 327680 op 0x0:(READ) flags 0x80700 phys_seg 4 prio"),
    ("I/O error", "sdc", "blk_update_request: I/O error, dev sdc, sector 1234"),
    ("I/O error", "nvme1n1", "I/O error, dev nvme1n1, sector 0 op 0x1:(WRITE) flags 0x8800 phys_seg 1 prio class 2"),
    ("I/O error", "md127", "Buffer I/O error on dev md127, logical block 0, async page read"),
    ("I/O error", "sdc", "sd 2:0:0:0: [sdc] tag#21 FAILED Result: hostbyte=DID_BAD_TARGET driverbyte=DRIVER_OK"),
    ("reset", "2:0:0:0", "sd 2:0:0:0: Power-on or device reset occurred"),
    ("offline", "2:0:0:0", "sd 2:0:0:0: rejecting I/O to offline device"),
    ("controller", "mpt2sas_cm0", "mpt2sas_cm0: log_info(0x31120303): originator(PL), code(0x12), sub_code(0x0303)"),
    ("reset", "nvme0", "nvme nvme0: I/O 24 QID 2 timeout, aborting"),
    ("reset", "nvme0", "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff"),
    ("array", "md127", "md/raid:md127: Disk failure on sdc, disabling device."),
    ("array", "md127", "md/raid:md127: read error corrected (8 sectors at 2048 on sdc)"),
    ("array", "md0", "md: data-check of RAID array md0"),
    ("throttling", "CPU3", "mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = 41)"),
    ("throttling", "CPU3", "CPU3: Package temperature is above threshold, cpu clock is throttled (total events = 41)"),
    ("link", "0000:00:1c.4", "pcieport 0000:00:1c.4: AER: Corrected error message received from 0000:04:00.0"),
    ("hang", "md127_raid5", "INFO: task md127_raid5:712 blocked for more than 120 seconds."),
)


@pytest.mark.parametrize("kind, device, text", SEEN)
def test_each_known_form_is_a_value(kind: kernel.Kind, device: str, text: str) -> None:
    assert kernel.parse(f"4,1700,98765432,-;{text}\n SUBSYSTEM=scsi\n") == kernel.Message(kind, device, text)


@pytest.mark.parametrize(
    "record",
    [
        "6,1,2,-;EXT4-fs (md127): mounted filesystem with ordered data mode",
        "6,1,2,-;sd 2:0:0:0: [sdc] Attached SCSI disk",
        "12,1,2,-;ata3: hard resetting link",  # a program wrote it there
        "not a record",
        "",
    ],
)
def test_what_is_not_known_says_nothing(record: str) -> None:
    assert kernel.parse(record) is None


def test_disks_of_others_are_left_out_and_the_same_again_is_counted() -> None:
    lines = [
        "3,1,2,-;I/O error, dev sdc, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "3,2,3,-;I/O error, dev sdc, sector 16 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "3,3,4,-;I/O error, dev sdc1, sector 16 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "3,4,5,-;I/O error, dev sdz, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "3,5,6,-;I/O error, dev md9, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "4,6,7,-;ata3: hard resetting link",
    ]
    found = kernel.messages(lines, {"sdc", "md127"})
    assert [(one.kind, one.device, one.times) for one in found] == [
        ("I/O error", "sdc", 2),
        ("I/O error", "sdc1", 1),
        ("reset", "ata3", 1),
    ]
    assert kernel.words(found).endswith("(2 times); ata3: hard resetting link; and 1 more")


def test_a_message_marks_its_trial_and_is_evidence_of_a_slow_one() -> None:
    plan = handmade.plan()
    trial = plan.trial("filesystem-rand_read")
    assert trial
    slow = handmade.measurement(trial, 100)
    told = handmade.journal(plan, filesystem_rand_read={"read": slow.read})
    reset = kernel.parse("4,6,7,-;ata3: hard resetting link")
    assert reset
    at = next(i for i, one in enumerate(told) if isinstance(one, events.TrialEnded) and one.trial == trial.id)
    told.insert(at, events.KernelReported(at_s=told[at].at_s, trial=trial.id, messages=(reset,)))
    found = compare(plan, fold_all(journal_lines.read(b"".join(map(journal_lines.encode, told)))[0]))
    row = next(one for one in found.rows if one.job == "rand_read")
    assert list(map(words, row.causes.evident)) == ["the kernel told: ata3: hard resetting link"]
    assert "Random 4K read (filesystem): the kernel told: ata3: hard resetting link" in found.warnings
