# expect: incomplete; reason: lives longer under control
import os


def save(text):
    file = open(os.devnull, "w")
    file.write(text)


save("x")
with open(os.devnull) as file:
    assert file.read() == ""
