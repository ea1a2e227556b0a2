# expect: incomplete; reason: sqlite3.; why: who finds the database locked waits for the other, and no time-out strikes
import os, sqlite3, tempfile, threading
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "numbers")
one, other = (sqlite3.connect(path, check_same_thread=False) for _ in range(2))
for db in (one, other):
    db.execute("pragma synchronous = off")
one.execute("create table t (n)")
one.execute("insert into t values (0)")
one.commit()

def work(db):
    db.execute("update t set n = n + 1")
    db.commit()


threads = [threading.Thread(target=work, args=(db,)) for db in (one, other)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert one.execute("select n from t").fetchone() == (2,)
