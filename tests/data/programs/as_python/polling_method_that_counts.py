# expect: incomplete; reason: waits for others and counts its turns
import threading
import time


class Service:
    def __init__(self):
        self.ready = threading.Event()
        self.polls = 0

    def wait(self):
        tries = 0
        while not self.ready.is_set():
            self.polls += 1
            tries += 1
            time.sleep(0.01)
        return tries


service = Service()
threading.Thread(target=service.ready.set).start()
assert service.wait() == service.polls
