# expect: violated exception
import sqlite3, threading
made = []

def work():
    made.append(sqlite3.connect(":memory:").execute("select 1"))


thread = threading.Thread(target=work)
thread.start()
thread.join()
made[0].fetchone()
