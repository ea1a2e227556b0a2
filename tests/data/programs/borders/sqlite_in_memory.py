# expect: incomplete; reason: sqlite3.
import sqlite3, threading
db = sqlite3.connect(":memory:", check_same_thread=False)
db.execute("create table t (n)")
db.execute("insert into t values (0)")

def work():
    n, = db.execute("select n from t").fetchone()
    db.execute("update t set n = ?", (n + 1,))


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
