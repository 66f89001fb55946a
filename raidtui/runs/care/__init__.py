"""Care of arrays that stand, carried out: what md does is followed, and what it has done by now is passed over."""
