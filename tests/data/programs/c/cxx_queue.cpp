// expect: holds
// A queue with a condition variable, std::unique_lock and a predicate.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static std::queue<int> items;

int main() {
    std::thread producer([] {
        std::lock_guard<std::mutex> held(lock);
        items.push(7);
        filled.notify_one();
    });
    std::unique_lock<std::mutex> held(lock);
    filled.wait(held, [] { return !items.empty(); });
    assert(items.front() == 7);
    held.unlock();
    producer.join();
    return 0;
}
