# expect: holds
import threading

seen = []
threading.excepthook = lambda args: seen.append((args.exc_type, args.thread.name))


def work():
    raise ValueError("known")


t = threading.Thread(target=work, name="w")
t.start()
t.join()
assert seen == [(ValueError, "w")]
