# expect: holds
import decimal, threading
assert decimal.getcontext().prec == 28
lock = threading.Lock()

def work():
    decimal.getcontext().prec = 5
    with lock:
        pass
    with decimal.localcontext() as context:
        context.prec = 3
        with lock:
            assert decimal.Decimal(1) / 3 == decimal.Decimal("0.333")
    assert decimal.Decimal(1) / 3 == decimal.Decimal("0.33333")

def other():
    with lock:
        assert decimal.Decimal(1) / 3 != decimal.Decimal("0.333")


threads = [threading.Thread(target=f) for f in (work, other,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert decimal.getcontext().prec == 28
