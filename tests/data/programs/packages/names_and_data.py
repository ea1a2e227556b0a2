# expect: incomplete; reason: asks.name
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

assert asks.is_main()
assert asks.name() == "main"
assert asks.get_ident() == threading.get_ident() == asks.MAIN


def work(name):
    assert not asks.is_main()
    assert asks.name() == threading.current_thread().name == name
    assert asks.function()
    asks.here.name = name + "!"
    with lock:
        assert asks.name() == name + "!"
    assert asks.get_ident() == threading.get_ident() == threading.current_thread().ident != asks.MAIN


lock = threading.Lock()
threads = [threading.Thread(target=work, args=(name,), name=name) for name in "ab"]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert asks.name() == "main"
