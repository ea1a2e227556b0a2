# expect: holds
import io, logging, threading
out = io.StringIO()
logging.basicConfig(stream=out, level=logging.INFO)
logger = logging.getLogger("here")
assert len(logging.getLogger().handlers) == 1

def work():
    logger.info("hello %s", 1)
    logger.debug("not this")


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out.getvalue().count("hello") == 2
