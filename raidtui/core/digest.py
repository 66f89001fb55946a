"""SHA-256 without OpenSSL, which `hashlib` loads (4 MB per worker)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # a Python without algorithms of its own
            from hashlib import sha256

__all__ = ["sha256"]
