# expect: holds
from concurrent.futures import Future, ThreadPoolExecutor

seen = []


def fail(future):
    seen.append(1)
    raise ValueError("ignored, and logged")


with ThreadPoolExecutor(1) as pool:
    future = pool.submit(int, "3")
    future.add_done_callback(fail)
    future.add_done_callback(lambda f: seen.append(f.result()))
    assert future.result() == 3
future.add_done_callback(fail)
assert sorted(seen) == [1, 1, 3]
done = Future()
done.add_done_callback(fail)
done.set_result(1)
assert done.result() == 1
