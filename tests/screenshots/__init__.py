"""The pictures in screenshots/: every screen in two themes and two sizes, and the whole path as one that moves.

All from recordings of real machines and real runs; the same recordings give the same files. `test_stale` fails where a
screen has changed and its pictures were not made anew.
"""
