// Threads of C++ that are alike, and some that are not; the argument says which.
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static int count, last, cell[3];

static void add() {
    std::lock_guard<std::mutex> held(lock);
    count++;
}
static void add_some(int some) {
    std::lock_guard<std::mutex> held(lock);
    count += some;
    last = some;
}
static void add_own(int i) {
    cell[i]++;
    add();
}

struct Task {
    virtual ~Task() = default;
    virtual void run() = 0;
};
struct First : Task {
    void run() override { add_some(1); }
};
struct Second : Task {
    void run() override { add_some(2); }
};

struct Pool {
    int done = 0;
    std::vector<std::thread> workers;
    void run() {
        std::lock_guard<std::mutex> held(lock);
        done++;
    }
    Pool() {
        for (int i = 0; i < 3; i++)
            workers.emplace_back(&Pool::run, this);
    }
    ~Pool() {
        for (auto &worker : workers)
            worker.join();
        assert(done >= 3);
    }
};

template <class Body> static void three(Body body) {
    std::vector<std::thread> all;
    for (int i = 0; i < 3; i++)
        all.emplace_back(body(i));
    for (auto &each : all)
        each.join();
}

static void both(Task *one, Task *other) {
    std::thread first([one] { one->run(); }), second([other] { other->run(); });
    first.join();
    second.join();
}

int main(int, char **words) {
    First first;
    Second second;
    int mine = 0;
    auto is = [&](const char *scene) { return !strcmp(words[1], scene); };
    if (is("a function")) {
        std::thread a(add), b(add), c(add);
        a.join();
        b.join();
        c.join();
    }
    if (is("in a vector"))
        three([](int) { return add; });
    if (is("a lambda"))
        three([&](int) {
            return [&mine] {
                std::lock_guard<std::mutex> held(lock);
                mine++;
            };
        });
    if (is("a member function"))
        Pool();
    if (is("beside main")) {
        Pool pool;
        pool.run();
    }
    if (is("the same argument"))
        three([](int) { return [] { add_some(2); }; });
    if (is("an argument of its own"))
        three([](int i) { return [some = i / 2] { add_some(some); }; });
    if (is("a number"))
        three([](int i) { return [i] { add_own(i); }; });
    if (is("another function")) {
        std::thread a([] { add_some(1); }), b([] { add_some(2); });
        a.join();
        b.join();
        assert(last == 2);
    }
    if (is("a virtual function")) {
        both(&first, &second);
        assert(last == 2);
    }
    if (is("the same virtual function")) {
        First other;
        both(&first, &other);
    }
    return 0;
}
