"""The sizes of a window at which the screens change, in cells."""

MIN_WIDTH, MIN_HEIGHT = 80, 24
WIDE = 120  # from here on there is room for a column beside what takes 78
HIGH = 32  # from here on panels have round edges and there is room for empty lines
