"""README by the addresses of raidtui/owner.toml: its first commands, and its text in a package, where no path leads on.

`python -m packing.readme` writes the first commands into README.md. Standard library only: builds have no raidtui.
"""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
_BEGIN, _END = "<!-- by packing/readme.py -->\n\n", "\n<!-- end -->\n"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|mailto:|#)([^)]+)\)")
_WITHOUT_CLONE = """\
```sh
uvx --from git+{repository} raidtui demo   # a recorded run through the real screens
pipx run --spec git+{repository} raidtui demo   # the same with pipx
```

Any terminal, git and Python 3.11, which uv fetches; no disks, no root. From a clone, on Debian 12 or later:

"""
_CLONE = "git clone {repository} raidtui && cd raidtui\n"
_MAKE = """\
apt install make   # if it is missing; as root or with sudo
make run   # the wizard on practice disks; where they are impossible, a recorded run
"""


def first_commands(repository: str) -> str:
    """`repository` "": a clone is taken for granted, as its address is unknown."""
    if not repository:
        return f"After a clone, on Debian 12 or later:\n\n```sh\n{_MAKE}```\n"
    return f"{_WITHOUT_CLONE}```sh\n{_CLONE}{_MAKE}```\n".format(repository=repository)


def current(text: str, repository: str) -> str:
    """README with its first commands. ValueError if the place is not marked."""
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError(f"README.md: {_BEGIN.strip()} … {_END.strip()} not found")
    return f"{before}{begin}{first_commands(repository)}{end}{after}"


def packaged(text: str, repository: str) -> str:
    """README elsewhere than beside the files that it links: absolute addresses; without a repository neither links nor
    the paragraphs and tables that show pictures. Addresses as GitHub has them.
    """
    text = current(text, repository).replace(_BEGIN, "").replace(_END, "")
    if repository:
        return _LINK.sub(lambda link: _absolute(link, repository.removesuffix(".git").rstrip("/")), text)
    parts = (part for part in text.split("\n\n") if not re.search(r"!\[[^\]]*\]\((?!https?://)", part))
    return _LINK.sub(r"\2", "\n\n".join(parts))


def _absolute(link: re.Match[str], repository: str) -> str:
    mark, words, path = link.groups()
    return f"{mark}[{words}]({repository}/{'raw' if mark else 'blob'}/HEAD/{path})"


if __name__ == "__main__":
    from raidtui.owner import addresses

    README.write_text(current(README.read_text(), addresses().get("repository", "")))
