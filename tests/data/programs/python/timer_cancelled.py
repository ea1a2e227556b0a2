# expect: violated assertion
"""A timer may fire before it is cancelled."""
import threading

fired = []
timer = threading.Timer(10.0, fired.append, ["late"])
timer.start()
timer.cancel()
timer.join()
assert fired == []
