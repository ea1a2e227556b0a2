# expect: incomplete; reason: contextlib.redirect_stdout
import contextlib, io, threading

def work():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print("x")
    assert out.getvalue() in ("", "x\n", "x\nx\n")


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
