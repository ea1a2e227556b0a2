"""Where everything is in the bits of a state.

`facts` looks at the model, `probe` guesses how large things get, `layout` gives each its bits (`packing`, and `heaps`
for objects and stacks), `cells` says which pieces of words symmetries move.  Start with `layout`.
"""

__all__ = ["cells", "facts", "heaps", "layout", "packing", "probe"]
