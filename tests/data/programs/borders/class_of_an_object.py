# expect: incomplete; reason: Cat.__class__; why: all methods are found elsewhere then, and no access says so
import threading


class Cat:
    def says(self):
        return "meow"


class Dog:
    def says(self):
        return "bark"


pet, same = Cat(), []


def first():
    same.append(pet.says() == pet.says())


def second():
    pet.__class__ = Dog


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert same == [True]
