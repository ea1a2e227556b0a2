// expect: violated crash
// An exception that nobody catches ends the program.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> stock{1};

static void take() {
    if (stock.fetch_sub(1) <= 0)
        throw std::runtime_error("nothing left");
}

int main() {
    std::thread a(take), b(take);
    a.join();
    b.join();
    return 0;
}
