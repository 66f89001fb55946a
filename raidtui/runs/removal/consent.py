"""What a person agreed to before a worker continues a run or removes what it built, as the worker is given it."""

from collections.abc import Sequence

import msgspec

_TYPED, _ERASE = "typed", "erase="


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """`code`: of the plan that was confirmed; None: the plan as the worker reads it. `typed`: a person typed the code
    for what is done now. `arrays`: names of arrays, or of a run without one, that were typed to be removed.
    """

    code: str | None = None
    typed: bool = False
    arrays: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """As words of a worker's command line."""
        return (self.code or "", *((_TYPED,) if self.typed else ()), *(f"{_ERASE}{name}" for name in self.arrays))


NOBODYS = Consent()


def of_words(words: Sequence[str]) -> Consent:
    """ValueError where they are none."""
    code, *others = words
    typed = others[:1] == [_TYPED]
    names = others[typed:]
    if not code or not all(name.startswith(_ERASE) for name in names):
        raise ValueError(f"no consent: {' '.join(words)}")
    return Consent(code=code, typed=typed, arrays=tuple(name.removeprefix(_ERASE) for name in names))
