"""The house: which folder may import which, no circles, no names that were given up, how large it may be.

Two looks at the same rule: every import statement as it is written (`ast`), and what importing a folder really drags in
(a fresh interpreter and its `sys.modules`).
"""

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

from raidtui import recipes
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from tests.builders.machines import device, machine
from tests.imports import ROOT, imports, modules, nodes, reached, statements, tree

PACKAGE = ROOT / "raidtui"
OUTSIDE = {"textual", "rich", "typer", "psutil", "pyudev", "plotext"}

# Folder -> the folders of raidtui that it may import, besides itself.
MAY_IMPORT: dict[str, frozenset[str]] = {
    folder: frozenset(below.split())
    for folder, below in {
        "core": "",  # text and units
        "core/boot": "core",
        "core/page": "core",
        "core/disks": "core",
        "core/hardware": "core core/disks",
        "core/raid": "core",
        "core/proof": "core core/raid",
        "core/arrays": "core core/boot core/disks core/raid",
        "core/fio": "core",
        "core/plan": "core core/boot core/disks core/raid core/fio core/proof core/plan/checked core/plan/kept"
        " core/plan/storage_layers",
        "core/plan/checked": "core core/boot core/disks core/fio core/proof core/raid core/plan core/plan/kept",
        "core/plan/storage_layers": "core core/boot core/raid core/plan",
        "core/plan/kept": "core core/boot core/disks core/raid core/plan core/plan/storage_layers",
        "core/advice": "core core/disks core/raid core/fio core/plan",
        "core/care": "core core/arrays core/disks core/raid core/fio core/plan core/plan/kept",
        "core/script": "core core/boot core/plan core/plan/kept core/raid",
        "core/run": "core core/arrays core/boot core/disks core/raid core/fio core/plan core/proof",
        "core/results": "core core/disks core/raid core/fio core/plan core/run",
        "core/answer": "core core/disks core/raid core/fio core/plan core/plan/kept core/run core/results",
        "core/fleet": "core core/arrays core/plan core/run core/results core/answer core/page",
        "core/documents": "core core/advice core/answer core/arrays core/care core/disks core/fio"
        " core/fleet core/hardware core/plan core/raid core/results core/run",
        "core/report": "core core/arrays core/disks core/raid core/fio core/plan core/plan/kept core/proof core/run"
        " core/results core/answer core/page",
        "core/handover": "core core/page core/arrays core/boot core/care core/disks core/hardware core/raid core/plan"
        " core/plan/kept core/run core/results core/answer core/report core/script",
        "recipes": "core core/fio core/plan",
    }.items()
}
_CORE = frozenset(folder for folder in MAY_IMPORT if folder.startswith("core"))
MAY_IMPORT["system"] = _CORE | {"system/files", "system/hardware"}
MAY_IMPORT["system/hardware"] = _CORE | {"system"}
MAY_IMPORT["system/files"] = _CORE
MAY_IMPORT["system/arrays"] = _CORE | {"system", "system/files"}
MAY_IMPORT["runs"] = _CORE | {"system", "system/arrays", "system/files", "system/hardware", "recipes"}
MAY_IMPORT["runs"] |= {"runs/care", "runs/disks", "runs/proof", "runs/removal"}
MAY_IMPORT["runs/care"] = _CORE | {"system", "system/arrays", "recipes", "runs", "runs/disks", "runs/removal"}
MAY_IMPORT["runs/disks"] = _CORE | {"runs"}
MAY_IMPORT["runs/proof"] = _CORE | {"runs", "runs/care", "runs/disks", "runs/removal"}
MAY_IMPORT["runs/removal"] = _CORE | {"runs", "runs/disks"}
MAY_IMPORT["practice"] = MAY_IMPORT["runs"] | {"runs"}
MAY_IMPORT["ui/render"] = _CORE
MAY_IMPORT["ui/render/walk"] = _CORE | {"ui/render"}
MAY_IMPORT["ui/widgets"] = _CORE | {"ui/render", "ui"}
MAY_IMPORT["ui/screens"] = MAY_IMPORT["runs"] | {"runs", "ui", "ui/render", "ui/render/walk", "ui/widgets"}
MAY_IMPORT["ui"] = MAY_IMPORT["runs"] | {
    "runs",
    "practice",
    "recipes",
    "ui/render",
    "ui/widgets",
    "ui/screens",
}
MAY_IMPORT["demo"] = _CORE | {"recipes", "runs", "ui", "ui/render"}
MAY_IMPORT["cli"] = MAY_IMPORT["runs"] | {"runs", "practice", "demo", "ui"}
# Who may import what of the libraries that are slow or that belong to one place.
MAY_USE = {
    "system": {"psutil", "pyudev"},
    "runs": {"psutil", "pyudev"},
    "practice": {"psutil"},
    "ui": OUTSIDE - {"typer"},
    "ui/render": {"rich", "textual", "plotext"},
    "ui/render/walk": set(),
    "ui/widgets": {"rich", "textual"},
    "ui/screens": {"rich", "textual"},
    "demo": {"textual"},
    "cli": {"typer"},
}

# Names that the code has given up, and the word that it uses now.
GIVEN_UP = {
    "muster": "members", "Muster": "Members", "site": "context", "Site": "StageContext", "course": "stages",
    "looks": "checks, styles", "pace": "waiting", "Pace": "Waiter, DiskSpeed",
    "RunStanding": "RunStatus", "prepare": "planning", "safety": "verdicts",
    "mixture": "verdicts", "apart": "disk", "grounds": "facts", "Ground": "StageInputs", "bounds": "validate",
    "counted": "outliers", "reasons": "causes", "compared": "outliers",
    "comparing": "comparison", "existingplan": "target_plan", "existingscript": "script/target",
    "errands": "jobs", "Errands": "Jobs", "places": "paths", "opening": "launch",
    "baselinepages": "report/results", "costpages": "report/first_page", "depthpages": "report/series",
    "factpages": "report/facts", "gridpages": "report/sweep", "healthpages": "report/disks",
    "resultpages": "report/results", "setuppages": "report/setups",
    "hindrance": "blocker", "Outlook": "LevelPreview", "OutlookSpeed": "PreviewSpeed", "outlook": "preview",
    "outlook_of": "preview_level", "told_argv": "query_argv", "parse_told": "parse_query", "Standing": "Usability",
    "tell_again": "refresh_status", "ByPerson": "ManualStep", "Cell": "ParsedSetup",
    "keepers": "kept_arrays", "neighbours": "earlier_runs", "MOMENT_S": "IO_IDLE_S",
    "by_person": "run/progress", "let_stand": "keep_array",
}  # fmt: skip
MOST_LINES = 500
# What the program may be at most: each may only fall, or rise by a row that names the capability.
GATES: dict[str, tuple[tuple[int, str], ...]] = {
    "tokens": (
        (549_000, "before the gates"),
        (3_600, "marks, the slowest disk, options of again, the next check"),
        (6_100, "a difference is journalled before it is looked at; journals of any size; a check that was ended"),
        (10_500, "what is on the disks before a proof goes on; each copy after a power cut; a check of each state"),
        (2_300, "advise as one table"),
        (1_100, "sequential tests on the bare array"),
        (2_300, "mdadm.conf by mdadm's rules, SMART names, encodings, foreign configurations, kernels before 6.19"),
        (2_600, "remedies by the array's state, from tables; members' superblocks; two halves; grow by hand"),
        (1_680, "refuted yardsticks, no claim of excluded results, fio's rate beside the kernel's, noise of expected"),
        (1_860, "confidence of predictions, terms of a host"),
        (-5_940, "rooms are joined, a level is handed on"),
        (790, "what was not read is a state of its own; a signed folder that checks itself; colours as wished"),
        (30, "values of metrics without blanks"),
        (1_410, "the wizard's questions as plain lines"),
        (550, "names, owner and folder refused in their fields"),
        (500, "tones of 256 colours, classes before a layout, marks that are read"),
        (250, "a killed practice kernel's terminal is taken back"),
        (40, "the demo's film waits for what its first choices cost"),
        (225, "does without a private name of Textual that is gone"),
        (70, "an opened screen is filled twice, not five times"),
        (35, "no disk is gone before the first sample"),
        (1_230, "a kept array or a proof that holds comes first; a proof's axis names states"),
        (90, "a removal is asked once, looked at twice, its progress on every screen"),
        (525, "a kept array is named and mounted at boot, unless a key takes that back"),
        (355, "an end that moves names its part; a practice kernel's start its steps"),
        (120, "a picture of every screen"),
        (905, "two runs as bars and a sentence; all words searched in Help; one name of a test on an axis"),
        (110, "an answer from a thread looks for its screen in the loop; a run is read without it"),
        (235, "Compared tells of arrays and of bare disks apart; who is alike is counted; no condition is cut"),
        (11_125, "groups of RAID 5 and 6 under a RAID 0"),
        (400, "groups of raidz in a pool"),
        (700, "LVM, LUKS and partitions on groups; ensure compares groups"),
        (640, "groups are spread over controllers and expanders"),
        (2_500, "levels and chunks of a sweep are ticked, with tests, time and bytes; Review lists the setups"),
        (1_440, "each host of a fleet: how it stands, its tests and disks"),
        (1_340, "iostat names the disk that differs and explains its columns; what keeping a chunk size loses"),
        (415, "of a window only what is due is drawn"),
        (55, "chunks of a request end one by one"),
        (-9_725, "dead code, wrappers of one use and second copies are gone"),
    ),
    "decisions": (
        (16_950, "before the gates"),
        (110, "marks, the slowest disk, options of again, the next check"),
        (240, "a difference is journalled before it is looked at; journals of any size; a check that was ended"),
        (270, "what is on the disks before a proof goes on; each copy after a power cut; a check of each state"),
        (75, "advise as one table"),
        (50, "sequential tests on the bare array"),
        (100, "mdadm.conf by mdadm's rules, SMART names, encodings, foreign configurations, kernels before 6.19"),
        (80, "remedies by the array's state, from tables; members' superblocks; two halves; grow by hand"),
        (70, "refuted yardsticks, no claim of excluded results, fio's rate beside the kernel's, noise of expected"),
        (65, "confidence of predictions, terms of a host"),
        (-5, "rooms are joined"),
        (30, "what was not read is a state of its own; a signed folder that checks itself; colours as wished"),
        (40, "the wizard's questions as plain lines"),
        (16, "names, owner and folder refused in their fields"),
        (6, "tones of 256 colours, classes before a layout, marks that are read"),
        (9, "a killed practice kernel's terminal is taken back"),
        (2, "the demo's film waits for what its first choices cost"),
        (8, "does without a private name of Textual that is gone"),
        (5, "an opened screen is filled twice, not five times"),
        (57, "a kept array or a proof that holds comes first; a proof's axis names states"),
        (20, "a removal is asked once, looked at twice, its progress on every screen"),
        (26, "a kept array is named and mounted at boot, unless a key takes that back"),
        (14, "an end that moves names its part; a practice kernel's start its steps"),
        (1, "a picture of every screen"),
        (33, "two runs as bars and a sentence; all words searched in Help; one name of a test on an axis"),
        (10, "an answer from a thread looks for its screen in the loop; a run is read without it"),
        (12, "Compared tells of arrays and of bare disks apart; who is alike is counted; no condition is cut"),
        (419, "groups of RAID 5 and 6 under a RAID 0"),
        (10, "groups of raidz in a pool"),
        (20, "LVM, LUKS and partitions on groups; ensure compares groups"),
        (26, "groups are spread over controllers and expanders"),
        (97, "levels and chunks of a sweep are ticked, with tests, time and bytes; Review lists the setups"),
        (62, "each host of a fleet: how it stands, its tests and disks"),
        (62, "iostat names the disk that differs and explains its columns; what keeping a chunk size loses"),
        (10, "of a window only what is due is drawn"),
        (-180, "dead code, wrappers of one use and second copies are gone"),
    ),
    "modules": (
        (558, "before the gates"),
        (3, "marks of runs on Start and Runs, use of a kept array"),
        (23, "of a proof that goes on, of its copies and differences; advise as one table, tests on the bare array"),
        (2, "kernels before 6.19"),
        (2, "remedies by the array's state; a member's superblock"),
        (1, "confidence of predictions, terms of a host"),
        (-151, "rooms are joined"),
        (1, "the wizard's questions as plain lines"),
        (2, "a removal is asked once, looked at twice, its progress on every screen"),
        (2, "groups of RAID 5 and 6 under a RAID 0"),
        (1, "levels and chunks of a sweep are ticked, with tests, time and bytes; Review lists the setups"),
    ),
    "stays of a plan": ((262, "before this gate"),),
}


def folder_of(module: str, known: dict[str, Path]) -> str:
    """The folder of MAY_IMPORT in which a module stands; "" for the package itself."""
    file = known[module]
    return str(file.parent.relative_to(PACKAGE)).replace(".", "")


def forbidden(folder: str, module: ast.Module, known: dict[str, Path]) -> list[str]:
    """What a module in `folder` imports and may not."""
    wrong = []
    for name in imports(module, known):
        top = name.partition(".")[0]
        if name in known:
            other = folder_of(name, known)
            if other not in ("", folder) and other not in MAY_IMPORT.get(folder, frozenset()):
                wrong.append(name)
        elif top in OUTSIDE and top not in MAY_USE.get(folder, set()):
            wrong.append(name)
    return wrong


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which leads to every other one."""
    behind = {module: reached([module], graph) for module in graph}
    found = {
        tuple(sorted(other for other in graph if other in behind[module] and module in behind[other]))
        for module in graph
        if module in behind[module]
    }
    return [list(group) for group in sorted(found)]


def test_every_folder_has_its_row() -> None:
    known = modules("raidtui")
    assert {folder_of(module, known) for module in known} - {""} <= set(MAY_IMPORT)


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_those_below_it(folder: str) -> None:
    known = modules("raidtui")
    own = [module for module in known if folder_of(module, known) == folder]
    assert own
    wrong = {module: found for module in own if (found := forbidden(folder, tree(known[module]), known))}
    assert not wrong


@pytest.mark.parametrize(
    "folder, planted",
    [
        ("core", "from raidtui.core.disks import disk"),
        ("core/disks", "from raidtui.core.plan.model import Plan"),
        ("core/plan", "def late():\n    from raidtui.core.report import cells"),
        ("core/results", "from raidtui.core.report.setups import mark"),
        ("core/raid", "import psutil"),
        ("core/raid", "try:\n    pass\nexcept OSError:\n    with a as b:\n        import psutil"),
        ("core/run", "class A:\n    if True:\n        pass\n    else:\n        from raidtui.core.report import cells"),
        ("system", "from raidtui.runs import journal"),
        ("runs", "from raidtui.ui.app import RaidtuiApp"),
        ("ui/render", "from raidtui.system import block"),
        ("cli", "from textual.app import App"),
    ],
)
def test_a_forbidden_import_is_seen(folder: str, planted: str) -> None:
    assert forbidden(folder, ast.parse(planted), modules("raidtui"))


def test_no_module_leads_back_to_itself() -> None:
    known = modules("raidtui")
    graph = {
        module: {name for name in imports(tree(file), known) if name in known and name != module}
        for module, file in known.items()
        if file.name != "__init__.py"
    }
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles(graph) == []


def rooms(place: str, known: dict[str, Path]) -> dict[str, set[str]]:
    """What stands right in a folder, modules and folders, and which of these each one imports."""
    begin = ".".join(("raidtui", *Path(place).parts, ""))
    graph: dict[str, set[str]] = {}
    for module, file in known.items():
        if module.startswith(begin):
            room = module.removeprefix(begin).partition(".")[0]
            others = {
                name.removeprefix(begin).partition(".")[0]
                for name in imports(tree(file), known)
                if name.startswith(begin)
            }
            graph[room] = graph.get(room, set()) | (others - {room})
    return graph


@pytest.mark.parametrize("place", ["", *MAY_IMPORT])
def test_no_room_of_a_folder_leads_back_to_itself(place: str) -> None:
    assert circles(rooms(place, modules("raidtui"))) == []


def defined(module: ast.Module) -> Iterator[str]:
    """The names of classes and functions, and those that imports bring in."""
    for node in statements(module.body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (part for alias in node.names for part in (alias.asname or "", *alias.name.split(".")) if part)
            yield from (getattr(node, "module", "") or "").split(".")


def test_no_name_that_was_given_up_came_back() -> None:
    for module, file in modules("raidtui").items():
        names = {module.rpartition(".")[2], *defined(tree(file))}
        assert not names & set(GIVEN_UP), module


def test_one_class_name_is_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for module, file in modules("raidtui").items():
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_modules_stay_small() -> None:
    files = [*PACKAGE.rglob("*.py")]
    assert {str(file): lines for file in files if (lines := len(file.read_text().splitlines())) > MOST_LINES} == {}


def tokens(text: str) -> int:
    """Names, operators, numbers and strings."""
    kinds = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
    return sum(token.type in kinds for token in tokenize.generate_tokens(io.StringIO(text).readline))


def decisions(file: Path) -> int:
    """Branches, loops, handlers, conditional expressions, comprehensions, each further `and` or `or`, cases."""
    kinds = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.match_case)
    further = sum(len(node.values) - 1 for node in nodes(file) if isinstance(node, ast.BoolOp))
    return sum(isinstance(node, kinds) for node in nodes(file)) + further


@cache
def sizes() -> dict[str, int]:
    """Of the program, by the names of GATES."""
    files = [*PACKAGE.rglob("*.py")]
    return {
        "tokens": sum(tokens(file.read_text()) for file in files),
        "decisions": sum(decisions(file) for file in files),
        "modules": len(files),
        "stays of a plan": len(stays()),
    }


def stays() -> set[tuple[str, int, str, str]]:
    """Each place of one module from which a plan's making enters another: its module, its line, whom it calls."""
    seen = machine(*(device(f"sd{letter}") for letter in "abcd"))
    disks = disks_of(seen)
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5", filesystem="xfs"), recipe="quick")
    recipe, found = recipes.load("quick"), set[tuple[str, int, str, str]]()

    def entered(frame: FrameType, event: str, _: object) -> None:
        to, by = frame.f_globals.get("__name__", ""), frame.f_back
        while by and not _ours(by):
            by = by.f_back
        if event == "call" and _ours(frame) and by and by.f_globals["__name__"] != to:
            found.add((by.f_globals["__name__"], by.f_lineno, to, frame.f_code.co_name))

    planner.make(answers, recipe, disks, "machine")  # imports, and what is kept from one plan to the next
    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        planner.make(answers, recipe, disks, "machine")
    finally:
        sys.setprofile(before)
    return found


def _ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("raidtui.")


@pytest.mark.parametrize("gate", GATES)
def test_the_program_grows_for_a_capability_alone(gate: str) -> None:
    at_most = sum(count for count, _ in GATES[gate])
    assert sizes()[gate] <= at_most


@pytest.mark.parametrize("layer", ["core", "system", "runs", "practice", "recipes", "ui", "cli"])
def test_what_importing_a_layer_drags_in(layer: str) -> None:
    """Imports behind imports too, in a fresh interpreter; every module of every folder beneath."""
    code = f"""
import importlib, pkgutil, sys
package = importlib.import_module("raidtui.{layer}")
names = [module.name for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
assert names or "{layer}" == "recipes", "an empty look proves nothing"
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = done.stdout.split()
    above = [name for name in ("system", "runs", "practice", "ui", "cli") if not _may_reach(layer, name)]
    libraries = OUTSIDE - set().union(*(used for folder, used in MAY_USE.items() if _may_reach(layer, folder)))
    wrong = (*(f"raidtui.{name}" for name in above), *libraries, *(["subprocess", "socket"] if layer == "core" else []))
    assert not [name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in wrong)]


def _may_reach(layer: str, folder: str) -> bool:
    top = folder.partition("/")[0]
    below = {name for key, found in MAY_IMPORT.items() if key.partition("/")[0] == layer for name in found}
    return top == layer or folder in below or top in below


def test_a_command_that_opens_no_screen_does_without_textual() -> None:
    code = "import sys, raidtui.cli.app; print('textual' in sys.modules or 'plotext' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_worker_loads_no_more_than_it_uses_while_it_measures() -> None:
    code = "import sys, raidtui.runs.worker; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    late = {"_hashlib", "difflib", "hmac", "logging", "shutil", "tempfile", "tomllib", "typer"}
    assert not (late | {"raidtui.core.raid.theory"}).intersection(done.stdout.split())


# What a worker works with is handed to it (runs/host.py): of `system` these modules take no more than types.
HANDED = (
    "stages", "target", "executor", "host", "checks", "member_guard", "waiting", "sampler", "context", "measure",
    "worker",
)  # fmt: skip
PURE = {("member_guard", "find"), ("member_guard", "gone")}  # functions of values: they ask no machine


@pytest.mark.parametrize("name", HANDED)
def test_a_worker_asks_the_machine_that_it_is_handed(name: str) -> None:
    worker = tree(PACKAGE / "runs" / f"{name}.py")
    froms = [node for node in statements(worker.body) if isinstance(node, ast.ImportFrom) and node.module]
    taken = [one.name for node in froms if str(node.module).startswith("raidtui.system") for one in node.names]
    assert not [one for one in taken if not one[:1].isupper() and (name, one) not in PURE]


def taken_from_tests(module: ast.Module) -> Iterator[str]:
    """What of tests/ a file imports, dotted; a module and a name of a module look alike."""
    for node in statements(module.body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("tests."))
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "tests":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_test_file_imports_another() -> None:
    """What several need stands in tests/builders, or in a module of their folder that holds no tests."""
    wanted = {
        str(file.relative_to(ROOT)): [name for name in taken_from_tests(tree(file)) if ".test_" in name]
        for file in (ROOT / "tests").rglob("*.py")
    }
    assert [*taken_from_tests(ast.parse("from tests.runs import test_lost\nimport tests.x"))] == [
        "tests.runs.test_lost",
        "tests.x",
    ]
    assert {file: names for file, names in wanted.items() if names} == {}


def test_a_verdict_touches_three_modules_and_those_that_decide_by_one() -> None:
    """`different` is asked for everywhere; what another verdict is called is known in few places."""
    named = {"equal", "cannot tell"}
    known = modules("raidtui")
    naming = {
        module.removeprefix("raidtui.")
        for module, file in known.items()
        for node in nodes(file)
        if isinstance(node, ast.Constant) and node.value in named and module.startswith("raidtui.core")
    }
    three = {"core.results.differences", "core.answer.values", "core.answer.numbers"}
    deciding = {"core.answer.effects", "core.answer.explanation", "core.answer.next_step"}  # may only shrink
    assert naming == three | deciding
