"""The lines of a journal: events encoded, read back, and left out or marked where what they tell cannot be.

A last line without its end waits; a whole one that cannot be read is Damaged, and so is an end that nobody writes:
zeros, or more than any line has. What the events mean is `state`'s.
"""

import re
from typing import get_args

import msgspec

from raidtui.core.fio.measurement import Measurement
from raidtui.core.run.events import AnyEvent, Damaged, TrialEnded, Unknown
from raidtui.core.text import OutOfBounds, brief, check_figures

_COLDEST_C = -273
_LONGEST_LINE_BYTES = 1 << 20
_KINDS = frozenset(kind.__struct_config__.tag for kind in get_args(AnyEvent))
_PERCENTILE = re.compile(r"100|[0-9]{1,2}(\.[0-9]{1,12})?")
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_kind_decoder = msgspec.json.Decoder(Unknown)


def encode(event: AnyEvent) -> bytes:
    """One line of a journal, newline included."""
    return _encoder.encode(event) + b"\n"


def decode(line: bytes) -> AnyEvent | Unknown:
    """One event of one line; a kind that is not known becomes Unknown. ValueError for a torn line, and for a known kind
    in another shape.
    """
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
    """Without figures that cannot be: that the trial has ended is true all the same."""
    fields = msgspec.to_builtins(measurement)
    try:
        check_figures(fields.pop("temperatures"), least=_COLDEST_C)
    except OutOfBounds:
        measurement = msgspec.structs.replace(measurement, temperatures={})
    try:
        check_figures(fields)
        _check_percentiles(measurement)
    except OutOfBounds as error:
        return Measurement(name=measurement.name, status="failed", error=f"unreadable: {error}", rw=measurement.rw)
    return measurement


def _check_percentiles(measurement: Measurement) -> None:
    """OutOfBounds where a latency is of no percentile."""
    for transfers in (measurement.read, measurement.write):
        for point in (transfers and transfers.lat_percentiles_ns) or ():
            if not _PERCENTILE.fullmatch(point):
                raise OutOfBounds(f"{brief(repr(point))} is no percentile")


def read(journal_bytes: bytes) -> tuple[tuple[AnyEvent | Unknown | Damaged, ...], int]:
    """All events of whole lines in `journal_bytes`, and where the torn tail begins: a last line without its end.

    A tail that is no part of a line is one Damaged event, and stays: what it replaced is not known.
    """
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
