"""The draw of lines: the same seed, the same lines; none that is no code."""

from tests.draw import LINES, PACKAGE, code_lines, draw, first_sentence


def test_only_code_is_drawn() -> None:
    text = '"""Doc.\n\nmore\n"""\n\nimport os\nfrom x import (\n    y,\n)\n# comment\nA = (\n    1,\n)\n'
    assert code_lines(text) == [(11, "A = ("), (12, "1,")]


def test_a_seed_draws_the_same_lines_again() -> None:
    package = PACKAGE / "system"
    drawn = draw(7, package)
    assert drawn == draw(7, package) != draw(8, package) and len(set(drawn)) == LINES
    assert all(first_sentence(line.module, package) for line in drawn if not line.module.endswith("__init__.py"))
