# expect: violated assertion; why: a pickler stands for the file that it was made with
import io
import pickle
import threading

file = io.BytesIO()


def first():
    pickler = pickle.Pickler(file)
    pickler.dump(1)
    pickler.dump(2)


def second():
    pickle.Pickler(file).dump(3)


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
file.seek(0)
assert [pickle.load(file) for _ in range(3)] in ([1, 2, 3], [3, 1, 2])
