# expect: violated assertion
"""Two writes to one text file: the other may come in between."""
import io
import threading

out = io.StringIO()


def work(name):
    out.write(name)
    out.write(name)


threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out.getvalue() in ("aabb", "bbaa")
