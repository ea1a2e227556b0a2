# expect: incomplete; reason: lives longer under control
import weakref


class Thing:
    pass


thing = Thing()
thing.value = 1
reference = weakref.ref(thing)
del thing
assert reference() is None
