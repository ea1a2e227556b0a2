# expect: holds
import importlib.resources, threading
import packed

lines, lock = [], threading.Lock()
text = importlib.resources.files(packed).joinpath("words.txt").read_text()


def work():
    with lock:
        lines.append(text.split()[len(lines)])


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert lines == ["one", "two"]
assert importlib.resources.read_text("packed", "words.txt") == text == packed.TEXT
