"""The house: which folder may import which, no circles, no names that were given up, no module or folder too large.

Two looks at the same rule: every import statement as it is written (`ast`), and what importing a folder really drags in
(a fresh interpreter and its `sys.modules`).
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.imports import ROOT, imports, modules, reached, statements, tree

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
        " core/plan/proof core/plan/storage_layers",
        "core/plan/proof": "core core/boot core/fio core/proof core/plan core/plan/storage_layers",
        "core/plan/checked": "core core/boot core/disks core/fio core/raid core/plan core/plan/kept",
        "core/plan/storage_layers": "core core/boot core/raid core/plan",
        "core/plan/kept": "core core/boot core/disks core/raid core/plan core/plan/storage_layers",
        "core/advice": "core core/disks core/raid core/fio core/plan",
        "core/care": "core core/arrays core/disks core/raid core/fio core/plan core/plan/kept",
        "core/script": "core core/boot core/plan core/plan/kept core/raid",
        "core/run": "core core/arrays core/boot core/disks core/raid core/fio core/plan core/proof",
        "core/results": "core core/disks core/raid core/fio core/plan core/run",
        "core/results/series": "core core/disks core/raid core/fio core/plan core/run core/results",
        "core/answer": "core core/disks core/raid core/fio core/plan core/plan/kept core/run core/results"
        " core/results/series",
        "core/acceptance": "core core/plan core/run core/results core/answer",
        "core/fleet": "core core/arrays core/plan core/run core/results core/answer core/page",
        "core/documents": "core core/acceptance core/advice core/answer core/arrays core/care core/disks core/fio"
        " core/fleet core/hardware core/plan core/raid core/results core/run",
        "core/report": "core core/arrays core/disks core/raid core/fio core/plan core/plan/kept core/proof core/run"
        " core/results core/results/series core/answer core/page",
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
MAY_IMPORT["runs"] |= {"runs/after", "runs/boot", "runs/care", "runs/disks", "runs/proof", "runs/removal"}
MAY_IMPORT["runs/after"] = _CORE | {"system/files", "runs"}
MAY_IMPORT["runs/boot"] = _CORE | {"system/files", "runs", "runs/disks"}
MAY_IMPORT["runs/care"] = _CORE | {"system", "system/arrays", "recipes", "runs", "runs/disks", "runs/removal"}
MAY_IMPORT["runs/disks"] = _CORE | {"runs"}
MAY_IMPORT["runs/proof"] = _CORE | {"runs", "runs/care", "runs/disks"}
MAY_IMPORT["runs/removal"] = _CORE | {"runs", "runs/disks"}
MAY_IMPORT["runs/fleet"] = _CORE | {"runs"}
MAY_IMPORT["practice"] = MAY_IMPORT["runs"] | {"runs"}
MAY_IMPORT["ui/render"] = _CORE
MAY_IMPORT["ui/render/walk"] = _CORE | {"ui/render"}
MAY_IMPORT["ui/widgets"] = _CORE | {"ui/render", "ui"}
MAY_IMPORT["ui/screens"] = MAY_IMPORT["runs"] | {"runs", "ui", "ui/render", "ui/render/walk", "ui/widgets"}
MAY_IMPORT["ui/watch"] = MAY_IMPORT["ui/screens"] | {"ui/screens"}
MAY_IMPORT["ui"] = MAY_IMPORT["runs"] | {
    "runs",
    "runs/fleet",
    "practice",
    "recipes",
    "ui/render",
    "ui/widgets",
    "ui/screens",
    "ui/watch",
}
MAY_IMPORT["demo"] = _CORE | {"recipes", "runs", "ui", "ui/render"}
MAY_IMPORT["cli"] = MAY_IMPORT["runs"] | {"runs", "runs/fleet", "practice", "demo", "ui"}
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
    "ui/watch": {"rich", "textual"},
    "demo": {"textual"},
    "cli": {"typer"},
}

# Names that the code has given up, and the word that it uses now.
GIVEN_UP = {
    "muster": "members", "Muster": "Members", "site": "context", "Site": "StageContext", "course": "stages",
    "looks": "checks, styles", "pace": "waiting", "Pace": "Waiter, DiskSpeed",
    "RunStanding": "RunStatus", "prepare": "planning", "safety": "verdicts",
    "mixture": "verdicts", "apart": "disk", "grounds": "facts", "Ground": "StageInputs", "bounds": "validate",
    "counted": "crosscheck", "reasons": "causes", "compared": "attempts",
    "comparing": "comparison", "existingplan": "target_plan", "existingscript": "script/target",
    "errands": "jobs", "Errands": "Jobs", "places": "paths", "opening": "launch",
    "baselinepages": "report/baseline", "costpages": "report/cost", "depthpages": "report/series",
    "factpages": "report/facts", "gridpages": "report/sweep", "healthpages": "report/health",
    "resultpages": "report/results", "setuppages": "report/setups",
    "hindrance": "blocker", "Outlook": "LevelPreview", "OutlookSpeed": "PreviewSpeed", "outlook": "preview",
    "outlook_of": "preview_level", "told_argv": "query_argv", "parse_told": "parse_query", "Standing": "Usability",
    "tell_again": "refresh_status", "ByPerson": "ManualStep", "Cell": "ParsedSetup",
    "keepers": "kept_arrays", "neighbours": "earlier_runs", "MOMENT_S": "IO_IDLE_S",
    "by_person": "run/progress", "let_stand": "keep_array",
}  # fmt: skip
MOST_LINES, MOST_MODULES, MOST_IMPORTS = 400, 25, 15
MANY_IMPORTS = (  # of ours; no module is added here
    "cli.plan cli.report cli.runs core.care.plans core.documents.schema core.handover.commissioning "
    "core.plan.checked.allowed core.plan.planner core.plan.stages core.results.analysis "
    "core.results.expectation runs.care.ensuring runs.checks runs.context runs.executor "
    "runs.local runs.measure runs.planning runs.stages runs.worker system.discovery ui.app ui.local "
    "ui.render.results_lines ui.screens.live ui.screens.measure ui.screens.results"
)


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


def test_only_known_modules_import_more_than_15_of_ours() -> None:
    known = modules("raidtui")
    used = {module: {name for name in imports(tree(file), known) if name in known} for module, file in known.items()}
    many = sorted(
        module.removeprefix("raidtui.") for module, names in used.items() if len(names - {module}) > MOST_IMPORTS
    )
    assert many == MANY_IMPORTS.split()


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
    ("folder", "planted"),
    [
        ("core", "from raidtui.core.disks import disk"),
        ("core/disks", "from raidtui.core.plan.model import Plan"),
        ("core/plan", "def late():\n    from raidtui.core.report import cells"),
        ("core/results", "from raidtui.core.report.cells import mark"),
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


def test_modules_and_folders_stay_small() -> None:
    files = [*PACKAGE.rglob("*.py")]
    assert {str(file): lines for file in files if (lines := len(file.read_text().splitlines())) > MOST_LINES} == {}
    folders = {file.parent for file in files}
    sizes = {str(folder): sum(file.name != "__init__.py" for file in folder.glob("*.py")) for folder in folders}
    assert {folder: size for folder, size in sizes.items() if size > MOST_MODULES} == {}


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


# Modules without a test file of their own. Of some there is nothing that a test could see fail by itself:
NOTHING_TO_TEST = {
    "core/answer/values": "data", "core/arrays/overall": "data",
    "core/documents/documents": "data", "core/documents/findings": "data", "core/documents/hardware": "data",
    "core/documents/side_by_side": "data",
    "core/page/blocks": "data", "core/raid/purposes": "data",
    "core/run/events": "data", "core/fio/measurement": "data",
    "runs/host": "a protocol", "ui/services": "a protocol", "ui/wizard": "a protocol",
    "ui/messages": "data", "ui/widgets/sizes": "numbers",
    "practice/errors": "an exception", "practice/__main__": "options of the kernel's own",
}  # fmt: skip
# Others are edges, or are seen only from without: the tests that fail where they are broken.
TESTED_BY = {
    "core/proof/parity": "runs/proof/test_after_cut runs/proof/test_claims",
    "runs/proof/contents": "runs/proof/test_after_cut runs/proof/test_claims",
    "runs/proof/copies": "runs/proof/test_claims runs/proof/test_differences",
    "core/plan/checked/settings": "core/plan/checked/test_allowed",
    "core/advice/rationale": "core/advice/test_wording",
    "core/arrays/condition_facts": "core/arrays/test_conditions",
    "core/care/steps": "core/care/test_plans",
    "core/plan/checked/boot_lines": "core/plan/kept/test_lasting core/plan/checked/test_allowed",
    "core/raid/filesystem_space": "core/raid/test_space lab/guest/test_capacity",
    "core/script/functions": "core/script/test_boot core/script/test_nvme core/script/test_self_tests",
    "core/script/checks": "torture/faults_scripts lab/guest/test_builds",
    "ui/watch/lines": "ui/watch/test_screen",
    "demo/film": "screenshots/test_stale cli/test_wizard",
    "demo/svg": "screenshots/test_stale",
    "core/page/csv": "core/report/test_measurements core/report/test_disks core/fleet/test_exports",
    "core/report/ablation": "core/results/test_ablation",
    "core/report/attached": "core/report/test_first_page",
    "core/report/parts": "core/report/test_markdown",
    "core/report/signature": "cli/test_report",
    "core/report/provenance": "core/report/test_facts core/report/test_markdown",
    "core/report/results": "core/report/test_markdown core/report/test_cells",
    "core/answer/cause_words": "core/results/test_causes",
    "core/results/deviation": "core/results/test_causes",
    "core/results/suspicions": "core/results/test_causes",
    "core/fio/forms": "core/fio/test_job core/plan/checked/test_allowed",
    "system/arrays/contents": "torture/faults_older runs/removal/test_decision",
    "runs/disks/limits": "runs/test_settings",
    "system/kmsg": "lab/guest/test_explain",
    "system/leftovers": "lab/guest/test_builds",
    "system/privilege": "system/test_doctor",
    "runs/boot/checks": "runs/boot/test_lines lab/guest/test_permanence",
    "runs/checks": "runs/test_safety_of_undo runs/test_stages",
    "runs/context": "runs/test_target runs/test_safety_of_undo",
    "runs/executor": "runs/test_safety_of_undo runs/test_settings runs/test_stuck",
    "runs/local": "lab/guest/test_run",
    "runs/planning": "cli/test_plan",
    "runs/status": "cli/test_runs",
    "runs/worker": "lab/guest/test_run endurance/kills",
    "ui/widgets/named_field": "ui/screens/test_measure",
    "practice/console": "practice/test_kernel",
    "practice/headless": "practice/test_settings practice/test_kernel",
    "practice/jail": "practice/test_kernel",
    "practice/shim": "practice/test_kernel",
    "practice/warden": "practice/test_kernel",
    "core/answer/capacities": "core/answer/test_standings core/answer/test_figures",
    "core/answer/facts": "core/answer/test_standings",
    "core/answer/lines": "core/answer/test_answer",
    "core/answer/penalty": "core/answer/test_sweeps",
    "core/answer/questions": "core/answer/test_answer core/answer/test_sweeps",
    "ui/crash": "lab/test_wizard",
    "ui/render/roles": "ui/test_themes",
    "ui/launch": "lab/test_wizard",
    "ui/local": "ui/screens/test_runs lab/test_wizard",
    "ui/screens/base": "ui/test_app",
    "ui/screens/looking": "ui/screens/test_start",
    "ui/screens/side_by_side": "ui/screens/test_runs",
    "ui/screens/details": "ui/screens/test_disks ui/screens/test_measure",
    "ui/screens/step": "ui/test_app ui/screens/test_disks",
    "ui/screens/panels": "ui/screens/test_level ui/screens/test_chunk",
    "ui/screens/typed": "ui/screens/test_review ui/screens/test_live",
    "ui/widgets/key_bar": "ui/screens/test_help",
    "ui/widgets/lines": "ui/screens/test_live",
    "ui/widgets/run_axis": "ui/screens/test_live",
    "ui/widgets/shelf": "ui/screens/test_disks",
    "ui/widgets/listing": "ui/screens/test_help",
    "ui/widgets/option_list": "ui/screens/test_chunk",
    "ui/widgets/pick_list": "ui/screens/test_disks",
    "ui/widgets/step_header": "ui/test_app",
}


def untested(folder: Path, tests: Path) -> set[str]:
    """The modules of a folder that have no test file at the same place."""
    modules = (file.relative_to(folder) for file in folder.rglob("*.py") if file.name != "__init__.py")
    return {str(name.with_suffix("")) for name in modules if not (tests / name.parent / f"test_{name.name}").exists()}


def test_each_module_that_has_behaviour_has_a_test_file() -> None:
    tests = ROOT / "tests"
    tops = {folder.partition("/")[0] for folder in MAY_IMPORT} - {"recipes"}
    without = {name for name in untested(PACKAGE, tests) if name.partition("/")[0] in tops}
    assert without == {*NOTHING_TO_TEST, *TESTED_BY}
    assert not set(NOTHING_TO_TEST) & set(TESTED_BY)
    named = {file for files in TESTED_BY.values() for file in files.split()}
    assert {file for file in named if not (tests / f"{file}.py").exists()} == set()


def test_a_verdict_touches_three_modules_and_those_that_decide_by_one() -> None:
    """`different` is asked for everywhere; what another verdict is called is known in few places."""
    named = {"equal", "cannot tell"}
    known = modules("raidtui")
    naming = {
        module.removeprefix("raidtui.")
        for module, file in known.items()
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Constant) and node.value in named and module.startswith("raidtui.core")
    }
    three = {"core.results.differences", "core.answer.values", "core.answer.numbers"}
    deciding = {"core.answer.effects", "core.answer.explanation", "core.answer.next_step"}  # may only shrink
    assert naming == three | deciding
