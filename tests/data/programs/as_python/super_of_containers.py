# expect: holds
import collections
import threading


class Counting(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)

    def __getitem__(self, key):
        return super().__getitem__(key)

    def get(self, key, default=None):
        return super().get(key, default)

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def keys(self):
        return sorted(super().keys())


class Log(list):
    def append(self, item):
        super().append(("item", item))

    def __contains__(self, item):
        return list.__contains__(self, ("item", item))


class Names(set):
    def add(self, item):
        super().add(item.lower())

    def __contains__(self, item):
        return super().__contains__(item.lower())


class Last(collections.deque):
    def append(self, item):
        super().append(item)
        return self

    def popleft(self):
        return super().popleft()


class Ordered(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.move_to_end(key)


class Default(collections.defaultdict):
    def __missing__(self, key):
        value = super().__missing__(key)
        return value


counting, log, names, last, ordered, default = Counting(), Log(), Names(), Last(), Ordered(), Default(list)
lock = threading.Lock()


def work(n):
    with lock:
        counting[n] = 1
        counting.update({n: counting[n] + counting.get(7, 1)})
        log.append(n)
        names.add("A")
        last.append(n)
        ordered[n] = n
        default[n].append(n)


threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert counting == {0: 2, 1: 2} and counting.keys() == [0, 1]
assert 0 in log and ("item", 1) in list(log) and 3 not in log
assert names == {"a"} and "A" in names
assert sorted([last.popleft(), last.popleft()]) == [0, 1]
assert sorted(ordered) == [0, 1] and default == {0: [0], 1: [1]}
