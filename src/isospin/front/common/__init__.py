"""What the readers of several languages share.

`tokens` has the token and the cursor that parsers move along; `height` refuses a text that is nested too deeply.
"""

__all__ = ["height", "tokens"]
