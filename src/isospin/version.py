"""The version, for all rooms: the package itself is above them, and none of them imports it."""

__version__ = "0.1.0"
