# expect: violated assertion
"""However long the time-out, the other thread may be slower."""
import threading

done = threading.Event()
worker = threading.Thread(target=done.set)
worker.start()
assert done.wait(timeout=60)
worker.join()
