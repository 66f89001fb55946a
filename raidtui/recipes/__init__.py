"""The shipped recipes, and the user's own beside them. Reads TOML; what a recipe means is `core.recipe`'s."""

import tomllib
from pathlib import Path

from raidtui.core import recipe

_SHIPPED = Path(__file__).parent


def names() -> tuple[str, ...]:
    """The shipped recipes' names, the default first."""
    found = sorted(path.stem for path in _SHIPPED.glob("*.toml"))
    return ("quick", *(name for name in found if name != "quick"))


def load(name: str) -> recipe.Recipe:
    """The recipe of this name; RecipeError with one sentence where there is none or it is broken."""
    if name not in names():
        raise recipe.RecipeError(f"there is no recipe {name!r}; there are: {', '.join(names())}")
    path = _SHIPPED / f"{name}.toml"
    try:
        return recipe.parse(tomllib.loads(path.read_text()), path.name)
    except tomllib.TOMLDecodeError as error:
        raise recipe.RecipeError(f"{path.name}: {error}") from error
