"""What a person signs: the checksums of a run's raw files, and a line for name and date."""

from collections.abc import Iterator, Mapping

from raidtui.core.page.blocks import Block, Code, FileLink, Heading, PageTable, Text

SUMS = "SHA256SUMS"  # name of the file, as sha256sum(1) reads it
_LINE = "_" * 30


def sums(digests: Mapping[str, str]) -> str:
    """`digests`: path below the run's folder -> SHA-256 in hexadecimal."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def signature(digests: Mapping[str, str], digest: str, folder: str) -> Iterator[Block]:
    """`digest`: SHA-256 of the file of sums, which lies in `folder`."""
    yield Heading("Signature")
    yield Text(
        (f"SHA-256 of {len(digests)} raw files: ", FileLink(SUMS, f"{folder}/{SUMS}"), ", itself ", Code(digest), ".")
    )
    yield PageTable(("Name", "Date", "Signature"), ((_LINE, _LINE, _LINE),), 3)
