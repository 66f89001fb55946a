"""What `predict` and `advise` say as JSON: the model's own values, rates in MB/s, numbers with a point as such."""

import msgspec
import pytest

from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.documents.model import advice_document, prediction_document
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.depth_curve import CurveSource, assumed_curves
from raidtui.core.raid.purposes import Workload
from raidtui.core.raid.theory import predict
from raidtui.core.units import MB
from tests.builders.labels import nominal_bytes


def test_a_prediction_has_its_rates_in_mb_s() -> None:
    document = prediction_document(predict("5", 3, 94 * MB, 120), CurveSource.ONE_FIGURE)
    assert msgspec.to_builtins(document) == {
        "seq_read_mbps": 188,
        "seq_write_mbps": 188,
        "rand_read_iops": 360,
        "rand_write_iops": 120,
        "rand_mixed_iops": None,
        "write_penalty": 3,
        "upper_bound": False,
        "limited_by": dict.fromkeys(("seq_read_mbps", "seq_write_mbps", "rand_read_iops", "rand_write_iops"), "disks"),
        "confidence": dict.fromkeys(
            ("seq_read_mbps", "seq_write_mbps", "rand_read_iops", "rand_write_iops"), "confirmed"
        ),
        "error_share": None,
        "iops_source": "one figure: flat",
    }
    assert document.limited_by["rand_write_iops"] is Limit.DISKS


def test_whole_iops_are_written_with_a_point() -> None:
    """Whoever reads them takes the type from the first that he sees."""
    prediction = predict("0", 4, 1000 * MB, assumed_curves("nvme"))
    document = prediction_document(prediction, CurveSource.ASSUMED_NVME)
    assert {type(value) for value in (document.rand_read_iops, document.rand_write_iops)} == {float}


@pytest.mark.parametrize("count", [3, 6])
def test_an_advice_has_all_proposals_the_best_first(count: int) -> None:
    found = advise(Wish(Workload.MEDIA, 1), imagined([nominal_bytes(8000)] * count, flash=False))
    document = advice_document(found)
    assert (document.use, document.disks, len(document.ranked)) == (Workload.MEDIA, count, len(found.ranked))
    best = document.ranked[0]
    assert (best.level, best.capacity) == (found.best.preview.key, found.best.capacity)
    assert type(document.one_disk.iops) is float and document.sentences and document.second_best
