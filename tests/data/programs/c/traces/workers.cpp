// N threads of C++ that add to an account: N! traces, one orbit.
#include <mutex>
#include <thread>
#include <vector>

#ifndef N
#define N 3
#endif

struct Account {
    std::mutex lock;
    int balance = 0;
};

static void deposit(Account *account, int amount)
{
    std::lock_guard<std::mutex> guard(account->lock);
    account->balance += amount;
}

int main()
{
    static Account account;
    std::vector<std::thread> threads;
    for (int i = 0; i < N; i++)
        threads.emplace_back(deposit, &account, 5);
    for (auto &thread : threads)
        thread.join();
    return account.balance == 5 * N ? 0 : 1;
}
