/* expect: holds */
/* std::thread, mutex, condition_variable, atomic, shared_ptr (whose counts must be atomic), exceptions, thread_local. */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

thread_local int own = 7;
static std::mutex lock;
static std::condition_variable changed;
static bool ready;
static std::atomic<int> sum{0};

struct Shared { int value = 3; ~Shared() { value = -1; } };

static Shared &only() { static Shared shared; return shared; }

static void work(std::shared_ptr<Shared> pointer, int number) {
    own += number;
    assert(pointer->value == 3);
    pointer.reset();
    try {
        if (number)
            throw std::runtime_error("caught");
    } catch (std::exception &) {
        own++;
    }
    std::lock_guard<std::mutex> guard(lock);
    sum += own + only().value;
    ready = true;
    changed.notify_one();
}

int main() {
    auto pointer = std::make_shared<Shared>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back(work, pointer, i);
    pointer.reset();
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [] { return ready; });
    }
    for (auto &thread : threads)
        thread.join();
    assert(sum == 7 + 3 + 9 + 3 && own == 7);
}
