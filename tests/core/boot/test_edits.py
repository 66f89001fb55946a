"""Lines added to a file come out again: to the byte where nobody else wrote, and around what others wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.boot.entries import LinesChanged, block, diff, holds, with_lines, without_lines

MARK = "raidtui 20261122T144002Z-ab12"
LINES = ("UUID=00112233-4455-6677-8899-aabbccddeeff /srv/array ext4 defaults,nofail 0 2",)
FILES = st.none() | st.binary(max_size=200) | st.text(max_size=200).map(str.encode)
OTHERS = st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=30), max_size=4).map(
    lambda lines: "".join(f"{line}\n" for line in lines).encode()
)
WRITTEN = st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=30), max_size=4).map(tuple)


@given(FILES, WRITTEN, st.booleans())
def test_an_edit_and_its_undo_are_nothing_at_all(before: bytes | None, lines: tuple[str, ...], at_top: bool) -> None:
    after = with_lines(before, lines, MARK, at_top=at_top)
    assert holds(after, lines, MARK) and without_lines(after, before, lines, MARK) == before
    assert with_lines(after, lines, MARK, at_top=at_top) == after  # a run that was cut off does it again
    assert without_lines(before, before, lines, MARK) == before  # or had not come to it


@pytest.mark.parametrize(
    "above, below",
    [
        (b"", b"HOMEHOST x\nMAILADDR root"),
        (b"", b"# theirs\n\nHOMEHOST x\n\tname=second\n"),
        (b"#\n HOMEHOST x\n#\n\tMAILADDR second\n", b"\n# theirs\nDEVICE partitions\n  containers\n"),
        (b" HOMEHOST x\n", b""),
    ],
)
def test_what_has_to_be_first_stands_before_all_else_but_what_would_go_on_with_it(above: bytes, below: bytes) -> None:
    assert with_lines(above + below, LINES, MARK, at_top=True) == above + block(LINES, MARK) + below


@pytest.mark.parametrize("undone", [(0, 1), (1, 0)])
def test_the_same_lines_of_two_runs_go_each_with_its_own(undone: tuple[int, int]) -> None:
    files = [b"HOMEHOST x\n"]
    for run in range(2):
        files.append(with_lines(files[-1], ("MAILADDR a",), f"run {run}", at_top=True))
    now: bytes | None = files[-1]
    for run, left in zip(undone, (1, 0), strict=True):
        now = without_lines(now, files[run], ("MAILADDR a",), f"run {run}")
        assert now is not None and now.count(b"MAILADDR") == left
    assert now == files[0]


@given(OTHERS, OTHERS, OTHERS, st.booleans())
def test_what_others_wrote_stays_whole(before: bytes, above: bytes, below: bytes, at_top: bool) -> None:
    after = above + with_lines(before, LINES, MARK, at_top=at_top) + below
    rest = without_lines(after, before, LINES, MARK)
    assert rest == above + before + below


@given(OTHERS, st.integers(0, 10_000), st.sampled_from([b"x", b"#", b"\n", b" "]))
def test_changed_lines_are_refused(before: bytes, at: int, put: bytes) -> None:
    added = block(LINES, MARK)
    where = 1 + at % (len(added) - 2)
    changed = before + added[:where] + put + added[where:]
    with pytest.raises(LinesChanged, match="were changed since"):
        without_lines(changed, before, LINES, MARK)


def test_the_same_lines_twice_or_only_one_comment_are_refused() -> None:
    added = block(LINES, MARK)
    for now in (added + added, added[: added.index(b"\n") + 1], added.replace(b"nofail", b"nofail,noatime")):
        with pytest.raises(LinesChanged, match="were changed since"):
            without_lines(b"a\n" + now, b"a\n", LINES, MARK)


def test_a_pristine_block_beside_a_changed_one_is_refused_both_ways() -> None:
    changed = with_lines(b"a\n", LINES, MARK).replace(b"nofail", b"nofail,noatime")
    with pytest.raises(LinesChanged, match="were changed since"):
        with_lines(changed, LINES, MARK)
    with pytest.raises(LinesChanged, match="were changed since"):
        without_lines(changed + block(LINES, MARK), b"a\n", LINES, MARK)


def test_a_file_that_was_made_for_the_lines_goes_with_them_and_stays_for_others() -> None:
    after = with_lines(None, LINES, MARK)
    assert without_lines(after, None, LINES, MARK) is None
    assert without_lines(after + b"another\n", None, LINES, MARK) == b"another\n"
    assert without_lines(None, b"it was removed", LINES, MARK) is None
    assert without_lines(b"somebody took them out\n", b"x", LINES, MARK) == b"somebody took them out\n"


def test_a_diff_shows_what_goes_and_a_file_that_is_none() -> None:
    after = with_lines(b"first\n", LINES, MARK)
    shown = diff("/etc/fstab", after, b"first\n")
    assert shown[:2] == ("--- /etc/fstab", "+++ /etc/fstab") and f"-{LINES[0]}" in shown and " first" in shown
    assert diff("/etc/fstab", None, after)[0] == "--- /dev/null" and diff("/etc/fstab", after, after) == ()
