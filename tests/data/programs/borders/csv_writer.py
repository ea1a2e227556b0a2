# expect: violated assertion; why: a writer stands for the file that it was made with
import csv
import io
import threading

table = io.StringIO()


def first():
    writer = csv.writer(table)
    writer.writerow([1])
    writer.writerow([2])


def second():
    csv.writer(table).writerow([3])


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert table.getvalue().split() in (["1", "2", "3"], ["3", "1", "2"])
