"""The commands. Each gathers its input, calls one function, prints; what a command does is not here.

`app` has the program; a module a group of commands beside it. Nothing but Typer is imported before a command is known.

Exit codes: 0 done, 1 something failed and said why, 2 bad input, 3 refused for safety, 130 stopped by the user.
"""
