"""A proof in a plan file that could not be carried out, or told of, is refused in a sentence."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from raidtui.core.plan import model, validate
from tests.runs.proof.proving import plan

PLAN = plan(witness="/run/pipe", after="keep")
NUMBER = next(number for number, stage in enumerate(PLAN.stages) if stage.proof)
Change = Callable[[dict[str, Any]], object]


def state(index: int, **fields: object) -> Change:
    return lambda stage: stage["proof"]["states"][index].update(fields)


def span(**fields: object) -> Change:
    return lambda stage: stage["proof"]["states"][0]["spans"][0].update(fields)


def proof(**fields: object) -> Change:
    return lambda stage: stage["proof"].update(fields)


CHANGES: dict[str, Change] = {
    "trial of a state too many": lambda stage: stage["trials"][0].update(state=99),
    "trial of a state below none": lambda stage: stage["trials"][0].update(state=-1),
    "trial of no member": lambda stage: stage["trials"][0].update(member=-1),
    "no proof": lambda stage: stage.pop("proof"),
    "member out of range": state(1, out=[99]),
    "member below none": state(1, out=[-4]),
    "member twice": state(1, out=[0, 0]),
    "no spans": state(1, spans=[]),
    "spans of a power cut": lambda stage: stage["proof"]["states"][-1].update(
        spans=stage["proof"]["states"][0]["spans"]
    ),
    "no states": proof(states=[]),
    "no tags": proof(tags=[]),
    "another tag": proof(tags=["x", "y"]),
    "a device": proof(device="/dev/sda"),
    "a step too many": proof(first=10_000),
    "no share": proof(share=0.0),
    "tag out of range": span(tag=7),
    "tag below none": span(tag=-1),
    "begin before the device": span(begin_bytes=-1048576),
    "nothing written": span(written_bytes=0),
    "more written than there is": span(written_bytes=1 << 60),
    "zones without a size": span(zone_bytes=0, skip_bytes=1048576),
    "backward zones": span(zone_bytes=-1048576),
}


@pytest.mark.parametrize("name", CHANGES)
def test_it_is_refused_in_a_sentence(name: str) -> None:
    document = msgspec.json.decode(model.encode(PLAN))
    CHANGES[name](document["stages"][NUMBER])
    with pytest.raises(ValueError, match=rf"not a plan: stages\[{NUMBER}\]") as refused:
        validate.decode(msgspec.json.encode(document))
    assert "\n" not in str(refused.value)


def test_plans_as_they_are_made_are_none_of_these() -> None:
    assert validate.decode(model.encode(PLAN)) == PLAN
