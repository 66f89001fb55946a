"""What fio prints of data that are not as written."""

from raidtui.core.fio import text
from raidtui.core.fio.text import WrongBlock

PRINTED = """\
fio: got pattern '00', wanted '12'. Bad bits 2
fio: bad pattern block offset 4096
pattern: verify failed at file /srv/my data/a.fio offset 1048576, length 1048576 (requested block: offset=1048576, length=1048576)
pattern: verify failed at file /srv/my data/a.fio offset 1048576, length 1048576 (requested block: offset=1048576, length=1048576)
verify: bad magic header 0, wanted acca at file /dev/sdb offset 512, length 512 (requested block: offset=0, length=4096)
pattern: verify failed at file /srv/my data/a.fio offset 3145728, length 1048576 (requested block: offset=3145728, length=1048576)
"""  # noqa: E501


def test_each_block_once_with_its_first_byte() -> None:
    assert text.blocks(PRINTED) == [WrongBlock(1 << 20, 4096), WrongBlock(3 << 20, 0)]


def test_the_first_place_of_each_path_with_spaces_too() -> None:
    assert text.first_by_path(PRINTED) == {"/srv/my data/a.fio": 1 << 20, "/dev/sdb": 512}
    assert text.first_by_path("fio: io_u error on file /dev/sda: Input/output error") == {}
