# expect: incomplete; reason: yarl_like.Money.operator at
import sys
import threading
import types

yarl_like = types.ModuleType("yarl_like")  # stands for an installed package
exec("class Money:\n    total = 0\n    def __mul__(self, n):\n        Money.total += n\n        return self\n", vars(yarl_like))
money = yarl_like.Money()
import attr


def work():
    money * 2


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
