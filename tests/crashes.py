"""What a machine that goes down may leave of the files of a folder: the states behind each call that orders or syncs.

A content is there for sure once its file was synced, a name once its folder was. What was written or renamed since may
be there or not, each for itself and in any order: POSIX promises no more, whatever one file system does.
"""

import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

TORN = b"\0torn"  # of a content that was never synced: nobody knows what is there
State = dict[str, bytes]  # path below the folder -> content
Look = Callable[[State], object]
_ORDERING = ("fsync", "fdatasync", "rename", "replace", "unlink")


class Disk:
    """`moments`: names of the ordering calls so far. `look` gets each state that a crash may leave, before each such
    call and after the last one; it asserts.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, look: Look = lambda _: None) -> None:
        self.folder, self.look = folder, look
        self.moments: list[str] = []
        self._contents = {inode: content for _, inode, content in self._files()}
        self._names = self._inodes()
        for name in _ORDERING:
            monkeypatch.setattr(os, name, self._recorded(name, getattr(os, name)))

    def _files(self) -> list[tuple[Path, int, bytes]]:
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return [(path, path.stat().st_ino, path.read_bytes()) for path in files]

    def _inodes(self) -> dict[Path, int]:
        """Of files and folders."""
        return {path: path.stat().st_ino for path in sorted(self.folder.rglob("*"))}

    def _recorded(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        def recorded(*words: object, **named: object) -> object:
            self.check()
            done = call(*words, **named)
            self.moments.append(name)
            if name in ("fsync", "fdatasync"):
                self._sync(words[0])
            self.check()
            return done

        return recorded

    def _sync(self, file: object) -> None:
        """Of a file its content; of a folder the names in it."""
        inode = os.fstat(file if isinstance(file, int) else file.fileno()).st_ino  # type: ignore[attr-defined]
        self._contents |= {of_file: content for _, of_file, content in self._files() if of_file == inode}
        folders = [path for path in (self.folder, *self._inodes()) if path.is_dir() and path.stat().st_ino == inode]
        for folder in folders:
            elsewhere = {path: one for path, one in self._names.items() if path.parent != folder}
            self._names = elsewhere | {path: one for path, one in self._inodes().items() if path.parent == folder}

    def check(self) -> None:
        for state in self.states():
            self.look(state)

    def states(self) -> Iterator[State]:
        """Each that a crash at this moment may leave."""
        contents = {inode: content for _, inode, content in self._files()}
        now = {path: inode for path, inode, _ in self._files()}
        paths = sorted({*now, *(path for path, inode in self._names.items() if inode in self._contents)})
        for chosen in product(*(self._may_be(path, now.get(path)) for path in paths)):
            inodes = sorted({inode for inode in chosen if inode is not None})
            for held in product(*(self._may_hold(inode, contents.get(inode)) for inode in inodes)):
                of = dict(zip(inodes, held, strict=True))
                there = {path: inode for path, inode in zip(paths, chosen, strict=True) if inode is not None}
                yield {str(path.relative_to(self.folder)): of[inode] for path, inode in there.items()}

    def _may_be(self, path: Path, now: int | None) -> set[int | None]:
        """Inodes behind a name; none, too, while the name of a folder above it was not synced."""
        synced = self._names.get(path) if self._names.get(path) in self._contents else None
        above = [folder for folder in path.parents if folder.is_relative_to(self.folder) and folder != self.folder]
        return {synced, now, *(None for folder in above if folder not in self._names)}

    def _may_hold(self, inode: int, now: bytes | None) -> set[bytes]:
        synced = self._contents.get(inode, TORN)
        return {synced} if now is None or now == synced else {synced, now}
