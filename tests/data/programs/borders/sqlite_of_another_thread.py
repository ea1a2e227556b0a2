# expect: violated exception; why: only the thread that made a connection may use it, as Python says
import sqlite3, threading
db = sqlite3.connect(":memory:")

def work():
    db.execute("select 1")


thread = threading.Thread(target=work)
thread.start()
thread.join()
