// expect: violated race
// One thread looks for a key while another one adds one: the library changes the tree, and is announced.
#include <map>
#include <thread>

std::map<int, int> map;

int main()
{
    map[1] = 1;
    std::thread adds([] { map[5] = 1; }), looks([] { map.find(1); });
    adds.join();
    looks.join();
}
