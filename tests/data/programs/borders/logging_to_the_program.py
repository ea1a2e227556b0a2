# expect: incomplete; reason: logging
import logging, threading
seen = []

class Mine(logging.Handler):
    def emit(self, record):
        seen.append(record.getMessage())

logger = logging.getLogger("there")
logger.addHandler(Mine())
assert len(logger.handlers) == 1

def work():
    logger.warning("hello")


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(seen) == 2
