# expect: violated assertion
import struct, threading
data = bytearray(4)

def work():
    n, = struct.unpack_from("<i", data)
    struct.pack_into("<i", data, 0, n + 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert struct.unpack("<i", data) == (2,)
