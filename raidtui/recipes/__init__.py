"""Shipped and own recipes, from TOML; their meaning is in `core.recipe`."""

import functools
from pathlib import Path

from raidtui import configuration
from raidtui.core import document
from raidtui.core.plan import recipe
from raidtui.core.plan.recipe import Library, Recipe
from raidtui.core.text import brief, clean, printable

_SHIPPED = Path(__file__).parent
_DEFAULT = "quick"


def own_folder() -> Path:
    return configuration.folder() / "recipes"


def library() -> Library:
    """An own recipe replaces a shipped one of its name."""
    recipes: dict[str, Recipe] = {}
    broken = []
    for path in _paths().values():
        try:
            recipes[path.stem] = _read_recipe(path)
        except recipe.RecipeError as error:
            broken.append(str(error))
    first = {name: recipes[name] for name in (_DEFAULT,) if name in recipes}
    return Library(
        first | dict(sorted(recipes.items(), key=lambda named_recipe: named_recipe[0] != _DEFAULT)), tuple(broken)
    )


def names() -> tuple[str, ...]:
    """Readable ones, the default first."""
    return tuple(library().recipes)


def load(name: str) -> Recipe:
    if name not in (paths := _paths()):
        raise recipe.RecipeError(f"no recipe {brief(repr(name), 100)}; `raidtui recipes` lists all")
    return _read_recipe(paths[name])


def is_own(name: str) -> bool:
    return name in (paths := _paths()) and paths[name].parent != _SHIPPED


def _paths() -> dict[str, Path]:
    own_recipes = own_folder()
    places = (_SHIPPED, own_recipes) if own_recipes.is_dir() else (_SHIPPED,)
    return {path.stem: path for place in places for path in sorted(place.glob("*.toml"))}


def _read_recipe(path: Path) -> Recipe:
    source = path.name if path.parent == _SHIPPED else clean(str(path))
    try:
        return _parsed(configuration.content(path), source)
    except recipe.RecipeError:
        raise
    except configuration.BadConfiguration as error:
        raise recipe.RecipeError(brief(error)) from error
    except OSError as error:
        raise recipe.RecipeError(f"{source}: {error.strerror}") from error
    except (document.NotToml, RecursionError) as error:
        raise recipe.RecipeError(f"{source}: not TOML: {brief(error)}") from error


@functools.lru_cache(maxsize=128)
def _parsed(toml_bytes: bytes, source: str) -> Recipe:
    """Cached: screens ask repeatedly."""
    return recipe.parse(printable(document.read(toml_bytes)), source)
