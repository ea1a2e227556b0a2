# expect: incomplete; reason: money.Money.operator; why: a package that no import statement names has operators, too
import importlib, sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
money = importlib.import_module("money").Money()


def work():
    money * 2


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
