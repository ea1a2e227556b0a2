# expect: holds
import pathlib, threading
here = pathlib.Path(__file__)
first = here.read_text().splitlines()[0]
lines = []

def work():
    lines.append(len(first))


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
with open(here) as file:
    assert file.readline().startswith("# expect")
assert len(lines) == 2
