"""`raidtui doctor --json`; filled by `system/doctor.py`."""

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """`text`: result; `remedy` unless `ok`."""

    subject: str
    ok: bool
    text: str
    remedy: str = ""


class DoctorDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`practice`, `run`: why impossible; null if possible."""

    findings: tuple[Finding, ...]
    practice: str | None
    run: str | None
