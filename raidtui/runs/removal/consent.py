"""A person's consent to continue a run or remove its result, as passed to a worker."""

from collections.abc import Sequence

import msgspec

_TYPED, _ERASE = "typed", "erase="


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """`code`: of the confirmed plan; None: of the plan as read. `typed`: a person typed the code now. `arrays`: names
    typed for removal (or the run's).
    """

    code: str | None = None
    typed: bool = False
    arrays: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        return (self.code or "", *((_TYPED,) if self.typed else ()), *(f"{_ERASE}{name}" for name in self.arrays))


NOBODYS = Consent()


def of_words(words: Sequence[str]) -> Consent:
    code, *others = words
    typed = others[:1] == [_TYPED]
    names = others[typed:]
    if not code or not all(name.startswith(_ERASE) for name in names):
        raise ValueError(f"no consent: {' '.join(words)}")
    return Consent(code=code, typed=typed, arrays=tuple(name.removeprefix(_ERASE) for name in names))
