"""A setup field is a row: words, names, bounds, columns, settings and docs come from it, and from nowhere else."""

import csv
import io
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

from raidtui.core.documents.schema import schema
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import answers, fields, parsed_setup, summary, sweep, tunables
from raidtui.core.plan.fields import FIELDS, Axes, Setup, SetupField
from raidtui.core.report.provenance import measurements_csv
from raidtui.core.results.grid import names

SEED = answers.setup_seed(Setup(level="5"))
DOCS = Path(__file__).parents[3] / "docs/recipes.md"
WIDER: Any = msgspec.defstruct("Setup", [("skip_copy", int, 0)], bases=(Setup,), frozen=True, kw_only=True)
WIDER_AXES: Any = msgspec.defstruct("Axes", [("skip_copy", tuple[int, ...], ())], bases=(Axes,), frozen=True)
ROW = SetupField(
    help="whole stripes are written without a copy",
    label="Skipped copies, number",
    phrase="{} copies skipped".format,
    short="skip {}".format,
    title="{} copies skipped".format,
    bounds=(1, 8),
    applies=lambda level: level.parity_disks > 0,
    refused=lambda level: level.md_name is None,
    setting="md",
    later=True,
)


def docs_row(name: str, row: SetupField) -> str:
    bounds = f"{row.bounds[0]} to {row.bounds[1]}" if row.bounds else ""
    return f"| `{name}` | {row.help} | {bounds} | {'yes' if name in Axes.__struct_fields__ else ''} |"


@pytest.fixture
def wider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FIELDS, "skip_copy", ROW)
    monkeypatch.setattr(fields, "Setup", WIDER)


def test_every_field_has_a_row_and_every_axis_the_type_of_its_field() -> None:
    assert set(FIELDS) == set(Setup.__struct_fields__)
    types = {name: int if kind == int | None else kind for name, kind in get_type_hints(Setup).items()}
    assert {name: kind.__args__[0] for name, kind in get_type_hints(Axes).items()} == {
        name: types[name] for name in Axes.__struct_fields__
    }


@pytest.mark.usefixtures("wider")
def test_a_row_is_all_that_a_setup_field_takes() -> None:
    plain, four = WIDER(level="5"), WIDER(level="5", skip_copy=4)
    assert parsed_setup.title(four, 4) == "RAID 5 of 4 disks, chunk 512 KiB, no file system, 4 copies skipped"
    assert names((WIDER(level="5", skip_copy=2), four)) == ("2 copies skipped", "4 copies skipped")
    assert names((WIDER(level="5", skip_copy=2), four), short=True) == ("skip 2", "skip 4")
    assert summary.axes_words(WIDER_AXES(level=("5",), skip_copy=(0, 4))) == "level 5; skipped copies, number 0, 4"
    assert sweep._collapsed(WIDER(level="10", skip_copy=4)) == WIDER(level="10")
    for setup in (WIDER(level="5", skip_copy=9), WIDER(level="jbod", skip_copy=4)):
        with pytest.raises(answers.PlanRefused) as refused:
            sweep.judged(setup, "teardown", [10**11] * 4, "4.2", ())
        assert refused.value.field == "setup.skip_copy"
    (step,) = tunables.settings(four, ("{member:0}",))
    assert (step.path, step.value, step.optional) == ("/sys/block/{array}/md/skip_copy", "4", False)
    (row,) = csv.DictReader(
        io.StringIO(measurements_csv([Measurement(name="one", status="ok", setup={"skip_copy": 4})]))
    )
    assert row["skip_copy"] == "4"
    assert answers.setup_seed(plain) == SEED != answers.setup_seed(four)
    assert docs_row("skip_copy", ROW) == "| `skip_copy` | whole stripes are written without a copy | 1 to 8 |  |"


def test_docs_and_schemas_have_the_help_of_every_field() -> None:
    assert "\n".join(docs_row(name, row) for name, row in FIELDS.items()) in DOCS.read_text()
    for kind in ("Setup", "Axes"):
        properties = schema("plan")["$defs"][kind]["properties"]
        assert {name: about["description"] for name, about in properties.items()} == {
            name: FIELDS[name].help for name in properties
        }


@pytest.mark.parametrize(
    "level, cells, short",
    [
        ("6", [{"chunk": "512KiB"}, {"chunk": "1MiB"}, {"level": "1"}], "RAID 6 512K | RAID 6 1M | RAID 1"),
        ("5", [{"bitmap": "none"}, {}, {"bitmap": "ppl"}], "no bitmap | bitmap | ppl"),
        ("5", [{"disks": 3, "stripe_cache_size": 256}, {"disks": 4}], "of 3 cache 256 | of 4"),
        ("10", [{"wbt_lat_usec": 0, "failed": 1}, {"wbt_lat_usec": 2000}], "wbt off (1 failed) | wbt 2 ms healthy"),
        ("5", [{"rebuild_min_kib_s": 1000}, {}], "rebuild 1000K/s | no rebuild"),
        ("0", [{"member_size": "1536MiB"}, {"member_size": "2GiB"}], "1536M/disk | 2G/disk"),
        ("zfs-raidz1", [{"allocation_unit": "4KiB"}, {"allocation_unit": "1MiB"}], "4K-unit | 1M-unit"),
        ("0", [{"filesystem": "ext4", "partition_start_sectors": 63}, {}], "sector 63 ext4 | no fs"),
        ("5", [{"first_sync": "skip"}, {"first_sync": "wait"}], "not synced | synced"),
    ],
)
def test_a_setup_has_a_table_name(level: str, cells: list[dict[str, Any]], short: str) -> None:
    assert " | ".join(names([Setup(**({"level": level} | cell)) for cell in cells], short=True)) == short
