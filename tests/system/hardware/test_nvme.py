"""The write cache of an NVMe disk: of which controller it is, whose it is besides, how nvme-cli is asked for it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.system.hardware import nvme
from raidtui.system.hardware.nvme import NvmeCache
from raidtui.system.process import Done, ProcessError


class Cli:
    """nvme-cli on controllers that have a write cache, which is on; `fails`: a command and what it says instead."""

    def __init__(self) -> None:
        self.on = True
        self.vwc = 7
        self.listed = 1
        self.fails: dict[str, str] = {}
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, argv: Sequence[str], timeout_s: float) -> Done:
        self.asked.append(tuple(argv))
        _, command, *rest = argv
        if words := self.fails.get(command):
            return Done(1, "", words)
        if command == "set-feature":
            assert rest[1] == "--feature-id=6"
            self.on = rest[2] == "--value=1"
        return Done(0, {
            "id-ctrl": f'{{"vwc": {self.vwc}}}',
            "list-ns": "".join(f"[{number:4}]:{number + 1:#x}\n" for number in range(self.listed)),
            "get-feature": f"get-feature:0x06 (Volatile Write Cache), Current value:0x{self.on:08x}\n",
            "set-feature": "set-feature:0x06 (Volatile Write Cache), value:00000000, cdw12:00000000, save:0\n",
        }[command], "")  # fmt: skip


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setattr(nvme, "which", lambda name: f"/usr/sbin/{name}")
    return Cli()


def sysfs(root: Path, *namespaces: str) -> Path:
    """A kernel with these folders below its controllers: nvme0/nvme0n1."""
    for name in namespaces:
        (root / "class/nvme" / name).mkdir(parents=True)
    return root


def test_it_is_switched_at_the_controller_and_read_there_again(cli: Cli, tmp_path: Path) -> None:
    cache = NvmeCache("nvme0n1", cli, sysfs(tmp_path, "nvme0/nvme0n1", "nvme0/hwmon1", "nvme1/nvme1n1"))
    assert (cache.read(), cache.shared_with()) == ("write back", ())
    cache.write("write through")
    assert cli.asked[-1] == ("nvme", "set-feature", "/dev/nvme0", "--feature-id=6", "--value=0")
    assert cache.read() == "write through"
    cache.write("write back")
    assert cli.on and {words[2] for words in cli.asked} == {"/dev/nvme0"}


@pytest.mark.parametrize("folders", [("nvme3/nvme3n1", "nvme3/nvme3n2"), ("nvme3/nvme3c3n1", "nvme3/nvme3c3n2")])
def test_who_else_has_it_is_told(cli: Cli, tmp_path: Path, folders: tuple[str, ...]) -> None:
    cli.listed = 2
    assert NvmeCache("nvme3n1", cli, sysfs(tmp_path, *folders)).shared_with() == ("nvme3n2",)


def test_with_native_multipath_the_controller_has_another_number_than_the_disk(cli: Cli, tmp_path: Path) -> None:
    NvmeCache("nvme0n1", cli, sysfs(tmp_path, "nvme5/nvme0c5n1", "nvme0/nvme1c0n1")).read()
    assert cli.asked[0][2] == "/dev/nvme5"


def test_a_namespace_that_is_no_disk_here_may_be_anybodys(cli: Cli, tmp_path: Path) -> None:
    cli.listed = 2
    with pytest.raises(OSError, match="nvme0 has 2 namespaces, and 1 of them are disks here"):
        NvmeCache("nvme0n1", cli, sysfs(tmp_path, "nvme0/nvme0n1")).shared_with()


@pytest.mark.parametrize(
    "folders, words",
    [
        (("nvme0/nvme0c0n1", "nvme1/nvme0c1n1"), r"nvme0n1 hangs on 2 controllers \(nvme0, nvme1\)"),
        (("nvme1/nvme1n1",), "nvme0n1 hangs on no NVMe controller"),
    ],
)
def test_a_disk_of_no_single_controller_is_left_alone(
    cli: Cli, tmp_path: Path, folders: tuple[str, ...], words: str
) -> None:
    cache = NvmeCache("nvme0n1", cli, sysfs(tmp_path, *folders))
    for act in (cache.read, cache.shared_with, lambda: cache.write("write through")):
        with pytest.raises(OSError, match=words):
            act()
    assert not cli.asked


def test_a_controller_without_a_cache_has_nothing_to_switch(cli: Cli, tmp_path: Path) -> None:
    cli.vwc = 0
    with pytest.raises(OSError, match="its controller has no volatile write cache"):
        NvmeCache("nvme0n1", cli, sysfs(tmp_path, "nvme0/nvme0n1")).read()


@pytest.mark.parametrize(
    "said, words",
    [
        ("NVMe status: Feature Not Changeable: The command specified ...(0x10e)\n", "Feature Not Changeable"),
        ("", "it said nothing"),
    ],
)
def test_what_the_controller_refuses_is_told_in_its_words(cli: Cli, tmp_path: Path, said: str, words: str) -> None:
    cli.fails["set-feature"] = said or " "
    with pytest.raises(OSError, match=words):
        NvmeCache("nvme0n1", cli, sysfs(tmp_path, "nvme0/nvme0n1")).write("write through")


def test_without_nvme_cli_its_package_is_named(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvme, "which", lambda name: None)
    with pytest.raises(OSError, match=r"nvme is not installed, which switches it: .*nvme-cli") as refused:
        NvmeCache("nvme0n1", cli, sysfs(tmp_path, "nvme0/nvme0n1")).read()
    assert refused.value.strerror and not cli.asked


def test_a_controller_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvme, "which", lambda name: f"/usr/sbin/{name}")

    def silent(argv: Sequence[str], timeout_s: float) -> Done:
        raise ProcessError("nvme did not end in 20 s.")

    with pytest.raises(OSError, match="did not end in 20 s") as refused:
        NvmeCache("nvme0n1", silent, sysfs(tmp_path, "nvme0/nvme0n1")).read()
    assert refused.value.strerror
