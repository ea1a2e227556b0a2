# expect: holds
import io, logging, threading
out = io.StringIO()
logger = logging.getLogger("here")
logger.addHandler(logging.StreamHandler(out))
logger.setLevel(logging.INFO)
logger.propagate = False
assert len(logger.handlers) == 1  # in each execution

def work():
    logger.info("hello %s", 1)
    logger.debug("not this")


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out.getvalue().count("hello") == 2
