# expect: holds
import threading

lock, seen = threading.Lock(), []


def look():
    xs = [1, 2]
    match xs:
        case [a, b] if a < b < 3:
            with lock:
                seen.append(1 < len(xs) < 3)


change = look


threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert seen == [True, True]
