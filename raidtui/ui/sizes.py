"""The sizes of a window at which the screens change, in cells."""

MIN_WIDTH, MIN_HEIGHT = 80, 24
WIDE = 100  # from here on there is a column beside
HIGH = 30  # from here on there is room for empty lines
