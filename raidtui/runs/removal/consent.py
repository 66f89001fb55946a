"""A person's consent to continue a run or remove its result, as passed to a worker."""

from collections.abc import Sequence

import msgspec

_TYPED, _AGAIN, _ERASE, _ACKNOWLEDGED = "typed", "cut-again", "erase=", "acknowledged="


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """`code`: of the confirmed plan; None: of the plan as read. `typed`: a person typed the code now. `arrays`: names
    typed for removal (or the run's). `acknowledged`: the highest number that the witness of a power cut has (0: power
    was not cut; None: not given). `cut_again`: its writes begin anew, until another one.
    """

    code: str | None = None
    typed: bool = False
    arrays: tuple[str, ...] = ()
    acknowledged: int | None = None
    cut_again: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        words = [_TYPED] if self.typed else []
        if self.acknowledged is not None:
            words.append(f"{_ACKNOWLEDGED}{self.acknowledged}")
        words += [_AGAIN] if self.cut_again else []
        return (self.code or "", *words, *(f"{_ERASE}{name}" for name in self.arrays))


NOBODYS = Consent()


def of_words(words: Sequence[str]) -> Consent:
    code, *others = words
    typed = others[:1] == [_TYPED]
    numbers = [word.removeprefix(_ACKNOWLEDGED) for word in others[typed:] if word.startswith(_ACKNOWLEDGED)][:1]
    names = others[typed + len(numbers) :]
    again = names[:1] == [_AGAIN]
    names = names[again:]
    if not code or not all(name.startswith(_ERASE) for name in names) or not all(map(str.isdecimal, numbers)):
        raise ValueError(f"no consent: {' '.join(words)}")
    acknowledged = int(numbers[0]) if numbers else None
    arrays = tuple(name.removeprefix(_ERASE) for name in names)
    return Consent(code=code, typed=typed, arrays=arrays, acknowledged=acknowledged, cut_again=again)
