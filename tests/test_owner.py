"""The addresses that the owner fills in: an empty one is printed nowhere."""

import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from packing import readme
from raidtui import owner
from raidtui.ui import crash


@pytest.mark.parametrize(
    "repository, reports, urls",
    [
        ("", "", {}),
        ("https://example.org/r", "", {"Source": "https://example.org/r"}),
        ("https://a.org", "https://a.org/i", {"Source": "https://a.org", "Issues": "https://a.org/i"}),
        ("", "bugs@example.org", {}),
    ],
)
def test_filled_in_addresses_are_urls_of_the_package(
    tmp_path: Path, repository: str, reports: str, urls: dict[str, str]
) -> None:
    (file := tmp_path / "owner.toml").write_text(f'repository = "{repository}"\nreports = "{reports}"\n')
    assert owner.urls(file) == urls
    assert owner.addresses(file).get("reports", "") == reports


@pytest.mark.parametrize("reports, end", [("", "crash.log."), ("bugs@example.org", "crash.log to bugs@example.org.")])
def test_a_fault_is_reported_to_the_owner_s_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reports: str, end: str
) -> None:
    monkeypatch.setattr(crash, "runs_root", lambda: tmp_path / "runs")
    monkeypatch.setattr(crash, "addresses", lambda: {"reports": reports} if reports else {})
    assert crash.record(RuntimeError("x")).endswith(end)


def test_the_file_has_the_keys_that_are_read() -> None:
    assert set(tomllib.loads(owner.FILE.read_text())) == {"repository", "reports"}


REPOSITORY = Path(__file__).parents[1]
TEXT = readme.README.read_text()
_PATH = re.compile(r"\]\((?!https?://|#)")


def test_the_first_commands_of_readme_are_of_today() -> None:
    written = readme.current(TEXT, owner.addresses().get("repository", ""))
    assert written == TEXT, "python -m packing.readme"
    (first, *_) = re.findall(r"```sh\n(.*)", written[written.index("## ") :])
    assert first.startswith("uvx " if owner.addresses().get("repository") else "apt install make")
    with pytest.raises(ValueError, match="not found"):
        readme.current("# raidtui", "")


def test_the_first_command_needs_no_clone_where_its_address_is_known() -> None:
    address = "https://example.org/o/raidtui"
    commands = readme.first_commands(address)
    assert commands.index(f"uvx --from git+{address} raidtui demo") < commands.index(f"pipx run --spec git+{address} ")
    assert f"git clone {address} raidtui && cd raidtui\napt install make" in commands
    assert "{" not in commands and readme.first_commands("").count("make run") == 1


@pytest.mark.parametrize("repository", ["", "https://example.org/o/raidtui.git"])
def test_a_package_links_nothing_that_is_not_there(repository: str) -> None:
    text = readme.packaged(TEXT, repository)
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", text)
    assert not _PATH.search(text) and "<!--" not in text and bool(links) == bool(repository)
    base = "https://example.org/o/raidtui"
    for picture, link in links:
        path = link.removeprefix(f"{base}/{'raw' if picture else 'blob'}/HEAD/").partition("#")[0]
        assert (REPOSITORY / path).exists(), link
    assert len(links) == (len(_PATH.findall(TEXT)) if repository else 0)
    assert "Plan, build, measure and prove" in text
    assert ("review every command" in text) == ("![Review]" in text) == bool(repository)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a build reads of this repository, with an owner."""
    root = tmp_path_factory.mktemp("sources")
    read = ("raidtui", "packing", "themes", "docs", "*.md", "LICENSE", "pyproject.toml", "tests/recordings/runs")
    asked = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *read)
    listed = subprocess.run(asked, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, root / name)
    (root / "raidtui/owner.toml").write_text(
        'repository = "https://example.org/o/r"\nreports = "https://example.org/i"\n'
    )
    return root


def test_a_build_with_an_owner_has_its_addresses(sources: Path, tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(sources)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        of_wheel = packed.read(name)
    (sdist,) = SdistBuilder(str(sources)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(sdist) as packed_sources:
        (member,) = (one for one in packed_sources.getmembers() if one.name.endswith("/PKG-INFO"))
        file = packed_sources.extractfile(member)
        assert file
        of_sdist = file.read()
    for content in (of_wheel, of_sdist):
        metadata = message_from_bytes(content)
        assert metadata.get_all("Project-URL") == ["Source, https://example.org/o/r", "Issues, https://example.org/i"]
        assert metadata["Description-Content-Type"] == "text/markdown"
        text = str(metadata.get_payload())
        assert "uvx --from git+https://example.org/o/r raidtui demo" in text and not _PATH.search(text)
        assert "](https://example.org/o/r/blob/HEAD/docs/install.md" in text
        assert "](https://example.org/o/r/raw/HEAD/screenshots/whole-path.svg)" in text
