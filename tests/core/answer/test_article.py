"""Beside the source: about the same, or what is furthest from it, named with what was found here."""

import pytest

from raidtui.core.answer.article import beside_article
from raidtui.core.answer.conclusions import Conclusion

SOURCE = "A Title, An Author, 2014"


def effect(here: float, there: float, low: float | None = None, high: float | None = None) -> Conclusion:
    return Conclusion(
        kind="effect",
        subject="sector 128",
        base="63",
        test="Random 8K write",
        where="chunk 4KiB",
        ratio=here,
        published=there,
        low=low,
        high=high,
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([], ""),
        ([effect(1.5, 1.4)], "the article (A Title, An Author, 2014) has about the same"),
        ([effect(1.03, 1.43, 0.9, 1.5)], "the article (A Title, An Author, 2014) has about the same"),  # it may be so
        (
            [effect(1.03, 1.43, 0.9, 1.1), effect(2.246, 1.055, 2.0, 2.5)],
            "the article (A Title, An Author, 2014) has random 8K write with chunk 4KiB +5.5 %"
            " (sector 128 instead of 63), here +125 %; random 8K write with chunk 4KiB differs, too",
        ),
        (
            [Conclusion(kind="rank", subject="RAID 5", test="Read", figure=378, base_figure=379, published=0.67)],
            "the article (A Title, An Author, 2014) has RAID 5 in read 67 %, here 100 %",
        ),
        (  # RAID 5 writes two thirds of RAID 0 on three disks, three quarters on four
            [Conclusion(kind="rank", subject="RAID 5", test="Write", ratio=0.8, published=0.61, geometry=0.75 * 1.5)],
            "the article (A Title, An Author, 2014) has about the same",
        ),
        (
            [effect(2.2, 1.05)] * 4,
            "the article (A Title, An Author, 2014) has random 8K write with chunk 4KiB +5 %"
            " (sector 128 instead of 63), here +120 %; all 4 that are compared differ",
        ),
        (
            [*[effect(2.2, 1.05)] * 4, effect(1.0, 1.0)],
            "the article (A Title, An Author, 2014) has random 8K write with chunk 4KiB +5 %"
            " (sector 128 instead of 63), here +120 %",
        ),
        (
            [Conclusion(kind="gain", test="Random 4K read", ratio=19.2, published=2.9)],
            "the article (A Title, An Author, 2014) has random 4K read 2.9 times one disk, here 19 times one disk",
        ),
    ],
)
def test_the_source_is_named_and_what_is_not_so_here(told: list[Conclusion], said: str) -> None:
    assert beside_article(SOURCE, told) == said
    assert beside_article("", told) == ""


def test_a_reason_is_said_where_it_was_counted() -> None:
    counted = effect(2.2, 1.05, 2.0, 2.5)
    told = Conclusion(**{name: getattr(counted, name) for name in counted.__struct_fields__} | {"evidence": ("why",)})
    assert beside_article(SOURCE, [told]).endswith("here +120 %; why")
