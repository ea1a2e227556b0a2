// expect: violated race
// std::thread without a lock.
#include <thread>

static int counter;

int main() {
    std::thread a([] { counter++; });
    std::thread b([] { counter++; });
    a.join();
    b.join();
    return 0;
}
