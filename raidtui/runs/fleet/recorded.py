"""All samples of a run, read once from its first second to its last."""

from pathlib import Path

from raidtui.core.run import samples
from raidtui.core.run.samples import Header, Sample
from raidtui.runs import directory


def all_samples(path: Path) -> tuple[Header, tuple[Sample, ...]]:
    """The samples of the run in `path`; ValueError where it has none, or they cannot be read. A torn last one is left
    out, as a run that is going on writes it just now.
    """
    file = path / directory.SAMPLES
    if not file.is_file():
        raise ValueError(f"{path.name} has no samples yet: {file} is not there")
    sample_bytes = file.read_bytes()
    header, start = samples.decode_header(sample_bytes)
    width = header.record_bytes
    records = (sample_bytes[at : at + width] for at in range(start, len(sample_bytes) - width + 1, width))
    return header, tuple(samples.decode(record) for record in records)
