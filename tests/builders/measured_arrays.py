"""Arrays that were measured in the lab, and what the first model gave for them: figures to judge a model by."""

from raidtui.core.raid.depth_curve import one_figure
from raidtui.core.raid.placement import RequestShape
from raidtui.core.units import KIB

X = 97.5  # IOPS of one disk
DISK = one_figure(X)
READ, WRITE = 1.0, 0.0
SECTOR_63 = 63 * 512
# Six throttled disks of 10 ms behind real md, 4 KiB direct, no bitmap, write-back throttling off: measured / model.
QUEUES = (1, 2, 4, 8, 16, 32, 64)
MEASURED: dict[tuple[str, str | None, int, float], tuple[tuple[int, int], ...]] = {
    ("0", None, 6, READ): ((97, 97), (179, 178), (302, 296), (421, 410), (485, 492), (543, 541), (564, 561)),
    ("0", None, 6, WRITE): ((98, 97), (178, 178), (296, 296), (413, 410), (502, 492), (541, 541), (534, 561)),
    ("5", None, 6, READ): ((93, 97), (178, 178), (288, 296), (384, 410), (481, 492), (506, 541), (544, 561)),
    ("5", None, 6, WRITE): ((47, 49), (68, 69), (85, 93), (108, 113), (131, 128), (135, 136), (145, 140)),
    ("6", None, 6, WRITE): ((50, 49), (72, 70), (92, 89), (98, 97), (99, 98), (98, 98), (100, 98)),
    ("10", "n2", 6, READ): ((97, 97), (195, 195), (343, 348), (489, 491), (549, 547), (563, 573), (576, 582)),
    ("10", "n2", 6, WRITE): ((98, 97), (161, 162), (212, 219), (258, 254), (283, 272), (300, 284), (295, 290)),
    ("10", "f2", 6, READ): ((98, 97), (195, 195), (359, 355), (516, 519), (580, 580), (591, 585), (581, 585)),
    ("10", "f2", 6, WRITE): ((98, 97), (157, 151), (203, 203), (240, 241), (277, 265), (284, 278), (290, 287)),
    ("1", None, 2, READ): ((95, 97), (193, 195), (196, 195), (190, 195), (196, 195), (197, 195), (196, 195)),
}
# Other arrays: shape, queue, share of reads, batch, measured (None: the model alone is on record), model.
K4, K8, K64 = 4 * KIB, 8 * KIB, 64 * KIB
OTHERS: tuple[tuple[RequestShape, int, float, int, int, int], ...] = (
    *(
        (RequestShape("5", n), q, WRITE, 1, m, c)
        for n in (3, 4)
        for q, m, c in ((1, 49, 49), (4, 94, 91), (16, 99, 98))
    ),
    *((RequestShape("6", 5), q, WRITE, 1, m, c) for q, m, c in ((1, 49, 49), (4, 94, 91), (16, 99, 98))),
    (RequestShape("4", 6), 16, WRITE, 1, 49, 49),
    (RequestShape("0", 6), 16, READ, 8, 441, 460),
    (RequestShape("0", 6), 16, READ, 16, 312, 317),
    (RequestShape("0", 4, None, K8, K8, SECTOR_63), 8, READ, 1, 177, 174),
    (RequestShape("0", 4, None, K4, K8, SECTOR_63), 8, READ, 1, 95, 97),
    (RequestShape("5", 4, None, K64, K8), 8, WRITE, 1, 98, 97),
    (RequestShape("5", 4, None, K8, K8), 8, WRITE, 1, 96, 97),
    (RequestShape("5", 4, None, K4, K8), 8, WRITE, 1, 95, 97),
    (RequestShape("5", 4, None, K64, K8, SECTOR_63), 8, WRITE, 1, 40, 43),
    (RequestShape("5", 4, None, K8, K8, SECTOR_63), 8, WRITE, 1, 54, 55),
    (RequestShape("5", 4, None, K4, K8, SECTOR_63), 8, WRITE, 1, 47, 49),
)
