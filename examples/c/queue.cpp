// expect: holds
// A queue between threads in C++; -DBUGGY: the last item may be taken twice.
//
//     isospin check examples/c/queue.cpp
//     isospin check examples/c/queue.cpp --cflags -DBUGGY
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

template <typename Item> class Queue {
  public:
    void put(Item item) {
        std::lock_guard<std::mutex> held(lock);
        items.push_back(item);
        changed.notify_one();
    }

    void close() {
        std::lock_guard<std::mutex> held(lock);
        closed = true;
        changed.notify_all();
    }

    bool take(Item &item) {  // false: there is nothing more
        std::unique_lock<std::mutex> held(lock);
#ifdef BUGGY
        if (items.empty() && !closed)
            changed.wait(held);
        if (closed && items.empty())
            return false;
#else
        changed.wait(held, [this] { return closed || !items.empty(); });
        if (items.empty())
            return false;
#endif
        item = items.at(0);
        items.pop_front();
        return true;
    }

  private:
    std::mutex lock;
    std::condition_variable changed;
    std::deque<Item> items;
    bool closed = false;
};

static Queue<int> queue;

static void consume() {
    int item;
    while (queue.take(item))
        ;
}

int main() {
    std::thread one(consume), two(consume);
    queue.put(7);
    queue.close();
    one.join();
    two.join();
    return 0;
}
