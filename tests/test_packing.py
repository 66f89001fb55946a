"""What is packed with the program is of today; the single file goes by nothing that others may have written."""

import configparser
import os
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import raidtui
from packing import collection, commands, installed, manual, release, rpm, trees, unpack
from raidtui.cli import completion, status
from raidtui.cli.app import program

REPOSITORY = Path(__file__).parents[1]
_OF_FEDORA = {"libc6": "glibc", "udev": "%{_bindir}/udevadm", "fdisk": "util-linux"}


@pytest.mark.parametrize("file, module", [("raidtui.1", manual), ("commands.md", commands)])
def test_the_generated_pages_are_current(file: str, module: ModuleType) -> None:
    page = module.page()
    assert (REPOSITORY / "docs" / file).read_text() == page, f"python -m {module.__name__} > docs/{file}"
    names = {command.callback.__name__ for command in program().registered_commands if command.callback}
    assert {*re.findall(r'^(?:\.SS "|### )(\w+)', page, re.MULTILINE)} == names


def test_a_note_on_no_command_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "notes.md").write_text(commands.NOTES.read_text() + "\n## gone\n\nOld text.\n")
    monkeypatch.setattr(commands, "NOTES", file)
    with pytest.raises(ValueError, match="no command: gone"):
        commands.page()


def test_text_is_no_request_of_roffs() -> None:
    assert manual._text('.TH "a" \\fB-x') == r"\&.TH \(dqa\(dq \efB\-x"


@pytest.mark.parametrize("shell", completion.Shell)
def test_a_packages_completion_asks_the_installed_program(shell: completion.Shell) -> None:
    script = completion.script(shell, "/usr/bin/raidtui")
    assert "_TYPER_COMPLETE_ARGS=" in script and " /usr/bin/raidtui 2>/dev/null" in script
    assert "@ASKED@" not in script and "@PROGRAM@" not in script


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(unpack, "ROOTS_CACHE", tmp_path)
    return tmp_path / "raidtui" / "app"


@pytest.mark.parametrize("shared", [".", ".."])
def test_nothing_is_started_from_a_folder_of_others(
    cache: Path, shared: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unpack.cache() == cache
    (cache / shared).resolve().chmod(0o777)
    with pytest.raises(SystemExit):
        unpack.cache()
    assert "others may write to it" in capsys.readouterr().err


def test_it_is_unpacked_once_and_whole(tmp_path: Path) -> None:
    archive, site = tmp_path / "x.pyz", tmp_path / "site-1"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("__main__.py", "")
        packed.writestr("site/raidtui/__init__.py", "")
    unpack.unpack(archive, site)
    unpack.unpack(archive, site)  # by another that began at the same time
    assert {path.name for path in tmp_path.iterdir()} == {"x.pyz", "site-1"}
    assert [path.relative_to(site).as_posix() for path in site.rglob("*.py")] == ["raidtui/__init__.py"]


def test_an_older_python_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.version_info", (3, 9, 2))
    with pytest.raises(SystemExit):
        unpack.main()
    assert "Python 3.11 or later is needed, this is 3.9" in capsys.readouterr().err


def test_a_file_for_another_machine_is_not_unpacked(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(unpack, "MACHINE", "s390x")
    with pytest.raises(SystemExit):
        unpack.main()
    assert f"this file is for s390x, this machine is {os.uname().machine};" in capsys.readouterr().err
    assert not cache.exists()


@pytest.mark.parametrize(
    "tags, compiled",
    [
        (["py3-none-any"], False),
        (["py2-none-any", "py3-none-any"], False),
        (["cp36-abi3-manylinux2014_x86_64"], True),
        (["cp311-cp311-manylinux_2_28_aarch64"], True),
    ],
)
def test_compiled_packages_are_known_by_their_tags(tmp_path: Path, tags: list[str], compiled: bool) -> None:
    (info := tmp_path / "x-1.dist-info").mkdir()
    (info / "METADATA").write_text("Name: x\nVersion: 1\n")
    (info / "WHEEL").write_text("".join(f"Tag: {tag}\n" for tag in tags))
    (distribution,) = trees.distributions(tmp_path)
    assert trees.is_compiled(distribution) is compiled


def test_the_rpm_has_the_version_and_the_needs_of_the_debian_package() -> None:
    spec = rpm.SPEC.read_text()
    assert re.findall(r"^Version: +(.+)$", spec, re.MULTILINE) == [raidtui.__version__]
    control = (REPOSITORY / "packing" / "debian" / "control").read_text()
    for field in ("Depends", "Recommends"):
        (line,) = re.findall(rf"^{field}: (.+)$", control, re.MULTILINE)
        debian = {_OF_FEDORA.get(name := word.split()[0], name) for word in line.split(",")} - {"python3"}
        redhat = re.findall(rf"^{ {'Depends': 'Requires'}.get(field, field) }: +([^ \n]+)", spec, re.MULTILINE)
        assert debian == set(redhat) - {"%{_bindir}/python%{python_version}"}


def test_the_shipped_timer_begins_a_command_that_the_program_has() -> None:
    units = {path.name: configparser.RawConfigParser(strict=False) for path in installed.UNITS.iterdir()}
    for name, unit in units.items():
        unit.optionxform = str  # type: ignore[assignment, method-assign]
        unit.read(installed.UNITS / name)
    service = units["raidtui-status.service"]["Service"]
    words = service["ExecStart"].split()
    assert words[0] == f"/{installed.COMMAND}" and words[-1] == "${RAIDTUI_METRICS}"
    assert service["Environment"].startswith("RAIDTUI_METRICS=/") and service["Environment"].endswith(".prom")
    assert f"| `{words[2]} FILE` |" in commands.page().partition(f"### {words[1]}")[2].partition("\n### ")[0]
    assert {int(code) for code in service["SuccessExitStatus"].split()} == {status.ATTENTION, status.LOST}
    assert units["raidtui-status.timer"]["Timer"]["OnCalendar"] and {*units} == {
        f"raidtui-status.{kind}" for kind in ("service", "timer")
    }


WORKFLOW = (REPOSITORY / ".github/workflows/check.yml").read_text()


def jobs() -> dict[str, str]:
    """Of the workflow: name and text of each."""
    _, *parts = re.split(r"^  (?=[a-z]+:$)", WORKFLOW.partition("\njobs:\n")[2], flags=re.MULTILINE)
    return {part.partition(":")[0]: part for part in parts}


def test_the_workflow_runs_targets_that_exist() -> None:
    targets = {word for line in re.findall(r"run: make (.+)", WORKFLOW) for word in line.split() if "=" not in word}
    known = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    assert targets == {"check", "setup", "deb", "rpm", "zipapp"} and targets <= known
    assert "run: .ci/run\n" in WORKFLOW and (REPOSITORY / ".ci" / "run").exists()


# What GitHub knows; the rest is its commands' and the jobs' own names.
_KEYS = {
    "": "name on permissions concurrency jobs",
    "on": "push pull_request schedule",
    "on.push": "branches tags",
    "on.schedule": "cron",
    "permissions": "contents",
    "concurrency": "group cancel-in-progress",
    "jobs.*": "if needs runs-on timeout-minutes container environment permissions strategy steps",
    "jobs.*.container": "image options",
    "jobs.*.permissions": "contents id-token",
    "jobs.*.strategy": "fail-fast matrix",
    "jobs.*.strategy.matrix": "python",
    "jobs.*.steps": "if uses with run env",
    "jobs.*.steps.with": "fetch-depth persist-credentials name path",
}


def test_the_workflow_has_keys_jobs_and_contexts_that_there_are() -> None:
    """What actionlint refuses, and keys of actions that it does not know. Its 1.7.12 is content with this file."""
    above: list[tuple[int, str]] = []
    for blanks, dash, key in re.findall(r"^( *)(- )?([\w-]+):", WORKFLOW, re.MULTILINE):
        above = [one for one in above if one[0] < len(blanks + dash)]
        place = re.sub(r"^jobs\.\w+", "jobs.*", ".".join(name for _, name in above))
        assert place in ("jobs", "jobs.*.steps.env") or key in _KEYS[place].split(), (place, key)
        above.append((len(blanks + dash), key))
    for name, text in jobs().items():
        assert {*re.findall(r"\w+", "".join(re.findall(r"needs: (.+)", text)))} <= {*jobs()} - {name}
        asked = re.findall(r"\$\{\{ (.+?) \}\}|\bif: (.+)", text)
        used = set(re.findall(r"\b[a-z]+\.[a-z_]+", " ".join(map("".join, asked))))
        known = {f"github.{of}" for of in ("event_name", "ref", "ref_name", "token")}
        assert used <= known | ({"matrix.python"} if "matrix:" in text else set()), name
        for step in text.split("\n      - "):  # a shell has no other variables
            given = {"GITHUB_WORKSPACE", "GITHUB_REPOSITORY", *re.findall(r"^ {10}([A-Z_]+):", step, re.MULTILINE)}
            assert {*re.findall(r"\$\{?([A-Z_]+)", step)} <= given, step


def test_the_workflow_trusts_commits_and_no_secret_and_publishes_what_was_tested() -> None:
    actions = re.findall(r"uses: (.+)", WORKFLOW)
    assert len(actions) > 8 and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action) for action in actions)
    assert "secrets." not in WORKFLOW and "pull_request_target" not in WORKFLOW
    known = jobs()
    assert all("    runs-on: ubuntu-latest\n" in text and "    steps:\n" in text for text in known.values())
    assert [name for name, text in known.items() if "id-token: write" in text] == ["publish"]
    assert [name for name, text in known.items() if "contents: write" in text] == ["page"]
    tested = {*known} - {"publish", "page"}
    assert f"needs: [{', '.join(name for name in known if name in tested)}]" in known["publish"]
    assert all("startsWith(github.ref, 'refs/tags/v')" in known[name] for name in ("publish", "page"))


def test_the_workflow_tries_each_python_and_the_newest_of_all_that_is_needed() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    pythons = [name.rpartition(" ")[2] for name in project["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert f"python: {pythons}".replace("'", '"') in WORKFLOW and pythons[0] == project["requires-python"][2:]
    needed = " ".join(re.split(r"[<>=]", name)[0] for name in project["dependencies"])
    assert f"install --upgrade {needed}\n" in WORKFLOW


@pytest.mark.parametrize("form", ["bug", "disk"])
def test_an_issue_form_asks_for_a_masked_recording(form: str) -> None:
    text = (REPOSITORY / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml").read_text()
    (words,) = re.findall(r"`sudo raidtui (doctor .*?)`", text)
    assert words == "doctor --dump machine.json --mask"
    (doctor,) = (command for command in program().registered_commands if command.name == "doctor")
    assert doctor.callback is not None and {"dump", "mask"} <= doctor.callback.__annotations__.keys()


def released(**others: str) -> dict[str, str]:
    """What the release writes of this program's own files, of which some say something else."""
    texts = {file: (REPOSITORY / file).read_text() for file in (*release.PLACES, release.CHANGES)}
    return release.written(texts | others, raidtui.__version__, "1.2.3", "2026-01-02")


def test_a_release_is_written_wherever_the_version_is_named() -> None:
    for file, text in released().items():
        assert "1.2.3" in text and raidtui.__version__ not in text.replace("version_added", ""), file
    assert "\n## 1.2.3 - 2026-01-02\n" in released()[release.CHANGES]


_FORMS = [(file, form) for file, forms in release.PLACES.items() for form in forms]


@pytest.mark.parametrize(
    "file, was, says",
    [
        *((file, form.format(raidtui.__version__), f"{file} does not say") for file, form in _FORMS),
        (release.CHANGES, release.OPEN, "needs one open head"),
    ],
)
def test_a_place_with_another_version_is_no_release(file: str, was: str, says: str) -> None:
    text = (REPOSITORY / file).read_text()
    assert was in text
    with pytest.raises(release.NotReleased, match=says):
        released(**{file: text.replace(was, was.replace("0", "9").replace("Un", "De"))})


@pytest.mark.parametrize(
    "change, says",
    [
        ("## Unreleased\n\n## 0.0.9 (unreleased)\n", "needs one open head"),
        ("## Unreleased\n\n## 1.2.3 - 2025-01-01\n", "has a head for 1.2.3 already"),
    ],
)
def test_a_second_open_head_or_a_version_that_was_released_is_no_release(change: str, says: str) -> None:
    with pytest.raises(release.NotReleased, match=says):
        released(**{release.CHANGES: change})


def test_what_was_released_sums_itself(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(b"x")
    (tmp_path / "SHA256SUMS").write_text(release.sums(tmp_path))
    subprocess.run(("sha256sum", "--check", "--strict", "SHA256SUMS"), cwd=tmp_path, check=True, capture_output=True)
    assert release.sums(tmp_path).count("\n") == 1


def test_the_collections_archive_has_licence_changes_and_the_owners_addresses(tmp_path: Path) -> None:
    collection.fill(tmp_path / "bare", {})
    collection.fill(tmp_path / "owned", {"Source": "https://example.org/r", "Issues": "https://example.org/i"})
    for name in collection.ADDED:
        assert (tmp_path / "bare" / name).read_bytes() == (REPOSITORY / name).read_bytes()
    bare, owned = ((tmp_path / name / "galaxy.yml").read_text() for name in ("bare", "owned"))
    assert owned.removeprefix(bare) == "repository: https://example.org/r\nissues: https://example.org/i\n"
    assert "repository" not in bare and bare.endswith("\n")


def test_every_variable_of_the_role_is_specified_with_its_default() -> None:
    role = REPOSITORY / "ansible/roles/commission"
    given = re.findall(r"^(commission_\w+): *(.*)$", (role / "defaults/main.yml").read_text(), re.MULTILINE)
    specified = {
        part.partition(":")[0]: part
        for part in re.split(
            r"^      (?=commission_)", (role / "meta/argument_specs.yml").read_text(), flags=re.MULTILINE
        )[1:]
    }
    assert {*specified} == {name for name, _ in given} and len(given) == 17
    for name, value in given:
        said = re.findall(r"^        default: (.*)$", specified[name], re.MULTILINE)
        assert said == ([] if "{{" in value or "required: true" in specified[name] else [value]), name
