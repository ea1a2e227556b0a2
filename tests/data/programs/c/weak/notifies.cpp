// What C++ waits with, and the orders of the accesses around it; the argument says which scene is played.
#include <atomic>
#include <cassert>
#include <cstring>
#include <latch>
#include <thread>

static std::atomic<int> flag;
static std::latch latch(1);
static int data;

static void stores(std::memory_order order)
{
    data = 1;
    flag.store(1, order);
    flag.notify_one();
}

static void waits(std::memory_order order)
{
    flag.wait(0, order);
    assert(data == 1);
}

int main(int, char **arguments)
{
    const char *scene = arguments[1];
    if (!strcmp(scene, "a release")) {
        std::thread other(stores, std::memory_order_release);
        waits(std::memory_order_acquire);
        other.join();
    } else if (!strcmp(scene, "relaxed")) {
        std::thread other(stores, std::memory_order_relaxed);
        waits(std::memory_order_relaxed);
        other.join();
    } else if (!strcmp(scene, "nobody notifies")) {
        std::thread other([] { flag.store(1, std::memory_order_release); });
        flag.wait(0, std::memory_order_acquire);
        other.join();
    } else if (!strcmp(scene, "notifying orders nothing")) {
        std::thread other([] {
            data = 1;
            flag.store(1, std::memory_order_relaxed);
        });
        if (flag.load(std::memory_order_relaxed)) {
            flag.notify_one();
            assert(data == 1);
        }
        other.join();
    } else {
        std::thread other([] {
            data = 1;
            latch.count_down();
        });
        latch.wait();
        assert(data == 1);
        other.join();
    }
}
