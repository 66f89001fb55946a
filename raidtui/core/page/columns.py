"""Splits wide tables by columns."""

from collections.abc import Sequence


def column_groups(widths: Sequence[int], words: int, room: int, gap: int) -> list[list[int]]:
    """Each repeats the `words` columns that fit in half the room. `gap`: per column. Too wide ones come last."""

    def width(group: Sequence[int]) -> int:
        return sum(widths[index] + gap for index in group)

    columns = range(len(widths))
    if width(columns) <= room:
        return [[*columns]]
    keys = 1
    while keys < min(words, len(widths) - 1) and width(columns[: keys + 1]) <= room // 2:
        keys += 1
    groups: list[list[int]] = []
    too_wide = [[*columns[:keys], index] for index in columns[keys:] if width([*columns[:keys], index]) > room]
    for index in columns[keys:]:
        if any(index == group[-1] for group in too_wide):
            continue
        if not groups or width([*groups[-1], index]) > room:
            groups.append([*columns[:keys]])
        groups[-1].append(index)
    return [*groups, *too_wide] or [[*columns]]
