# expect: holds
import threading
from dataclasses import dataclass, field

@dataclass
class Box:
    items: list = field(default_factory=list)

boxes, lock = [Box(), Box()], threading.Lock()

def work():
    with lock:
        boxes[0].items.append(1)
    Box().items.append(2)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert boxes == [Box([1, 1]), Box()]
