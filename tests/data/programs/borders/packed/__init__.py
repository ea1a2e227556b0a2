"""A package of the program, with a file beside its code."""

import pkgutil

TEXT = pkgutil.get_data(__name__, "words.txt").decode()
