// expect: incomplete
// What was written before the promise is kept is seen behind it; an exception comes along as well.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    int data = 0;
    std::promise<int> promise;
    std::future<int> later = promise.get_future();
    std::thread thread([&] {
        data = 1;
        promise.set_value(3);
    });
    assert(later.get() == 3 && data == 1);
    thread.join();
    auto fails = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
    try {
        fails.get();
        assert(false);
    } catch (const std::runtime_error &) {
    }
}
