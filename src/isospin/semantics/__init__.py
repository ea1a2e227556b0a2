"""What a model means: the reference, which every engine is compared with.

`state` is what is stored, `interp` is how it changes, `evaluate` the values of expressions; `channels`, `objects`,
`calls`, `heap`, `monitor` and `start` are parts of `interp`.  `explain` and `snapshot` tell a path, `spec` says when a
model is well formed, `walk` goes over expressions, `coverage` says what was never executed, `work` where the
interpreter gives up.  Start with `interp`.
"""

__all__ = [
    "calls", "channels", "coverage", "explain", "heap", "interp", "objects", "snapshot", "spec", "start", "state",
    "text", "waiting", "walk", "work", "written",
]
