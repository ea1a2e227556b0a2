// What the standard library of C++ does inside: a static variable of a function, a shared pointer; and one weak access.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

struct Table { int size = 3; };

static const Table &table()
{
    static Table made;
    return made;
}

static std::atomic<bool> flag;
static std::atomic<int> count;

int main()
{
    auto shared = std::make_shared<int>(1);
    std::thread other([copy = shared] {
        if (table().size != 3)
            std::abort();
#ifdef WEAK
        flag.store(true);
        count.store(1, std::memory_order_release);
#endif
    });
    int size = table().size;
    bool seen = flag.load() && count.load();
    shared.reset();
    other.join();
    return size + seen < 3;
}
