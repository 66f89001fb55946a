"""Random keys, clicks and sizes over every screen: `python -m tests.storm`. Nothing may break, nothing may be done."""
