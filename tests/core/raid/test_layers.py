"""The table of what may lie between an array and its file system."""

from typing import get_args

import pytest

from raidtui.core.plan.answers import Between
from raidtui.core.raid.layers import LAYERS, LayerKind


def test_each_kind_that_answers_may_name_has_a_row() -> None:
    assert {"", *LAYERS} == set(get_args(Between)) == {"", *get_args(LayerKind)}


@pytest.mark.parametrize(
    "kind, mapped, node",
    [("lvm", "raidtui--1a-data", "raidtui-1a/data"), ("luks", "luks-raidtui-1a", "mapper/luks-raidtui-1a")],
)
def test_it_is_called_by_the_name_of_its_array(kind: LayerKind, mapped: str, node: str) -> None:
    row = LAYERS[kind]
    name = row.called("raidtui-1a")
    assert (row.mapped(name), row.node.format(name)) == (mapped, node)
