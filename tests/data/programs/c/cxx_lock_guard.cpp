// expect: holds
// The same with a lock_guard.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int counter;

static void add() {
    std::lock_guard<std::mutex> held(lock);
    counter++;
}

int main() {
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(counter == 2);
    return 0;
}
