"""Every purpose, kind, size and number of disks: no proposal that the field warns of."""

from tests import advice_table
from tests.advice_table import calls


def test_the_table_is_current() -> None:
    assert advice_table.OUT.read_text() == advice_table.text(), "python -m tests.advice_table"


def test_no_row_is_what_the_field_warns_of() -> None:
    every = list(calls())
    assert len(every) == 192
    for call in every:
        count, ranked = len(call.disks), [one.preview.key for one in call.advice.ranked]
        if count > 8 or (call.kind == "HDD" and count > 3):
            assert "5" not in ranked
        if call.kind == "HDD" and count >= 13:
            assert "6" not in ranked[1:2]
        assert len(ranked) > 1 or count == 2
        if "5" in ranked and "6" in ranked and count > 5 and call.advice.best.preview.key != "10":
            assert ranked.index("6") < ranked.index("5"), (call.use, call.kind, count)
        wide = call.kind == "HDD" and count >= 13 and call.advice.best.preview.key == "6"
        assert (call.groups is not None) == wide
        if call.kind != "HDD" and call.advice.best.preview.key in ("5", "6"):
            assert (call.advice.best.preview.chunk_bytes or 0) <= 128 * 1024
