# expect: violated assertion
import threading
prices, out = {"a": 1, "b": 1}, []

def look():
    for price in map(prices.get, ["a", "b"]):
        out.append(price)

def change():
    prices["a"] = 2
    prices["b"] = 2


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out != [1, 2]
