"""One UUID, two notations."""

from raidtui.core.disks import identity

AS_BLKID, AS_MDADM = "00112233-4455-6677-8899-aabbccddeeff", "00112233:44556677:8899aabb:ccddeeff"


def test_both_notations_have_the_same_digits() -> None:
    assert identity.digits(AS_BLKID) == identity.digits(AS_MDADM.upper()) == "00112233445566778899aabbccddeeff"
    assert identity.as_md(AS_BLKID) == AS_MDADM
