"""The plan while it is being chosen: one change leads to what it must, and to nothing else."""

import pytest
from msgspec.structs import replace

from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.plan.answers import parse, to_document
from raidtui.core.raid.purposes import Workload
from raidtui.ui.draft import (
    Draft,
    answers,
    chosen,
    chunk_text,
    suggested_level,
    toggled,
    with_disks,
    with_level,
    with_proposal,
)
from tests.ui.machines import rack


@pytest.mark.parametrize("disks, level", [(1, "jbod"), (2, "1"), (3, "5"), (7, "5"), (8, "6"), (24, "6")])
def test_the_usual_level_for_so_many_disks(disks: int, level: str) -> None:
    assert suggested_level(disks) == level


def test_a_disk_is_chosen_last_and_let_go_again() -> None:
    one, two, _ = rack(3)
    draft = toggled(toggled(Draft(), two), one)
    assert draft.disks == (two.id, one.id)
    assert chosen(draft, rack(3)) == (two, one) and chosen(draft, (one,)) == (one,)
    assert toggled(draft, two).disks == (one.id,)


def test_what_a_level_does_not_have_is_not_kept_for_it() -> None:
    draft = with_level(Draft(level="10", layout="f2", chunk="64KiB", bitmap="none", first_sync="skip"), "1")
    assert (draft.layout, draft.chunk, draft.bitmap, draft.first_sync) == ("", "", "internal", "")
    assert with_level(draft, "1") is draft


def test_more_disks_move_a_level_that_nobody_chose_and_none_that_was() -> None:
    ids = tuple(disk.id for disk in rack(8))
    assert with_disks(Draft(disks=ids[:3]), ids).level_or_suggested == "6"
    assert with_disks(Draft(disks=ids[:3], level="5"), ids).level_or_suggested == "5"


def test_the_answers_are_what_was_chosen_and_of_a_sweep_not_the_setup() -> None:
    draft = Draft(disks=("a", "b", "c"), level="5", chunk="64KiB", filesystem="xfs", after="keep", repeat=3)
    said = answers(draft)
    assert (said.disks, said.setup.level, said.setup.chunk, said.setup.filesystem) == (draft.disks, "5", "64KiB", "xfs")
    assert (said.after, said.repeat, said.permanent) == ("keep", 3, False)
    assert answers(replace(draft, permanent="yes")).permanent
    assert not answers(replace(draft, permanent="yes", after="teardown")).permanent
    swept = answers(replace(draft, builds="recipe"))
    assert (swept.setup.level, swept.after, swept.repeat) == ("", "teardown", 3)


def test_lvm_lies_on_groups_as_on_one_array() -> None:
    draft = Draft(disks=tuple("abcdef"), level="5", groups=2, filesystem="xfs", between="lvm", after="keep")
    assert (answers(draft).setup.between, answers(draft).setup.groups) == ("lvm", 2)
    assert answers(replace(draft, after="teardown")).setup.between == ""


def test_members_are_partitions_of_an_array_that_stays_alone() -> None:
    draft = Draft(disks=("a", "b", "c"), level="5", after="keep", members="partitions")
    assert draft.partitioned and answers(draft).setup.members == "partitions"
    taken_down = replace(draft, after="teardown")
    assert not taken_down.partitioned and answers(taken_down).setup.members == "disks"


def test_spares_are_of_an_array_that_stays_and_survives_a_disk() -> None:
    draft = Draft(disks=("a", "b", "c", "d"), level="5", after="keep", spares=1)
    assert (draft.array_disks, answers(draft).setup.spares, parse(to_document(answers(draft)))) == (
        3,
        1,
        answers(draft),
    )
    assert replace(draft, level="").level_or_suggested == suggested_level(3)
    assert with_level(draft, "6").spares == 1 and with_level(draft, "0").spares == 0
    taken_down = replace(draft, after="teardown")
    assert (taken_down.array_disks, answers(taken_down).setup.spares) == (4, 0)


def test_a_journal_is_of_an_array_that_stays_and_takes_a_disk() -> None:
    draft = Draft(disks=("a", "b", "c", "d", "e"), level="5", after="keep", bitmap="journal", spares=1)
    assert (draft.array_disks, answers(draft).setup.bitmap, parse(to_document(answers(draft)))) == (
        3,
        "journal",
        answers(draft),
    )
    assert with_level(draft, "0").bitmap == "internal"
    taken_down = replace(draft, after="teardown")
    assert (taken_down.array_disks, answers(taken_down).setup.bitmap) == (5, "internal")


def test_owner_mode_and_mail_are_answers_of_an_array_that_is_there_at_each_boot() -> None:
    draft = Draft(
        disks=("a", "b"),
        filesystem="ext4",
        after="keep",
        mount_point="/srv/b",
        mount_owner="bo",
        mount_mode="2775",
        mailaddr="me@x.y",
        mount_options="noatime",
        mount_guard="immutable",
        array_name="store",
        label="files",
    )
    said = answers(replace(draft, permanent="yes"))
    assert (said.mount_point, said.mount_owner, said.mount_mode, said.mailaddr) == ("/srv/b", "bo", "2775", "me@x.y")
    assert (said.mount_options, said.mount_guard) == ("noatime", "immutable")
    assert (said.array_name, said.label) == (answers(draft).array_name, answers(draft).label) == ("store", "files")
    bare = answers(replace(draft, permanent="yes", filesystem="none"))
    assert (bare.mount_point, bare.mount_owner, bare.mount_mode, bare.mailaddr) == ("", "", "", "me@x.y")
    assert (bare.mount_options, bare.mount_guard, bare.array_name, bare.label) == ("", "", "store", "")
    gone = answers(replace(draft, after="teardown"))
    assert (gone.array_name, gone.label, gone.mount_options) == ("", "", "")
    assert answers(draft).mailaddr == "" and parse(to_document(answers(draft))) == answers(draft)


@pytest.mark.parametrize("chunk_bytes, text", [(512 * 1024, "512KiB"), (1 << 20, "1MiB")])
def test_a_chunk_as_the_answers_file_has_it(chunk_bytes: int, text: str) -> None:
    assert chunk_text(chunk_bytes) == text


@pytest.mark.parametrize(
    "draft, kind",
    [
        (Draft(disks=("a", "b", "c")), "none"),
        (Draft(disks=("a", "b", "c"), after="keep"), "xfs"),
        (Draft(disks=("a", "b", "c"), after="keep", filesystem="none"), "none"),
        (Draft(disks=("a", "b", "c"), after="keep", filesystem="ext4"), "ext4"),
        (Draft(disks=("a",), after="keep"), "none"),
    ],
)
def test_an_array_that_is_kept_has_a_file_system_unless_none_is_chosen(draft: Draft, kind: str) -> None:
    assert draft.filesystem_or_default == kind == answers(draft).setup.filesystem


def test_a_proposal_fills_in_what_is_asked_next_and_is_taken_back_whole() -> None:
    disks = rack(24)
    best = advise(Wish(Workload.BACKUP, 2), disks).best
    bare = Draft(disks=tuple(disk.id for disk in disks), repeat=3)
    draft = with_proposal(bare, best)
    setup = answers(draft).setup
    assert (setup.level, setup.layout, setup.chunk, setup.filesystem) == ("6", "left-symmetric", "128KiB", "xfs")
    assert with_proposal(draft, best) == draft != with_level(draft, "5")
    assert with_proposal(draft, None) == bare
