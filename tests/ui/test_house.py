"""How the screens' modules hang together: no import circle, not even by way of the modules that are folders."""

from graphlib import TopologicalSorter

from tests.imports import imports, modules, tree


def test_no_module_of_the_screens_imports_itself_by_way_of_others() -> None:
    known = modules("raidtui/ui")
    graph = {name: {*imports(tree(file), known)} & {*known} - {name} for name, file in known.items()}
    assert len(graph) > 50
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle
