"""`raidtui doctor --json`: what a machine has and lacks. Who looks is `system/doctor.py`."""

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """One thing looked for. `text` says what was found, `remedy` what to do where it is not `ok`."""

    subject: str
    ok: bool
    text: str
    remedy: str = ""


class DoctorDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`practice`, `run`: why there can be no practice disks, no run; null where there can."""

    findings: tuple[Finding, ...]
    practice: str | None
    run: str | None
