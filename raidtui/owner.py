"""Addresses that the owner of the program fills in (owner.toml). Empty ones are not printed."""

import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("owner.toml")


def addresses(file: Path = FILE) -> dict[str, str]:
    """Those that are filled in, by key."""
    return {key: address for key, address in tomllib.loads(file.read_text()).items() if address}


def urls(file: Path = FILE) -> dict[str, str]:
    """Of the package's metadata; an address of e-mail is none."""
    titles = {"repository": "Source", "reports": "Issues"}
    filled = addresses(file)
    return {title: filled[key] for key, title in titles.items() if filled.get(key, "").startswith("https://")}
