// expect: violated deadlock
// Two accounts locked in the order of the arguments.
#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    int balance = 100;
};

static Account first, second;

static void transfer(Account &from, Account &to) {
    std::lock_guard<std::mutex> one(from.lock);
    std::lock_guard<std::mutex> other(to.lock);
    from.balance -= 10;
    to.balance += 10;
}

int main() {
    std::thread a([] { transfer(first, second); });
    std::thread b([] { transfer(second, first); });
    a.join();
    b.join();
    return 0;
}
