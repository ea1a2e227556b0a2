# expect: incomplete; reason: importlib
import importlib.resources, threading
import packed

lines = []


def work():
    lines.append(importlib.resources.files(packed).joinpath("words.txt").read_text())


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert lines == [packed.TEXT] * 2
