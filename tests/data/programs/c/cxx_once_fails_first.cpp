// expect: holds
// An exception leaves the first call: the second one does it again.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int calls;

static void first_fails() {
    if (calls++ == 0)
        throw 1;
}

int main() {
    auto work = [] {
        try {
            std::call_once(once, first_fails);
        } catch (int) {
        }
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(calls == 2);
}
