// expect: holds
// Strings, trees, lists, hash tables and streams behind a lock: all of them run code of the library.
#include <cassert>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>

std::mutex lock;
std::map<std::string, int> map;
std::list<int> list;
std::unordered_map<std::string, int> table;

void work(int number)
{
    std::ostringstream name;
    name << "thread " << number;
    std::lock_guard<std::mutex> guard(lock);
    map[name.str()] = number;
    table[name.str()] += number;
    list.push_back(number);
    std::cout << name.str() << " of " << map.size() << std::endl;
}

int main()
{
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    int sum = 0;
    for (auto &each : map)
        sum += each.second;
    for (int each : list)
        sum += each;
    assert(sum == 6 && table.size() == 2);
}
