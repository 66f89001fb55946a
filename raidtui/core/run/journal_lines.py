"""Journal lines: encoding, decoding. An unfinished last line waits; a complete unreadable one is Damaged, as is a tail
nobody writes: zeros, or longer than any line. Meaning: `state`.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, get_args

import msgspec

from raidtui.core.fio.measurement import Measurement
from raidtui.core.run.events import AnyEvent, Damaged, SyncProgress, TrialEnded, Unknown
from raidtui.core.text import OutOfBounds, brief, check_figures

_COLDEST_C = -273
_LONGEST_LINE_BYTES = 1 << 20
_MOST_DAMAGED_BYTES = 64 << 20  # that are passed over
_MOST_KEPT_BYTES = 256 << 20
_KINDS = frozenset(kind.__struct_config__.tag for kind in get_args(AnyEvent))
_PERCENTILE = re.compile(r"100|[0-9]{1,2}(\.[0-9]{1,12})?")
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_kind_decoder = msgspec.json.Decoder(Unknown)


def encode(event: AnyEvent) -> bytes:
    return _encoder.encode(event) + b"\n"


def decode(line: bytes) -> AnyEvent | Unknown:
    """Unknown for an unknown kind. ValueError for a torn line, or a known kind in another shape."""
    try:
        event = _decoder.decode(line)
        if isinstance(event, TrialEnded):
            return msgspec.structs.replace(event, measurement=_believed(event.measurement))
        return event
    except msgspec.ValidationError:
        try:
            unknown = _kind_decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ValueError(f"not an event: {error}") from error
        if not unknown.event or unknown.event in _KINDS:
            raise ValueError("an event without its kind, or with figures and words that cannot be") from None
        return unknown
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"not a line of a journal: {error}") from error


def _believed(measurement: Measurement) -> Measurement:
    """Without impossible values; that the trial ended stays true."""
    fields = msgspec.to_builtins(measurement)
    try:
        check_figures(fields.pop("temperatures"), least=_COLDEST_C)
    except OutOfBounds:
        measurement = msgspec.structs.replace(measurement, temperatures={})
    steps = [disk.pop("step", None) for disk in fields["disks"].values()]
    try:
        check_figures(fields)
        check_figures([step for step in steps if step is not None], least=-1)  # a share that may be lost
        _check_percentiles(measurement)
    except OutOfBounds as error:
        return Measurement(name=measurement.name, status="failed", error=f"unreadable: {error}", rw=measurement.rw)
    return measurement


def _check_percentiles(measurement: Measurement) -> None:
    for transfers in (measurement.read, measurement.write):
        for point in (transfers and transfers.lat_percentiles_ns) or ():
            if not _PERCENTILE.fullmatch(point):
                raise OutOfBounds(f"{brief(repr(point))} is no percentile")


def of_file(file: BinaryIO) -> Iterator[AnyEvent | Unknown | Damaged]:
    """As `read`, a line at a time. A line longer than any is Damaged; after a long damage nothing is read. ValueError
    once the events that a state keeps are more than any run has.
    """
    kept_bytes = damaged_bytes = 0
    while line := file.readline(_LONGEST_LINE_BYTES):
        if not line.endswith(b"\n"):
            if b"\0" not in line and len(line) < _LONGEST_LINE_BYTES:
                return
            yield Damaged()
            while line and not line.endswith(b"\n") and damaged_bytes < _MOST_DAMAGED_BYTES:
                line = file.readline(_LONGEST_LINE_BYTES)
                damaged_bytes += len(line)
            if damaged_bytes >= _MOST_DAMAGED_BYTES:
                return
            continue
        event: AnyEvent | Unknown | Damaged = Damaged()
        with suppress(ValueError):
            event = decode(line[:-1])
        if not isinstance(event, SyncProgress | Damaged | Unknown):
            kept_bytes += len(line)
        if kept_bytes > _MOST_KEPT_BYTES:
            raise ValueError(f"a journal with more than {_MOST_KEPT_BYTES >> 20} MiB of events")
        yield event


def read(journal_bytes: bytes) -> tuple[tuple[AnyEvent | Unknown | Damaged, ...], int]:
    """Events of complete lines, and start of the torn tail. A tail that is no partial line is one Damaged event."""
    events: list[AnyEvent | Unknown | Damaged] = []
    read_to = 0
    while (newline := journal_bytes.find(b"\n", read_to)) >= 0:
        try:
            events.append(decode(journal_bytes[read_to:newline]))
        except ValueError:
            events.append(Damaged())
        read_to = newline + 1
    if b"\0" in journal_bytes[read_to:] or len(journal_bytes) - read_to > _LONGEST_LINE_BYTES:
        events.append(Damaged())
        read_to = len(journal_bytes)
    return tuple(events), read_to
