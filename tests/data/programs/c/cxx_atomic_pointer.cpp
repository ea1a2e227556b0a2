// expect: violated assertion
// Publishing before filling.
#include <atomic>
#include <cassert>
#include <thread>

struct Box {
    std::atomic<int> value{0};
};

static Box box;
static std::atomic<Box *> published{nullptr};

int main() {
    std::thread writer([] {
        published.store(&box);
        box.value.store(9);
    });
    if (Box *seen = published.load())
        assert(seen->value.load() == 9);
    writer.join();
    return 0;
}
